package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"svc.example/understudy/contract"
)

// baselineFlags name the baselines that a command reads and writes.
type baselineFlags struct {
	baseline      string
	writeBaseline string
}

// add adds the flags. What is accepted has a name, such as findings.
func (f *baselineFlags) add(c *cobra.Command, what, all string) {
	c.Flags().StringVar(&f.baseline, "baseline", "",
		"accept the "+what+" in `FILE`, and fail when one of them no longer occurs")
	c.Flags().StringVar(&f.writeBaseline, "write-baseline", "", "write all "+all+" to `FILE` as a baseline")
}

func (f *baselineFlags) options() []contract.Option {
	if f.baseline == "" || f.isNew() {
		return nil
	}
	return []contract.Option{contract.WithBaseline(f.baseline)}
}

// isNew reports whether the baseline is to be written for the first time.
func (f *baselineFlags) isNew() bool {
	_, err := os.Stat(f.baseline)
	return filepath.Clean(f.baseline) == filepath.Clean(f.writeBaseline) && errors.Is(err, fs.ErrNotExist)
}

// conclude writes the baseline, if that is wanted and nothing went wrong. Otherwise it returns the error that a report
// amounts to, without its text if the report on standard output has been read.
func (f *baselineFlags) conclude(c *cobra.Command, r *contract.Report, err error, isRead bool) error {
	switch {
	case f.writeBaseline != "" && err == nil:
		return f.acceptFindings(c, r)
	case r.Violated(), err == nil && r.Failed():
		if !isRead {
			err = errors.Join(errors.New(r.Outcome()), err)
		}
		return &exitError{exitViolations, err}
	}
	return err
}

// acceptFindings writes a baseline.
func (f *baselineFlags) acceptFindings(c *cobra.Command, r *contract.Report) error {
	err := writeFile(f.writeBaseline, func(w io.Writer) error { return contract.WriteBaseline(w, r) })
	if err == nil {
		fmt.Fprintf(c.ErrOrStderr(), "wrote the baseline %s: add to it why you accept each finding\n", f.writeBaseline)
	}
	return err
}

func (f *baselineFlags) files() (written, read []namedFile) {
	if f.writeBaseline != "" {
		written = append(written, namedFile{f.writeBaseline, "--write-baseline " + f.writeBaseline})
	}
	if f.baseline != "" && !sameFile(f.baseline, f.writeBaseline) { // otherwise it is rewritten
		read = append(read, namedFile{f.baseline, "the baseline " + f.baseline})
	}
	return written, read
}
