// Package world is what one account remembers, as one value. Copying a World forks it: the copy shares every row with
// the original and never sees what happens to it. Rules change a copy, and the server puts it in place of the original
// when they succeed.
package world

import (
	"crypto/sha256"
	"encoding/binary"
	"time"

	"github.com/google/uuid"

	"svc.example/understudy/mockserver/internal/clock"
	"svc.example/understudy/mockserver/internal/table"
)

// State is one account: its state on every interface, its clock, and its source of chance.
type State struct {
	Scenario  string
	Brand     string // the word in texts that the mock makes by itself; identifiers in rows are the neutral ones
	Seed      uint64
	Clock     clock.Clock
	Account   Account
	Ingestion Ingestion
	Audience  Audience
	DWH       DWH
	Core      Core
	LLM       LLM
	Workflow  Workflow
	Own       Own
	Faults    Faults

	ids             table.Index[string, int64]
	once, recurring DueEvents // what will happen
	waits           waits
}

// Now returns the world's time, in UTC.
func (w *State) Now() time.Time { return w.Clock.Now() }

var meters = table.Meters[State]()

// MemorySize returns about how many bytes the world takes in memory, what it shares with other worlds included. What
// only fixtures say, and requests cannot add to, does not count.
func (w *State) MemorySize() int64 {
	return meters(w) + w.Faults.Bytes
}

// NewID returns the next id of a kind of resource, from 1. Ids are never used twice.
func (w *State) NewID(kind string) int64 { return w.NewIDs(kind, 1) }

// NewIDs takes n ids in a row and returns the first.
func (w *State) NewIDs(kind string, n int64) int64 {
	last, _ := w.ids.Get(kind)
	w.ids.Put(kind, last+n)
	return last + 1
}

// Reserve keeps NewID from giving out ids up to one that a fixture has used.
func (w *State) Reserve(kind string, id int64) {
	if last, _ := w.ids.Get(kind); id > last {
		w.ids.Put(kind, id)
	}
}

// WithID calls a function that takes one id of a kind, which is the given one. An id of 0 stands for the next one.
// Later ids are greater than all before.
func (w *State) WithID(kind string, id int64, do func() error) error {
	if id == 0 {
		return do()
	}
	last, _ := w.ids.Get(kind)
	w.ids.Put(kind, id-1)
	err := do()
	w.Reserve(kind, last)
	return err
}

// UUID returns a UUID that depends only on the world's seed, the kind and the id, so that the same world gives the
// same one whatever happened before.
func (w *State) UUID(kind string, id int64) string {
	sum := w.Random(kind, id)
	u := uuid.UUID(sum[:16])
	u[6] = u[6]&0x0f | 0x40 // version 4
	u[8] = u[8]&0x3f | 0x80
	return u.String()
}

// Random returns 32 random bytes that depend only on the world's seed, the kind and the id.
func (w *State) Random(kind string, id int64) [32]byte {
	b := binary.BigEndian.AppendUint64(nil, w.Seed)
	b = binary.BigEndian.AppendUint64(b, uint64(id))
	return sha256.Sum256(append(b, kind...))
}
