package mutation_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// unnoticed has the reason for each class of faults that the checker does not notice: the kind of the fault, and the
// operation where it is about that alone.
var unnoticed = map[string]string{
	"request body: a coding that it does not have": "recorders keep the Content-Encoding of bodies that they decoded, " +
		"so that a plain text under a coding is read as it stands",
	"response body: a coding that it does not have": "recorders keep the Content-Encoding of bodies that they decoded, " +
		"so that a plain text under a coding is read as it stands",
	"an answer about another one than the path names, core.recoverTable": "a recovery makes a table, and no document " +
		"says that it has the id of the one that was deleted",
}

// contradicting has the reason for each kind of change that the document allows, and that is noticed all the same,
// since something else in the exchange contradicts it.
var contradicting = map[string]string{
	"query parameter: a number above its maximum": "the links of the page are those of another offset, or do not keep " +
		"the filter",
	"query parameter: a number below its minimum": "the links of the page do not keep the filter",
	"path parameter: a number above its maximum":  "the answer is about another one",
	"path parameter: a number below its minimum":  "the answer is about another one",
	"path parameter: a text too long":             "the answer is about another one",
	"response body: a number above its maximum": "the total contradicts the links of the page, an id the path, or a " +
		"number what the request set",
	"response body: a number below its minimum": "an id contradicts the path, or a number what the request set",
	"response body: a list too long":            "all of the repeated pools are the default one",
	"response body: a member is missing": "a resource is included that nothing refers to any more; or a rule " +
		"misses what it needs",
	"response body: a text too long": "a resource that is included has an id that nothing refers to",
	"response body: null": "a resource is included that nothing refers to any more; or a rule " +
		"misses what it needs",
	"request body: a number above its maximum": "the answer shows another number than the request sets",
	"request body: a number below its minimum": "the answer shows another number than the request sets",
	"request body: a text too long":            "a rule finds no table under the name",
	"request body: empty":                      "a rule misses what it needs",
	"request body: a member is missing":        "a rule misses what it needs",
	"request body: null":                       "a rule misses what it needs",
}

// table counts mutants by kind and by how loudly they were noticed.
type table struct {
	faults, silent, allowed, noticed map[string]map[string]int
}

func newTable() *table {
	return &table{
		map[string]map[string]int{},
		map[string]map[string]int{},
		map[string]map[string]int{},
		map[string]map[string]int{},
	}
}

func count(in map[string]map[string]int, row, column string) {
	if in[row] == nil {
		in[row] = map[string]int{}
	}
	in[row][column]++
}

// add adds the outcome of a mutant. It returns an error if it has no explanation.
func (t *table) add(o outcome) error {
	if o.allowed == "" {
		count(t.faults, o.kind, o.level)
		if o.level != "nothing" {
			return nil
		}
		for _, class := range []string{o.kind, o.kind + ", " + o.of.op.Name()} {
			if reason := unnoticed[class]; reason != "" {
				count(t.silent, class, reason)
				return nil
			}
		}
		return fmt.Errorf("not noticed, and no reason is known: %s", o.text())
	}
	count(t.allowed, o.kind, o.allowed)
	if o.level == "nothing" {
		return nil
	}
	reason := contradicting[o.kind]
	if reason == "" {
		return fmt.Errorf("noticed, although %s: %s", o.allowed, o.text())
	}
	count(t.noticed, o.kind, reason)
	return nil
}

func (o *outcome) text() string {
	text := fmt.Sprintf("#%d %s answered %d, %s %s: %s", o.of.Seq, o.of.op.Name(), o.of.Response.Status, o.kind, o.at,
		o.level)
	for _, f := range o.findings {
		text += fmt.Sprintf("\n%s %s %s %s: %s", f.Severity, f.Verdict, f.Rule, f.Pointer, f.Message)
	}
	return text
}

// String returns the table in columns.
func (t *table) String() string {
	var b strings.Builder
	total := 0
	fmt.Fprintf(&b, "%-56s", "fault")
	for _, level := range levels {
		fmt.Fprintf(&b, " %12s", level)
	}
	for _, kind := range slices.Sorted(maps.Keys(t.faults)) {
		fmt.Fprintf(&b, "\n%-56s", kind)
		for _, level := range levels {
			fmt.Fprintf(&b, " %12d", t.faults[kind][level])
			total += t.faults[kind][level]
		}
	}
	fmt.Fprintf(&b, "\nmutants with a fault: %d\n", total)
	section(&b, "not noticed, with the reason", t.silent)
	section(&b, "no faults, with what the document says", t.allowed)
	section(&b, "no faults, noticed all the same, with the reason", t.noticed)
	return b.String()
}

func section(b *strings.Builder, title string, rows map[string]map[string]int) {
	fmt.Fprintf(b, "\n%s\n", title)
	for _, row := range slices.Sorted(maps.Keys(rows)) {
		for _, reason := range slices.Sorted(maps.Keys(rows[row])) {
			fmt.Fprintf(b, "%6d  %s: %s\n", rows[row][reason], row, reason)
		}
	}
}
