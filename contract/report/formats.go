package report

import (
	"fmt"
	"io"
	"strings"
)

// form is one that a report can be written in.
type form struct {
	name           string
	write          func(*Report, io.Writer) error
	showsExchanges bool // that findings speak of
}

var forms = []form{
	{"text", (*Report).WriteText, false},
	{"json", (*Report).WriteJSON, false},
	{"junit", (*Report).WriteJUnit, false},
	{"sarif", (*Report).WriteSARIF, false},
	{"github", (*Report).WriteGitHub, false},
	{"markdown", (*Report).WriteMarkdown, true},
	{"html", (*Report).WriteHTML, true},
}

// formOf returns the form of that name, or the zero form.
func formOf(name string) (none form) {
	for _, f := range forms {
		if f.name == name {
			return f
		}
	}
	return none
}

// Formats lists the forms that a report can be written in.
func Formats() []string {
	var names []string
	for _, f := range forms {
		names = append(names, f.name)
	}
	return names
}

// Write writes the report in the form of that name.
func (r *Report) Write(w io.Writer, format string) error {
	f := formOf(format)
	if f.write == nil {
		return fmt.Errorf("unknown format %q of a report; want one of %s", format, strings.Join(Formats(), ", "))
	}
	return f.write(r, w)
}

// NeedsEvidence reports whether a form shows the exchanges that findings speak of, so that Evidence should be filled.
func NeedsEvidence(format string) bool { return formOf(format).showsExchanges }
