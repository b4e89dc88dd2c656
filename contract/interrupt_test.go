package contract_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"svc.example/understudy/contract"
	"svc.example/understudy/specs/recording"
)

// interrupted yields the same exchange for ever, interrupts after some, and counts those that are wanted after that.
func interrupted(
	t *testing.T, e *recording.Exchange, after int,
) (ctx context.Context, source contract.Source, wanted *int) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	t.Cleanup(stop)
	wanted = new(int)
	return ctx, func(yield func(contract.Record, error) bool) {
		n := 0
		for {
			for record, err := range contract.Exchanges(slices.Values([]*recording.Exchange{e})) {
				if record.Number = n + 1; n > after {
					*wanted++
				}
				if n++; n == after {
					stop()
				}
				if !yield(record, err) {
					return
				}
			}
		}
	}, wanted
}

// An interrupt ends every step before the next exchange is read.
func TestAnInterruptEndsACheck(t *testing.T) {
	t.Parallel()
	broken := getting("https://workflow.svc.example/api/pools", `{"pools":[{"id":1}]}`)
	c := checker(t, contract.WithGuess(true))
	whole, err := c.Check(t.Context(), contract.Exchanges(slices.Values([]*recording.Exchange{broken})))
	if err != nil {
		t.Fatal(err)
	}
	for i := range whole.Groups { // evidence that never comes
		whole.Groups[i].Evidence, whole.Groups[i].Exchange = []int{1 << 30}, 1<<30
	}
	for name, step := range map[string]func(context.Context, contract.Source) error{
		"while it reads": func(ctx context.Context, source contract.Source) error {
			_, err := c.Check(ctx, source)
			return err
		},
		"while it looks for evidence": func(ctx context.Context, source contract.Source) error {
			return c.Evidence(ctx, source, whole)
		},
		"while it makes small recordings": func(ctx context.Context, source contract.Source) error {
			return c.Minimize(ctx, source, whole, t.TempDir())
		},
	} {
		ctx, source, wanted := interrupted(t, broken, 3000)
		if err := step(ctx, source); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want that it was interrupted", name, err)
		}
		if name != "while it reads" && *wanted > 1 { // there another goroutine may still read its last one
			t.Errorf("%s: %d more were read", name, *wanted)
		}
	}
}

// An interrupted check waits neither for a source that yields nothing any more nor for an engine at work.
func TestAnInterruptEndsTheWaitForASource(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	asleep := make(chan struct{})
	t.Cleanup(func() { close(asleep) })
	source := func(func(contract.Record, error) bool) {
		stop()
		<-asleep
	}
	if _, err := checker(t).Check(ctx, source); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want that it was interrupted", err)
	}
}

// What is shown of an exchange is short, whatever it holds.
func TestLinesAreShort(t *testing.T) {
	t.Parallel()
	r := checked(t, contract.Exchanges(slices.Values([]*recording.Exchange{
		getting("https://workflow.svc.example/api/pools?q="+strings.Repeat("x", 100_000), `{}`),
	})))
	if n := len(r.Shown[1].URL); n == 0 || n > 2010 {
		t.Errorf("an address of %d bytes is shown", n)
	}
}
