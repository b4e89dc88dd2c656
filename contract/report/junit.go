package report

import (
	"bufio"
	_ "embed" // the template
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/template"
)

//go:embed junit.tmpl
var junitTemplate string // of the elements that testdata/junit-4.xsd and every reader agree on

// junitSuite is a suite of tests, as the template shows it.
type junitSuite struct {
	Name       string
	Properties [][2]string // names and values
	Cases      []junitCase

	Failures, Skipped int
}

// junitCase is a test: skipped, failed or neither.
type junitCase struct {
	Class, Name      string
	Skipped          string // why
	Message, Failure string // in short, and whole
	Out              string
}

// WriteJUnit writes the report as JUnit XML. There is a suite for each interface, whose cases are an operation and a
// rule each, for that is what a list of tests in a CI system can be read as: which operation, and what about it. What
// fails the check is a failure; what is inconclusive is skipped with its reason; what only warns, or is accepted,
// passes and stands in the output of its case. An operation without findings passes as a case of its own. Of the suites
// rules and understudy, the one has a case for each rule, skipped if it was never checked, and the other one for
// whatever else makes a check fail; its properties have the numbers of findings, of which a case may have many,
// and of injected faults, and say which engines judged.
func (r *Report) WriteJUnit(w io.Writer) error {
	var all struct {
		Tests, Failures int
		Suites          []junitSuite
	}
	cases := r.junitCases()
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		all.Suites = append(all.Suites, junitSuite{Name: name, Cases: cases[name]})
	}
	all.Suites = append(all.Suites, junitSuite{Name: "rules", Cases: r.junitRules()},
		junitSuite{Name: "understudy", Cases: r.junitGates(), Properties: r.junitNumbers()})
	for i := range all.Suites {
		suite := &all.Suites[i]
		for _, c := range suite.Cases {
			if c.Failure != "" {
				suite.Failures++
			}
			if c.Skipped != "" {
				suite.Skipped++
			}
		}
		all.Tests, all.Failures = all.Tests+len(suite.Cases), all.Failures+suite.Failures
	}
	t, err := template.New("junit").Funcs(template.FuncMap{
		"xml": func(text string) string {
			var b strings.Builder
			_ = xml.EscapeText(&b, []byte(text)) // a builder takes everything
			return b.String()
		},
	}).Parse(junitTemplate)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(markupSpelling.guard(w))
	if err := t.Execute(out, all); err != nil {
		return err
	}
	return out.Flush()
}

// junitNumbers has a property for the numbers of findings, one for injected faults, and one for each engine that
// judged.
func (r *Report) junitNumbers() [][2]string {
	list := [][2]string{{"findings", r.CountFindings("")}}
	if r.Exchanges.Injected > 0 {
		list = append(list, [2]string{"injected-faults", fmt.Sprint(r.Exchanges.Injected)})
	}
	for i := range r.Engines {
		list = append(list, [2]string{"engine", r.Engines[i].inWords()})
	}
	return list
}

// junitCases returns the cases by interface: findings by operation and rule, in the order of what they are about.
func (r *Report) junitCases() map[string][]junitCase {
	type about struct{ operation, rule string }
	groups := map[string]map[about][]*Group{}
	for i := range r.Groups {
		g := &r.Groups[i]
		suite := g.Interface
		if suite == "" {
			suite = "nobody's"
		}
		if groups[string(suite)] == nil {
			groups[string(suite)] = map[about][]*Group{}
		}
		key := about{g.where(), g.Rule}
		groups[string(suite)][key] = append(groups[string(suite)][key], g)
	}
	cases := map[string][]junitCase{}
	spoken := map[string]bool{}
	for suite, byKey := range groups {
		for key, list := range byKey {
			spoken[key.operation] = true
			cases[suite] = append(cases[suite], r.junitCase(key.operation, key.rule, list))
		}
	}
	called, passed := slices.Collect(maps.Keys(r.Coverage.Operations)), "conforms"
	called = slices.AppendSeq(called, maps.Keys(r.Coverage.Extras))
	if r.Comparison != nil {
		called, passed = nil, "agrees"
		for i := range r.Comparison.Operations {
			called = append(called, r.Comparison.Operations[i].Operation)
		}
	}
	for _, operation := range called {
		if suite, _, _ := strings.Cut(operation, "."); !spoken[operation] {
			cases[suite] = append(cases[suite], junitCase{Class: operation, Name: passed})
		}
	}
	for _, list := range cases {
		slices.SortFunc(list, func(a, b junitCase) int { return strings.Compare(a.Class+" "+a.Name, b.Class+" "+b.Name) })
	}
	return cases
}

// junitCase returns the test case for the findings of a rule on an operation.
func (r *Report) junitCase(class, rule string, groups []*Group) junitCase {
	c := junitCase{Class: class, Name: rule}
	var failures, reasons, rest []string
	message := ""
	for _, g := range groups {
		switch {
		case r.Breaks(&g.Finding):
			if message == "" {
				message = short(plain(g.Message), 300)
			}
			failures = append(failures, r.prose(g))
		case g.Verdict == Inconclusive:
			reasons = append(reasons, r.prose(g))
		default:
			rest = append(rest, r.prose(g))
		}
	}
	switch {
	case len(failures) > 0:
		if len(failures) > 1 {
			message += fmt.Sprintf(" (and %d more)", len(failures)-1)
		}
		c.Message, c.Failure = message, strings.Join(failures, "\n")
		rest = append(rest, reasons...)
	case len(reasons) == len(groups): // no other check has passed either
		c.Skipped = strings.Join(reasons, "\n")
	default:
		rest = append(rest, reasons...)
	}
	c.Out = strings.Join(rest, "\n")
	return c
}

// prose returns a group as a paragraph of plain text.
func (r *Report) prose(g *Group) string {
	lines := []string{strings.TrimSpace(g.label() + "  " + g.times()), plain(g.Message)}
	for _, v := range g.Engines {
		lines = append(lines, plain(v.inWords()))
	}
	if at := g.at(); at != "" {
		lines = append(lines, plain(at))
	}
	for _, number := range g.chain() {
		lines = append(lines, plain(r.line(number)))
	}
	others, more := g.others(len(g.Occurrences))
	for _, o := range others {
		lines = append(lines, plain("also "+r.occurrence(g, o)))
	}
	if more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	if says := r.says(&g.Finding); says != "" {
		lines = append(lines, plain(says))
	}
	if next := r.next(g); next != "" {
		lines = append(lines, plain(next))
	}
	if a := r.sidesAt(&g.Finding); a != nil {
		lines = append(append(lines, "- as recorded, + as answered"), a.Sides.unified()...)
	}
	return strings.Join(lines, "\n") + "\n"
}

// junitRules has a case for each rule. Violations fail where their operation is, once.
func (r *Report) junitRules() []junitCase {
	var cases []junitCase
	for i := range r.Rules {
		rule := &r.Rules[i]
		c := junitCase{Class: "rules", Name: rule.ID, Out: r.ruleInWords(rule)}
		if rule.Triggered == 0 {
			c.Skipped, c.Out = "the rule had nothing to judge", ""
		}
		cases = append(cases, c)
	}
	return cases
}

// junitGates has a case for whatever else makes a check fail.
func (r *Report) junitGates() (cases []junitCase) {
	for _, g := range r.gates() {
		c := junitCase{Class: "understudy", Name: g.Name}
		text := strings.Join(g.Faults, "\n")
		switch {
		case g.Fails():
			c.Message, c.Failure = g.First(), text
		case len(g.Faults) > 0:
			c.Skipped = text
		}
		cases = append(cases, c)
	}
	return cases
}
