package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"svc.example/understudy/contract"
	"svc.example/understudy/internal/checkflags"
	"svc.example/understudy/specs/source"
)

type checkFlags struct {
	outputs
	checkflags.Flags
	engine   string
	minimize string
}

func newCheck() *cobra.Command {
	var f checkFlags
	c := &cobra.Command{
		Use:   "check [FILE...]",
		Short: "Check recorded traffic against the interfaces' documents and rules",
		Long: `Check recorded traffic: each exchange against the document of its interface, and
all of them against the rules that hold between exchanges, for example that a pool
cannot be deleted while a rule references it (see understudy rules).

A FILE is a recording: an HTTP Archive (HAR 1.2), NDJSON as written by serve
--record, or a cassette of go-vcr, VCR.py or Ruby's VCR, optionally gzipped;
the format is detected from the content. It may also be a folder or a quoted glob.
- is standard input. All files form one recording: exchanges of one account are
judged in the order of their times, or file by file if they have none. Without a
FILE, the recordings in understudy.yaml are checked.

Addresses of a local mock and https://INTERFACE.svc.example are known, others are
guessed from the recording. The report lists the guesses, and findings there are
warnings at most. Use --base to specify the addresses.

Exit code 0: conforms. 1: there are violations, stale entries in the baseline, too
little coverage, too much that is inconclusive, or, with --gaps fail, exchanges
that are missing. 2: could not judge, because input is bad, nothing in it belongs
to an interface, or no body, no parameter and no rule could be judged.`,
		Example: `  understudy check traffic.har
  understudy check --base workflow=https://workflow.example.com 'recordings/**/*.yaml'
  curl -s http://127.0.0.1:4010/_understudy/journal.ndjson | understudy check --format json -

  # In CI: annotations, a page for people, and the smallest recordings that show what is wrong
  understudy check --format github --report html=report.html --report junit=junit.xml --minimize minimal recordings

  # Accept what is there today; from now on only what is new fails, and what is gone has to leave the list
  understudy check --write-baseline baseline.yaml recordings
  understudy check --baseline baseline.yaml recordings`,
		RunE: f.run,
	}
	f.add(c)
	return c
}

func (f *checkFlags) add(c *cobra.Command) {
	f.Flags.Add(c.Flags())
	c.Flags().StringVar(&f.engine, "engine", "",
		"the executable `FILE` of the second engine, or none (default: "+engineName+", beside this\none or on PATH)")
	c.Flags().StringVar(&f.minimize, "minimize", "",
		"write the smallest recording that shows each violation to `DIR`, with a curl of its last step")
	f.outputs.add(c)
}

func (f *checkFlags) run(c *cobra.Command, files []string) error {
	if len(files) == 0 {
		files = configurationOf(c).Recordings
	}
	if err := wantRecordings(c, files); err != nil {
		return err
	}
	if err := checkflags.CheckOverwrites(f.files(files)); err != nil {
		return err
	}
	tuneGarbageCollection(200, 200<<20)
	checker, note, end, err := f.checker(c)
	if err != nil {
		return err
	}
	defer end()
	source, done, err := recordingSource(c, files, f.minimize != "" || f.NeedEvidence())
	if err != nil {
		return err
	}
	defer done()
	r, err := checker.Check(c.Context(), source)
	if interrupted := c.Context().Err(); interrupted != nil {
		return interrupted // a report would look as if it were about the whole recording
	}
	return f.finish(c, checkResult{checkflags.Result{Checker: checker, Source: source, Report: r}, note, err})
}

// checker returns the checker that the flags describe, and a note for its report. End ends its second engine.
func (f *checkFlags) checker(c *cobra.Command, more ...contract.Option) (checker *contract.Checker, note string,
	end func(), err error,
) {
	judged, err := f.Flags.Options()
	if err = errors.Join(err, f.Outputs.Check()); err != nil {
		return nil, "", nil, err
	}
	opts := judged.List()
	second, note, err := secondEngine(c.Context(), f.engine)
	if err != nil {
		return nil, "", nil, err
	}
	end = func() {}
	if second != nil {
		end = second.Close
		opts = append(opts, contract.WithEngine(second))
	}
	if checker, err = contract.NewChecker(append(opts, more...)...); err != nil {
		end()
		return nil, "", nil, configurationOf(c).locateErrors(err)
	}
	return checker, note, end, nil
}

// files lists the files that a check reads and writes.
func (f *checkFlags) files(recordings []string) (written, read []checkflags.File) {
	written, read = f.Flags.Files(recordings)
	return append(written, f.Outputs.Files()...), read
}

// checkResult holds what a check has found.
type checkResult struct {
	checkflags.Result
	note string
	err  error
}

// finish writes the results, and returns the error that the result is.
func (f *checkFlags) finish(c *cobra.Command, o checkResult) (err error) {
	r := o.Report
	if err = checkflags.ExplainNothingMatched(o.err, r); o.note != "" {
		r.Notes = append(r.Notes, o.note)
	}
	if r.Exchanges.Read > 0 {
		err = errors.Join(err, f.Outputs.Write(c.Context(), c.OutOrStdout(), o.Result))
		if f.minimize != "" && r.Violated() {
			err = errors.Join(err, o.Checker.Minimize(c.Context(), o.Source, r, f.minimize))
		}
	}
	return conclude(c, &f.Baseline, r, err, f.isRead(c))
}

// conclude writes the baseline, if that is wanted and nothing went wrong. Otherwise it returns the error that a report
// amounts to, without its text if the report on standard output has been read.
func conclude(c *cobra.Command, b *checkflags.Baseline, r *contract.Report, err error, isRead bool) error {
	switch {
	case b.Written != "" && err == nil:
		if err = b.WriteBaseline(r); err == nil {
			fmt.Fprintf(c.ErrOrStderr(), "wrote the baseline %s: add to it why you accept each finding\n", b.Written)
		}
	case r.Violated(), err == nil && r.Failed():
		if !isRead {
			err = errors.Join(errors.New(r.Outcome()), err)
		}
		return &exitError{exitViolations, err}
	}
	return err
}

// locateErrors adds to the errors of latency limits their place in the configuration.
func (c *configuration) locateErrors(err error) error {
	var problems []*source.Problem
	var others []error
	for _, err := range errorsOf(err) {
		latency, isLatency := errors.AsType[*contract.LatencyError](err)
		if isLatency && c.Latency[latency.Operation] != "" {
			problems = append(problems, c.text.Problem([]any{"latency", latency.Operation}, "%s", latency.Reason))
			continue
		}
		others = append(others, err)
	}
	return errors.Join(append(others, source.Join(problems))...)
}

// errorsOf returns the single errors of a joined one.
func errorsOf(err error) []error {
	joined, isJoined := err.(interface{ Unwrap() []error })
	if !isJoined {
		return []error{err}
	}
	var list []error
	for _, err := range joined.Unwrap() {
		list = append(list, errorsOf(err)...)
	}
	return list
}
