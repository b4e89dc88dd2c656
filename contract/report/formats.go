package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// writers write a report in one form each.
var writers = []struct {
	name  string
	write func(*Report, io.Writer) error
}{
	{"text", (*Report).WriteText},
	{"json", (*Report).WriteJSON},
	{"junit", (*Report).WriteJUnit},
	{"sarif", (*Report).WriteSARIF},
	{"github", (*Report).WriteGitHub},
	{"markdown", (*Report).WriteMarkdown},
	{"html", (*Report).WriteHTML},
}

// Formats lists the forms that a report can be written in.
func Formats() []string {
	var names []string
	for _, w := range writers {
		names = append(names, w.name)
	}
	return names
}

// Write writes the report in the form of that name.
func (r *Report) Write(w io.Writer, format string) error {
	for _, writer := range writers {
		if writer.name == format {
			return writer.write(r, w)
		}
	}
	return fmt.Errorf("unknown format %q of a report; want one of %s", format, strings.Join(Formats(), ", "))
}

// NeedsEvidence reports whether a form shows the exchanges that findings speak of, so that Evidence should be filled.
func NeedsEvidence(format string) bool { return slices.Contains([]string{"html", "markdown"}, format) }
