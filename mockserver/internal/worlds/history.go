package worlds

import (
	"svc.example/understudy/mockserver/internal/clock"
	"svc.example/understudy/mockserver/internal/journal"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

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
