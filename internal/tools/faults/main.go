// Faults tries to break what the mock promises: it fills disks, kills and stops processes, sends hostile requests, and
// prints a table of what became of each promise. It is what `task faults` runs.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"syscall"
	"time"

	"svc.example/understudy/internal/tools/must"
)

// options holds the flags.
type options struct {
	long, soak time.Duration
	only       *regexp.Regexp
	seed       uint64
	list       bool
	inProcess  bool // this process is the one that a promise is tried in
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "faults:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parse(args, stderr)
	if err != nil {
		return err
	}
	if o.inProcess {
		return runInProcess(ctx, o, stdout)
	}
	chosen := selectPromises(promises(), o.only)
	if len(chosen) == 0 {
		return fmt.Errorf("-run %s: no promise matches; -list prints the names", o.only)
	}
	if o.list {
		for _, p := range chosen {
			fmt.Fprintf(stdout, "%s: %s\n", p.name, p.says)
		}
		return nil
	}
	return try(ctx, chosen, o, stdout, stderr)
}

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("faults", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.DurationVar(&o.long, "for", 3*time.Minute,
		"the `DURATION` shared by the promises that can be tested for any duration")
	flags.DurationVar(&o.soak, "soak", 2*time.Minute, "the `DURATION` of the soak, not included in -for")
	only := flags.String("run", "", "test only promises whose names match `REGEXP`")
	flags.Uint64Var(&o.seed, "seed", 0, "the `NUMBER` that seeds everything random (default: a new one each time)")
	flags.BoolVar(&o.inProcess, "in-process", false, "try the promise in-process here, in a process that it may end")
	flags.BoolVar(&o.list, "list", false, "list the promises")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if o.long <= 0 || o.soak <= 0 {
		return o, errors.New("-for, -soak: want a duration such as 3m")
	}
	for o.seed == 0 {
		o.seed = rand.Uint64N(1_000_000)
	}
	var err error
	if o.only, err = regexp.Compile(*only); err != nil {
		return o, fmt.Errorf("-run: %w", err)
	}
	return o, nil
}

// try tries the promises one after another, and prints a line of the table after each.
func try(ctx context.Context, chosen []promise, o options, stdout, stderr io.Writer) error {
	dir, err := os.MkdirTemp("", "understudy-faults")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // the system clears it, too
	binary, err := build(ctx, dir)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "`faults -seed %d -for %v -soak %v`\n\n| promise | how it is tried | result |\n|---|---|---|\n",
		o.seed, o.long, o.soak)
	broken := 0
	for _, p := range chosen {
		fmt.Fprintf(stderr, "%s %s\n", time.Now().Format(time.TimeOnly), p.name)
		t := &trial{
			name: p.name, binary: binary, dir: dir, seed: o.seed, random: source(o.seed, p.name), time: share(p, chosen, o),
		}
		outcome := p.outcome(ctx, t)
		t.close()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if outcome.broken {
			broken++
		}
		fmt.Fprintf(stdout, "| %s | %s | %s |\n", cell(p.says), cell(p.tried), cell(outcome.text))
	}
	if broken > 0 {
		return fmt.Errorf("%d of %d promises are broken", broken, len(chosen))
	}
	return nil
}

// promise is something that the mock promises, and an attempt to make it break it.
type promise struct {
	name  string
	says  string // what is promised
	tried string // how it is tried
	long  bool   // the attempt goes on for as long as it may
	try   func(context.Context, *trial) (seen string)
}

// promises lists all of them, in the order in which they are tried.
func promises() []promise {
	return []promise{
		fullDisk, fifo, slowReaders, kills, stops, clocks, manyWorlds, amplification, controlBodies, userDocuments,
		stuckQueries, dueWork, budgets, proxyBombs, inProcess, soak,
	}
}

// selectPromises returns the promises whose names match.
func selectPromises(all []promise, only *regexp.Regexp) (chosen []promise) {
	for _, p := range all {
		if only.MatchString(p.name) {
			chosen = append(chosen, p)
		}
	}
	return chosen
}

// share returns how long a promise may be tried: those that can go on share the time given.
func share(p promise, chosen []promise, o options) time.Duration {
	if p.name == soakName {
		return o.soak
	}
	long := 0
	for _, other := range chosen {
		if other.long {
			long++
		}
	}
	if !p.long {
		return 0
	}
	return o.long / time.Duration(long)
}

// source returns the random numbers of a promise, which are the same whichever others are tried.
func source(seed uint64, name string) *rand.Rand {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(name))
	return rand.New(rand.NewPCG(seed, hash.Sum64()))
}

// errNotTried is wrapped by the reason for which a promise could not be tried. Any other error breaks it.
var errNotTried = errors.New("not tried")

// outcome is the result of trying a promise.
type outcome struct {
	text   string
	broken bool
}

func (p promise) outcome(ctx context.Context, t *trial) outcome {
	var seen string
	switch err := must.Catch(func() { seen = p.try(ctx, t) }); {
	case errors.Is(err, errNotTried):
		return outcome{text: err.Error()}
	case err != nil:
		return outcome{text: fmt.Sprintf("**broken**: %v", err), broken: true}
	}
	return outcome{text: "kept: " + seen}
}

// cell returns a text as it may stand in a cell of a Markdown table.
func cell(text string) string {
	const most = 1200
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return strings.ReplaceAll(text, "|", `\|`)
}
