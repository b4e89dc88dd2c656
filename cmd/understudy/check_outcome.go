package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"svc.example/understudy/contract"
	"svc.example/understudy/specs"
)

// outcome holds what a check has found.
type outcome struct {
	checker *contract.Checker
	source  contract.Source
	report  *contract.Report
	note    string
	err     error
}

// finish writes the results, and returns the error that the outcome is.
func (f *checkFlags) finish(c *cobra.Command, o outcome) (err error) {
	r, note := o.report, o.note
	if err = explainNothingMatched(o.err, r); note != "" {
		r.Notes = append(r.Notes, note)
	}
	if r.Exchanges.Read > 0 {
		err = errors.Join(err, f.writeResults(c, o.checker, o.source, r))
	}
	return f.baselineFlags.conclude(c, r, err, f.isRead(c))
}

// writeResults writes the report in all requested forms, and the minimized recordings.
func (f *checkFlags) writeResults(c *cobra.Command, checker *contract.Checker, source contract.Source,
	r *contract.Report,
) error {
	if f.needEvidence() {
		if err := checker.Evidence(c.Context(), source, r); err != nil {
			return err
		}
	}
	err := f.outputs.write(c, r)
	if f.minimize != "" && r.Violated() {
		err = errors.Join(err, checker.Minimize(c.Context(), source, r, f.minimize))
	}
	return err
}

// explainNothingMatched adds to the error that nothing matched what to do about it.
func explainNothingMatched(err error, r *contract.Report) error {
	if !errors.Is(err, contract.ErrNothingMatched) || r.Exchanges.Read == 0 {
		return err
	}
	return fmt.Errorf("%w; specify the base addresses with --base NAME=URL, as in --base %s=https://%[2]s.example.com",
		err, specs.Workflow)
}
