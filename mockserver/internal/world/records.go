package world

import (
	"errors"
	"iter"
	"slices"
	"sync/atomic"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/table"
)

// Record is one event. Its values are texts, or absent: a JSON object of strings.
type Record struct {
	Time   int64  `json:"time"`   // Unix seconds
	Values string `json:"values"` // JSON object, values are strings only
}

// recordCost is the assumed cost of a record in bytes, beside its values.
const recordCost = 32

func (r Record) cost() int64 { return int64(len(r.Values)) + recordCost }

// Records are the rows of one table, oldest first, as a value: a copy is O(1) and never sees what is appended to the
// original. The zero value is empty. Rows come in runs, so that the oldest can be let go.
type Records struct {
	table.Meter

	runs      table.Table[run] // by their numbers, which go up
	newestRun int64
	last      *chunk // what is being filled, of which this value has the first n records
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

// chunk is shared by all values that have a prefix of it. Only the value that claims the next place may write there; a
// value that finds its next place claimed by another copies what it has.
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
		x.newestRun++
		x.runs.Put(x.newestRun, run{x.last.records[:x.n:x.n], x.lastBytes})
		x.last, x.n, x.lastBytes = nil, 0, 0
	}
	return x
}

// DropOldest drops the oldest run or, if there is only one, its older half. The last record stays.
func (x Records) DropOldest() Records {
	if runs := table.Len(&x.runs); runs == 0 || runs == 1 && x.n == 0 {
		return x.newest(x.size - x.size/2)
	}
	for id, oldest := range table.All(&x.runs) {
		x.size -= len(oldest.records)
		x.Charge(-oldest.bytes)
		table.Delete(&x.runs, id)
		break
	}
	return x
}

// newest returns a copy that has only the newest records.
func (x Records) newest(count int) (rest Records) {
	skip := x.size - count
	for r := range x.All() {
		if skip--; skip < 0 {
			rest = rest.Append(r)
		}
	}
	return rest
}

// Len returns the number of records.
func (x Records) Len() int { return x.size }

// All iterates from the oldest.
func (x Records) All() iter.Seq[Record] {
	return func(yield func(Record) bool) {
		for _, run := range table.All(&x.runs) {
			for i := range run.records {
				if !yield(run.records[i]) {
					return
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
		for _, run := range table.Before(&x.runs, 0) {
			for _, r := range slices.Backward(run.records) {
				if !yield(r) {
					return
				}
			}
		}
	}
}

// MarshalJSONTo implements json.MarshalerTo.
func (x Records) MarshalJSONTo(e *jsontext.Encoder) error {
	err := e.WriteToken(jsontext.BeginArray)
	for r := range x.All() {
		if err == nil {
			err = json.MarshalEncode(e, r)
		}
	}
	return errors.Join(err, e.WriteToken(jsontext.EndArray))
}

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (x *Records) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	var list []Record
	err := json.UnmarshalDecode(d, &list)
	*x = Records{}
	for _, r := range list {
		*x = x.Append(r)
	}
	return err
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
		some = x.dropOldestRecords()
	}
	return t
}

// dropOldestRecords drops the oldest records of the table that holds most, and reports whether there were any.
func (x *Core) dropOldestRecords() bool {
	var fullest int64
	var largest Records
	for id, records := range table.All(&x.Records) {
		if records.MemorySize() > largest.MemorySize() && records.Len() > 1 {
			fullest, largest = id, records
		}
	}
	if fullest == 0 {
		return false
	}
	rest := largest.DropOldest()
	x.Records.Put(fullest, rest)
	x.RecordBytes -= largest.MemorySize() - rest.MemorySize()
	return true
}

// Discard drops all records of a table.
func (x *Core) Discard(id int64) {
	records, _ := x.Records.Get(id)
	x.RecordBytes -= records.MemorySize()
	table.Delete(&x.Records, id)
}
