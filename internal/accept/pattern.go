package accept

import (
	"regexp"
	"regexp/syntax"
	"slices"
)

// pattern is a regular expression. Most of those in documents are so simple that they need no engine.
type pattern struct {
	plans  []plan // any of which a text may fit; none if the expression is not simple
	regexp *regexp.Regexp
	size   int // instructions
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
	size, err := sizeOf(text)
	return &pattern{plansOf(parsed), compiled, size}, err
}

// sizeOf returns the number of instructions of a regular expression. A text may take as many for each byte.
func sizeOf(text string) (int, error) {
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return 0, err
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return 0, err
	}
	return len(program.Inst), nil
}

// patternSteps returns the number of steps that a text is charged with that is held against a regular expression. A
// small one costs about the same whatever its size.
func patternSteps(size int, text string) int {
	const small, bytesPerStep = 100, 64
	if size <= small {
		size = 1
	}
	return size * len(text) / bytesPerStep
}

func (p *pattern) cost(text string) int {
	if p.plans != nil {
		return 0
	}
	return patternSteps(p.size, text)
}

func (p *pattern) matches(text string) bool {
	if p.plans == nil {
		return p.regexp.MatchString(text)
	}
	for i := range p.plans {
		if p.plans[i].matches(text) {
			return true
		}
	}
	return false
}

// plan describes whole texts of ASCII: one character of each set, and then some of those of the last set.
type plan struct {
	each []set
	rest set
	most int // characters of the last set; any number below 0
}

// set holds ASCII characters.
type set [2]uint64

func (s *set) add(first, last rune) {
	for c := first; c <= last; c++ {
		s[c/64] |= 1 << (c % 64)
	}
}

func (s *set) has(c byte) bool { return c < 128 && s[c/64]&(1<<(c%64)) != 0 }

func (p *plan) matches(text string) bool {
	if len(text) < len(p.each) || p.most >= 0 && len(text) > len(p.each)+p.most {
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

// What is longer is left to the engine.
const (
	maxPlans = 8
	maxEach  = 64
)

// plansOf returns the plans of an expression that has some, for whole texts; otherwise nil.
func plansOf(e *syntax.Regexp) []plan {
	if e.Op != syntax.OpConcat || e.Sub[0].Op != syntax.OpBeginText || e.Sub[len(e.Sub)-1].Op != syntax.OpEndText {
		return nil
	}
	return inOrder(e.Sub[1 : len(e.Sub)-1])
}

// plansOfPart returns the plans of a part of an expression, or nil.
func plansOfPart(part *syntax.Regexp) []plan {
	switch part.Op {
	case syntax.OpConcat:
		return inOrder(part.Sub)
	case syntax.OpCapture:
		return plansOfPart(part.Sub[0])
	case syntax.OpAlternate:
		var plans []plan
		for _, sub := range part.Sub {
			options := plansOfPart(sub)
			if options == nil {
				return nil
			}
			plans = append(plans, options...)
		}
		return plans
	case syntax.OpQuest:
		if plans := plansOfPart(part.Sub[0]); plans != nil {
			return append(plans, plan{})
		}
		return nil
	case syntax.OpLiteral:
		return literal(part)
	case syntax.OpCharClass:
		return repeated(part, 1, 1)
	case syntax.OpStar:
		return repeated(part.Sub[0], 0, -1)
	case syntax.OpPlus:
		return repeated(part.Sub[0], 1, -1)
	case syntax.OpRepeat:
		return repeated(part.Sub[0], part.Min, part.Max)
	default:
		return nil
	}
}

// inOrder returns the plans of parts that follow each other. Only the last one may have a number of characters that is
// not fixed.
func inOrder(parts []*syntax.Regexp) []plan {
	plans := []plan{{}}
	for _, part := range parts {
		var longer []plan
		for _, before := range plans {
			for _, after := range plansOfPart(part) {
				if before.most != 0 {
					return nil
				}
				longer = append(longer, plan{slices.Concat(before.each, after.each), after.rest, after.most})
			}
		}
		plans = longer
		if len(plans) > maxPlans || slices.ContainsFunc(plans, func(p plan) bool { return len(p.each) > maxEach }) {
			return nil
		}
	}
	return plans
}

func literal(part *syntax.Regexp) []plan {
	p := plan{}
	for _, c := range part.Rune {
		if c > 127 || part.Flags&syntax.FoldCase != 0 {
			return nil
		}
		var s set
		s.add(c, c)
		p.each = append(p.each, s)
	}
	return []plan{p}
}

// repeated returns the plan of a class that stands so many times, any number of times if most is negative.
func repeated(class *syntax.Regexp, least, most int) []plan {
	s, ok := setOf(class)
	if !ok || least > maxEach {
		return nil
	}
	if most >= 0 {
		most -= least
	}
	return []plan{{slices.Repeat([]set{s}, least), s, most}}
}

// setOf returns the characters of a class, or of a single character, and reports whether they are ASCII.
func setOf(class *syntax.Regexp) (s set, ok bool) {
	if plans := literal(class); class.Op == syntax.OpLiteral && len(plans) == 1 && len(plans[0].each) == 1 {
		return plans[0].each[0], true
	}
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
