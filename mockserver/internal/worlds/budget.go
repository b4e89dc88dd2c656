package worlds

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
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
