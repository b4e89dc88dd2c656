package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs/source"
)

// outputs holds the forms in which a report is written, and their destinations.
type outputs struct {
	format  choice
	output  string
	also    []string // FORMAT=FILE
	verbose bool
}

func (o *outputs) add(flags *pflag.FlagSet) {
	o.format = choiceOf(report.Formats()...)
	flags.Var(&o.format, "format", "the format of the report")
	flags.StringVarP(&o.output, "output", "o", "", "write the report to `FILE` instead of standard output")
	flags.StringArrayVar(&o.also, "report", nil,
		"also write it in another format, as `FORMAT=FILE`, such as html=report.html; - is standard output\n"+
			"(repeatable)")
	flags.BoolVarP(&o.verbose, "verbose", "v", false,
		"show every finding separately, including inconclusive ones, and the metrics of the job")
}

// check returns an error for what would otherwise fail only after a long job.
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

// needEvidence reports whether a form shows exchanges in full.
func (o *outputs) needEvidence() bool {
	return report.NeedsEvidence(o.format.word) || slices.ContainsFunc(o.also, func(text string) bool {
		format, _, _ := strings.Cut(text, "=")
		return report.NeedsEvidence(format)
	})
}

func (o *outputs) write(stdout io.Writer, r *report.Report) error {
	var errs []error
	for _, text := range o.also {
		format, file, _ := strings.Cut(text, "=")
		write := func(w io.Writer) error { return r.Write(w, format) }
		if file == "-" {
			errs = append(errs, write(stdout))
			continue
		}
		errs = append(errs, writeFile(file, write))
	}
	show := func(w io.Writer) error {
		if o.format.word == "text" {
			return r.WriteStyled(w, report.Style{Verbose: o.verbose})
		}
		return r.Write(w, o.format.word)
	}
	if o.output == "" {
		return errors.Join(append(errs, show(stdout))...)
	}
	return errors.Join(append(errs, writeFile(o.output, show))...)
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
