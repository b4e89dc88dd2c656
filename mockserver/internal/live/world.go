// Package live keeps worlds that change: a value behind a pointer, a mutex for those who write, a journal, and the
// checkpoints to go back to. Readers take no lock.
package live

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"svc.example/understudy/mockserver/internal/journal"
	"svc.example/understudy/mockserver/internal/world"
)

// World is one world of a server. All methods are safe for concurrent use.
type World struct {
	ID      string
	Fork    string            // id of the world that it was forked from, if it was
	Keys    map[string]string // minted keys by kind, admin and write; nil when none were
	Journal *journal.Journal

	// MaxSettled bounds how many events one request may have to settle, so that a clock that is to move by a thousand years
	// does not hang a test.
	MaxSettled int

	settle      Settle
	value       atomic.Pointer[world.World]
	mu          sync.Mutex // held by writers
	origin      *world.World
	checkpoints map[string]*world.World
}

// Settle changes a world as one event demands that is due.
type Settle func(*world.World, world.Event)

// newWorld makes a live world out of a value.
func newWorld(id string, value world.World, settle Settle, journalLimit int) *World {
	w := &World{ID: id, MaxSettled: maxSettled, Journal: journal.New(journalLimit), settle: settle, origin: &value}
	w.value.Store(&value)
	return w
}

// Now is the world's time.
func (w *World) Now() time.Time { return w.value.Load().Now() }

// Peek returns the world as it is, without what is due.
func (w *World) Peek() *world.World { return w.value.Load() }

// Read returns the world as it is now, with everything settled that was due. The result is shared: it must not be
// changed, but a copy of it may. Jobs whose queries have not run are still under way in it.
func (w *World) Read() *world.World {
	value := w.value.Load()
	if !unsettled(value, value.Now()) {
		return value
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.settled()
}

// ReadAll returns the world as Read does, once all queries have run that something waits for.
func (w *World) ReadAll(ctx context.Context) (*world.World, error) {
	for {
		value := w.Read()
		pending := queriesOf(value, false)
		if len(pending) == 0 {
			return value, nil
		}
		if err := world.RunAll(ctx, pending); err != nil {
			return value, err
		}
	}
}

// queriesOf are the queries that something waits for, or only those that hold the clock.
func queriesOf(value *world.World, holding bool) []world.Query {
	var queries []world.Query
	for _, p := range value.Pending() {
		if p.Holds || !holding {
			queries = append(queries, p.Query)
		}
	}
	return queries
}

// Write runs a transaction: change gets a copy of the world, which takes the world's place unless change returns an
// error.
func (w *World) Write(change func(*world.World) error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	next := *w.settled()
	if err := change(&next); err != nil {
		return err
	}
	w.value.Store(&next)
	return nil
}

func due(value *world.World, now time.Time) bool {
	event, ok := value.Next()
	return ok && !event.At.After(now)
}

func unsettled(value *world.World, now time.Time) bool {
	_, ended := value.Ended()
	return ended || due(value, now)
}

// maxSettled is for how many events a world settles at once unless it is told otherwise.
const maxSettled = 100_000

// settled settles the events that are due, in time order, and returns the world after that. The mutex is held.
func (w *World) settled() *world.World {
	value := w.value.Load()
	now := value.Now()
	if !unsettled(value, now) {
		return value
	}
	next := *value
	w.enter(&next)
	w.until(&next, now, w.MaxSettled)
	w.value.Store(&next)
	return &next
}

// enter settles once more the events that have waited for queries which have their results now.
func (w *World) enter(value *world.World) {
	for p, ended := value.Ended(); ended; p, ended = value.Ended() {
		value.End(p.Event)
		p.Event.Ended = p.Query
		w.settle(value, p.Event)
	}
}

// until settles at most limit events up to a time and returns how many it were.
func (w *World) until(value *world.World, now time.Time, limit int) int {
	n := 0
	for ; n < limit && due(value, now); n++ {
		w.next(value)
	}
	return n
}

func (w *World) next(value *world.World) {
	event, _ := value.Next()
	value.Cancel(event)
	w.settle(value, event)
}

// Reset puts the world back to how it was made, with the clock in the mode that it was made with, and forgets its
// journal. Checkpoints stay.
func (w *World) Reset() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.value.Store(w.origin)
	w.Journal.Clear()
}

// Replace puts another value in the world's place; Reset comes back to it from then on.
func (w *World) Replace(value world.World) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.origin = &value
	w.value.Store(&value)
}

// Checkpoint remembers the world as it is under a name, in place of what had that name.
func (w *World) Checkpoint(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.checkpoints == nil {
		w.checkpoints = map[string]*world.World{}
	}
	w.checkpoints[name] = w.settled()
}

// Restore puts the world back to a checkpoint. It reports whether there is one with that name.
func (w *World) Restore(name string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	value, ok := w.checkpoints[name]
	if ok {
		w.value.Store(value)
	}
	return ok
}

// Checkpoints lists the names of the checkpoints.
func (w *World) Checkpoints() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Sorted(maps.Keys(w.checkpoints))
}
