package main

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"regexp"
	"strings"
	"time"
)

// promise is something that the mock promises, and an attempt to make it break it.
type promise struct {
	name  string
	says  string // what is promised
	tried string // how it is tried
	long  bool   // the attempt goes on for as long as it may
	try   func(context.Context, *trial) (seen string, err error)
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
	seen, err := p.try(ctx, t)
	switch {
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
