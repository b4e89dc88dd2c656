// Package live keeps worlds that change: a value behind a pointer, a mutex for those who write, a journal, and the
// checkpoints to go back to. Readers take no lock.
package live

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"svc.example/understudy/mockserver/internal/clock"
	"svc.example/understudy/mockserver/internal/journal"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// World is one world of a server. All methods are safe for concurrent use.
type World struct {
	ID      string
	Fork    string            // id of the world that it was forked from, if it was
	Keys    map[string]string // minted keys by kind, admin and write; nil when none were
	Journal *journal.Journal

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
	w := &World{ID: id, Journal: journal.New(journalLimit), settle: settle, origin: &value}
	w.value.Store(&value)
	return w
}

// Now is the world's time.
func (w *World) Now() time.Time { return w.value.Load().Now() }

// Read returns the world as it is now, with everything settled that was due. The result is shared: it must not be
// changed, but a copy of it may.
func (w *World) Read() *world.World {
	value := w.value.Load()
	if !due(value, value.Now()) {
		return value
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.settled()
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

// maxSettled bounds how many events one request may have to settle, so that a clock that was moved by a thousand
// years does not hang a test. What is left is settled by the requests that follow.
const maxSettled = 100_000

// settled settles the events that are due, in time order, and returns the world after that. The mutex is held.
func (w *World) settled() *world.World {
	value := w.value.Load()
	now := value.Now()
	if !due(value, now) {
		return value
	}
	next := *value
	w.until(&next, now, maxSettled)
	w.value.Store(&next)
	return &next
}

// until settles at most limit events up to a time and returns how many it were.
func (w *World) until(value *world.World, now time.Time, limit int) int {
	n := 0
	for ; n < limit && due(value, now); n++ {
		event, _ := value.Next()
		value.Cancel(event)
		w.settle(value, event)
	}
	return n
}

// Moved is what a move of the clock did.
type Moved struct {
	World   *world.World
	Settled int
}

// Advance moves the clock forward by a length of time and settles what is due by then.
func (w *World) Advance(by time.Duration) Moved {
	return w.move(func(value *world.World) int {
		to := value.Now().Add(by)
		n := w.until(value, to, maxSettled)
		value.Clock = value.Clock.To(to)
		return n
	})
}

// AdvanceUntilIdle moves the clock from event to event until only recurring ones, such as those of schedules, are
// left. It gives up after a hundred thousand events, for a world whose schedules outrun it.
func (w *World) AdvanceUntilIdle() Moved {
	return w.move(func(value *world.World) int {
		n := 0
		for n < maxSettled {
			event, ok := value.NextOnce()
			if !ok {
				break
			}
			value.Clock = value.Clock.To(event.At)
			n += w.until(value, event.At, maxSettled-n)
		}
		return n
	})
}

// SetClock changes what moves the clock and, unless now is zero, its time, which cannot go back: what has happened has
// happened.
func (w *World) SetClock(mode clock.Mode, now time.Time) (moved Moved, err error) {
	moved = w.move(func(value *world.World) int {
		switch at := value.Now(); {
		case now.IsZero():
			now = at
		case now.Before(at):
			err = op.Invalid("now", "the clock cannot go back: it is %s already", at.Format(time.RFC3339))
			return 0
		}
		n := w.until(value, now, maxSettled)
		value.Clock = clock.New(mode, now)
		return n
	})
	return moved, err
}

func (w *World) move(step func(*world.World) int) Moved {
	w.mu.Lock()
	defer w.mu.Unlock()
	next := *w.value.Load()
	n := step(&next)
	w.value.Store(&next)
	return Moved{World: &next, Settled: n}
}

// Await serves an auto clock: as long as pending says that what is asked for is under way and in the state it was
// in at first, the clock moves to the moment that pending names.
func (w *World) Await(pending func(*world.World) (state string, at time.Time, pending bool)) {
	first, at, waits := pending(w.Read())
	if !waits || at.IsZero() {
		return
	}
	w.move(func(value *world.World) int {
		n := 0
		for state := first; waits && !at.IsZero() && state == first && n < maxSettled; {
			value.Clock = value.Clock.To(at)
			settled := w.until(value, at, maxSettled-n)
			if n += settled; settled == 0 {
				break
			}
			state, at, waits = pending(value)
		}
		return n
	})
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
