package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"svc.example/understudy/contract"
	"svc.example/understudy/fixtures"
	"svc.example/understudy/internal/checkflags"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/console"
	"svc.example/understudy/mockserver/query/sqlite"
	"svc.example/understudy/scenarios"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/source"
)

type serveFlags struct {
	addressFlags
	logFlags
	targetFlags
	watchFlags
	scenario  string
	scenarios string
	clock     *checkflags.Choice
	seed      uint64
	now       time.Time
	brand     string
	record    string
	validate  *checkflags.Choice
	specs     checkflags.Pairs
	only      []string
	faults    checkflags.List[fixtures.Fault]
	extras    checkflags.Choice
	tokenFlags
	controlHosts []string
	cors         []string
	journalLimit size
	history      int
	recordLimit  size
	stateLimit   size
	memoryLimit  size
	maxWorlds    int
	worldTTL     time.Duration
	writeTimeout time.Duration
	drain        time.Duration
	state        string
	pprof        bool
}

// defaultDrain is shorter than the 30 s after which container platforms kill what they have asked to stop.
const defaultDrain = 20 * time.Second

func newServe() *cobra.Command {
	f := serveFlags{
		journalLimit: 8 << 20, recordLimit: mockserver.DefaultRecordLimit, stateLimit: mockserver.DefaultStateLimit,
		memoryLimit: mockserver.DefaultMemoryLimit,
	}
	c := &cobra.Command{
		Use:   "serve [-- COMMAND [ARG...]]",
		Short: "Serve the mock",
		Long: `Serve the mock: every interface on one port, below /INTERFACE, and the mock's own
control interface below /_understudy.

The first line on standard output is JSON with the addresses of the interfaces, and is
written when they are ready. Standard error gets a line for each refused request, with
the reason, and with --log-level debug for every request. SIGTERM, SIGHUP or Ctrl-C
lets requests in flight finish, closes the connections that are left after
--drain-time, and exits with 0 if every response was delivered or recorded; a second
SIGTERM or Ctrl-C exits immediately.

With -- COMMAND, the server runs the command when it is ready, and ends with it. The
command's environment has UNDERSTUDY_URL, UNDERSTUDY_CORE_URL and likewise one for each
interface, UNDERSTUDY_CONTROL_URL, and with --tls the variables of understudy ca env.
Standard input, output and error are the command's; the line with the addresses is not
written. Signals are passed on to it, and its exit code is that of understudy: 127 if it
was not found, 126 if it could not be started, 128 and the number of the signal that
ended it.

With --record, an exchange is written before its response is sent. If it cannot be
written within a second, for example because the disk is full or the FIFO has no
reader, the response is sent anyway, with the header X-Understudy-Unrecorded. Up to
4096 lines and 64 MiB wait to be written. GET /_understudy/health counts the exchanges
that are not recorded, the first one is logged, and the exit code is then 2. An
incomplete line is removed again.

With --state, the worlds go on where they were when the server ended: with their ids,
states, clocks, keys and checkpoints. They are saved at the end and, after changes, every
two seconds, or after twice the time that saving took: a killed server loses what was
done since. The file is replaced at once, so that it is always whole. If it cannot be
written, GET /_understudy/health says so. It has API keys in it, and only its owner can
read it. understudy state shows what is in it.

With --target, an interface is not answered by the mock, but by the real service: the
mock passes requests on with their credentials, and the answers back, unchanged. Faults
and stubs come before that. What goes by is in the journal, the console and the recording
like all else, without its secrets, and up to 1 MiB of a body. The state of the worlds
plays no part in it. If the service does not answer, the mock answers 502, or 504 if it took
too long, with the header X-Understudy-Error.

With --compare, the mock is then asked as well, in the world of the client: what is written to
the service is written there, too. Where its answer differs, but for ids and times, a note of
the exchange in the journal and the console says so, and a report on standard error at the
end. No client waits for that, and no exit code depends on it.

With --watch, scenarios and documents of your own are read again when they change. If a
changed file is wrong, the log says where, and what was read before stays in use. The
worlds that were made of a changed scenario begin anew, and with --watch-worlds keep at
their next reset; forks stay as they are.

Each flag can also be set by a variable of the environment, UNDERSTUDY_ and its name, as
in UNDERSTUDY_LISTEN or UNDERSTUDY_LOG_LEVEL, and in the section serve of understudy.yaml,
as in listen or logLevel. The command line overrides the environment, which overrides
the file. Lists in a variable are separated by commas or newlines. A variable that is
empty counts as not set, and one that begins with UNDERSTUDY_ and is not known is
ignored; standard error names both. The value of a flag is never empty.

The scenario quickstart knows two API keys: 1/admin, an administrator's, and
1/write, which may only import data. For clients that require keys in the platform's
own form, understudy scenarios show NAME --print keys lists them.`,
		Example: `  # Serve on http://127.0.0.1:4010
  understudy serve
  curl -H 'Authorization: SVC1 1/admin' http://127.0.0.1:4010/workflow/api/pools

  # In CI: any free port, a clock that stands still, and a recording for understudy check
  understudy serve --listen 127.0.0.1:0 --clock frozen --record traffic.ndjson

  # Or around the tests: they find the mock by UNDERSTUDY_URL, and their exit code counts
  understudy serve --listen 127.0.0.1:0 --record traffic.ndjson -- go test ./...

  # Beyond this machine; the control interface then demands a token
  understudy serve --listen 0.0.0.0:4010 --control-token "$TOKEN"

  # The workflow interface on a port of its own as well
  understudy serve --interface workflow=127.0.0.1:4011

  # With a failure that the client has to survive: the first job takes effect, and is answered with 503
  understudy serve --fault 'core.issueJob first=1 status=503 effect=once'

  # For a page in a browser that a development server serves on any port
  understudy serve --cors 'http://localhost:*'

  # One interface from staging, the others from the mock
  understudy serve --target core=https://core.staging.example.com

  # For clients that speak only https
  understudy serve --tls
  eval "$(understudy ca env)"
  curl -H 'Authorization: SVC1 1/admin' https://127.0.0.1:4010/workflow/api/pools`,
		Args: onlyCommand,
		RunE: f.run,
	}
	f.add(c)
	return c
}

func (f *serveFlags) add(c *cobra.Command) {
	flags := c.Flags()
	f.addressFlags.add(c)
	flags.StringVar(&f.scenario, "scenario", "quickstart",
		"the `NAME` of the scenario to start with, see understudy scenarios, or the path of your own")
	complete(c, "scenario", scenarios.List())
	addScenariosFlag(c, &f.scenarios)
	f.clock = addEnumFlag(c, "clock", "what advances the clock: real time, only you, or polling of work in progress",
		checkflags.ChoiceOf("real", "frozen", "auto"))
	flags.Uint64Var(&f.seed, "seed", 0, "the `NUMBER` that seeds everything random (default: the scenario's)")
	flags.TimeVar(&f.now, "now", time.Time{}, []string{time.RFC3339},
		"the `TIME` at which the world starts, such as 2026-01-15T09:30:00Z (default: the scenario's, or, with\n"+
			"a real clock, the current time)")
	checkflags.AddBrand(c.Flags(), &f.brand)
	flags.StringVar(&f.record, "record", "", "append every exchange to `FILE`, as NDJSON without secrets")
	flags.StringVar(&f.state, "state", "",
		"keep the worlds in `FILE`: load them at the start, and save them after changes and at the end")
	f.targetFlags.add(flags)
	f.validate = addEnumFlag(c, "validate",
		"what happens to requests that do not match the document: refused, served and noted, or served",
		checkflags.ChoiceOf("strict", "report", "off"))
	checkflags.AddSpecs(flags, &f.specs)
	flags.StringSliceVar(&f.only, "interfaces", nil,
		"serve only these interfaces, a list of `NAMES` such as shop,core (default: the platform's, and those of --spec)")
	checkflags.AddExtras(flags, &f.extras)
	f.faults = checkflags.ListOf("FAULT", fixtures.ParseFault)
	flags.Var(&f.faults, "fault",
		"what happens to calls, as in `'core.issueJob nth=3 status=503'`, in every world that is made of a scenario\n"+
			"(repeatable; see docs/guide/faults.md)")
	f.tokenFlags.add(c, "control-token", "the `TOKEN` that the control interface requires (default: none on a loopback "+
		"address; on any other, one\nis generated and printed once, on standard error)")
	flags.StringSliceVar(&f.controlHosts, "control-host", nil,
		"a `NAME` besides localhost at which the control interface answers without a token (repeatable)")
	flags.StringSliceVar(&f.cors, "cors", nil,
		"let pages of `ORIGIN` call the interfaces, as in https://shop.example, http://localhost:* for any port,\n"+
			"https://*.shop.example or *, but never the control interface (repeatable)")
	flags.Var(&f.journalLimit, "journal-limit", "how many bytes of exchanges each world's journal keeps")
	flags.IntVar(&f.history, "history", defaultHistory,
		"keep each world as it was before its last `NUMBER` of exchanges, to fork it from there; 0 for none")
	flags.Var(&f.recordLimit, "record-limit",
		"how many bytes of records, such as events, each world keeps; the oldest are dropped first")
	flags.Var(&f.stateLimit, "state-limit",
		"about how many bytes each world may take in all; results of jobs are dropped first, then requests are refused")
	flags.Var(&f.memoryLimit, "memory-limit",
		"about how many bytes all worlds may take, including their journals; the longest journals are dropped first")
	flags.IntVar(&f.maxWorlds, "max-worlds", mockserver.DefaultMaxWorlds, "the maximum `NUMBER` of worlds")
	flags.DurationVar(&f.worldTTL, "world-ttl", mockserver.DefaultWorldTTL,
		"delete worlds that were not used for `DURATION`; 0 for never")
	flags.DurationVar(&f.writeTimeout, "write-timeout", mockserver.DefaultWriteTimeout,
		"close the connection of a client that takes longer than `DURATION` for 64 KiB of an answer")
	flags.DurationVar(&f.drain, "drain-time", defaultDrain,
		"close the connections of requests that have not ended `DURATION` after the server was asked to stop")
	f.watchFlags.add(c)
	flags.BoolVar(&f.pprof, "pprof", false,
		"serve profiles below /_understudy/debug/pprof/ also where the control interface requires no token")
	f.logFlags.add(c)
}

func (f *serveFlags) run(c *cobra.Command, command []string) error {
	if f.drain < 0 {
		return fmt.Errorf("--drain-time %v: want a duration such as 20s, or 0s", f.drain)
	}
	lines := newDroppingWriter(c.ErrOrStderr())
	defer lines.close()
	log, err := f.logger(lines)
	if err != nil {
		return err
	}
	documents, err := f.specs.Documents(f.only, f.brand)
	if err != nil {
		return err
	}
	if err := f.serves(documents); err != nil {
		return err
	}
	listeners, ca, err := f.open(c.Context())
	if err != nil {
		return err
	}
	defer listeners.close()
	if err := f.find("control-token"); err != nil {
		return err
	}
	if f.token == "" && !listeners[0].loopback() {
		f.token = rand.Text()
		fmt.Fprintf(c.ErrOrStderr(), "control interface: Authorization: Bearer %s\n", f.token)
	}
	targets, err := f.targetFlags.options(listeners)
	if err != nil {
		return err
	}
	opts := append(f.options(c, log), append(targets, mockserver.WithLogger(log))...)
	if f.compare {
		compared, err := f.compareLive(c)
		if err != nil {
			return err
		}
		opts = append(opts, mockserver.WithComparison(compared.Compare))
		defer func() { _ = compared.Report().WriteText(c.ErrOrStderr()) }() // the journal has the differences, too
	}
	around := &around{c: c, command: command, log: log, environment: f.environment(listeners, ca)}
	if f.record == "" {
		return around.run(func() error { return f.serve(around, listeners, ca, log, opts) })
	}
	file, err := openRecording(f.record, log)
	if err != nil {
		return err
	}
	return around.run(func() error {
		err := f.serve(around, listeners, ca, log, append(opts, mockserver.WithRecording(file)))
		return errors.Join(err, file.Close())
	})
}

// serve makes the mock and serves it until the context ends, or the command around which it runs.
func (f *serveFlags) serve(a *around, l listeners, ca string, log *slog.Logger, opts []mockserver.Option) error {
	undo := tuneGarbageCollection(seldom, 128<<20) // while documents are read
	server, err := mockserver.New(opts...)
	undo()
	if err != nil {
		return err
	}
	stop, err := f.startWatching(server, log)
	if err != nil {
		return errors.Join(err, server.Close())
	}
	defer stop()
	err = l.handle(log, func(iface string) (*http.Server, error) {
		s := server.HTTPServer()
		if iface != "" {
			s.Handler, err = server.Interface(specs.Interface(iface))
		}
		return s, err
	})
	if err != nil {
		return err
	}
	err = l.serve(a.context(), f.drain, func() error {
		attrs := []any{"url", l[0].url(), "console", l[0].url() + console.Path, "scenario", f.scenario, "clock", f.clock.Word}
		targets := map[string]string{}
		for _, name := range server.Interfaces() {
			if target := server.Target(name); target != "" {
				targets[string(name)] = target
				attrs = append(attrs, "target-"+string(name), target)
			}
		}
		log.Info("ready", attrs...)
		return a.ready(func(w io.Writer) error { return writeReady(w, l, ca, f.paths, targets) })
	})
	if errors.Is(err, context.DeadlineExceeded) {
		err = f.closeRemaining(l, server, log)
	}
	log.Info("stopped")
	return errors.Join(err, server.Close())
}

func (f *serveFlags) options(c *cobra.Command, log *slog.Logger) []mockserver.Option {
	opts := []mockserver.Option{
		mockserver.WithScenario(f.scenario),
		mockserver.WithClock(mockserver.ClockMode(f.clock.Word)),
		mockserver.WithBrand(specs.Brand(f.brand)),
		mockserver.WithValidation(mockserver.Validation(f.validate.Word)),
		mockserver.WithJournalLimit(int(f.journalLimit)),
		mockserver.WithHistory(f.history),
		mockserver.WithRecordLimit(int64(f.recordLimit)),
		mockserver.WithWriteTimeout(f.writeTimeout),
		mockserver.WithStateLimit(int64(f.stateLimit)),
		mockserver.WithMemoryLimit(int64(f.memoryLimit)),
		mockserver.WithMaxWorlds(f.maxWorlds),
		mockserver.WithWorldTTL(f.worldTTL),
		mockserver.WithQueryEngine(f.engine()),
		mockserver.WithExtras(f.extras.Word == checkflags.AllExtras),
		mockserver.WithControlHost(f.controlHosts...), mockserver.WithCORS(f.cors...),
		mockserver.WithConsole(f.console(log)),
	}
	if f.state != "" {
		opts = append(opts, mockserver.WithStateFile(f.state))
	}
	if f.scenarios != "" {
		opts = append(opts, mockserver.WithScenarios(f.scenarios))
	}
	if c.Flags().Changed("seed") {
		opts = append(opts, mockserver.WithSeed(f.seed))
	}
	if !f.now.IsZero() {
		opts = append(opts, mockserver.WithNow(f.now))
	}
	if len(f.faults.Values) > 0 {
		opts = append(opts, mockserver.WithFaults(f.faults.Values...))
	}
	if f.token != "" {
		opts = append(opts, mockserver.WithControlToken(f.token))
	}
	if f.token != "" || f.pprof { // without a token it listens on loopback only
		opts = append(opts, mockserver.WithProfiles(profiles()))
	}
	if len(f.only) > 0 {
		opts = append(opts, mockserver.WithInterfaces(specs.InterfacesOf(f.only)...))
	}
	opts = append(opts, checkflags.Documents(&f.specs, mockserver.WithSpec, mockserver.WithOverlay)...)
	return opts
}

// console returns the pages of the server, with a judge of what it answers.
func (f *serveFlags) console(log *slog.Logger) *console.Console {
	return console.New(
		console.WithBrand(specs.Brand(f.brand)), console.WithLogger(log),
		console.WithJudge(newConsoleJudge(defaultRun, f.checkerOptions()...)),
	)
}

// checkerOptions returns those of a checker of what the server answers.
func (f *serveFlags) checkerOptions() []contract.Option {
	opts := []contract.Option{
		contract.WithBrand(specs.Brand(f.brand)), contract.WithExtras(f.extras.Word == checkflags.AllExtras),
	}
	return append(opts, checkflags.Documents(&f.specs, contract.WithSpec, contract.WithOverlay)...)
}

// compareLive begins to compare the answers of targets with those of the mock, but for times: the clocks of the two
// differ.
func (f *serveFlags) compareLive(c *cobra.Command) (*contract.LiveComparison, error) {
	opts := append(f.checkerOptions(), contract.WithMockOnAllHosts(), contract.WithTolerance(math.MaxInt64))
	for _, m := range configurationOf(c).Compare.Masks {
		opts = append(opts, contract.WithMask(m.Operation, m.Pointer, m.Reason))
	}
	checker, err := contract.NewChecker(opts...)
	if err != nil {
		return nil, err
	}
	return checker.CompareLive(contract.Subject{Name: "the mock", Key: "1/admin"})
}

// environment returns the variables that a command has of the server.
func (f *serveFlags) environment(l listeners, ca string) []string {
	list := append(l.environment(f.paths),
		"UNDERSTUDY_CONTROL_URL="+l[0].url()+mockserver.Address(specs.Control))
	if f.token != "" {
		list = append(list, tokenVariable+"="+f.token)
	}
	if ca != "" {
		list = append(list, caEnvironment(ca)...)
	}
	return list
}

// closeRemaining closes the connections that are left when the time to drain is over. Answers that are cut off by that
// are lost unless they are recorded; requests that have no answer yet leave no trace.
func (f *serveFlags) closeRemaining(l listeners, server *mockserver.Server, log *slog.Logger) error {
	undelivered := server.Undelivered()
	log.Warn("closed connections that were still in use", "drain-time", f.drain, "undelivered", undelivered)
	l.close()
	if undelivered == 0 || f.record != "" {
		return nil
	}
	return fmt.Errorf("%d responses were cut off: their clients had not read them %v after the server was asked to stop",
		undelivered, f.drain)
}

// engine returns the engine of queries, with enough memory to read all records that a world may keep.
func (f *serveFlags) engine() *sqlite.Engine {
	return sqlite.New(sqlite.WithMemoryLimit(max(sqlite.DefaultMemoryLimit, 4*int64(f.recordLimit))))
}

// The variables of the environment that may contain a token: of the control interface, and of the proxy.
const (
	tokenVariable      = "UNDERSTUDY_CONTROL_TOKEN"
	proxyTokenVariable = "UNDERSTUDY_PROXY_TOKEN"
)

// tokenFlags say which token clients must present.
type tokenFlags struct {
	token    string
	file     string
	variable string
}

// add adds the flags. Name is that of the token's.
func (f *tokenFlags) add(c *cobra.Command, name, usage string) {
	f.variable = proxyTokenVariable
	if name == "control-token" {
		f.variable = tokenVariable
	}
	c.Flags().StringVar(&f.token, name, "", usage)
	c.Flags().StringVar(&f.file, name+"-file", "",
		"read the token from `FILE`; the environment variable\n"+f.variable+" may contain it as well")
}

// find sets the token: from its flag, its file or the environment, in this order.
func (f *tokenFlags) find(name string) error {
	switch {
	case f.token != "" && f.file != "":
		return fmt.Errorf("--%s and --%[1]s-file: want only one of them", name)
	case f.file != "":
		text, err := source.ReadFile(f.file)
		if err != nil {
			return fmt.Errorf("--%s-file: %w", name, err)
		}
		if f.token = strings.TrimSpace(string(text)); f.token == "" {
			return fmt.Errorf("--%s-file: %s is empty", name, f.file)
		}
	case f.token == "":
		f.token = os.Getenv(f.variable)
	}
	return nil
}

// logFlags say what is logged.
type logFlags struct{ level, format *checkflags.Choice }

func (f *logFlags) add(c *cobra.Command) {
	f.level = addEnumFlag(c, "log-level", "the lowest level to log",
		checkflags.Choice{Word: "info", Words: []string{"debug", "info", "warn", "error"}})
	f.format = addEnumFlag(c, "log-format", "the format of log lines", checkflags.ChoiceOf("text", "json"))
}

func (f *logFlags) logger(w io.Writer) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(f.level.Word)); err != nil {
		return nil, err
	}
	opts := &slog.HandlerOptions{Level: level}
	if f.format.Word == "json" {
		return slog.New(slog.NewJSONHandler(w, opts)), nil
	}
	return slog.New(slog.NewTextHandler(w, opts)), nil
}
