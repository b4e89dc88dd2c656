package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/beam/pipeline"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/source"
)

// choice is the value of a flag that takes one of a few words.
type choice struct {
	word  string // the default, until the flag is given
	words []string
}

// choiceOf returns a choice of words, of which the first one is the default.
func choiceOf(list ...string) choice { return choice{word: list[0], words: list} }

func (c *choice) String() string { return c.word }

func (c *choice) Type() string { return strings.Join(c.words, "|") }

func (c *choice) Set(word string) error {
	if !slices.Contains(c.words, word) {
		return fmt.Errorf("want %s", source.OneOf(word, c.words))
	}
	c.word = word
	return nil
}

// pairs is the value of a repeatable flag that gives something to an interface: NAME=WHAT.
type pairs struct {
	what string
	many bool // one interface may be given several
	list [][2]string
}

func (p *pairs) String() string { return "" }

func (p *pairs) Type() string { return "NAME=" + p.what }

func (p *pairs) Set(text string) error {
	name, value, found := strings.Cut(text, "=")
	if !found || value == "" {
		return fmt.Errorf("want %s", p.Type())
	}
	if names := specs.InterfaceNames(); !slices.Contains(names, name) {
		return fmt.Errorf("unknown interface %q; want %s", name, source.OneOf(name, names))
	}
	if !p.many && slices.ContainsFunc(p.list, func(other [2]string) bool { return other[0] == name }) {
		return fmt.Errorf("interface %s is given twice", name)
	}
	p.list = append(p.list, [2]string{name, value})
	return nil
}

// rewrites is the value of a repeatable flag that replaces the prefixes of addresses: FROM=TO.
type rewrites struct{ list [][2]string }

func (r *rewrites) String() string { return "" }

func (r *rewrites) Type() string { return "FROM=TO" }

func (r *rewrites) Set(text string) error {
	from, to, found := strings.Cut(text, "=")
	if !found || from == "" || to == "" {
		return fmt.Errorf("want %s, as in /gw/wf=https://workflow.example.com or /v1/tenant-*=/", r.Type())
	}
	r.list = append(r.list, [2]string{from, to})
	return contract.CheckRewrite(from, to)
}

// latencyLimits is the value of a repeatable flag that limits how long operations take: OPERATION=DURATION.
type latencyLimits map[string]time.Duration

func (l *latencyLimits) String() string { return "" }

func (l *latencyLimits) Type() string { return "OPERATION=DURATION" }

func (l *latencyLimits) Set(text string) error {
	name, value, found := strings.Cut(text, "=")
	if !found || name == "" {
		return fmt.Errorf("want %s, as in workflow.listPools=300ms", l.Type())
	}
	most, err := time.ParseDuration(value)
	if err != nil || most <= 0 {
		return fmt.Errorf("want a time above 0 with its unit, as in 300ms, 1.5s or 2m, not %q", value)
	}
	if *l == nil {
		*l = latencyLimits{}
	}
	(*l)[name] = most
	return nil
}

// minimums is the value of a repeatable flag: AXIS=PERCENT.
type minimums []report.Threshold

func (m *minimums) String() string { return "" }

func (m *minimums) Type() string { return "AXIS=PERCENT" }

func (m *minimums) Set(text string) error {
	axis, number, found := strings.Cut(text, "=")
	if !found || !slices.Contains(report.Axes(), axis) {
		return fmt.Errorf("want %s, as in %s=80; an axis is %s", m.Type(), report.Operations,
			source.OneOf(axis, report.Axes()))
	}
	percent, err := strconv.ParseFloat(strings.TrimSuffix(number, "%"), 64)
	if err != nil || !(percent >= 0 && percent <= 100) {
		return fmt.Errorf("want a percentage between 0 and 100, not %q", number)
	}
	*m = append(*m, report.Threshold{Axis: axis, Want: percent})
	return nil
}

// severities is the value of a repeatable flag: RULE[@OPERATION]=LEVEL.
type severities []pipeline.Severity

func (s *severities) String() string { return "" }

func (s *severities) Type() string { return "RULE[@OPERATION]=LEVEL" }

func (s *severities) Set(text string) error {
	name, level, found := strings.Cut(text, "=")
	rule, operation, _ := strings.Cut(name, "@")
	if !found || rule == "" || level == "" {
		return fmt.Errorf("want %s, as in schema=warning or undeclared-field@core.*=off", s.Type())
	}
	*s = append(*s, pipeline.Severity{
		Rule: rule, Operation: cmp.Or(operation, "*"), Level: report.Severity(level),
	})
	return nil
}

// size is the value of a flag that takes a number of bytes.
type size int64

func (s *size) String() string {
	return fmt.Sprintf("%dMiB", cmp.Or(int64(*s), pipeline.DefaultPieceSize)>>20)
}

func (s *size) Type() string { return "SIZE" }

func (s *size) Set(text string) error {
	number := strings.TrimRight(text, "BKMGib")
	n, err := strconv.ParseInt(number, 10, 32)
	shift, known := map[string]int{"": 0, "B": 0, "KiB": 10, "MiB": 20, "GiB": 30}[text[len(number):]]
	if err != nil || !known || n <= 0 {
		return fmt.Errorf("want a number of bytes above 0, such as 512KiB, 64MiB or 1GiB")
	}
	*s = size(n << shift)
	return nil
}
