package main

import (
	"errors"

	"github.com/spf13/cobra"

	"svc.example/understudy/internal/checkflags"
)

// outcome holds what a check has found.
type outcome struct {
	checkflags.Result
	note string
	err  error
}

// finish writes the results, and returns the error that the outcome is.
func (f *checkFlags) finish(c *cobra.Command, o outcome) (err error) {
	r := o.Report
	if err = checkflags.ExplainNothingMatched(o.err, r); o.note != "" {
		r.Notes = append(r.Notes, o.note)
	}
	if r.Exchanges.Read > 0 {
		err = errors.Join(err, f.writeResults(c, o.Result))
	}
	return conclude(c, &f.Baseline, r, err, f.isRead(c))
}

// writeResults writes the report in all requested forms, and the minimized recordings.
func (f *checkFlags) writeResults(c *cobra.Command, r checkflags.Result) error {
	err := f.Outputs.Write(c.Context(), c.OutOrStdout(), r)
	if f.minimize != "" && r.Report.Violated() {
		err = errors.Join(err, r.Checker.Minimize(c.Context(), r.Source, r.Report, f.minimize))
	}
	return err
}
