package report

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

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
