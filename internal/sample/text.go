package sample

import (
	"encoding/base64"
	"fmt"
	"regexp/syntax"
	"strings"
	"time"
	"unicode"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/uuid"
)

// epoch is the first time in samples: nothing of them depends on the clock.
var epoch = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// maxText bounds the length of a text that a schema wants long.
const maxText = 1 << 16

func (m *Maker) text(s *openapi3.Schema, at string) (any, error) {
	n := m.chance(at)
	text := m.formatted(s.Format, at, n)
	switch {
	case s.Pattern != "" && (text == "" || m.check(s, text) != nil):
		return m.matching(s, at)
	case s.Pattern != "":
		return text, nil
	case text == "":
		text = fmt.Sprintf("%s %d", nameAt(at), n%1000)
	}
	return fitted(text, s), nil
}

// formatted returns a text of a format, or the empty string if the format is not known.
func (m *Maker) formatted(format, at string, n uint64) string {
	when := epoch.AddDate(0, 0, int(n%365)).Add(time.Duration(n%(24*60)) * time.Minute)
	switch format {
	case "date-time":
		return when.Format(time.RFC3339)
	case "date":
		return when.Format(time.DateOnly)
	case "time":
		return when.Format(time.TimeOnly) + "Z"
	case "duration":
		return fmt.Sprintf("PT%dM", n%60+1)
	case "uuid", "guid":
		var b [16]byte
		for i := range b {
			b[i] = byte(m.chance(fmt.Sprint(at, "#", i)))
		}
		b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80 // version 4
		return uuid.UUID(b).String()
	case "email", "idn-email":
		return fmt.Sprintf("user%d@example.com", n%1000)
	case "uri", "url", "iri", "uri-template":
		return fmt.Sprintf("https://example.com/%d", n%1000)
	case "uri-reference", "iri-reference":
		return fmt.Sprintf("/%d", n%1000)
	case "hostname", "idn-hostname":
		return fmt.Sprintf("host%d.example.com", n%1000)
	case "ipv4":
		return fmt.Sprintf("192.0.2.%d", n%254+1)
	case "ipv6":
		return fmt.Sprintf("2001:db8::%x", n%0xffff)
	case "byte":
		return base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "sample %d", n%1000))
	case "json-pointer":
		return "/sample"
	}
	return ""
}

// nameAt returns the name of the member at a place, as a word of a text.
func nameAt(at string) string {
	for {
		cut := strings.LastIndexByte(at, '/')
		if cut < 0 {
			return "sample"
		}
		name := at[cut+1:]
		if name != "" && (name[0] < '0' || name[0] > '9') {
			return strings.NewReplacer("_", " ", "-", " ").Replace(name)
		}
		at = at[:cut]
	}
}

// fitted returns a text as long as a schema wants it.
func fitted(text string, s *openapi3.Schema) string {
	runes := []rune(text)
	for uint64(len(runes)) < min(s.MinLength, maxText) {
		runes = append(runes, 'x')
	}
	if s.MaxLength != nil && uint64(len(runes)) > *s.MaxLength {
		runes = runes[:*s.MaxLength]
	}
	return string(runes)
}

// matching returns a text that a pattern matches.
func (m *Maker) matching(s *openapi3.Schema, at string) (any, error) {
	parsed, err := syntax.Parse(s.Pattern, syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf("pattern %s: %w", s.Pattern, err)
	}
	p := patternWriter{maker: m, at: at}
	for most := uint64(2)<<m.try - 1; ; most = most*2 + 1 { // repetitions, until the text is long enough
		p.text.Reset()
		p.most = int(most)
		p.write(parsed.Simplify())
		text := p.text.String()
		if n := uint64(len([]rune(text))); n >= s.MinLength || most > maxText || n > maxText {
			return text, nil
		}
	}
}

// patternWriter writes a text that a regular expression matches.
type patternWriter struct {
	maker *Maker
	at    string
	text  strings.Builder
	most  int // of repetitions without an end
}

func (p *patternWriter) write(re *syntax.Regexp) {
	if p.text.Len() > maxText {
		return
	}
	switch re.Op {
	case syntax.OpLiteral:
		p.text.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		p.text.WriteRune(p.pick(re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		all := []rune{'a', 'z'}
		if p.maker.try > 0 {
			all = []rune{'!', '~'}
		}
		p.text.WriteRune(p.pick(all))
	case syntax.OpConcat, syntax.OpCapture:
		for _, sub := range re.Sub {
			p.write(sub)
		}
	case syntax.OpAlternate:
		p.write(re.Sub[p.next()%uint64(len(re.Sub))])
	case syntax.OpStar:
		p.repeat(re.Sub[0], p.most-1)
	case syntax.OpPlus:
		p.repeat(re.Sub[0], p.most)
	case syntax.OpRepeat:
		most := max(re.Min, p.most)
		if re.Max >= 0 {
			most = min(most, re.Max)
		}
		p.repeat(re.Sub[0], max(re.Min, most))
	case syntax.OpQuest:
		if p.most > 1 {
			p.write(re.Sub[0])
		}
	default: // places, which have no text
	}
}

func (p *patternWriter) repeat(re *syntax.Regexp, n int) {
	for range n {
		p.write(re)
	}
}

func (p *patternWriter) next() uint64 {
	return p.maker.chance(fmt.Sprint(p.at, "~", p.text.Len()))
}

// characters are the kinds of them that follow each other in a text after one that did not fit: a schema may want some
// of each.
var characters = []func(rune) bool{unicode.IsLower, unicode.IsUpper, unicode.IsDigit, unicode.IsPunct}

// pick returns a character of a class, one that people read if there is any.
func (p *patternWriter) pick(ranges []rune) rune {
	var wanted, readable []rune
	isWanted := characters[p.text.Len()%len(characters)]
	for i := 0; i+1 < len(ranges); i += 2 {
		for r := max(ranges[i], '!'); r <= min(ranges[i+1], '~'); r++ {
			if p.maker.try > 0 && isWanted(r) {
				wanted = append(wanted, r)
			}
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				readable = append(readable, r)
			}
		}
	}
	for _, list := range [][]rune{wanted, readable} {
		if len(list) > 0 {
			return list[p.next()%uint64(len(list))]
		}
	}
	if len(ranges) > 0 {
		return ranges[0]
	}
	return 'x'
}
