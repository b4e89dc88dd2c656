package worlds

import (
	"fmt"
	"maps"

	"svc.example/understudy/mockserver/internal/clock"
	"svc.example/understudy/mockserver/internal/journal"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// Saved is a world without its journal. Its states must not be changed.
type Saved struct {
	ID, Fork      string
	Keys          map[string]string
	Value, Origin *world.State
	Checkpoints   map[string]*world.State
}

// Equal reports whether nothing has happened to a world in between.
func (s Saved) Equal(other Saved) bool {
	return s.ID == other.ID && s.Value == other.Value && s.Origin == other.Origin &&
		maps.Equal(s.Checkpoints, other.Checkpoints)
}

// Save returns all worlds, in the order in which they were made, and the serial number of the last one that was made
// without an id. It takes no longer than a few transactions, and copies no state.
func (ws *Worlds) Save() (list []Saved, serial uint64) {
	for _, w := range ws.List() {
		list = append(list, w.save())
	}
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	return list, ws.serial
}

func (w *World) save() Saved {
	w.lock()
	defer w.mu.Unlock()
	s := Saved{
		ID: w.ID, Fork: w.Fork, Keys: w.Keys, Value: w.value.Load(), Origin: w.origin.value,
		Checkpoints: map[string]*world.State{},
	}
	for name, v := range w.checkpoints {
		s.Checkpoints[name] = v.value
	}
	return s
}

// Load adds worlds as Save has returned them; the world Default takes the place of the one that there is. It is for a
// server that has no requests yet.
func (ws *Worlds) Load(list []Saved, serial uint64) error {
	for _, s := range list {
		if err := ws.load(s); err != nil {
			return fmt.Errorf("world %s: %w", s.ID, err)
		}
	}
	ws.mu.Lock()
	defer ws.mu.Unlock()
	ws.serial = max(ws.serial, serial)
	return nil
}

func (ws *Worlds) load(s Saved) error {
	if s.ID == Default {
		ws.Get(Default).restore(s)
		return nil
	}
	if !validID.MatchString(s.ID) {
		return fmt.Errorf("want an id of 1 to 64 letters, digits, dots, underscores or dashes, not %q", s.ID)
	}
	w := &World{
		MaxSettled: maxSettled, settle: ws.settle, Fork: s.Fork, Keys: s.Keys, budget: &ws.budget,
		limit: ws.limits.World, Journal: ws.newJournal(),
	}
	w.restore(s)
	if err := ws.register(w, Plan{ID: s.ID}); err != nil {
		w.close()
		return err
	}
	return nil
}

// restore puts the world into the place of a saved one. States that are the same one count once.
func (w *World) restore(s Saved) {
	w.lock()
	defer w.mu.Unlock()
	bytes := s.Value.MemorySize()
	w.written = max(bytes, s.Origin.MemorySize())
	for _, value := range s.Checkpoints {
		w.written = max(w.written, value.MemorySize())
	}
	versionOf := func(value *world.State) version {
		if value == s.Value {
			return version{value, bytes, w.written}
		}
		return version{value, value.MemorySize(), 0}
	}
	w.origin, w.checkpoints = versionOf(s.Origin), map[string]version{}
	for name, value := range s.Checkpoints {
		w.checkpoints[name] = versionOf(value)
	}
	w.plan = Plan{ID: s.ID, Fork: s.Fork, Seed: &s.Origin.Seed, Mode: s.Origin.Clock.Mode()}
	w.put(s.Value, bytes)
}

// maxHistoryBytes bounds about how many bytes the history of a world takes, if the world may take as many.
const maxHistoryBytes = 64 << 20

// historyBytes returns the bound for a world that may take so many bytes; 0: any number.
func historyBytes(limit int64) int {
	if limit <= 0 {
		return maxHistoryBytes
	}
	return int(min(maxHistoryBytes, limit))
}

// newJournal makes the journal of a world.
func (ws *Worlds) newJournal() *journal.Journal {
	j := journal.New(ws.limits.Journal, ws.budget.chargeUsed)
	j.KeepHistory(ws.limits.History, historyBytes(ws.limits.World))
	return j
}

// Moment returns a value of the world as a moment of its history.
func (w *World) Moment(value *world.State) journal.Moment {
	return journal.Moment{
		World: value, At: value.Now(), Bytes: w.latest.bytes.Load(), Written: w.latest.written.Load(),
	}
}

// forkBefore makes another world a fork of this one as it was before an exchange, and returns how it begins. A clock
// that the wall clock moves goes on from the time that it was.
func (w *World) forkBefore(fork *World, number int64) (Beginning, error) {
	m, found := w.Journal.Before(number)
	if !found {
		return Beginning{}, w.noHistory(number)
	}
	w.lock()
	defer w.mu.Unlock()
	w.addFork(fork, m.World.MemorySize(), m.Written)
	b := beginningLike(m.World)
	b.Clock = clock.New(b.Clock.Mode(), m.At)
	return b, nil
}

// noHistory returns the error that says why the history does not have an exchange, and what would be right.
func (w *World) noHistory(number int64) error {
	limit, first := w.Journal.History()
	last := w.Journal.Last()
	switch {
	case limit == 0:
		return op.Invalid("before", "the server keeps no history of its worlds: start it with --history 1000, or "+
			"WithHistory(1000)")
	case number > last:
		return op.Invalid("before", "exchange %d has not been served in world %s; the last one is %d", number, w.ID, last)
	case first > last:
		return op.Invalid("before", "the history of world %s is empty; it begins with the next exchange, %d", w.ID, first)
	}
	return op.Invalid("before", "the history of world %s has the exchanges %d to %d; --history or WithHistory sets how "+
		"many it holds, in up to %d bytes", w.ID, first, last, historyBytes(w.limit))
}

// forgetHistories makes room by emptying the largest histories, and returns how many bytes are still needed.
func (ws *Worlds) forgetHistories(need int64) int64 {
	if ws.limits.History == 0 {
		return need
	}
	for need > 0 {
		var largest *World
		size := 0
		for _, w := range ws.all() {
			if n := w.Journal.HistorySize(); n > size {
				largest, size = w, n
			}
		}
		if largest == nil {
			break
		}
		need -= int64(largest.Journal.ForgetHistory())
	}
	return need
}
