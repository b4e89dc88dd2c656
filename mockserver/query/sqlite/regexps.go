package sqlite

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

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
