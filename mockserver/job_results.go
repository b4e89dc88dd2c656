package mockserver

import (
	"fmt"
	"time"

	"svc.example/understudy/mockserver/internal/core/result"
	"svc.example/understudy/mockserver/internal/world"
)

// JobResult replaces the result of the query engine for jobs that fit it. Exactly one of Query, Pattern and DomainKey
// is set.
type JobResult struct {
	Query     string // the exact text of the query
	Pattern   string // a regular expression, RE2, that fits anywhere in the query
	DomainKey string

	Columns [][2]string // each its name and the engine's name of its type, such as varchar or bigint
	Rows    [][]any     // of as many values as there are columns: nil, bool, a number, string or []byte
	Error   string      // the message that the job fails with, in the place of columns and rows

	Queued  *time.Duration // how long the job waits before it runs; nil: the usual time
	Running *time.Duration // how long it runs; nil: the usual time
	Times   int            // how many jobs it is for; 0: all that it fits
}

// QueueResult queues a result for jobs that are issued from now on. Of several that fit a job, the one that was queued
// first counts.
func (w *World) QueueResult(r JobResult) error {
	queued := world.QueuedResult{
		Query: r.Query, Pattern: r.Pattern, DomainKey: r.DomainKey, Error: r.Error,
		Queued: r.Queued, Running: r.Running, Times: r.Times,
	}
	if r.Error == "" || r.Columns != nil || r.Rows != nil {
		output, err := result.NewOutput(r.Columns, r.Rows)
		if err != nil {
			return fmt.Errorf("queue a result: %w", err)
		}
		queued.Output = output
	}
	err := w.live.Write(0, func(tx *world.State) error { return result.Queue(tx, queued) })
	if err != nil {
		return fmt.Errorf("queue a result: %w", err)
	}
	return nil
}
