package world

import (
	"context"
	"slices"
	"time"

	"svc.example/understudy/internal/routine"
)

// Query is a query over a world as it was at one moment. It runs outside of the world, so that the world waits for no
// query. Forks share it: whoever runs it gets the same result.
type Query interface {
	// Done reports whether the result is there.
	Done() bool
	// Run returns when the result is there, or with the context's error when the wait is given up.
	Run(ctx context.Context) error
}

// RunAll runs queries side by side.
func RunAll(ctx context.Context, queries []Query) error {
	var running routine.Group
	for _, query := range queries {
		running.Go(func() error { return query.Run(ctx) })
	}
	return running.Wait()
}

// Pending is an event that was due and waits for the result of a query. It is settled once more when that is there.
type Pending struct {
	Event DueEvent
	Query Query
	Holds bool // what happens later depends on the result, so that the clock does not move on without it
}

// Begin notes that an event waits for a query.
func (w *State) Begin(p Pending) { w.pending = append(slices.Clip(w.pending), p) }

// Pending lists the events that wait for queries, in the order in which they were due.
func (w *State) Pending() []Pending { return w.pending }

// PendingOf returns the event of a kind that waits for a query and belongs to the resource with an id.
func (w *State) PendingOf(kind string, id int64) (Pending, bool) {
	i := slices.IndexFunc(w.pending, func(p Pending) bool { return p.Event.Kind == kind && p.Event.ID == id })
	if i < 0 {
		return Pending{}, false
	}
	return w.pending[i], true
}

// Ended returns the first event whose query has its result.
func (w *State) Ended() (Pending, bool) {
	i := slices.IndexFunc(w.pending, func(p Pending) bool { return p.Query.Done() })
	if i < 0 {
		return Pending{}, false
	}
	return w.pending[i], true
}

// Held returns the moment at which the clock has to wait for a result, if there is one.
func (w *State) Held() (at time.Time, held bool) {
	for _, p := range w.pending {
		if p.Holds && !p.Query.Done() {
			return p.Event.At, true
		}
	}
	return time.Time{}, false
}

// End forgets that an event waits for a query, if it does.
func (w *State) End(e DueEvent) {
	if _, waits := w.PendingOf(e.Kind, e.ID); waits {
		w.pending = slices.DeleteFunc(slices.Clone(w.pending), func(p Pending) bool {
			return p.Event.Kind == e.Kind && p.Event.ID == e.ID
		})
	}
}
