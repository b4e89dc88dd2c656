package contract

import (
	"maps"
	"slices"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording/verdict"
)

// liveVerdicts holds the verdicts of a growing recording, within bounds.
type liveVerdicts struct {
	checker     *Checker
	rules       []string
	ruleNumbers map[string]uint8

	seqs    []int64       // of all exchanges, by their numbers
	numbers map[int64]int // of those that are kept
	first   int           // the number of the first one that is kept
	settled int           // the number of the last one that the rules between exchanges have seen

	alone    judgedExchanges // judged each by itself
	together judgedExchanges // judged by the rules between exchanges
	excerpts map[excerptKey]*verdict.Excerpt
}

type excerptKey struct {
	iface specs.Interface
	spec  report.Spec
}

func newLiveVerdicts(c *Checker) liveVerdicts {
	v := liveVerdicts{
		checker: c, rules: Rules(), ruleNumbers: map[string]uint8{}, numbers: map[int64]int{}, first: 1,
		excerpts: map[excerptKey]*verdict.Excerpt{},
	}
	for i, id := range v.rules {
		v.ruleNumbers[id] = uint8(i)
	}
	return v
}

// add takes the verdicts and findings of the next exchange, judged by itself.
func (v *liveVerdicts) add(seq int64, alone *judgedExchanges) {
	number := len(v.seqs) + 1
	if seq <= 0 {
		seq = int64(number)
	}
	v.seqs = append(v.seqs, seq)
	v.numbers[seq] = number
	v.alone.chances = append(v.alone.chances, alone.chances...)
	v.alone.findings = append(v.alone.findings, alone.findings...)
	if number-v.first >= maxLiveVerdicts {
		first := number - maxLiveVerdicts*3/4
		for _, seq := range v.seqs[v.first-1 : first-1] {
			if v.numbers[seq] < first {
				delete(v.numbers, seq)
			}
		}
		v.first = first
	}
	if v.alone.isTooLong(v.first) {
		v.alone.forget(v.first)
	}
}

// settle takes the verdicts of the rules between exchanges up to an exchange, and returns the numbers of those whose
// verdicts changed, in their order.
func (v *liveVerdicts) settle(together *judgedExchanges, last int) []int {
	together.forget(v.first)
	differ := v.together.differences(together)
	for number := v.settled + 1; number <= last; number++ {
		differ[number] = true
	}
	v.together, v.settled = *together, last
	return slices.Sorted(maps.Keys(differ))
}

// has reports whether the verdict of an exchange is kept.
func (v *liveVerdicts) has(number int) bool { return number >= v.first && number <= len(v.seqs) }

// of returns the verdict of an exchange that is kept.
func (v *liveVerdicts) of(number int) verdict.Verdict {
	shown := verdict.Verdict{
		Seq: v.seqs[number-1], Outcome: verdict.Skipped, Pending: number > v.settled, Checks: []verdict.Check{},
		Findings: []verdict.Finding{},
	}
	counts := map[uint8]*verdict.Counts{}
	for _, part := range []*judgedExchanges{&v.alone, &v.together} {
		chances, findings := part.of(number)
		for _, c := range chances {
			if counts[c.rule] == nil {
				counts[c.rule] = &verdict.Counts{}
			}
			count(counts[c.rule], liveOutcomes()[c.outcome])
		}
		for i := range findings {
			shown.Findings = append(shown.Findings, v.finding(&findings[i]))
		}
		shown.Omitted = shown.Omitted || number <= part.dropped
	}
	for _, rule := range slices.Sorted(maps.Keys(counts)) {
		check := verdict.Check{Rule: v.rules[rule], Counts: *counts[rule]}
		check.Outcome, check.Message = worst(&check.Counts), worstMessage(shown.Findings, check.Rule)
		if check.Outcome.Worse(shown.Outcome) {
			shown.Outcome = check.Outcome
		}
		shown.Checks = append(shown.Checks, check)
	}
	shown.Breaks = slices.ContainsFunc(shown.Findings, func(f verdict.Finding) bool { return f.Breaks })
	return shown
}

// count counts a chance by its outcome.
func count(c *verdict.Counts, o verdict.Outcome) {
	switch o {
	case verdict.Pass:
		c.Pass++
	case verdict.Fail:
		c.Fail++
	case verdict.Inconclusive:
		c.Inconclusive++
	case verdict.Skipped:
		c.Skipped++
	}
}

// worst returns the worst outcome of some chances.
func worst(c *verdict.Counts) verdict.Outcome {
	switch {
	case c.Fail > 0:
		return verdict.Fail
	case c.Inconclusive > 0:
		return verdict.Inconclusive
	case c.Pass > 0:
		return verdict.Pass
	}
	return verdict.Skipped
}

// worstMessage returns the message of the worst finding of a rule, the first one of equals; empty if there is none.
func worstMessage(findings []verdict.Finding, rule string) string {
	var worst *verdict.Finding
	for i := range findings {
		f := &findings[i]
		if f.Rule == rule && (worst == nil || f.Outcome.Worse(worst.Outcome) || f.Outcome == worst.Outcome &&
			report.Severity(f.Severity).Worse(report.Severity(worst.Severity))) {
			worst = f
		}
	}
	if worst == nil {
		return ""
	}
	return worst.Message
}

// finding returns a finding with the numbers of its exchanges as they were recorded.
func (v *liveVerdicts) finding(f *report.Finding) verdict.Finding {
	shown := verdict.Finding{
		ID: f.ID, Rule: f.Rule, Severity: string(f.Severity), Outcome: verdict.Outcome(f.Verdict),
		Breaks: v.checker.breaks(f), Interface: string(f.Interface), Operation: f.Operation, Seq: v.seq(f.Exchange),
		Message: f.Message, Pointer: f.Pointer, Found: f.Found, Provenance: string(f.Provenance),
		Spec: verdict.Spec{
			File: f.Spec.File, Line: f.Spec.Line, Pointer: f.Spec.Pointer, Says: f.Spec.Says, Excerpt: v.excerpt(f),
		},
	}
	for _, number := range f.Evidence {
		shown.Evidence = append(shown.Evidence, v.seq(number))
	}
	return shown
}

func (v *liveVerdicts) seq(number int) int64 {
	if number < 1 || number > len(v.seqs) {
		return 0
	}
	return v.seqs[number-1]
}

// excerpt returns the lines of the document that a finding refers to, or nil. Each is made once.
func (v *liveVerdicts) excerpt(f *report.Finding) *verdict.Excerpt {
	key := excerptKey{f.Interface, f.Spec}
	known, isKnown := v.excerpts[key]
	if !isKnown {
		if e, ok := v.checker.excerptFor(f); ok {
			known = &verdict.Excerpt{First: e.First, Lines: e.Lines}
		}
		v.excerpts[key] = known
	}
	return known
}
