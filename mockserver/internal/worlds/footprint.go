package worlds

import (
	"fmt"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// What is charged for a transaction and for an event, beside by how much the world grows.
const (
	transactionCost = 2 << 10
	eventCost       = 1 << 10
)

// version is a value that a world can go back to.
type version struct {
	value   *world.State
	bytes   int64 // that it takes
	written int64 // that had been written when it was made
}

// footprint returns what a world takes that nothing else does, if its value took so many bytes and so many had been
// written: what is in it, and what is only in versions that it can go back to. Of these it shares all but what has been
// written since. A fork shares with its original what it has not written.
func (w *World) footprint(bytes, written int64) int64 {
	n := bytes
	if w.source != nil {
		n = min(bytes, written)
	} else {
		n += min(w.origin.bytes, written-w.origin.written)
	}
	for _, v := range w.checkpoints {
		n += min(v.bytes, written-v.written)
	}
	return n
}

// store puts a value in the world's place, and counts what it takes. The mutex is held.
func (w *World) store(value *world.State, cost int64) { w.storeSized(value, value.MemorySize(), cost) }

func (w *World) storeSized(value *world.State, bytes, cost int64) {
	w.written += cost + max(0, bytes-w.bytes)
	w.put(value, bytes)
}

func (w *World) put(value *world.State, bytes int64) {
	w.bytes = bytes
	w.value.Store(value)
	w.publish()
}

// publish charges what has changed. A world that was deleted is charged for no longer.
func (w *World) publish() {
	now := w.footprint(w.bytes, w.written)
	if w.deleted {
		now = 0
	}
	w.budget.charge(now - w.charged.Swap(now))
}

// MemorySize returns about how many bytes the world takes that no other world does, with its journal.
func (w *World) MemorySize() int64 { return w.charged.Load() + int64(w.Journal.Size()) }

// share makes another world a fork of this one, and returns the value that it begins with.
func (w *World) share(fork *World) world.State {
	w.mu.Lock()
	defer w.mu.Unlock()
	value := *w.current()
	if w.forks == nil {
		w.forks = &source{budget: w.budget}
	}
	w.forks.join(w.bytes, w.written)
	fork.source = w.forks
	return value
}

// close gives back the memory of a world that cannot be found any more.
func (w *World) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.deleted {
		return
	}
	w.deleted = true
	w.publish()
	w.Journal.Close()
	if w.source != nil {
		w.source.leave()
	}
}

// admit stores the value that a transaction has made, after it has let results of jobs go if room is missing. A world
// that would grow beyond its limit, or that of the server, stays as it is. One that does not grow may go on to change,
// up to twice its limit: what it changes stays in its checkpoints.
func (w *World) admit(next *world.State, cost int64) error {
	bytes := next.MemorySize()
	grows := bytes > w.bytes // before results go to make room, since checkpoints may keep them
	if grows {
		bytes = w.fit(next, bytes, cost)
	}
	over, more := w.over(bytes, cost), w.would(bytes, cost)-w.charged.Load()
	switch {
	case over > 0 && grows, over > w.limit && bytes == w.bytes:
		return tooLarge("world %s would take more than %d bytes: delete something or a checkpoint, or reset it; the limit "+
			"is set with --state-limit or WithStateLimit", w.ID, w.limit)
	case grows && !w.budget.room(more):
		return tooLarge("%s", w.budget.full())
	}
	w.storeSized(next, bytes, cost)
	return nil
}

func tooLarge(format string, args ...any) error {
	return &op.Error{Code: op.CodeTooLarge, Message: fmt.Sprintf(format, args...)}
}

// would returns what the world would take with a value of so many bytes, after a transaction of a cost.
func (w *World) would(bytes, cost int64) int64 {
	return w.footprint(bytes, w.written+cost+max(0, bytes-w.bytes))
}

// over returns how many bytes too many that would be.
func (w *World) over(bytes, cost int64) int64 {
	if w.limit <= 0 {
		return 0
	}
	return w.would(bytes, cost) - w.limit
}

// fit lets results of jobs go, oldest first, until a value that a transaction of a cost has made fits into the world,
// and returns what it takes then.
func (w *World) fit(value *world.State, bytes, cost int64) int64 {
	if over := w.over(bytes, cost); over > 0 && value.DropResults(over) {
		return value.MemorySize()
	}
	return bytes
}

// full reports whether a world, or the server, has no room for what more events would make.
func (w *World) full(value *world.State) bool {
	if w.limit <= 0 {
		return false
	}
	bytes := w.fit(value, value.MemorySize(), 0)
	return w.over(bytes, 0) > 0 || bytes > w.bytes && !w.budget.room(bytes-w.bytes)
}
