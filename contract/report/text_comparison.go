package report

import (
	"fmt"
	"strings"

	"github.com/fatih/color"
)

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
		t.line("and %s about %s; --verbose shows them", count(left, "finding"), a.Operation)
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
