package checkflags

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
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

// File is a file that a command reads or writes, with the name that messages give it.
type File struct{ Path, As string }

// CheckOverwrites returns an error if a file would be written that is also read or written otherwise, or if its folder
// does not exist.
func CheckOverwrites(written, read []File) error {
	var errs []error
	for i, file := range written {
		if err := checkFolder(file.Path); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", file.As, err))
		}
		isIt := func(other File) bool { return sameFile(file.Path, other.Path) }
		if at := slices.IndexFunc(read, isIt); at >= 0 {
			errs = append(errs, fmt.Errorf("%s would overwrite %s: choose another file", file.As, read[at].As))
		}
		if at := slices.IndexFunc(written[:i], isIt); at >= 0 {
			errs = append(errs, fmt.Errorf("%s would overwrite what %s writes: choose another file", file.As, written[at].As))
		}
	}
	return errors.Join(errs...)
}

// checkFolder returns an error if the folder of a file does not exist. Commands do not create it: most often the path
// is mistyped.
func checkFolder(path string) error {
	folder := filepath.Dir(path)
	switch info, err := os.Stat(folder); {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("folder %s does not exist: create it first", folder)
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is not a folder", folder)
	}
	return nil
}

// sameFile reports whether two paths lead to one file, which need not exist yet. Devices may be written to twice.
func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return filepath.Clean(a) == filepath.Clean(b)
	}
	other, err := os.Stat(b)
	return err == nil && one.Mode().IsRegular() && os.SameFile(one, other)
}

// WriteFile writes a file in an existing folder.
func WriteFile(path string, write func(io.Writer) error) error {
	file, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	if err := errors.Join(write(file), file.Close()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// Baseline names the baselines that a command reads and writes.
type Baseline struct {
	read    string
	Written string // empty for none
}

// Add adds the flags to those of a command. What is accepted has a name, such as findings.
func (b *Baseline) Add(flags *pflag.FlagSet, what, all string) {
	flags.StringVar(&b.read, "baseline", "",
		"accept the "+what+" in `FILE`, and fail when one of them no longer occurs")
	flags.StringVar(&b.Written, "write-baseline", "", "write all "+all+" to `FILE` as a baseline")
}

// Options returns the options that the flags describe.
func (b *Baseline) Options() []contract.Option {
	if file := b.accepted(); file != "" {
		return []contract.Option{contract.WithBaseline(file)}
	}
	return nil
}

// accepted returns the baseline to read. That is none if it is to be written for the first time.
func (b *Baseline) accepted() string {
	_, err := os.Stat(b.read)
	if filepath.Clean(b.read) == filepath.Clean(b.Written) && errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	return b.read
}

// WriteBaseline writes what a report has found as the baseline.
func (b *Baseline) WriteBaseline(r *contract.Report) error {
	return WriteFile(b.Written, func(w io.Writer) error { return contract.WriteBaseline(w, r) })
}

// Files lists the baselines.
func (b *Baseline) Files() (written, read []File) {
	if b.Written != "" {
		written = append(written, File{b.Written, "--write-baseline " + b.Written})
	}
	if b.read != "" && !sameFile(b.read, b.Written) { // otherwise it is rewritten
		read = append(read, File{b.read, "the baseline " + b.read})
	}
	return written, read
}
