package contract

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/internal/learn"
)

// Learned is a scenario that was made of a recording. See learn.Scenario for its members.
type Learned = learn.Scenario

// BuildLearned makes a server that begins with a scenario, or returns why it cannot: a source.Problem for each thing
// that is wrong with the scenario, as far as that is known. The subject is closed soon.
type BuildLearned = learn.Build

// MaxLearned is the number of exchanges that Learn keeps of each world.
const MaxLearned = 10_000

// Learn makes a scenario of a recording: the world as it was when the recording began, and a story that plays the
// recorded requests. All files of a source make one scenario; they must be of one account. Secrets are never in it.
//
// With build, each thing with which a server cannot begin is left out, with a note that gives the reason, and the
// recording is replayed until users and policies are found with which requests are allowed and refused as recorded, or
// WithEffort ends the search.
// Without it, which may be nil, the scenario is not tried, and users have what answers show.
//
// It fails with ErrNothingMatched if no exchange belongs to an interface. If the context ends after the first replay,
// the best scenario that was found is returned with the error. No more than the first 10,000 exchanges of a world are
// held in memory, and learned from: a note says how many others there are.
func (c *Checker) Learn(ctx context.Context, source Source, build BuildLearned) (*Learned, error) {
	x := &comparing{g: newGatherer(c)}
	read, err := x.read(ctx, source)
	if err != nil {
		return nil, errors.Join(err, read.close())
	}
	learned, err := x.learn(ctx, read, build)
	return learned, errors.Join(err, read.close())
}

func (x *comparing) learn(ctx context.Context, read *sessions, build BuildLearned) (*Learned, error) {
	c, g := x.g.checker, x.g
	if len(read.order) == 0 {
		return nil, errors.Join(append(g.Problems.errs(), ErrNothingMatched)...)
	}
	largest := slices.MaxFunc(read.order, func(a, b *session) int { return cmp.Compare(a.count, b.count) })
	var list []*judge.Result
	for r, err := range first(MaxLearned, read.exchanges(largest)) {
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	learned, err := learn.Learn(ctx, &learn.Config{
		Documents: c.documents, Brand: c.config.brand, Salt: c.config.salt, Build: build, Effort: c.config.effort,
		Comparison: c.comparison(),
	}, list)
	if errors.Is(err, learn.ErrNothing) {
		err = ErrNothingMatched
	}
	if learned == nil {
		return nil, err
	}
	if leftOut := largest.count - len(list); leftOut > 0 {
		learned.Notes = append(learned.Notes, fmt.Sprintf(
			"the recording is long: learned from its first %d exchanges; %d later ones were left out", len(list), leftOut))
	}
	if len(read.order) > 1 {
		learned.Notes = append(learned.Notes, fmt.Sprintf(
			"the recording has %d worlds or installations: learned from the one with the most exchanges, %d",
			len(read.order), largest.count))
	}
	return learned, errors.Join(append(g.Problems.errs(), err)...)
}
