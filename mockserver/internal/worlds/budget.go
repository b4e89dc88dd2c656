package worlds

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// Limits bound what the worlds of a server take in memory. Zero means no limit.
type Limits struct {
	Journal int           // bytes of the journal of one world; journal.DefaultLimit when it is 0
	History int           // exchanges before which a world can be forked; 0: none
	World   int64         // bytes of one world, with its checkpoints
	Server  int64         // bytes of all worlds, with their checkpoints and journals
	Worlds  int           // how many there may be
	Idle    time.Duration // for how long an unused world stays
}

// budget counts the bytes that the worlds of a server take.
type budget struct {
	limit   int64
	used    atomic.Int64
	reclaim func(need int64) // makes room, if it can
	busy    sync.Mutex       // held by who makes room
}

// charge counts bytes that are in use, or in use no longer.
func (b *budget) charge(n int64) { b.used.Add(n) }

// chargeUsed charges bytes that are in use already, and makes room for them.
func (b *budget) chargeUsed(n int64) {
	if b.charge(n); n > 0 {
		b.hasRoom(0)
	}
}

// hasRoom reports whether there is room for more bytes, or could be made.
func (b *budget) hasRoom(more int64) bool {
	over := func() int64 { return b.used.Load() + more - b.limit }
	if b.limit <= 0 || over() <= 0 {
		return true
	}
	b.busy.Lock()
	defer b.busy.Unlock()
	if need := over(); need > 0 {
		b.reclaim(need)
	}
	return over() <= 0
}

// fullMessage returns the message that says that room is missing, and how to make some.
func (b *budget) fullMessage() string {
	return fmt.Sprintf("the worlds of this server would take more than %d bytes: delete some, or reset them; the limit "+
		"is set with --memory-limit or WithMemoryLimit", b.limit)
}

// source holds what the forks of a world share: the world as it was at the first fork, and what was written into it
// until the last one.
type source struct {
	budget *budget

	mu          sync.Mutex
	forks       int
	first, last int64 // what was written into the world before these forks
	bytes       int64 // of the world at the first one
}

// addFork counts one more fork of a world that takes so many bytes, and into which so many have been written.
func (s *source) addFork(bytes, written int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.sharedBytes()
	if s.forks == 0 {
		s.bytes, s.first, s.last = bytes, written, written
	}
	s.forks++
	s.first, s.last = min(s.first, written), max(s.last, written)
	s.budget.charge(s.sharedBytes() - before)
}

func (s *source) removeFork() {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.sharedBytes()
	s.forks--
	s.budget.charge(s.sharedBytes() - before)
}

func (s *source) sharedBytes() int64 {
	if s.forks == 0 {
		return 0
	}
	return s.bytes + s.last - s.first
}

// What is charged for a transaction and for an event, beside by how much the world grows.
const (
	transactionCost = 2 << 10
	eventCost       = 1 << 10
)

// version is a value to which a world can return.
type version struct {
	value   *world.State
	bytes   int64 // that it takes
	written int64 // that had been written when it was made
}

// kept returns what of a version only it keeps once a value takes so many bytes and so many have been written: some of
// it was replaced by what was written since, and some deleted.
func (v version) kept(bytes, written int64) int64 {
	return min(v.bytes, max(0, v.bytes-bytes)+written-v.written)
}

// reader stands for the queries that read the same earlier value of the world, and for which events wait.
type reader struct {
	version // of what they read; without its value

	number int64
	before int64 // what only earlier readers keep
}

// noteReaders notes what the queries read that events of a value wait for: when the world changes, they keep it.
func (w *World) noteReaders(value *world.State) {
	if value.ReadCount() == 0 {
		w.readers = nil
		return
	}
	w.readable = value.ReadableSize()
	if len(w.readers) > 2*value.ReadCount() { // not each time that one ends, which would take its square
		all := w.readers
		w.readers = nil
		for _, r := range all {
			if value.Reads(r.number) {
				w.addReader(r)
			}
		}
	}
	if last := len(w.readers) - 1; last < 0 || w.readers[last].number != value.LastRead() {
		w.addReader(reader{version: version{bytes: w.readable, written: w.written}, number: value.LastRead()})
	}
}

func (w *World) addReader(r reader) {
	if last := len(w.readers) - 1; last >= 0 {
		r.before = w.readers[last].before + w.readers[last].kept(r.bytes, r.written)
	}
	w.readers = append(w.readers, r)
}

// footprint returns what a world takes that nothing else does, if its value took so many bytes and so many had been
// written: what is in it, and what is only in versions that it can go back to, or that queries read. Of these it shares
// all but what has been written since. A fork shares with its original what it has not written.
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
	if last := len(w.readers) - 1; last >= 0 {
		n += w.readers[last].before + w.readers[last].kept(w.readable, written)
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
	w.noteReaders(value)
	w.bytes = bytes
	w.latest.bytes.Store(bytes)
	w.latest.written.Store(w.written)
	w.value.Store(value)
	w.chargeChanges()
}

// chargeChanges charges the change of the world's size to the budget. A deleted world costs nothing.
func (w *World) chargeChanges() {
	now := w.footprint(w.bytes, w.written)
	if w.deleted {
		now = 0
	}
	w.budget.charge(now - w.charged.Swap(now))
}

// MemorySize returns about how many bytes the world takes that no other world does, with its journal and its
// history.
func (w *World) MemorySize() int64 {
	return w.charged.Load() + int64(w.Journal.Size()+w.Journal.HistorySize())
}

// forkInto makes another world a fork of this one as it is, or as it was before an exchange, and returns how it begins.
func (w *World) forkInto(fork *World, before int64) (Beginning, error) {
	if before != 0 {
		return w.forkBefore(fork, before)
	}
	w.lock()
	defer w.mu.Unlock()
	value := w.settleDue()
	w.addFork(fork, w.bytes, w.written)
	return beginningLike(value), nil
}

// addFork counts a fork of a value that takes so many bytes, and before which so many were written. The mutex is held.
func (w *World) addFork(fork *World, bytes, written int64) {
	if w.forks == nil {
		w.forks = &source{budget: w.budget}
	}
	w.forks.addFork(bytes, written)
	fork.source = w.forks
}

// close releases the memory of a deleted world.
func (w *World) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.deleted {
		return
	}
	w.deleted = true
	w.chargeChanges()
	w.Journal.Close()
	if w.source != nil {
		w.source.removeFork()
	}
}

// storeWithinLimits stores the value of a transaction, after dropping results of jobs if room is missing. A world
// that would grow beyond its limit, or that of the server, stays as it is. One that does not grow may go on to change,
// up to twice its limit: what it changes stays in its checkpoints.
func (w *World) storeWithinLimits(next *world.State, cost int64) error {
	bytes := next.MemorySize()
	grows := bytes > w.bytes // before results go to make room, since checkpoints may keep them
	if grows {
		bytes = w.dropResultsToFit(next, bytes, cost)
	}
	over, more := w.excess(bytes, cost), w.footprintWith(bytes, cost)-w.charged.Load()
	switch {
	case over > 0 && grows, over > w.limit && bytes == w.bytes:
		return tooLarge("world %s would take more than %d bytes: delete something or a checkpoint, or reset it; the limit "+
			"is set with --state-limit or WithStateLimit", w.ID, w.limit)
	case grows && !w.budget.hasRoom(more):
		return tooLarge("%s", w.budget.fullMessage())
	}
	w.storeSized(next, bytes, cost)
	return nil
}

func tooLarge(format string, args ...any) error {
	return &op.Error{Code: op.CodeTooLarge, Message: fmt.Sprintf(format, args...)}
}

// footprintWith returns the bytes that the world would take with a value of so many bytes, after a transaction of a
// cost.
func (w *World) footprintWith(bytes, cost int64) int64 {
	return w.footprint(bytes, w.written+cost+max(0, bytes-w.bytes))
}

// excess returns by how many bytes that would exceed the limit of the world.
func (w *World) excess(bytes, cost int64) int64 {
	if w.limit <= 0 {
		return 0
	}
	return w.footprintWith(bytes, cost) - w.limit
}

// dropResultsToFit drops results of jobs, oldest first, until the value of a transaction fits into the world, and
// returns the size of the value then.
func (w *World) dropResultsToFit(value *world.State, bytes, cost int64) int64 {
	if over := w.excess(bytes, cost); over > 0 && value.DropResults(over) {
		return value.MemorySize()
	}
	return bytes
}

// isFull reports whether the world, or the server, has no room for what further events would create.
func (w *World) isFull(value *world.State) bool {
	if w.limit <= 0 {
		return false
	}
	bytes := w.dropResultsToFit(value, value.MemorySize(), 0)
	return w.excess(bytes, 0) > 0 || bytes > w.bytes && !w.budget.hasRoom(bytes-w.bytes)
}
