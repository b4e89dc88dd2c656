package report

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"svc.example/understudy/internal/evidence"
	"svc.example/understudy/specs/recording"
)

// Limits of GitHub: characters of a comment, and bytes of the summary of a step.
const (
	maxComment    = 65_536
	MaxSummary    = 1 << 20 // bytes of GITHUB_STEP_SUMMARY
	maxCitedBody  = 1500    // bytes of a body in a comment
	maxCitedChain = 6       // exchanges of a finding
	footerReserve = 300
)

// WriteMarkdown writes the report for a comment on a pull request, within its limit.
func (r *Report) WriteMarkdown(w io.Writer) error { return r.WriteSummary(w, maxComment) }

// WriteSummary writes the report as Markdown of at most limit bytes, such as MaxSummary for the summary of a step in
// GitHub Actions. It is cut at the end of a finding, and says what was cut.
func (r *Report) WriteSummary(w io.Writer, limit int) error {
	var b strings.Builder
	b.WriteString(markdownSpelling.text(r.markdownHead()))
	if b.Len()+footerReserve > limit {
		return fmt.Errorf("a summary in %d bytes: the head alone takes %d", limit, b.Len()+footerReserve)
	}
	left, undecided := 0, 0
	for i := range r.Groups {
		g := &r.Groups[i]
		if g.Verdict == Inconclusive {
			undecided++
			continue
		}
		block := markdownSpelling.text(r.markdownFinding(g))
		if left > 0 || b.Len()+len(block)+footerReserve > limit {
			left++
			continue
		}
		b.WriteString(block)
	}
	if left > 0 {
		fmt.Fprintf(&b, "\n> … and %s are not shown: the report's size limit is reached. The HTML and the JSON report "+
			"have them.\n",
			count(left, "more kind")+" of findings")
	}
	if rest := markdownSpelling.text(r.markdownUndecided(undecided)); b.Len()+len(rest) <= limit {
		b.WriteString(rest)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Report) markdownHead() string {
	var b strings.Builder
	sign := "✅"
	if r.Failed() || r.isNothing() {
		sign = "❌"
	}
	fmt.Fprintf(&b, "### %s Understudy: %s\n\n", sign, escapeMarkdown(short(r.Outcome(), 500)))
	for _, g := range r.gates() {
		if g.fails() {
			fmt.Fprintf(&b, "- ❗ %s", escapeMarkdown(g.first()))
			if more := len(g.faults) - 1; more > 0 {
				fmt.Fprintf(&b, " (and %d more)", more)
			}
			b.WriteString("\n")
		}
	}
	fmt.Fprintf(&b, "\nFindings: %s\n", r.tallyInWords())
	if r.Comparison != nil {
		b.WriteString("\n" + r.markdownComparison())
		return b.String()
	}
	b.WriteString("\n| exchanges | matched | checks passed | skipped | operations covered |\n|--:|--:|--:|--:|--:|\n")
	fmt.Fprintf(&b, "| %d | %d | %d | %d | %d of %d |\n\n", r.Exchanges.Read, r.Exchanges.Matched, r.Checks.Pass,
		r.Checks.Skipped, r.Coverage.Covered, r.Coverage.Documented)
	if r.Exchanges.Injected > 0 {
		fmt.Fprintf(&b, "Faults: %s\n\n", r.Exchanges.injectedInWords())
	}
	if judged := r.Judged.inWords(); judged != "" {
		fmt.Fprintf(&b, "Bodies: %s\n\n", escapeMarkdown(short(judged, 1000)))
	}
	if engines := r.enginesInWords(); engines != "" {
		fmt.Fprintf(&b, "Engines: %s\n\n", escapeMarkdown(short(engines, 1000)))
	}
	return b.String()
}

// markdownFinding returns a finding with its evidence folded away.
func (r *Report) markdownFinding(g *Group) string {
	var b strings.Builder
	fmt.Fprintf(&b, "#### %s `%s` %s", escapeMarkdown(g.label()), g.Rule, codeSpan(g.where()))
	if times := g.times(); times != "" {
		fmt.Fprintf(&b, " (%s)", escapeMarkdown(times))
	}
	fmt.Fprintf(&b, "\n\n%s\n\n", escapeMarkdown(short(g.Message, 2000)))
	for _, v := range g.Engines {
		fmt.Fprintf(&b, "- %s\n", escapeMarkdown(short(v.inWords(), 1000)))
	}
	if g.Pointer != "" {
		fmt.Fprintf(&b, "- at %s\n", codeSpan(g.Pointer))
	}
	if g.Found != "" {
		fmt.Fprintf(&b, "- found %s\n", codeSpan(g.Found))
	}
	if g.Spec.File != "" && r.Comparison == nil {
		fmt.Fprintf(&b, "- see %s (%s)", codeSpan(fmt.Sprintf("%s:%d", r.specURI(g.Spec), g.Spec.Line)),
			provenanceInWords(g.Provenance))
		if g.Spec.Says != "" {
			fmt.Fprintf(&b, ": %s", codeSpan(g.Spec.Says))
		}
		b.WriteString("\n")
	}
	if also := r.also(g, maxListed); also != "" {
		fmt.Fprintf(&b, "- %s\n", escapeMarkdown(short(also, 1000)))
	}
	if next := r.next(g); next != "" {
		fmt.Fprintf(&b, "- %s\n", escapeMarkdown(next))
	}
	b.WriteString(r.markdownSides(g))
	fmt.Fprintf(&b, "\n<details><summary>Evidence: %s</summary>\n\n", count(len(g.chain()), "exchange"))
	for i, number := range g.chain() {
		if i == maxCitedChain {
			fmt.Fprintf(&b, "… and %d more\n\n", len(g.chain())-i)
			break
		}
		b.WriteString(fenced("text", r.exchangeText(number)))
	}
	b.WriteString("</details>\n\n")
	return b.String()
}

// exchangeText returns an exchange as text: its line, and its bodies if they are known.
func (r *Report) exchangeText(number int) string {
	text := plain(short(r.line(number), 500)) + "\n"
	e := r.Evidence[number]
	if e == nil {
		return text
	}
	if body := bodyText(e.Request.Body); body != "" {
		text += "\n→ " + body + "\n"
	}
	if e.Response != nil {
		if body := bodyText(e.Response.Body); body != "" {
			text += "\n← " + body + "\n"
		}
	}
	return text
}

func bodyText(b *recording.Body) string {
	switch {
	case b == nil || len(b.Bytes) == 0:
		return ""
	case !utf8.Valid(b.Bytes) && !b.Truncated:
		return fmt.Sprintf("(%d bytes that are not text)", len(b.Bytes))
	}
	text := strings.ToValidUTF8(string(b.Bytes[:min(len(b.Bytes), maxCitedBody)]), "")
	if len(b.Bytes) > maxCitedBody || b.Truncated {
		text += "…"
	}
	return visible(text)
}

// markdownUndecided sums up the inconclusive findings.
func (r *Report) markdownUndecided(groups int) string {
	if groups == 0 {
		return ""
	}
	sums := map[string]int{}
	for i := range r.Groups {
		if g := &r.Groups[i]; g.Verdict == Inconclusive {
			sums[g.Rule] += g.Count
		}
	}
	var b strings.Builder
	b.WriteString("\n<details><summary>What could not be judged</summary>\n\n")
	for _, rule := range r.Rules {
		if n := sums[rule.ID]; n > 0 {
			fmt.Fprintf(&b, "- `%s` ×%d\n", rule.ID, n)
		}
	}
	b.WriteString("\n</details>\n")
	return b.String()
}

// fenced returns a block of code with a fence that is longer than any in it.
func fenced(kind, text string) string {
	fence := strings.Repeat("`", max(3, longestRun(text, '`')+1))
	return fence + kind + "\n" + strings.TrimRight(text, "\n") + "\n" + fence + "\n\n"
}

// codeSpan returns a piece of code within a line. In code nothing is a mention, a reference or HTML.
func codeSpan(text string) string {
	if text == "" {
		return ""
	}
	ticks := strings.Repeat("`", longestRun(text, '`')+1)
	return ticks + " " + plain(text) + " " + ticks
}

func longestRun(text string, of rune) int {
	longest, run := 0, 0
	for _, c := range text {
		if run++; c != of {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}

// escapeMarkdown escapes a text for Markdown, so that it has no markup, HTML, mentions or references.
func escapeMarkdown(text string) string {
	var b strings.Builder
	for _, c := range plain(text) {
		switch {
		case c == '@', c == '#':
			b.WriteString(string(c) + "<!-- -->") // a name from a recording must notify no person
		case c < utf8.RuneSelf && strings.ContainsRune("\\`*_{}[]()<>+-.!|~&$:", c):
			b.WriteString(`\` + string(c))
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

// visible returns a text from a recording with its line breaks, without characters that hide or reverse text.
func visible(text string) string { return evidence.Visible(text) }

// maxCitedOperations is the number of operations that a comment on a pull request lists.
const maxCitedOperations = 20

// markdownComparison returns the counts of a comparison, and the operations whose answers differ.
func (r *Report) markdownComparison() string {
	c := r.Comparison
	var b strings.Builder
	b.WriteString("| exchanges | compared | agree | differ | operations | that differ |\n|--:|--:|--:|--:|--:|--:|\n")
	fmt.Fprintf(&b, "| %d | %d | %d | %d | %d | %d |\n\n", r.Exchanges.Read, c.Compared, c.Agree, c.Compared-c.Agree,
		len(c.Operations), c.differing())
	if c.With != "" {
		fmt.Fprintf(&b, "Compared with %s\n\n", escapeMarkdown(short(c.With, 500)))
	}
	if c.differing() > 0 {
		b.WriteString("| operation | agree | compared |\n|:--|--:|--:|\n")
	}
	for i := range c.Operations {
		a := &c.Operations[i]
		if a.Differing() == 0 {
			break
		}
		if i == maxCitedOperations {
			fmt.Fprintf(&b, "| and %d more | | |\n", c.differing()-i)
			break
		}
		fmt.Fprintf(&b, "| %s | %d | %d |\n", strings.ReplaceAll(codeSpan(a.Operation), "|", `\|`), a.Agree, a.Compared)
	}
	b.WriteString("\n")
	if skipped := c.skippedInWords(); skipped != "" {
		fmt.Fprintf(&b, "Not compared: %s\n\n", escapeMarkdown(short(skipped, 1000)))
	}
	if masks := c.usedMasks(); len(masks) > 0 {
		b.WriteString("<details><summary>Places that are masked</summary>\n\n")
		for _, mask := range masks[:min(len(masks), maxCitedOperations)] {
			fmt.Fprintf(&b, "- %s\n", escapeMarkdown(short(mask, 500)))
		}
		b.WriteString("\n</details>\n\n")
	}
	return b.String()
}

// markdownSides returns the difference of the two answers that are shown beside a finding.
func (r *Report) markdownSides(g *Group) string {
	a := r.sidesAt(&g.Finding)
	if a == nil {
		return ""
	}
	lines := append([]string{"- as recorded, + as answered"}, a.Sides.unified()...)
	return "\n" + fenced("diff", strings.Join(lines, "\n"))
}
