package pipeline

import (
	"context"
	"fmt"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/metrics"

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
	Violations   = "violations" // checks that failed, but for those of credentials, which are judged for the report
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

// Metrics lists what a job has counted, one metric a line, in the order of their names.
func Metrics(result beam.PipelineResult) []string {
	var list []string
	if result == nil {
		return nil
	}
	all := result.Metrics().Query(func(m metrics.SingleResult) bool { return m.Namespace() == namespace })
	sums := map[string]int64{}
	for _, c := range all.Counters() {
		sums[c.Name()] += c.Result()
	}
	for name, sum := range sums {
		list = append(list, fmt.Sprintf("%s %d", name, sum))
	}
	for _, d := range all.Distributions() {
		v := d.Result()
		list = append(list, fmt.Sprintf("%s min %d, max %d, sum %d, count %d", d.Name(), v.Min, v.Max, v.Sum, v.Count))
	}
	slices.Sort(list)
	return list
}
