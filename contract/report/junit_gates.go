package report

import (
	"fmt"
	"strings"
)

// junitGaps has a case for what is missing, if something is. It is skipped where nothing has to be complete.
func (r *Report) junitGaps(gate func(string, []string) junitCase) []junitCase {
	if len(r.Gaps) == 0 {
		return nil
	}
	var missing []string
	for i := range r.Gaps {
		missing = append(missing, plain(r.Gaps[i].inWords()))
	}
	c := gate("the recording is complete", missing)
	if !r.Complete {
		said := "inconclusive: " + missing[0]
		c.Failure, c.Skipped, c.Out = nil, &said, strings.Join(missing, "\n")
	}
	return []junitCase{c}
}

// junitSkipped has a skipped case if exchanges were not compared.
func (r *Report) junitSkipped() []junitCase {
	if r.Comparison == nil {
		return nil
	}
	skipped := r.Comparison.skippedInWords()
	if skipped == "" {
		return nil
	}
	return []junitCase{{Class: "understudy", Name: "every exchange was compared", Skipped: &skipped}}
}

// done is the word for what was done with exchanges.
func (r *Report) done() string {
	if r.Comparison != nil {
		return "compared"
	}
	return "checked"
}

// junitGates has a case for whatever else makes a check fail.
func (r *Report) junitGates() []junitCase {
	gate := func(name string, faults []string) junitCase {
		c := junitCase{Class: "understudy", Name: name}
		if len(faults) > 0 {
			c.Failure = &junitFailure{short(faults[0], 300), name, strings.Join(faults, "\n")}
		}
		return c
	}
	var unread, stale, missed []string
	for i := range r.Problems {
		unread = append(unread, plain(fmt.Sprintf("%s could not be read: %s", r.Problems[i].place(), r.Problems[i].Message)))
	}
	cases := []junitCase{gate("the recording can be read", unread)}
	cases = append(cases, r.junitGaps(gate)...)
	cases = append(cases, r.junitSkipped()...)
	if r.Baseline != nil {
		for i := range r.Baseline.Stale {
			e := &r.Baseline.Stale[i]
			stale = append(stale, plain(fmt.Sprintf("%s: %s no longer occurs (%s)", r.Baseline.File, e.ID, e.inWords())))
		}
		cases = append(cases, gate("the baseline is up to date", stale))
	}
	for _, t := range r.Thresholds {
		missed = nil
		if t.Missed() {
			missed = []string{fmt.Sprintf("coverage of %s is %.1f %%, want %v %%", t.Axis, t.Got, t.Want)}
		}
		cases = append(cases, gate("coverage of "+t.Axis, missed))
	}
	if r.MaxInconclusive != nil {
		var over []string
		if r.MaxInconclusive.Exceeded() {
			over = []string{r.MaxInconclusive.inWords()}
		}
		cases = append(cases, gate("enough could be judged", over))
	}
	if r.isNothing() {
		cases = append(cases, gate("at least one exchange was "+r.done(), []string{r.Outcome()}))
	}
	if r.more && r.brokenGroups() == 0 {
		cases = append(cases, gate("no "+r.fault()+" was left out", []string{r.Outcome()}))
	}
	return cases
}

func (r *Report) brokenGroups() int {
	n := 0
	for i := range r.Groups {
		if r.Breaks(&r.Groups[i].Finding) {
			n++
		}
	}
	return n
}
