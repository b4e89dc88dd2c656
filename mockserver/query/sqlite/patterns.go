package sqlite

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"svc.example/understudy/mockserver/query/sqlite/internal/sqlite3"
)

// maxLike is the largest length of a pattern of LIKE or GLOB, in bytes.
const maxLike = 250

var (
	errLike   = errors.New("LIKE or GLOB pattern too complex") // as SQLite says it, and the next one
	errEscape = errors.New("ESCAPE expression must be a single character")
)

// element is one part of a pattern: any number of characters, or one of a set.
type element struct {
	many   bool
	ranges [][2]rune
	except bool // the set is of all other characters
}

var anyRune = element{except: true}

func (e element) matches(r rune) bool {
	for _, pair := range e.ranges {
		if pair[0] <= r && r <= pair[1] {
			return !e.except
		}
	}
	return e.except
}

// wildcards matches patterns of LIKE and GLOB. SQLite's own functions take a time in the order of the product of the
// lengths, and nothing can end them.
type wildcards struct {
	charge func(steps int64) error
	parse  func(pattern string, escape rune) []element
	parsed map[string][]element // by pattern and escape
}

func (w *wildcards) match(a sqlite3.Args) (any, error) {
	pattern, escape, err := a.Text(0), rune(-1), error(nil)
	if a.Len() == 3 {
		escape, err = singleCharacter(a.Text(2))
	}
	switch {
	case err != nil:
		return nil, err
	case len(pattern) > maxLike:
		return nil, errLike
	}
	key := string(escape) + pattern
	elements, known := w.parsed[key]
	if !known {
		elements = w.parse(pattern, escape)
		if w.parsed == nil || len(w.parsed) == maxPatterns {
			w.parsed = map[string][]element{}
		}
		w.parsed[key] = elements
	}
	matched, err := w.matches(elements, a.Text(1))
	return truthValue(matched), err
}

// singleCharacter returns the only character of a text.
func singleCharacter(text string) (rune, error) {
	r, size := utf8.DecodeRuneInString(text)
	if size == 0 || size != len(text) {
		return 0, errEscape
	}
	return r, nil
}

// matches goes back to no wildcard but the last one: what the ones before it have matched can stay as it is.
func (w *wildcards) matches(elements []element, s string) (bool, error) {
	i, at, wildcard, from := 0, 0, -1, 0
	for steps := 1; at < len(s); steps++ {
		if steps%matchQuantum == 0 {
			if err := w.charge(matchQuantum); err != nil {
				return false, err
			}
		}
		r, size := utf8.DecodeRuneInString(s[at:])
		switch {
		case i < len(elements) && elements[i].many:
			wildcard, from = i, at
			i++
		case i < len(elements) && elements[i].matches(r):
			i++
			at += size
		case wildcard >= 0:
			_, size = utf8.DecodeRuneInString(s[from:])
			from += size
			i, at = wildcard+1, from
		default:
			return false, nil
		}
	}
	for i < len(elements) && elements[i].many {
		i++
	}
	return i == len(elements), nil
}

// likeElements parses a pattern of LIKE. ASCII letters match without regard to case.
func likeElements(pattern string, escape rune) []element {
	var list []element
	escaped := false
	for _, r := range pattern {
		switch {
		case escaped:
			list, escaped = append(list, character(r)), false
		case r == escape:
			escaped = true
		case r == '%':
			list = append(list, element{many: true})
		case r == '_':
			list = append(list, anyRune)
		default:
			list = append(list, character(r))
		}
	}
	if escaped { // and nothing is left to match literally
		list = append(list, element{})
	}
	return list
}

// character matches one character, an ASCII letter in either case.
func character(r rune) element {
	e := element{ranges: [][2]rune{{r, r}}}
	if other := r ^ 0x20; 'a' <= r|0x20 && r|0x20 <= 'z' {
		e.ranges = append(e.ranges, [2]rune{other, other})
	}
	return e
}

// globElements parses a pattern of GLOB.
func globElements(pattern string, _ rune) []element {
	var list []element
	for rest := []rune(pattern); len(rest) > 0; {
		r, e := rest[0], element{}
		rest = rest[1:]
		switch r {
		case '*':
			e.many = true
		case '?':
			e = anyRune
		case '[':
			e, rest = globSet(rest)
		default:
			e.ranges = [][2]rune{{r, r}}
		}
		list = append(list, e)
	}
	return list
}

// globSet parses a set of characters, whose bracket is open, and returns what follows it. A bracket that nothing closes
// matches nothing.
func globSet(rest []rune) (e element, after []rune) {
	if e.except = len(rest) > 0 && rest[0] == '^'; e.except {
		rest = rest[1:]
	}
	prior := rune(-1)
	for i := 0; i < len(rest); i++ {
		switch r := rest[i]; {
		case r == ']' && i > 0:
			return e, rest[i+1:]
		case r == '-' && prior >= 0 && i+1 < len(rest) && rest[i+1] != ']':
			i++
			e.ranges = append(e.ranges, [2]rune{prior, rest[i]})
			prior = -1
		default:
			e.ranges = append(e.ranges, [2]rune{r, r})
			prior = r
		}
	}
	return element{}, nil
}

const (
	maxPattern   = 16 << 10 // bytes of a regular expression
	maxProgram   = 1 << 16  // instructions of a compiled one
	matchQuantum = 1 << 16  // steps of a match between two looks at the limits of the query

	// patternCost is the number of steps that compiling an instruction takes: about as long as so many steps of a match.
	patternCost = 32
)

var errLongPattern = errors.New("the pattern is too long")

// maxPatterns is the number of patterns that a query keeps compiled.
const maxPatterns = 16

// matcher matches regular expressions. It remembers the patterns of the rows before.
type matcher struct {
	charge   func(steps int64) error
	compiled map[string]compiled
}

type compiled struct {
	*regexp.Regexp
	size int // in instructions
}

// match reports whether a text has a match. A step is one instruction of the pattern on one byte of the text.
func (m *matcher) match(pattern, s string) (any, error) {
	p, err := m.compile(pattern)
	if err != nil {
		return nil, err
	}
	if steps := p.size * len(s); steps <= matchQuantum {
		if err := m.charge(int64(steps)); err != nil {
			return nil, err
		}
		return truthValue(p.MatchString(s)), nil
	}
	text := &chargedText{rest: strings.NewReader(s), cost: p.size, charge: m.charge}
	matched := p.MatchReader(text)
	return truthValue(matched), text.err
}

func (m *matcher) compile(pattern string) (p compiled, err error) {
	p, known := m.compiled[pattern]
	if known {
		return p, nil
	}
	if p.size, err = m.sizeOf(pattern); err == nil {
		p.Regexp, err = regexp.Compile(pattern)
	}
	if err != nil {
		return p, fmt.Errorf("regular expression: %w", err)
	}
	if m.compiled == nil || len(m.compiled) == maxPatterns {
		m.compiled = map[string]compiled{}
	}
	m.compiled[pattern] = p
	return p, nil
}

// sizeOf counts the instructions of a pattern, and charges for them. A pattern that would become a large program is
// refused before it is one.
func (m *matcher) sizeOf(pattern string) (int, error) {
	if len(pattern) > maxPattern {
		return 0, errLongPattern
	}
	if err := m.charge(int64(len(pattern)) * patternCost); err != nil {
		return 0, err
	}
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return 0, err
	}
	size := instructions(parsed)
	if size > maxProgram {
		return 0, errLongPattern
	}
	return size, m.charge(int64(size) * patternCost)
}

// instructions returns about how many instructions a parsed pattern becomes, not fewer.
func instructions(r *syntax.Regexp) int {
	n := 2 + len(r.Rune)
	for _, part := range r.Sub {
		n += instructions(part)
	}
	if r.Op == syntax.OpRepeat {
		n *= max(r.Min+1, r.Max)
	}
	return min(n, maxProgram+1)
}

// chargedText is a text that charges for what is read of it, and ends early when the query has to.
type chargedText struct {
	rest   *strings.Reader
	cost   int // of a byte
	unpaid int
	charge func(steps int64) error
	err    error
}

// ReadRune implements io.RuneReader.
func (t *chargedText) ReadRune() (rune, int, error) {
	if t.unpaid >= matchQuantum {
		if t.err = t.charge(int64(t.unpaid)); t.err != nil {
			return utf8.RuneError, 0, io.EOF
		}
		t.unpaid = 0
	}
	r, size, err := t.rest.ReadRune()
	t.unpaid += size * t.cost
	return r, size, err
}
