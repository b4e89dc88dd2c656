package report

import (
	"fmt"
	"strings"
)

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
