package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs/source"
)

// outputs holds the forms in which a report is written, and their destinations.
type outputs struct {
	format  *choice
	output  string
	also    []string // FORMAT=FILE
	colour  *choice
	verbose bool
}

func (o *outputs) add(c *cobra.Command) {
	o.format = addEnumFlag(c, "format", "the format of the report", choiceOf(report.Formats()...))
	c.Flags().StringVarP(&o.output, "output", "o", "", "write the report to `FILE` instead of standard output")
	c.Flags().StringArrayVar(&o.also, "report", nil,
		"also write it in another format, as `FORMAT=FILE`, such as html=report.html; - is standard output\n"+
			"(repeatable)")
	o.colour = addEnumFlag(c, "color", "whether text has colours; auto: on a terminal, unless NO_COLOR is set",
		choiceOf("auto", "always", "never"))
	c.Flags().BoolVarP(&o.verbose, "verbose", "v", false, "show every finding separately, including inconclusive ones")
}

// check returns an error for what would otherwise fail only after a long recording was read.
func (o *outputs) check() error {
	var errs []error
	for _, text := range o.also {
		format, file, _ := strings.Cut(text, "=")
		if !slices.Contains(report.Formats(), format) || file == "" {
			errs = append(errs, fmt.Errorf("--report %q: want FORMAT=FILE, as in html=report.html; FORMAT is %s",
				text, source.OneOf(format, report.Formats())))
		}
	}
	return errors.Join(errs...)
}

// files lists the files that reports are written to.
func (o *outputs) files() []namedFile {
	var list []namedFile
	for _, text := range o.also {
		if _, file, _ := strings.Cut(text, "="); file != "" && file != "-" {
			list = append(list, namedFile{file, "--report " + text})
		}
	}
	if o.output != "" {
		list = append(list, namedFile{o.output, "--output " + o.output})
	}
	return list
}

// needEvidence reports whether a form shows exchanges in full.
func (o *outputs) needEvidence() bool {
	needs := func(text string) bool { format, _, _ := strings.Cut(text, "="); return report.NeedsEvidence(format) }
	return needs(o.format.word) || slices.ContainsFunc(o.also, needs) ||
		o.format.word == "github" && os.Getenv(summaryFile) != ""
}

func (o *outputs) write(c *cobra.Command, r *report.Report) error {
	var errs []error
	for _, text := range o.also {
		format, file, _ := strings.Cut(text, "=")
		if file == "-" {
			errs = append(errs, r.Write(lasting{c.Context(), c.OutOrStdout()}, format))
			continue
		}
		errs = append(errs, writeFile(file, func(w io.Writer) error { return r.Write(lasting{c.Context(), w}, format) }))
	}
	show := func(w io.Writer) error { return o.print(lasting{c.Context(), w}, r) }
	if o.output == "" {
		errs = append(errs, show(c.OutOrStdout()))
	} else {
		errs = append(errs, writeFile(o.output, show))
	}
	return errors.Join(errs...)
}

// lasting is a writer that fails once a context has ended.
type lasting struct {
	ctx context.Context
	io.Writer
}

// Write implements io.Writer.
func (l lasting) Write(p []byte) (int, error) {
	if err := l.ctx.Err(); err != nil {
		return 0, err
	}
	return l.Writer.Write(p)
}

// print writes the report in the form of --format.
func (o *outputs) print(w lasting, r *report.Report) error {
	switch o.format.word {
	case "text":
		return r.WriteStyled(w, o.style(w.Writer))
	case "github":
		return errors.Join(r.WriteGitHub(w), summarize(r))
	}
	return r.Write(w, o.format.word)
}

// style returns the style of text for its destination.
func (o *outputs) style(w io.Writer) report.Style {
	style := report.Style{Verbose: o.verbose, Colour: o.colour.word == "always"}
	file, ok := terminal(w)
	if !ok {
		return style
	}
	if width, _, err := term.GetSize(int(file.Fd())); err == nil {
		style.Width = width
	}
	style.Colour = style.Colour || o.colour.word == "auto" && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	return style
}

func terminal(w io.Writer) (*os.File, bool) {
	file, ok := w.(*os.File)
	return file, ok && term.IsTerminal(int(file.Fd()))
}

// isRead reports whether the report, and with it the outcome of the check, is shown on a terminal.
func (o *outputs) isRead(c *cobra.Command) bool {
	_, ok := terminal(c.OutOrStdout())
	return ok && o.output == "" && o.format.word == "text"
}

// summaryFile is the environment variable with the file for the summary of a step on GitHub.
const summaryFile = "GITHUB_STEP_SUMMARY"

// summarize adds the report to the summary of the step on GitHub.
func summarize(r *report.Report) error {
	path := os.Getenv(summaryFile)
	if path == "" {
		return nil
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return fmt.Errorf("write the job summary %s: %w", summaryFile, err)
	}
	room := report.MaxSummary
	if info, err := file.Stat(); err == nil {
		room -= int(info.Size())
	}
	return errors.Join(r.WriteSummary(file, room), file.Close())
}

// writeFile writes a file in an existing folder.
func writeFile(path string, write func(io.Writer) error) error {
	file, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	if err := errors.Join(write(file), file.Close()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
