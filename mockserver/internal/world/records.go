package world

import (
	"iter"
	"slices"
	"sync/atomic"

	"github.com/benbjohnson/immutable"

	"svc.example/understudy/mockserver/internal/table"
)

// Record is one event. Its values are texts, or absent: a JSON object of strings.
type Record struct {
	Time   int64  // Unix seconds
	Values string // JSON object, values are strings only
}

// recordCost is what a record is taken to cost beside its values.
const recordCost = 32

func (r Record) cost() int64 { return int64(len(r.Values)) + recordCost }

// Records are the rows of one table, oldest first, as a value: a copy is O(1) and never sees what is appended to the
// original. The zero value is empty. Rows come in runs, so that the oldest can be let go.
type Records struct {
	table.Meter

	runs      *immutable.List[run] // nil while there are none
	last      *chunk               // what is being filled, of which this value has the first n records
	n         int
	lastBytes int64 // of those
	size      int   // of all, in records
}

// run is some records in a row that are complete.
type run struct {
	records []Record
	bytes   int64
}

// A run is complete when it has so many records, or takes so many bytes.
const (
	chunkSize = 256
	runBytes  = 64 << 10
)

// chunk is shared by all values that have a prefix of it. Who claims the next place may write there, and nobody else
// ever does; a value that finds its next place claimed by another copies what it has.
type chunk struct {
	claimed atomic.Int32
	records [chunkSize]Record
}

// Append adds a record behind the others.
func (x Records) Append(r Record) Records {
	if x.last == nil {
		x.last = &chunk{}
	}
	if !x.last.claimed.CompareAndSwap(int32(x.n), int32(x.n+1)) {
		fresh := &chunk{}
		copy(fresh.records[:x.n], x.last.records[:x.n])
		fresh.claimed.Store(int32(x.n + 1))
		x.last = fresh
	}
	x.last.records[x.n] = r
	x.n++
	x.size++
	x.Charge(r.cost())
	x.lastBytes += r.cost()
	if x.n == chunkSize || x.lastBytes >= runBytes {
		x.complete()
	}
	return x
}

func (x *Records) complete() {
	if x.runs == nil {
		x.runs = immutable.NewList[run]()
	}
	x.runs = x.runs.Append(run{x.last.records[:x.n:x.n], x.lastBytes})
	x.last, x.n, x.lastBytes = nil, 0, 0
}

// DropOldest lets the oldest run go, or, when there is but one, the older half of it. The last record stays.
func (x Records) DropOldest() Records {
	if x.runs == nil || x.runs.Len() == 1 && x.n == 0 {
		return x.newest(x.size - x.size/2)
	}
	oldest := x.runs.Get(0)
	x.size -= len(oldest.records)
	x.Charge(-oldest.bytes)
	if x.runs = x.runs.Slice(1, x.runs.Len()); x.runs.Len() == 0 {
		x.runs = nil
	}
	return x
}

// newest is a copy that has only the newest records.
func (x Records) newest(count int) (rest Records) {
	skip := x.size - count
	for r := range x.All() {
		if skip--; skip < 0 {
			rest = rest.Append(r)
		}
	}
	return rest
}

// Len is the number of records.
func (x Records) Len() int { return x.size }

// All iterates from the oldest.
func (x Records) All() iter.Seq[Record] {
	return func(yield func(Record) bool) {
		if x.runs != nil {
			for it := x.runs.Iterator(); !it.Done(); {
				_, run := it.Next()
				for i := range run.records {
					if !yield(run.records[i]) {
						return
					}
				}
			}
		}
		for i := range x.n {
			if !yield(x.last.records[i]) {
				return
			}
		}
	}
}

// Backward iterates from the newest.
func (x Records) Backward() iter.Seq[Record] {
	return func(yield func(Record) bool) {
		for i := x.n - 1; i >= 0; i-- {
			if !yield(x.last.records[i]) {
				return
			}
		}
		if x.runs == nil {
			return
		}
		for i := x.runs.Len() - 1; i >= 0; i-- {
			for _, r := range slices.Backward(x.runs.Get(i).records) {
				if !yield(r) {
					return
				}
			}
		}
	}
}

// Store adds records to a live table, with its counts, and lets the oldest records of the largest table go when the
// world holds more than it may. The last record of each table stays.
func (x *Core) Store(t Table, more ...Record) Table {
	records, _ := x.Records.Get(t.ID)
	for _, r := range more {
		records = records.Append(r)
		x.RecordBytes += r.cost()
		t.Count++
		t.Bytes += int64(len(r.Values))
		t.LastLogAt = max(t.LastLogAt, r.Time)
	}
	x.Records.Put(t.ID, records)
	x.Tables.Put(t.ID, t)
	for some := true; some && x.RecordLimit > 0 && x.RecordBytes > x.RecordLimit; {
		some = x.forget()
	}
	return t
}

// forget lets the oldest records of the table that holds most go, and reports whether there were any to let go.
func (x *Core) forget() bool {
	var table int64
	var largest Records
	for id, records := range x.Records.All() {
		if records.MemorySize() > largest.MemorySize() && records.Len() > 1 {
			table, largest = id, records
		}
	}
	if table == 0 {
		return false
	}
	rest := largest.DropOldest()
	x.Records.Put(table, rest)
	x.RecordBytes -= largest.MemorySize() - rest.MemorySize()
	return true
}

// Discard forgets all records of a table.
func (x *Core) Discard(table int64) {
	records, _ := x.Records.Get(table)
	x.RecordBytes -= records.MemorySize()
	x.Records.Delete(table)
}
