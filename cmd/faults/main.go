// Faults tries to break what the mock promises: it fills disks, kills and stops processes, sends hostile requests, and
// prints a table of what became of each promise. It is what `task faults` runs.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"regexp"
	"syscall"
	"time"
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
