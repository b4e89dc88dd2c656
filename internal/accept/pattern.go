package accept

import (
	"regexp"
	"regexp/syntax"
)

// pattern is a regular expression. Most of those in documents are so simple that they need no engine.
type pattern struct {
	plan   *plan // nil if the expression is not simple
	regexp *regexp.Regexp
}

func newPattern(text string) (*pattern, error) {
	compiled, err := regexp.Compile(text)
	if err != nil {
		return nil, err
	}
	parsed, err := syntax.Parse(text, syntax.Perl) // as regexp does
	if err != nil {
		return nil, err
	}
	return &pattern{newPlan(parsed.Simplify()), compiled}, nil
}

func (p *pattern) matches(text string) bool {
	if p.plan != nil {
		return p.plan.matches(text)
	}
	return p.regexp.MatchString(text)
}

// plan describes whole texts of ASCII: one character of each set, and then any number of those of the last set.
type plan struct {
	each []set
	rest set
}

// set holds ASCII characters.
type set [2]uint64

func (s *set) add(first, last rune) {
	for c := first; c <= last; c++ {
		s[c/64] |= 1 << (c % 64)
	}
}

func (s *set) has(c byte) bool { return c < 128 && s[c/64]&(1<<(c%64)) != 0 }

// newPlan returns the plan of an expression that has one; otherwise nil.
func newPlan(e *syntax.Regexp) *plan {
	if e.Op != syntax.OpConcat || len(e.Sub) < 2 || e.Sub[0].Op != syntax.OpBeginText ||
		e.Sub[len(e.Sub)-1].Op != syntax.OpEndText {
		return nil
	}
	p := &plan{}
	if !p.addAll(e.Sub[1:len(e.Sub)-1], true) {
		return nil
	}
	return p
}

func (p *plan) addAll(parts []*syntax.Regexp, areLast bool) bool {
	for i, part := range parts {
		if !p.add(part, areLast && i == len(parts)-1) {
			return false
		}
	}
	return true
}

// add adds a part of an expression, and reports whether it can.
func (p *plan) add(part *syntax.Regexp, isLast bool) bool {
	switch part.Op {
	case syntax.OpConcat: // such as four digits
		return p.addAll(part.Sub, isLast)
	case syntax.OpLiteral:
		for _, c := range part.Rune {
			p.each = append(p.each, set{})
			if c > 127 || part.Flags&syntax.FoldCase != 0 {
				return false
			}
			p.each[len(p.each)-1].add(c, c)
		}
		return true
	case syntax.OpCharClass:
		s, ok := setOf(part)
		p.each = append(p.each, s)
		return ok
	case syntax.OpPlus, syntax.OpStar:
		s, ok := setOf(part.Sub[0])
		if p.rest = s; part.Op == syntax.OpPlus {
			p.each = append(p.each, s)
		}
		return ok && isLast
	default:
		return false
	}
}

// setOf returns the characters of a class, and reports whether it is one of ASCII.
func setOf(class *syntax.Regexp) (s set, ok bool) {
	if class.Op != syntax.OpCharClass {
		return s, false
	}
	for i := 0; i < len(class.Rune); i += 2 {
		if class.Rune[i+1] > 127 {
			return s, false
		}
		s.add(class.Rune[i], class.Rune[i+1])
	}
	return s, true
}

func (p *plan) matches(text string) bool {
	if len(text) < len(p.each) {
		return false
	}
	for i := range p.each {
		if !p.each[i].has(text[i]) {
			return false
		}
	}
	for i := len(p.each); i < len(text); i++ {
		if !p.rest.has(text[i]) {
			return false
		}
	}
	return true
}
