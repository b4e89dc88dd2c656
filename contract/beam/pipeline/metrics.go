package pipeline

import (
	"context"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"svc.example/understudy/contract"
)

// namespace is that of the metrics.
const namespace = "understudy"

// Names of the metrics: counters, and the distribution of the events of a key.
const (
	Read         = "exchanges_read"
	Judged       = "exchanges_judged" // those that belong to an interface
	Broken       = "entries_broken"   // the dead letters
	Events       = "events"
	Keys         = "keys"
	Violations   = "violations" // checks that failed
	EventsPerKey = "events_per_key"
)

func count(ctx context.Context, name string, n int) {
	beam.NewCounter(namespace, name).Inc(ctx, int64(n))
}

// countJudged counts what became of the exchanges of a piece.
func countJudged(ctx context.Context, part *contract.Part, events int) {
	exchanges, checks := part.Counts()
	count(ctx, Read, exchanges.Read)
	count(ctx, Judged, exchanges.Matched)
	count(ctx, Broken, exchanges.Broken)
	count(ctx, Events, events)
	count(ctx, Violations, checks.Fail)
}

// countWatched counts what became of a key.
func countWatched(ctx context.Context, part *contract.Part, events int64) {
	_, checks := part.Counts()
	count(ctx, Keys, 1)
	count(ctx, Violations, checks.Fail)
	beam.NewDistribution(namespace, EventsPerKey).Update(ctx, events)
}
