package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/query/sqlite"
	"svc.example/understudy/scenarios"
	"svc.example/understudy/specs"
)

type serveFlags struct {
	listen       string
	interfaces   *pairs
	tls          bool
	scenario     string
	scenarios    string
	clock        *choice
	seed         uint64
	now          time.Time
	brand        string
	record       string
	validate     *choice
	specs        *pairs
	extras       *choice
	token        string
	tokenFile    string
	controlHosts []string
	journalLimit size
	recordLimit  size
	stateLimit   size
	memoryLimit  size
	maxWorlds    int
	worldTTL     time.Duration
	writeTimeout time.Duration
	drain        time.Duration
	logLevel     *choice
	logFormat    *choice
}

// defaultDrain is shorter than the 30 s after which container platforms kill what they have asked to stop.
const defaultDrain = 20 * time.Second

func newServe() *cobra.Command {
	f := serveFlags{
		journalLimit: 8 << 20, recordLimit: mockserver.DefaultRecordLimit, stateLimit: mockserver.DefaultStateLimit,
		memoryLimit: mockserver.DefaultMemoryLimit,
	}
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve the mock",
		Long: `Serve the mock: every interface on one port, below /INTERFACE, and the mock's own
control interface below /_understudy.

The first line on standard output is JSON with the addresses of the interfaces, and is
written when they are ready. Standard error gets a line for each refused request, with
the reason, and with --log-level debug for every request. SIGTERM or Ctrl-C lets
requests in flight finish, closes the connections that are left after --drain-time,
and exits with 0 if every response was delivered or recorded; a second one exits
immediately.

With --record, an exchange is written before its response is sent. If it cannot be
written within a second, for example because the disk is full or the FIFO has no
reader, the response is sent anyway, with the header X-Understudy-Unrecorded. Up to
4096 lines and 64 MiB wait to be written. GET /_understudy/health counts the exchanges
that are not recorded, the first one is logged, and the exit code is then 2. An
incomplete line is removed again.

The scenario quickstart knows two API keys: 1/admin, an administrator's, and
1/write, which may only import data. For clients that require keys in the platform's
own form, understudy scenarios show NAME --print keys lists them.`,
		Example: `  # Serve on http://127.0.0.1:4010
  understudy serve
  curl -H 'Authorization: SVC1 1/admin' http://127.0.0.1:4010/workflow/api/pools

  # In CI: any free port, a clock that stands still, and a recording for understudy check
  understudy serve --listen 127.0.0.1:0 --clock frozen --record traffic.ndjson

  # Beyond this machine; the control interface then demands a token
  understudy serve --listen 0.0.0.0:4010 --control-token "$TOKEN"

  # The workflow interface on a port of its own as well
  understudy serve --interface workflow=127.0.0.1:4011

  # For clients that speak only https
  understudy serve --tls
  eval "$(understudy ca env)"
  curl -H 'Authorization: SVC1 1/admin' https://127.0.0.1:4010/workflow/api/pools`,
		Args: exactArgs(0, "no arguments, only flags"),
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	f.add(c)
	return c
}

func (f *serveFlags) add(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.listen, "listen", "127.0.0.1:4010", "listen on `HOST:PORT`; port 0 picks a free one")
	f.interfaces = addPairsFlag(c, "interface", "also serve an interface on a port of its own (repeatable)",
		pairs{what: "HOST:PORT"})
	flags.BoolVar(&f.tls, "tls", false,
		"serve https, HTTP/2 included, with certificates of your own CA: see understudy ca")
	flags.StringVar(&f.scenario, "scenario", "quickstart",
		"the `NAME` of the scenario to start with, see understudy scenarios, or the path of your own")
	complete(c, "scenario", scenarios.List())
	addScenariosFlag(c, &f.scenarios)
	f.clock = addEnumFlag(c, "clock", "what advances the clock: real time, only you, or polling of work in progress",
		choiceOf("real", "frozen", "auto"))
	flags.Uint64Var(&f.seed, "seed", 0, "the `NUMBER` that seeds everything random (default: the scenario's)")
	flags.TimeVar(&f.now, "now", time.Time{}, []string{time.RFC3339},
		"the `TIME` at which the world starts, such as 2026-01-15T09:30:00Z (default: the scenario's, or, with\n"+
			"a real clock, the current time)")
	addBrandFlag(c, &f.brand)
	flags.StringVar(&f.record, "record", "", "append every exchange to `FILE`, as NDJSON without secrets")
	f.validate = addEnumFlag(c, "validate",
		"what happens to requests that do not match the document: refused, served and noted, or served",
		choiceOf("strict", "report", "off"))
	f.specs = addPairsFlag(c, "spec", "an OpenAPI document of your own for an interface (repeatable)", pairs{what: "FILE"})
	f.extras = addExtrasFlag(c)
	flags.StringVar(&f.token, "control-token", "",
		"the `TOKEN` that the control interface requires (default: none on a loopback address; on any other, one\n"+
			"is generated and printed once, on standard error)")
	flags.StringVar(&f.tokenFile, "control-token-file", "",
		"read the token from `FILE`; the environment variable\n"+tokenVariable+" may contain it as well")
	flags.StringSliceVar(&f.controlHosts, "control-host", nil,
		"a `NAME` besides localhost at which the control interface answers without a token (repeatable)")
	flags.Var(&f.journalLimit, "journal-limit", "how many bytes of exchanges each world's journal keeps")
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
	f.logLevel = addEnumFlag(c, "log-level", "the lowest level to log",
		choice{word: "info", words: []string{"debug", "info", "warn", "error"}})
	f.logFormat = addEnumFlag(c, "log-format", "the format of log lines", choiceOf("text", "json"))
}

func (f *serveFlags) run(c *cobra.Command) error {
	if f.drain < 0 {
		return fmt.Errorf("--drain-time %v: want a duration such as 20s, or 0s", f.drain)
	}
	lines := newDroppingWriter(c.ErrOrStderr())
	defer lines.close()
	log, err := f.logger(lines)
	if err != nil {
		return err
	}
	listeners, err := f.openListeners(c.Context())
	if err != nil {
		return err
	}
	defer listeners.close()
	ca, err := f.secure(listeners)
	if err != nil {
		return err
	}
	if err := f.findToken(); err != nil {
		return err
	}
	if f.token == "" && !listeners[0].loopback() {
		f.token = rand.Text()
		fmt.Fprintf(c.ErrOrStderr(), "control interface: Authorization: Bearer %s\n", f.token)
	}
	opts := append(f.options(c), mockserver.WithLogger(log))
	if f.record == "" {
		return f.serve(c, listeners, ca, log, opts)
	}
	file, err := openRecording(f.record, log)
	if err != nil {
		return err
	}
	err = f.serve(c, listeners, ca, log, append(opts, mockserver.WithRecording(file)))
	return errors.Join(err, file.Close())
}

// serve makes the mock and serves it until the context ends.
func (f *serveFlags) serve(c *cobra.Command, l listeners, ca string, log *slog.Logger, opts []mockserver.Option) error {
	server, err := mockserver.New(opts...)
	if err != nil {
		return err
	}
	if err := l.handle(server, log); err != nil {
		return err
	}
	err = l.serve(c.Context(), f.drain, func() error {
		log.Info("ready", "url", l[0].url(), "scenario", f.scenario, "clock", f.clock.word)
		return writeReady(c.OutOrStdout(), l, ca)
	})
	if errors.Is(err, context.DeadlineExceeded) {
		err = f.closeRemaining(l, server, log)
	}
	log.Info("stopped")
	return errors.Join(err, server.Close())
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

// tokenVariable is the variable of the environment that may hold the control token.
const tokenVariable = "UNDERSTUDY_CONTROL_TOKEN"

// findToken sets the control token: from its flag, its file or the environment, in this order.
func (f *serveFlags) findToken() error {
	switch {
	case f.token != "" && f.tokenFile != "":
		return errors.New("--control-token and --control-token-file: want only one of them")
	case f.tokenFile != "":
		text, err := os.ReadFile(f.tokenFile)
		if err != nil {
			return fmt.Errorf("--control-token-file: %w", err)
		}
		if f.token = strings.TrimSpace(string(text)); f.token == "" {
			return fmt.Errorf("--control-token-file: %s is empty", f.tokenFile)
		}
	case f.token == "":
		f.token = os.Getenv(tokenVariable)
	}
	return nil
}

func (f *serveFlags) options(c *cobra.Command) []mockserver.Option {
	opts := []mockserver.Option{
		mockserver.WithScenario(f.scenario),
		mockserver.WithClock(mockserver.ClockMode(f.clock.word)),
		mockserver.WithBrand(specs.Brand(f.brand)),
		mockserver.WithValidation(mockserver.Validation(f.validate.word)),
		mockserver.WithJournalLimit(int(f.journalLimit)),
		mockserver.WithRecordLimit(int64(f.recordLimit)),
		mockserver.WithWriteTimeout(f.writeTimeout),
		mockserver.WithStateLimit(int64(f.stateLimit)),
		mockserver.WithMemoryLimit(int64(f.memoryLimit)),
		mockserver.WithMaxWorlds(f.maxWorlds),
		mockserver.WithWorldTTL(f.worldTTL),
		mockserver.WithQueryEngine(f.engine()),
		mockserver.WithExtras(f.extras.word == allExtras),
		mockserver.WithControlHost(f.controlHosts...),
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
	if f.token != "" {
		opts = append(opts, mockserver.WithControlToken(f.token))
	}
	for _, spec := range f.specs.list {
		opts = append(opts, mockserver.WithSpec(specs.Interface(spec[0]), spec[1]))
	}
	return opts
}

// engine returns the engine of queries, with enough memory to read all records that a world may keep.
func (f *serveFlags) engine() *sqlite.Engine {
	return sqlite.New(sqlite.WithMemoryLimit(max(sqlite.DefaultMemoryLimit, 4*int64(f.recordLimit))))
}

func (f *serveFlags) logger(w io.Writer) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(f.logLevel.word)); err != nil {
		return nil, err
	}
	opts := &slog.HandlerOptions{Level: level}
	if f.logFormat.word == "json" {
		return slog.New(slog.NewJSONHandler(w, opts)), nil
	}
	return slog.New(slog.NewTextHandler(w, opts)), nil
}
