package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	beamlog "github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	beamrunners "github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"svc.example/understudy/contract/beam/pipeline"
	"svc.example/understudy/internal/checkflags"
)

// command is the command with its flags.
type command struct {
	checkflags.Flags
	checkflags.Outputs
	job  pipeline.Job
	size size
	work string
}

func newCommand() *cobra.Command {
	var f command
	c := &cobra.Command{
		Use:   "understudy-beam FILE...",
		Short: "Check recorded traffic as understudy check does, on Apache Beam",
		Long: `Check recorded traffic as understudy check --engine none does, with the same report,
on a runner of Apache Beam: by default Prism, in this process.

A FILE is a recording, a folder or a quoted glob, or the address of recordings in an
object store, such as gs://bucket/2026-*/*.ndjson or s3://bucket/*.har. NDJSON on
disk is cut into pieces, which are judged side by side; everything else is judged
file by file. The input is read twice, so standard input is not.

Beam has flags of its own, with underscores. Those that are listed here choose the
runner; the others, such as those of Dataflow, are taken as well.

Exit code 0: conforms. 1: there are violations, stale entries in the baseline, too
little coverage, too much that is inconclusive, or, with --gaps fail, exchanges
that are missing. 2: could not judge, or the job failed.`,
		Example: `  understudy-beam 'recordings/**/*.ndjson'
  understudy-beam --runner universal --endpoint localhost:8073 --environment_type LOOPBACK recordings
  understudy-beam --work gs://bucket/tmp --report html=report.html 'gs://bucket/2026-*/*.ndjson'`,
		SilenceUsage: true, SilenceErrors: true,
		RunE: f.run,
	}
	f.Flags.Add(c.Flags())
	f.Outputs.Add(c.Flags())
	c.Flags().Lookup("verbose").Usage += ", and the metrics of the job"
	c.Flags().Var(&f.size, "piece-size", "cut files of NDJSON into pieces of about `SIZE`")
	c.Flags().IntVar(&f.job.Pieces, "pieces", 0, "cut each file of NDJSON into `NUMBER` pieces instead")
	c.Flags().StringVar(&f.job.DeadLetters, "dead-letters", "",
		"write what cannot be read to `FILE`, in NDJSON with its places; workers write it")
	c.Flags().StringVar(&f.work, "work", "",
		"the folder or `ADDRESS` for the result, which workers write and this command reads\n"+
			"(default: a temporary folder)")
	addBeamFlags(c.Flags())
	return c
}

func (f *command) run(c *cobra.Command, patterns []string) error {
	if !f.Verbose && isEmbedded() {
		beamlog.LogLevel = "warn" // Beam's log shows little of a job in this process
	}
	pipeline.Register()
	beam.Init() // which does not return in a worker
	switch {
	case len(patterns) == 0:
		return errors.New("want the file of a recording, a folder, a glob or an address; see understudy-beam --help")
	case slices.Contains(patterns, "-"):
		return errors.New("standard input can be read only once, and a job reads its input twice: want a file")
	case *jobopts.Async:
		return errors.New("--async: want to wait for the job, because its report is written here")
	}
	if err := errors.Join(f.Outputs.Check(), checkRunner(*beamrunners.Runner)); err != nil {
		return err
	}
	if err := checkflags.CheckOverwrites(f.files(patterns)); err != nil {
		return err
	}
	var err error
	f.job.Patterns, f.job.PieceSize = patterns, int64(f.size)
	if f.job.Options, err = f.Flags.Options(); err != nil {
		return err
	}
	done, err := f.chooseWork()
	if err != nil {
		return err
	}
	defer done()
	result, err := pipeline.Run(c.Context(), f.job)
	if result == nil {
		return err
	}
	return f.finish(c, result, err)
}

// chooseWork chooses where the result of the workers is.
func (f *command) chooseWork() (done func(), err error) {
	if f.work != "" {
		f.job.Sum = strings.TrimSuffix(f.work, "/") + "/understudy-" + uuid.NewString()
		return func() {}, nil
	}
	folder, err := os.MkdirTemp("", "understudy-beam-")
	f.job.Sum = filepath.Join(folder, "sum")
	return func() { _ = os.RemoveAll(folder) }, err
}

// files lists the files on this machine that the command and its job write and read.
func (f *command) files(patterns []string) (written, read []checkflags.File) {
	written, read = f.Flags.Files(patterns)
	if letters := f.job.DeadLetters; letters != "" && !strings.Contains(letters, "://") {
		written = append(written, checkflags.File{Path: letters, As: "--dead-letters " + letters})
	}
	return append(written, f.Outputs.Files()...), read
}

// finish writes the results, and returns the error that the outcome is.
func (f *command) finish(c *cobra.Command, result *pipeline.Result, err error) error {
	r := result.Report
	err = checkflags.ExplainNothingMatched(err, r)
	if r.Exchanges.Read > 0 {
		err = errors.Join(err, f.Outputs.Write(c.Context(), c.OutOrStdout(),
			checkflags.Result{Checker: result.Checker, Source: result.Source, Report: r}))
	}
	if f.Verbose {
		writeMetrics(c.ErrOrStderr(), result.Metrics)
	}
	switch {
	case f.Written != "" && err == nil:
		return f.WriteBaseline(r)
	case r.Violated(), err == nil && r.Failed():
		return &exitError{errors.Join(errors.New(r.Outcome()), err)}
	}
	return err
}

// writeMetrics writes the metrics of a job.
func writeMetrics(w io.Writer, result beam.PipelineResult) {
	for _, line := range pipeline.Metrics(result) {
		fmt.Fprintln(w, line)
	}
}
