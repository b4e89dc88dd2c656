// Command understudy-beam checks recordings as understudy check does, on Apache Beam.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// Exit codes, which are those of understudy check.
const (
	exitViolations = 1
	exitTrouble    = 2
)

func main() {
	ctx, end := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	end()
	if err != nil && err.Error() != "" {
		fmt.Fprintln(os.Stderr, "understudy-beam:", err)
	}
	os.Exit(exitCode(err))
}

// run runs the program. exitCode returns the exit code of its error.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	c := newCommand()
	c.SetArgs(args)
	c.SetOut(stdout)
	c.SetErr(stderr)
	err := c.ExecuteContext(ctx)
	if ctx.Err() != nil {
		return errors.New("interrupted; the runner may go on with the job")
	}
	return err
}

// exitError is the error of a check that found violations.
type exitError struct{ err error }

func (e *exitError) Error() string { return e.err.Error() }

func (e *exitError) Unwrap() error { return e.err }

func exitCode(err error) int {
	if err == nil {
		return 0
	}
	if _, ok := errors.AsType[*exitError](err); ok {
		return exitViolations
	}
	return exitTrouble
}
