package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fatih/color"
)

// Limits of a text report, unless it is verbose.
const (
	maxText      = 60 // groups in full
	maxUndecided = 5  // lines about inconclusive checks
)

// WriteText writes the report for people: findings grouped by what deviates, the worst first, each with the exchanges
// that prove it and the place in the document; then the counts, and the verdict in the last line.
func (r *Report) WriteText(w io.Writer) error { return r.WriteStyled(w, Style{}) }

// WriteStyled writes the report for people as WriteText does, the way that they want it.
func (r *Report) WriteStyled(w io.Writer, style Style) error {
	t := &textWriter{Writer: bufio.NewWriter(LogWriter(w)), Style: style, r: r}
	if r.Comparison != nil {
		t.omitted(t.comparison())
	} else {
		t.omitted(t.findings())
	}
	t.inconclusive()
	t.summary()
	return t.Flush()
}

// findings writes the findings, and returns how many there are.
func (t *textWriter) findings() (shown int) {
	for i := range t.r.Groups {
		g := &t.r.Groups[i]
		isUndecided := g.Verdict == Inconclusive && !t.Verbose
		if isUndecided || shown >= maxText && !t.Verbose {
			continue
		}
		shown++
		t.group(g)
	}
	return shown
}

type textWriter struct {
	*bufio.Writer
	Style
	r *Report
}

func (t *textWriter) line(format string, args ...any) { fmt.Fprintf(t, format+"\n", args...) }

// wrap writes text in lines of readable width.
func (t *textWriter) wrap(indent, text string) {
	for _, line := range wrap(text, t.width()-len(indent)) {
		t.line("%s%s", indent, line)
	}
}

func (t *textWriter) group(g *Group) {
	head := t.paint(g.label(), g.colours(t.r.Breaks(&g.Finding))...) + "  " + t.paint(g.Rule, color.Bold) + "  " +
		plain(g.where())
	if times := g.times(); times != "" {
		head += "  " + t.paint(times, color.Faint)
	}
	t.line("%s", head)
	t.wrap("  ", g.Message)
	for _, v := range g.Engines {
		t.wrap("  ", v.inWords())
	}
	if at := g.at(); at != "" {
		t.line("  %s", plain(at))
	}
	for _, number := range g.Evidence {
		t.line("  %s", t.exchange(number))
	}
	t.also(g)
	for _, line := range wrap(t.r.says(&g.Finding), t.width()-2) {
		t.line("  %s", t.paint(line, color.Faint))
	}
	for _, line := range wrap(t.r.next(g), t.width()-2) {
		t.line("  %s", t.paint(line, color.Faint))
	}
	t.line("")
}

// also reports where else a finding is: in the first few places, or in all that are kept.
func (t *textWriter) also(g *Group) {
	most := maxListed
	if t.Verbose {
		most = len(g.Occurrences)
	}
	t.wrap("  ", t.r.also(g, most))
}

// exchange returns one exchange in one line. To fit the width, it leaves out the folders of the recording, and then
// shortens the address.
func (t *textWriter) exchange(number int) string {
	l, ok := t.r.Shown[number]
	if !ok {
		return plain(t.r.line(number))
	}
	over := func() int { return len([]rune(l.inWords())) - (t.width() - 2) }
	if over() > 0 {
		l.File = filepath.Base(l.File)
	}
	if n := over(); n > 0 {
		l.URL = short(l.URL, max(20, len([]rune(l.URL))-n))
	}
	return plain(l.inWords())
}

// omitted writes what was left out.
func (t *textWriter) omitted(shown int) {
	left := -shown
	for i := range t.r.Groups {
		if t.Verbose || t.r.Groups[i].Verdict != Inconclusive {
			left++
		}
	}
	if left > 0 {
		t.line("and %s of other kinds, not shown here: they are in the JSON and in the HTML report", count(left, "finding"))
		t.line("")
	}
}

// inconclusive sums up the inconclusive findings, by rule and reason.
func (t *textWriter) inconclusive() {
	type reason struct{ rule, message string }
	sums := map[reason]int{}
	for i := range t.r.Groups {
		if g := &t.r.Groups[i]; g.Verdict == Inconclusive && !t.Verbose {
			sums[reason{g.Rule, g.Message}] += g.Count
		}
	}
	var order []reason
	for key := range sums {
		order = append(order, key)
	}
	slices.SortFunc(order, func(a, b reason) int {
		return cmp.Or(cmp.Compare(sums[b], sums[a]), cmp.Compare(a.rule, b.rule), cmp.Compare(a.message, b.message))
	})
	for i, key := range order {
		if i == maxUndecided {
			t.line("inconclusive  and for %s", count(len(order)-i, "more reason"))
			break
		}
		head := fmt.Sprintf("%s  %s  ×%d: ", Inconclusive, key.rule, sums[key])
		t.line("%s", t.paint(cut(head+key.message, t.width()), color.Faint))
	}
	if len(order) > 0 {
		t.line("")
	}
}

// Outcome returns the report in one sentence.
func (r *Report) Outcome() string {
	if r.Comparison != nil {
		return r.comparisonOutcome()
	}
	if r.Exchanges.Matched == 0 {
		return "nothing was checked: no exchange belongs to an interface"
	}
	var rules []string
	total := 0
	for i := range r.Groups {
		if g := &r.Groups[i]; r.Breaks(&g.Finding) {
			total += g.Count
			if !slices.Contains(rules, g.Rule) {
				rules = append(rules, g.Rule)
			}
		}
	}
	switch {
	case total > 0:
		return fmt.Sprintf("the recording violates the contract: %s of %s", count(total, "violation"),
			strings.Join(rules, ", "))
	case r.more:
		return "the recording violates the contract"
	case r.IsNothingJudged():
		return "nothing was judged: no body, no parameter and no rule could be, because " + plain(r.Judged.Reasons[0].Reason)
	case r.Complete && len(r.Gaps) > 0:
		return "the recording conforms, but must be complete and lacks " + count(int(r.missing()), "exchange")
	case r.Baseline != nil && len(r.Baseline.Stale) > 0:
		return fmt.Sprintf("the recording conforms, but the baseline %s is stale: remove %s",
			r.Baseline.File, entries(len(r.Baseline.Stale)))
	case r.MaxInconclusive.Exceeded():
		return "the recording conforms, but too little of it could be judged: " + r.MaxInconclusive.inWords()
	case slices.ContainsFunc(r.Thresholds, Threshold.Missed):
		return "the recording conforms, but covers too little: " + r.missed()
	}
	if len(r.Problems) > 0 {
		return fmt.Sprintf("the recording conforms as far as it could be read; %s could not", count(len(r.Problems), "part"))
	}
	if len(r.Gaps) > 0 {
		return "the recording conforms as far as it is complete; it lacks " + count(int(r.missing()), "exchange")
	}
	return "the recording conforms"
}

func entries(n int) string {
	if n == 1 {
		return "the entry that no longer occurs"
	}
	return fmt.Sprintf("the %d entries that no longer occur", n)
}

// missed lists the thresholds that were not reached.
func (r *Report) missed() string {
	var list []string
	for _, t := range r.Thresholds {
		if t.Missed() {
			list = append(list, fmt.Sprintf("%.1f %% of %s, want %v %%", t.Got, t.Axis, t.Want))
		}
	}
	return strings.Join(list, "; ")
}
