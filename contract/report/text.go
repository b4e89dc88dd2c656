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
	"github.com/mattn/go-runewidth"
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
	for _, text := range []string{t.r.says(&g.Finding), t.r.next(g)} {
		for _, line := range wrap(text, t.width()-2) {
			t.line("  %s", t.paint(line, color.Faint))
		}
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
		t.line("and %s of findings, not shown here: they are in the JSON and in the HTML report", count(left, "more kind"))
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
	t.labelled("findings", r.CountFindings(""))
	if b := r.Baseline; b != nil {
		t.labelled("baseline", fmt.Sprintf("%s accepted by %s", count(b.Accepted, "finding"), b.File))
	}
	t.line("")
	colour := color.FgGreen
	if r.Failed() || r.isNothing() {
		colour = color.FgRed
	}
	t.line("%s", t.paint(plain(r.Outcome()), colour, color.Bold))
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
	t.labelled("checks", fmt.Sprintf("%d passed, %d skipped", r.Checks.Pass, r.Checks.Skipped))
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

// alarms writes first of all what else fails the check than findings, and what the verdict does not hold for.
func (t *textWriter) alarms() {
	alarm := func(text string) {
		for i, line := range wrap(text, t.width()-2) {
			mark := "! "
			if i > 0 {
				mark = "  "
			}
			t.line("%s", t.paint(mark+line, color.FgRed, color.Bold))
		}
	}
	outcome := plain(t.r.Outcome())
	for _, g := range t.r.gates() {
		for i, fault := range g.Faults {
			if g.Level == levelNote || fault == outcome {
				break // the summary has it
			}
			if i == maxAlarms && !t.Verbose {
				alarm(fmt.Sprintf("and %d more of the kind", len(g.Faults)-i))
				break
			}
			alarm(fault)
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
			others = append(others, t.r.ruleInWords(&rule))
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
		t.labelled(label, text)
	}
	if idle := t.r.idleRules(); len(idle) > 0 && len(idle) < len(t.r.Rules) {
		t.labelled("not judged", fmt.Sprintf("%s: %s", count(len(idle), "rule"), strings.Join(idle, ", ")))
	}
}

// maxOfOperation is the number of findings about an operation that the text of a comparison shows in full, unless it is
// verbose.
const maxOfOperation = 5

// comparison writes the findings of a comparison by operation, those first whose answers differ most, each operation
// with the two answers of its first exchange that differs.
func (t *textWriter) comparison() (shown int) {
	for i := range t.r.Comparison.Operations {
		a := &t.r.Comparison.Operations[i]
		if shown >= maxText && !t.Verbose {
			return shown
		}
		shown += t.operation(a)
	}
	return shown
}

// operation writes the findings about an operation, and returns how many there are.
func (t *textWriter) operation(a *Agreement) (n int) {
	for i := range t.r.Groups {
		g := &t.r.Groups[i]
		if g.Operation != a.Operation {
			continue
		}
		if n++; n <= maxOfOperation || t.Verbose {
			t.group(g)
		}
	}
	if left := n - maxOfOperation; left > 0 && !t.Verbose {
		t.line("and %s of findings about %s; --verbose shows them", count(left, "more kind"), a.Operation)
		t.line("")
	}
	if a.Sides != nil && n > 0 {
		t.sides(a)
	}
	return n
}

// sides writes the difference of two answers.
func (t *textWriter) sides(a *Agreement) {
	t.line("%s", t.paint(fmt.Sprintf("%s  #%d, - as recorded, + as answered", a.Operation, a.First), color.Faint))
	for _, line := range a.Sides.unified() {
		text := strings.TrimRight("  "+cut(line, t.width()-2), " ")
		t.line("%s", t.paint(text, coloursOfLine(line)...))
	}
	t.line("")
}

func coloursOfLine(line string) []color.Attribute {
	switch line[0] {
	case '-':
		return []color.Attribute{color.FgRed}
	case '+':
		return []color.Attribute{color.FgGreen}
	case '@':
		return []color.Attribute{color.Faint}
	}
	return nil
}

// comparisonSummary writes what was compared, and with what result.
func (t *textWriter) comparisonSummary() {
	c := t.r.Comparison
	t.labelled("compared", c.inWords())
	var list, agree []string
	for i := range c.Operations {
		if a := &c.Operations[i]; a.Differing() > 0 {
			list = append(list, a.inWords())
		} else {
			agree = append(agree, fmt.Sprintf("%s %d", a.Operation, a.Agree))
		}
	}
	t.list("operations", list)
	if len(agree) > 0 {
		label := ""
		if len(list) == 0 {
			label = "operations"
		}
		t.labelled(label, "all agree: "+strings.Join(agree, ", "))
	}
	if skipped := c.skippedInWords(); skipped != "" {
		t.labelled("skipped", skipped)
	}
	t.list("masks", c.usedMasks())
}

// list writes a list with a label, a line each.
func (t *textWriter) list(label string, list []string) {
	for i, text := range list {
		if i == maxAlarms && !t.Verbose {
			t.labelled("", fmt.Sprintf("and %d more", len(list)-i))
			return
		}
		t.labelled(label, text)
		label = ""
	}
}

// Style holds the settings of a text report.
type Style struct {
	Colour  bool
	Width   int  // columns of the terminal; 0 is as wide as text reads well
	Verbose bool // every finding on its own
}

// Bounds of the width of text. A terminal may be wider than a reader wants lines to be.
const (
	textWidth = 110
	minWidth  = 40
)

func (s Style) width() int {
	if s.Width <= 0 {
		return textWidth
	}
	return max(minWidth, s.Width)
}

// paint returns text in a colour, if colours are on.
func (s Style) paint(text string, attributes ...color.Attribute) string {
	if !s.Colour || text == "" {
		return text
	}
	c := color.New(attributes...)
	c.EnableColor() // the caller knows whether this is a terminal, and has asked NO_COLOR
	return c.Sprint(text)
}

// colours returns the colours of a group.
func (g *Group) colours(breaks bool) []color.Attribute {
	switch {
	case breaks:
		return []color.Attribute{color.FgRed, color.Bold}
	case g.Verdict == Inconclusive, g.Accepted:
		return []color.Attribute{color.Faint}
	case g.Severity == Notice:
		return []color.Attribute{color.FgCyan}
	}
	return []color.Attribute{color.FgYellow}
}

// wrap breaks text into lines of at most so many columns, at spaces. A word that is longer has a line of its own.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(plain(text)) {
		if line != "" && runewidth.StringWidth(line)+1+runewidth.StringWidth(word) > width {
			lines = append(lines, line)
			line = ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// cut returns a line of at most so many columns.
func cut(line string, width int) string { return runewidth.Truncate(plain(line), width, "…") }

// Limits of the log of a test.
