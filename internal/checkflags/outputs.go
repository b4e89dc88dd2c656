package checkflags

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/source"
)

// Outputs holds the forms in which a report is written, and their destinations.
type Outputs struct {
	Format  Choice
	Output  string // empty for standard output
	Verbose bool
	Style   func(io.Writer) report.Style // of text for its destination

	also []string // FORMAT=FILE
}

// Add adds the flags to those of a command.
func (o *Outputs) Add(flags *pflag.FlagSet) {
	o.Format = ChoiceOf(report.Formats()...)
	flags.Var(&o.Format, "format", "the format of the report")
	flags.StringVarP(&o.Output, "output", "o", "", "write the report to `FILE` instead of standard output")
	flags.StringArrayVar(&o.also, "report", nil,
		"also write it in another format, as `FORMAT=FILE`, such as html=report.html; - is standard output\n"+
			"(repeatable)")
	flags.BoolVarP(&o.Verbose, "verbose", "v", false, "show every finding separately, including inconclusive ones")
}

// Check returns an error for what would otherwise fail only after a long recording was read.
func (o *Outputs) Check() error {
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

// Files lists the files that reports are written to.
func (o *Outputs) Files() []File {
	var list []File
	for _, text := range o.also {
		if _, file, _ := strings.Cut(text, "="); file != "" && file != "-" {
			list = append(list, File{file, "--report " + text})
		}
	}
	if o.Output != "" {
		list = append(list, File{o.Output, "--output " + o.Output})
	}
	return list
}

// NeedEvidence reports whether a form shows exchanges in full.
func (o *Outputs) NeedEvidence() bool {
	needs := func(text string) bool { format, _, _ := strings.Cut(text, "="); return report.NeedsEvidence(format) }
	return needs(o.Format.Word) || slices.ContainsFunc(o.also, needs) ||
		o.Format.Word == "github" && os.Getenv(summaryFile) != ""
}

// Result is the report of a check, with what shows more of it.
type Result struct {
	Checker *contract.Checker
	Source  contract.Source
	Report  *contract.Report
}

// Write writes a report in all requested forms, with the evidence in those that show it. It fails once the context has
// ended.
func (o *Outputs) Write(ctx context.Context, stdout io.Writer, result Result) error {
	r := result.Report
	if o.NeedEvidence() {
		if err := result.Checker.Evidence(ctx, result.Source, r); err != nil {
			return err
		}
	}
	var errs []error
	for _, text := range o.also {
		format, file, _ := strings.Cut(text, "=")
		if file == "-" {
			errs = append(errs, r.Write(lasting{ctx, stdout}, format))
			continue
		}
		errs = append(errs, WriteFile(file, func(w io.Writer) error { return r.Write(lasting{ctx, w}, format) }))
	}
	show := func(w io.Writer) error { return o.print(lasting{ctx, w}, r) }
	if o.Output == "" {
		errs = append(errs, show(stdout))
	} else {
		errs = append(errs, WriteFile(o.Output, show))
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
func (o *Outputs) print(w lasting, r *report.Report) error {
	switch o.Format.Word {
	case "text":
		style := report.Style{Verbose: o.Verbose}
		if o.Style != nil {
			style = o.Style(w.Writer)
		}
		return r.WriteStyled(w, style)
	case "github":
		return errors.Join(r.WriteGitHub(w), summarize(r))
	}
	return r.Write(w, o.Format.Word)
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

// ExplainNothingMatched adds to the error that nothing matched what to do about it.
func ExplainNothingMatched(err error, r *contract.Report) error {
	if !errors.Is(err, contract.ErrNothingMatched) || r.Exchanges.Read == 0 {
		return err
	}
	return fmt.Errorf("%w; specify the base addresses with --base NAME=URL, as in --base %s=https://%[2]s.example.com, "+
		"and documents of your own with --spec NAME=FILE", err, specs.Workflow)
}
