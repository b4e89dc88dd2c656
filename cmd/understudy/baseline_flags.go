package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"svc.example/understudy/contract"
	"svc.example/understudy/internal/checkflags"
)

// conclude writes the baseline, if that is wanted and nothing went wrong. Otherwise it returns the error that a report
// amounts to, without its text if the report on standard output has been read.
func conclude(c *cobra.Command, b *checkflags.Baseline, r *contract.Report, err error, isRead bool) error {
	switch {
	case b.Written != "" && err == nil:
		return acceptFindings(c, b, r)
	case r.Violated(), err == nil && r.Failed():
		if !isRead {
			err = errors.Join(errors.New(r.Outcome()), err)
		}
		return &exitError{exitViolations, err}
	}
	return err
}

// acceptFindings writes a baseline.
func acceptFindings(c *cobra.Command, b *checkflags.Baseline, r *contract.Report) error {
	err := b.WriteBaseline(r)
	if err == nil {
		fmt.Fprintf(c.ErrOrStderr(), "wrote the baseline %s: add to it why you accept each finding\n", b.Written)
	}
	return err
}
