package main

import (
	"io"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/internal/checkflags"
)

// outputs holds the forms in which a report is written, their destinations, and how text looks there.
type outputs struct {
	checkflags.Outputs
	colour *checkflags.Choice
}

func (o *outputs) add(c *cobra.Command) {
	o.Outputs.Add(c.Flags())
	o.Style = o.style
	o.colour = addEnumFlag(c, "color", "whether text has colours; auto: on a terminal, unless NO_COLOR is set",
		checkflags.ChoiceOf("auto", "always", "never"))
}

// style returns the style of text for its destination.
func (o *outputs) style(w io.Writer) report.Style {
	style := report.Style{Verbose: o.Verbose, Colour: o.colour.Word == "always"}
	file, ok := terminal(w)
	if !ok {
		return style
	}
	if width, _, err := term.GetSize(int(file.Fd())); err == nil {
		style.Width = width
	}
	style.Colour = style.Colour || o.colour.Word == "auto" && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	return style
}

func terminal(w io.Writer) (*os.File, bool) {
	file, ok := w.(*os.File)
	return file, ok && term.IsTerminal(int(file.Fd()))
}

// isRead reports whether the report, and with it the outcome of the check, is shown on a terminal.
func (o *outputs) isRead(c *cobra.Command) bool {
	_, ok := terminal(c.OutOrStdout())
	return ok && o.Output == "" && o.Format.Word == "text"
}
