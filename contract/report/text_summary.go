package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fatih/color"
)

// Limits of lists in a summary.
const (
	maxListed    = 5
	maxAlarms    = 10
	labelColumns = 11
)

// summary writes what was read, whose it was, how much was covered, and the verdict, on one screen.
func (t *textWriter) summary() {
	r := t.r
	t.alarms()
	for i, note := range r.Notes {
		if i == maxListed && !t.Verbose {
			t.line("note: and %s", count(len(r.Notes)-i, "more note"))
			break
		}
		t.wrap("", "note: "+note)
	}
	if r.Omitted > 0 {
		t.line("note: %s are counted but not listed", count(r.Omitted, "more finding"))
	}
	t.labelled("exchanges", r.Exchanges.inWords())
	t.labelled("interfaces", strings.Join(r.basesInWords(), "; "))
	t.unmatched()
	if r.Comparison != nil {
		t.comparisonSummary()
	} else {
		t.checkSummary()
	}
	if b := r.Baseline; b != nil {
		t.labelled("baseline", fmt.Sprintf("%s accepted by %s", count(b.Accepted, "finding"), b.File))
	}
	t.line("")
	t.verdict()
}

// checkSummary writes what was judged, and with what result.
func (t *textWriter) checkSummary() {
	r := t.r
	if judged := r.Judged.inWords(); judged != "" {
		t.labelled("bodies", judged)
	}
	if engines := r.enginesInWords(); engines != "" {
		t.labelled("engines", engines)
	}
	t.labelled("checks", fmt.Sprintf("%d pass, %d fail, %d inconclusive, %d skipped",
		r.Checks.Pass, r.Checks.Fail, r.Checks.Inconclusive, r.Checks.Skipped))
	t.labelled("coverage", r.coverageInWords())
	t.rules()
}

// labelled writes a text of the summary with a label, in one or more lines.
func (t *textWriter) labelled(label, text string) {
	for i, line := range wrap(text, t.width()-labelColumns) {
		if i > 0 {
			label = ""
		}
		t.line("%s%s", t.paint(fmt.Sprintf("%-*s", labelColumns, label), color.Faint), line)
	}
}

// alarms writes first of all what could not be read, since the verdict does not hold for it.
func (t *textWriter) alarms() {
	r := t.r
	alarm := func(text string) {
		for i, line := range wrap(text, t.width()-2) {
			mark := "! "
			if i > 0 {
				mark = "  "
			}
			t.line("%s", t.paint(mark+line, color.FgRed, color.Bold))
		}
	}
	for i, p := range r.Problems {
		if i == maxAlarms && !t.Verbose {
			alarm("and " + count(len(r.Problems)-i, "more part") + " of the recording could not be read")
			break
		}
		alarm(fmt.Sprintf("%s could not be read, and was skipped: %s", p.place(), p.Message))
	}
	for i := range r.Gaps {
		if i == maxAlarms && !t.Verbose {
			alarm("and " + count(len(r.Gaps)-i, "more gap"))
			break
		}
		alarm(r.Gaps[i].inWords())
	}
	if r.Baseline != nil {
		for i, e := range r.Baseline.Stale {
			if i == maxAlarms && !t.Verbose {
				alarm("and " + entries(len(r.Baseline.Stale)-i) + " more of the baseline")
				break
			}
			alarm(fmt.Sprintf("%s: %s no longer occurs (%s): remove it", r.Baseline.File, e.ID, e.inWords()))
		}
	}
	if r.MaxInconclusive.Exceeded() {
		alarm(r.MaxInconclusive.inWords())
	}
	for _, missed := range r.Thresholds {
		if missed.Missed() {
			alarm(fmt.Sprintf("coverage of %s is %.1f %%, want %v %%", missed.Axis, missed.Got, missed.Want))
		}
	}
}

// place returns the place at which the recording cannot be read.
func (p *Problem) place() string {
	switch {
	case p.File == "":
		return "a part of the recording"
	case p.Line > 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s, byte %d,", p.File, p.Offset)
}

// inWords returns an accepted finding in a few words.
func (e *BaselineEntry) inWords() string {
	parts := slices.DeleteFunc([]string{e.Rule, e.Operation, e.Pointer}, func(s string) bool { return s == "" })
	return strings.Join(parts, " ")
}

// basesInWords returns where the interfaces were that have exchanges, and what was guessed.
func (r *Report) basesInWords() []string {
	var list []string
	for _, b := range r.Bases {
		switch {
		case b.Exchanges == 0:
		case b.Source == "given":
			list = append(list, fmt.Sprintf("%s %d at %s", b.Interface, b.Exchanges, b.URL))
		default:
			list = append(list, fmt.Sprintf("%s %d at %s (%s)", b.Interface, b.Exchanges, b.URL, b.Source))
		}
	}
	return list
}

// unmatched lists the addresses that belong to no interface, the most frequent first.
func (t *textWriter) unmatched() {
	for i := range t.r.Unmatched {
		if i == maxListed && !t.Verbose {
			t.line("%*s  and %d more", labelColumns-2, "", len(t.r.Unmatched)-i)
			return
		}
		label := ""
		if i == 0 {
			label = "unmatched"
		}
		text := t.r.Unmatched[i].inWords()
		t.line("%s%s", t.paint(fmt.Sprintf("%-*s", labelColumns, label), color.Faint), cut(text, t.width()-labelColumns))
	}
}

// inWords returns the address in one line.
func (u *Unmatched) inWords() string {
	text := fmt.Sprintf("%s %s ×%d", u.Method, u.URL, u.Count)
	if len(u.Claimants) > 0 {
		text += ", claimed by " + strings.Join(u.Claimants, " and ")
	}
	if u.Hint != "" {
		text += " — " + u.Hint
	}
	return text
}

// coverageInWords returns coverage along all axes that were measured.
func (r *Report) coverageInWords() string {
	list := []string{fmt.Sprintf("%d of %d documented operations", r.Coverage.Covered, r.Coverage.Documented)}
	for _, a := range r.Coverage.Axes {
		if a.Name != Operations && a.Name != RulesAxis && a.Documented > 0 {
			list = append(list, fmt.Sprintf("%s %d/%d", a.Name, a.Covered, a.Documented))
		}
	}
	return strings.Join(list, ", ")
}

// rules reports how often rules were checked: those that only passed in one paragraph, the others in a line each.
func (t *textWriter) rules() {
	var held, others []string
	for _, rule := range t.r.Rules {
		switch rule.Triggered {
		case 0:
		case rule.Pass:
			held = append(held, fmt.Sprintf("%s %d", rule.ID, rule.Pass))
		default:
			others = append(others, rule.inWords())
		}
	}
	if len(held) > 0 {
		t.labelled("rules held", strings.Join(held, ", "))
	}
	for i, text := range others {
		label := "rules"
		if i > 0 {
			label = ""
		}
		t.line("%s%s", t.paint(fmt.Sprintf("%-*s", labelColumns, label), color.Faint), text)
	}
	if idle := t.r.idleRules(); len(idle) > 0 && len(idle) < len(t.r.Rules) {
		t.labelled("not judged", fmt.Sprintf("%s: %s", count(len(idle), "rule"), strings.Join(idle, ", ")))
	}
}

// inWords returns the tally of a rule.
func (r *Rule) inWords() string {
	var list []string
	for _, part := range []struct {
		count int
		word  Verdict
	}{{r.Fail, Fail}, {r.Inconclusive, Inconclusive}, {r.Pass, Pass}} {
		if part.count > 0 {
			list = append(list, fmt.Sprintf("%d %s", part.count, part.word))
		}
	}
	return fmt.Sprintf("%s %d: %s", r.ID, r.Triggered, strings.Join(list, ", "))
}

// verdict writes the last line.
func (t *textWriter) verdict() {
	colour := color.FgGreen
	if t.r.Failed() || t.r.isNothing() {
		colour = color.FgRed
	}
	t.line("%s", t.paint(plain(t.r.Outcome()), colour, color.Bold))
}
