package report

import (
	"strings"

	"github.com/fatih/color"
	"github.com/mattn/go-runewidth"
)

// Style holds the settings for the look of a report for people.
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

// paint returns text in a colour, or as it is.
func (s Style) paint(text string, attributes ...color.Attribute) string {
	if !s.Colour || text == "" {
		return text
	}
	c := color.New(attributes...)
	c.EnableColor() // the caller knows whether this is a terminal, and has asked NO_COLOR
	return c.Sprint(text)
}

// loud returns the colour of a group.
func (g *Group) loud(breaks bool) []color.Attribute {
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
