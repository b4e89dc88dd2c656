// Command understudy stands in for a data platform: it serves a stateful mock of its HTTP interfaces, and checks
// recorded traffic against their documents.
//
// There is one file per subcommand. What they do is in the packages mockserver, contract, scenarios and specs.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/pprof"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"syscall"

	"golang.org/x/term"

	"svc.example/understudy/contract/report"
)

func main() {
	stderr := forLog(os.Stderr)
	err := run(untilSignal(), os.Args[1:], os.Stdin, os.Stdout, stderr)
	if err != nil && err.Error() != "" {
		fmt.Fprintln(stderr, "understudy:", err)
	}
	os.Exit(exitCode(err))
}

// forLog returns the file itself if it is a terminal, or else a writer that keeps lines from being commands of GitHub
// Actions.
func forLog(file *os.File) io.Writer {
	if term.IsTerminal(int(file.Fd())) {
		return file
	}
	return report.LogWriter(file)
}

// untilSignal returns a context that ends with the first of the signals. By then the default handling of SIGINT and
// SIGTERM is restored, so that a second one ends the process at once.
func untilSignal() context.Context {
	ctx, end := context.WithCancel(context.Background())
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, os.Interrupt, syscall.SIGTERM)
	others := make(chan os.Signal, 1)
	for _, s := range heeded(otherSignals) {
		signal.Notify(others, s)
	}
	go func() {
		select {
		case <-caught:
		case <-others: // also sent twice, as by a terminal that is closed and its shell
		}
		signal.Stop(caught)
		end()
	}()
	return ctx
}

// heeded returns signals without SIGHUP if this process was started to ignore it, as nohup does.
func heeded(signals []os.Signal) []os.Signal {
	ignored := func(s os.Signal) bool { return s == syscall.SIGHUP && signal.Ignored(s) }
	return slices.DeleteFunc(slices.Clone(signals), ignored)
}

// run runs the program. exitCode returns the exit code of its error.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	root := newRoot()
	refuseUnknownCommands(root)
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	if err := root.ExecuteContext(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return errors.New("interrupted")
}

// Exit codes. A breach of the contract is distinguished from everything that can go wrong in the check.
const (
	exitViolations = 1
	exitTrouble    = 2
)

// exitError is an error with an exit code of its own.
type exitError struct {
	code int
	err  error // nil if the user was informed already
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

func exitCode(err error) int {
	if err == nil {
		return 0
	}
	if exit, ok := errors.AsType[*exitError](err); ok {
		return exit.code
	}
	return exitTrouble
}

// tuneGarbageCollection lets a process that reads long recordings or documents collect garbage less often, as long as
// it needs less memory than a limit, in bytes. Those who set GOGC or GOMEMLIMIT have chosen otherwise. The function
// that it returns undoes that.
func tuneGarbageCollection(limit int64) (undo func()) {
	const percent = 400 // of what is in use, before the next collection; Go's own default is 100
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	before, all := debug.SetGCPercent(percent), debug.SetMemoryLimit(limit)
	return func() {
		debug.SetGCPercent(before)
		debug.SetMemoryLimit(all)
	}
}

// profiles returns the profiles of the process, at /debug/pprof/.
func profiles() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return mux
}
