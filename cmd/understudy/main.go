// Command understudy stands in for a data platform: it serves a stateful mock of its HTTP interfaces, and checks
// recorded traffic against their documents.
//
// There is one file per subcommand. What they do is in the packages mockserver, contract, scenarios and specs.
package main

import (
	"cmp"
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
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/internal/procgroup"
	"svc.example/understudy/internal/version"
	"svc.example/understudy/specs/source"
)

func main() {
	var stderr io.Writer = os.Stderr
	if !term.IsTerminal(int(os.Stderr.Fd())) {
		stderr = report.LogWriter(stderr) // or lines could be commands of GitHub Actions
	}
	err := run(untilSignal(), os.Args[1:], os.Stdin, os.Stdout, stderr)
	if err != nil && err.Error() != "" {
		fmt.Fprintln(stderr, "understudy:", err)
	}
	os.Exit(exitCode(err))
}

// untilSignal returns a context that ends with the first of the signals. By then the default handling of SIGINT and
// SIGTERM is restored, so that a second one ends the process at once.
func untilSignal() context.Context {
	ctx, end := context.WithCancel(context.Background())
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, os.Interrupt, syscall.SIGTERM)
	others := make(chan os.Signal, 1)
	for _, s := range heeded(procgroup.Others) {
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

// seldom lets garbage grow to four times what is in use before it is collected; Go's own default is as much again.
const seldom = 400

// tuneGarbageCollection lets a process collect garbage when there is a percentage of what is in use, and more often if
// it needs more memory than a limit, in bytes. Those who set GOGC or GOMEMLIMIT have chosen otherwise. The function
// that it returns undoes that.
func tuneGarbageCollection(percent int, limit int64) (undo func()) {
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

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "understudy",
		Short: "A stateful mock of a data platform, and a checker for recorded traffic",
		Long: `Understudy stands in for a data platform.

It serves the platform's HTTP interfaces with consistent state: what one call creates,
the next one lists, and what the platform would refuse is refused. It also checks
recorded traffic, with the mock or with the real platform, against the interfaces'
documents and rules. With --spec it does so for any OpenAPI document of your own.`,
		Example: `  # Serve the mock on http://127.0.0.1:4010
  understudy serve

  # List the pools of the account that the mock begins with
  curl -H 'Authorization: SVC1 1/admin' http://127.0.0.1:4010/workflow/api/pools

  # Serve a document of your own
  understudy serve --spec shop=openapi.yaml --interfaces shop

  # Check what was asked and answered
  curl http://127.0.0.1:4010/_understudy/journal.har > traffic.har
  understudy check traffic.har`,
		SilenceErrors: true, // main prints them
		SilenceUsage:  true,
		Args:          noSuchCommand,
		RunE:          helpOrVersion,

		PersistentPreRunE: configure,
	}
	root.PersistentFlags().String("config", "", "read the configuration `FILE` (default: $"+
		configVariable+", or "+configName+" if it exists)")
	root.SetFlagErrorFunc(flagError)
	root.Flags().BoolP("version", "v", false, "version for understudy")
	root.AddCommand(
		newServe(), newState(), newProxy(), newLearn(), newCompare(), newPlay(), newCheck(), newCoverage(), newRules(),
		newShapes(), newOperations(), newScenarios(), newSpec(), newInit(), newSchema(), newCA(), newHealth(), newMan(),
		newMCP(), newProbe(),
	)
	completeValues(root)
	return root
}

// refuseUnknownCommands makes the commands of cobra's own refuse words that they do not know, as ours do.
func refuseUnknownCommands(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "completion":
			c.Args, c.RunE = noSuchCommand, func(c *cobra.Command, _ []string) error { return c.Help() }
		case "help":
			c.Run, c.RunE = nil, func(_ *cobra.Command, args []string) error {
				about, rest, err := root.Find(args)
				if err == nil && len(rest) == 0 {
					about.InitDefaultHelpFlag()
					return about.Help()
				}
				return noSuchCommand(cmp.Or(about, root), rest)
			}
		}
	}
}

// helpOrVersion is understudy without a command. Only then the digest of the documents is calculated.
func helpOrVersion(c *cobra.Command, _ []string) error {
	if wanted, err := c.Flags().GetBool("version"); err != nil || !wanted {
		return c.Help()
	}
	_, err := fmt.Fprintln(c.OutOrStdout(), "understudy", version.Read())
	return err
}

func noSuchCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	return fmt.Errorf("unknown command %q; want %s; see %s --help",
		args[0], source.OneOf(args[0], names), c.CommandPath())
}

// flagError returns an error that says where help is, for a wrong value what would be right, and for a flag that does
// not exist which one is nearest.
func flagError(c *cobra.Command, err error) error {
	hint := "see " + c.CommandPath() + " --help"
	if wrong, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		why := wrong.Unwrap()
		if want := wanted[wrong.GetFlag().Value.Type()]; want != "" {
			why = fmt.Errorf("want %s", want)
		}
		err = fmt.Errorf("invalid argument %q for %q flag: %w", wrong.GetValue(), "--"+wrong.GetFlag().Name, why)
	}
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
		near, _, _ := strings.Cut(source.OneOf("--"+unknown.GetSpecifiedName(), names), ",")
		if strings.HasPrefix(near, "--") {
			hint = "did you mean " + near + "? " + "S" + hint[1:]
		}
	}
	return fmt.Errorf("%w; %s", err, hint)
}

// refuseEmpty refuses empty values of flags and empty arguments: what was meant is missing, as when a variable of a
// script is not set.
func refuseEmpty(c *cobra.Command, args []string) error {
	var errs []error
	c.Flags().Visit(func(flag *pflag.Flag) {
		list := []string{flag.Value.String()}
		switch value, isList := flag.Value.(pflag.SliceValue); {
		case isList:
			list = value.GetSlice()
		case flag.Value.Type() != "string":
			return // its own Set refuses what it does not take
		}
		if len(list) == 0 || slices.Contains(list, "") {
			name, _ := pflag.UnquoteUsage(flag)
			errs = append(errs, fmt.Errorf("--%s is empty: want %s, or leave the flag out", flag.Name, name))
		}
	})
	if end := c.ArgsLenAtDash(); end >= 0 {
		args = args[:end]
	}
	if slices.Contains(args, "") {
		errs = append(errs, fmt.Errorf("an argument is empty: want %s", strings.TrimPrefix(c.UseLine(), c.CommandPath()+" ")))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("%w; see %s --help", err, c.CommandPath())
	}
	return nil
}

// exactArgs returns cobra.ExactArgs with a message that says what is wanted.
func exactArgs(n int, want string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == n {
			return nil
		}
		return fmt.Errorf("want %s; see %s --help", want, c.CommandPath())
	}
}
