package report

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// Comparison holds the results of comparing a recording with another server, beside the findings.
type Comparison struct {
	With       string      `json:"with"` // what the recorded requests were replayed to
	Compared   int         `json:"compared"`
	Agree      int         `json:"agree"`
	Operations []Agreement `json:"operations"` // the worst first
	Skipped    []Reason    `json:"skipped"`    // why exchanges were not compared
	Masks      []Mask      `json:"masks"`
}

// Agreement says how many answers of an operation agree with the recorded ones.
type Agreement struct {
	Operation string `json:"operation"`
	Compared  int    `json:"compared"`
	Agree     int    `json:"agree"`
	First     int    `json:"first,omitzero"`  // the first exchange that differs
	Sides     *Sides `json:"sides,omitempty"` // its answers
}

// Mask is a rule that leaves a place of answers out of a comparison, with how often it hid a difference.
type Mask struct {
	Operation string `json:"operation"`
	Pointer   string `json:"pointer"`
	Reason    string `json:"reason"`
	Count     int    `json:"count"`
}

// Sides are the two answers of one exchange, as lines of text without secrets.
type Sides struct {
	Recorded []string `json:"recorded"`
	Answered []string `json:"answered"`
}

// Differing returns how many answers differ.
func (a *Agreement) Differing() int { return a.Compared - a.Agree }

// SortAgreements sorts agreements, those with the most differing answers first.
func SortAgreements(list []Agreement) {
	slices.SortFunc(list, func(a, b Agreement) int {
		return cmp.Or(cmp.Compare(b.Differing(), a.Differing()), cmp.Compare(a.Agree, b.Agree),
			strings.Compare(a.Operation, b.Operation))
	})
}

// differing returns the operations with an answer that differs.
func (c *Comparison) differing() []Agreement {
	return slices.DeleteFunc(slices.Clone(c.Operations), func(a Agreement) bool { return a.Differing() == 0 })
}

// inWords returns the comparison in one sentence.
func (c *Comparison) inWords() string {
	text := fmt.Sprintf("%s of %s", count(c.Compared, "answer"), count(len(c.Operations), "operation"))
	if c.With != "" {
		text += " with " + c.With
	}
	return fmt.Sprintf("%s; %d agree, %d differ", plain(text), c.Agree, c.Compared-c.Agree)
}

// inWords returns an agreement in one line.
func (a *Agreement) inWords() string {
	return fmt.Sprintf("%s: %d of %d agree", a.Operation, a.Agree, a.Compared)
}

// skippedInWords returns how many exchanges were not compared, and why. It is empty if all were.
func (c *Comparison) skippedInWords() string {
	total := 0
	var list []string
	for i := range c.Skipped {
		total += c.Skipped[i].Count
		list = append(list, fmt.Sprintf("%s (%d)", plain(c.Skipped[i].Reason), c.Skipped[i].Count))
	}
	if total == 0 {
		return ""
	}
	return count(total, "exchange") + ": " + strings.Join(list, ", ")
}

// inWords returns a mask in one line.
func (m *Mask) inWords() string {
	text := fmt.Sprintf("%s %s ×%d", m.Operation, m.Pointer, m.Count)
	if m.Reason != "" {
		text += ": " + m.Reason
	}
	return plain(text)
}

// usedMasks lists the masks that hid a difference.
func (c *Comparison) usedMasks() (list []string) {
	for i := range c.Masks {
		if c.Masks[i].Count > 0 {
			list = append(list, c.Masks[i].inWords())
		}
	}
	return list
}

// kindsInWords counts the findings that fail a comparison by their rules, the most frequent first, and the operations
// that have some.
func (r *Report) kindsInWords() (text string, operations int) {
	counts, names := map[string]int{}, map[string]bool{}
	var kinds []string
	for i := range r.Groups {
		if g := &r.Groups[i]; r.Breaks(&g.Finding) {
			if counts[g.Rule] == 0 {
				kinds = append(kinds, g.Rule)
			}
			counts[g.Rule] += g.Count
			names[g.Operation] = true
		}
	}
	slices.SortStableFunc(kinds, func(a, b string) int { return cmp.Compare(counts[b], counts[a]) })
	for i, kind := range kinds {
		kinds[i] = fmt.Sprintf("%d %s", counts[kind], kind)
	}
	return strings.Join(kinds, ", "), len(names)
}

// comparisonOutcome returns the report of a comparison in one sentence.
func (r *Report) comparisonOutcome() string {
	c := r.Comparison
	agree := c.agreeInWords()
	switch kinds, operations := r.kindsInWords(); {
	case r.Exchanges.Matched == 0:
		return "nothing was compared: no exchange belongs to an interface"
	case c.Compared == 0:
		return "nothing was compared: not " + c.skippedInWords()
	case kinds != "":
		return fmt.Sprintf("the answers differ: %s in %d of %s", kinds, operations,
			count(len(c.Operations), "operation"))
	case r.more:
		return "the answers differ"
	case r.Baseline != nil && len(r.Baseline.Stale) > 0:
		return fmt.Sprintf("%s, but the baseline %s is stale: remove %s", agree, r.Baseline.File,
			entries(len(r.Baseline.Stale)))
	case len(r.Problems) > 0:
		return fmt.Sprintf("%s, as far as it could be read; %s could not", agree, count(len(r.Problems), "part"))
	}
	return agree
}

// agreeInWords says that all answers agree that do not differ in ways that are accepted, or that only warn.
func (c *Comparison) agreeInWords() string {
	switch {
	case c.Agree < c.Compared:
		return fmt.Sprintf("%d of %d answers agree with the recording, and the differences of the others are accepted",
			c.Agree, c.Compared)
	case c.Compared == 1:
		return "the one answer that was compared agrees with the recording"
	}
	return fmt.Sprintf("all %d answers agree with the recording", c.Compared)
}

// fault is the word for a finding that makes the check fail.
func (r *Report) fault() string {
	if r.Comparison != nil {
		return "difference"
	}
	return "violation"
}

// says returns the statement of the document that a finding refers to. A comparison is not about documents.
func (r *Report) says(f *Finding) string {
	if r.Comparison != nil {
		return ""
	}
	return f.says()
}

// sidesAt returns the agreement with the answers to show beside a finding: those of the first exchange of its operation
// that differs, if the finding is the first one in it. It returns nil for any other finding.
func (r *Report) sidesAt(f *Finding) *Agreement {
	if r.Comparison == nil {
		return nil
	}
	isThere := func(g *Group) bool { return g.Operation == f.Operation && g.Exchange == f.Exchange }
	for i := range r.Groups {
		if isThere(&r.Groups[i]) && r.Groups[i].ID != f.ID {
			return nil // it is shown beside the first one
		} else if isThere(&r.Groups[i]) {
			break
		}
	}
	for i := range r.Comparison.Operations {
		a := &r.Comparison.Operations[i]
		if a.Operation == f.Operation && a.First == f.Exchange && a.Sides != nil {
			return a
		}
	}
	return nil
}

// Limits of two answers that are shown beside each other.
const (
	maxUnified   = 60  // lines as text
	maxSideRows  = 400 // rows on a page
	maxSideRunes = 160 // of a line
)

// sideRow is a row of two answers beside each other.
type sideRow struct {
	Recorded, Answered       string
	HasRecorded, HasAnswered bool
	Equal                    bool
	Gap                      int // equal lines that are left out in the place of this row
}

// difference returns the difference of two answers in the unified format, without its header.
func (s *Sides) difference() []string {
	const header = 3
	text := string(diff.Diff("recorded", sideText(s.Recorded), "answered", sideText(s.Answered)))
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i := range lines {
		lines[i] = short(lines[i], maxSideRunes)
	}
	return lines[min(header, len(lines)):]
}

// sideText returns the lines of an answer as one text.
func sideText(lines []string) []byte {
	var b bytes.Buffer
	for _, line := range lines {
		fmt.Fprintf(&b, "%s\n", plain(line))
	}
	return b.Bytes()
}

// unified returns the difference as lines that begin with a blank, with - for what was recorded, with + for what is
// answered, or with @ where lines are left out.
func (s *Sides) unified() []string {
	lines := s.difference()
	if more := len(lines) - maxUnified; more > 0 {
		lines = append(lines[:maxUnified], fmt.Sprintf("@@ %s @@", count(more, "more line")))
	}
	return lines
}

// rows returns two answers beside each other, as far as they are near a difference.
func (s *Sides) rows() []sideRow {
	t := &sideTable{}
	for _, line := range s.difference() {
		if len(t.rows) == maxSideRows {
			break
		}
		t.add(line)
	}
	t.gap(len(s.Recorded) - t.done)
	return t.rows
}

// sideTable makes rows of the lines of a difference.
type sideTable struct {
	rows []sideRow
	done int // recorded lines in rows
	free int // the first row that may still take an answered line
}

func (t *sideTable) add(line string) {
	switch text := line[1:]; line[0] {
	case '@':
		var first, n int
		if _, err := fmt.Sscanf(line, "@@ -%d,%d", &first, &n); err == nil && n > 0 {
			t.gap(first - 1 - t.done)
			t.done = first - 1
		}
	case '-':
		t.rows = append(t.rows, sideRow{Recorded: text, HasRecorded: true})
		t.done++
	case '+':
		if t.free == len(t.rows) {
			t.rows = append(t.rows, sideRow{})
		}
		t.rows[t.free].Answered, t.rows[t.free].HasAnswered = text, true
		t.free++
	default:
		t.rows = append(t.rows, sideRow{Recorded: text, Answered: text, HasRecorded: true, HasAnswered: true, Equal: true})
		t.done++
		t.free = len(t.rows)
	}
}

// gap notes that equal lines are left out.
func (t *sideTable) gap(n int) {
	if n > 0 {
		t.rows = append(t.rows, sideRow{Gap: n})
	}
	t.free = len(t.rows)
}
