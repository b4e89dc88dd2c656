package world

import (
	"context"
	"iter"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/internal/routine"
	"svc.example/understudy/mockserver/internal/table"
)

// Queue holds what was queued, oldest first, as a value: a copy is O(1) and never sees what happens to the original.
// The zero value is empty.
type Queue[T any] struct {
	entries table.Table[T] // by numbers that go up
}

// NewQueue returns a queue of entries.
func NewQueue[T any](entries ...T) (q Queue[T]) {
	for _, entry := range entries {
		q.Add(entry)
	}
	return q
}

// Add adds an entry to the end.
func (q *Queue[T]) Add(entry T) {
	last := int64(0)
	for last = range q.entries.Rows().Before(0) {
		break
	}
	q.entries.Put(last+1, entry)
}

// EntriesOf iterates over the entries of a queue, oldest first, with their numbers. They must not be changed.
func EntriesOf[T any](q *Queue[T]) iter.Seq2[int64, *T] {
	return func(yield func(int64, *T) bool) {
		for number, entry := range q.entries.Rows().All() {
			if !yield(number, entry.(*T)) {
				return
			}
		}
	}
}

// Requeue replaces the entry of a queue that has a number.
func Requeue[T any](q *Queue[T], number int64, entry T) { q.entries.Put(number, entry) }

// List returns the entries, oldest first.
func (q *Queue[T]) List() (list []T) {
	for _, entry := range EntriesOf(q) {
		list = append(list, *entry)
	}
	return list
}

// TakeFirst returns the first entry of a queue that fits, as it was before. An entry that is good for some times counts
// down, and is gone after the last. At 0 it is good for ever.
func TakeFirst[T any](q *Queue[T], fits func(*T) bool, times func(*T) *int) *T {
	for number, entry := range EntriesOf(q) {
		if !fits(entry) {
			continue
		}
		switch rest := *entry; *times(entry) {
		case 0:
		case 1:
			table.Delete(&q.entries, number)
		default:
			*times(&rest)--
			Requeue(q, number, rest)
		}
		return entry
	}
	return nil
}

// MarshalJSONTo implements json.MarshalerTo. A queue is a list.
func (q *Queue[T]) MarshalJSONTo(e *jsontext.Encoder) error { return json.MarshalEncode(e, q.List()) }

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (q *Queue[T]) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	var list []T
	err := json.UnmarshalDecode(d, &list)
	*q = NewQueue(list...)
	return err
}

// DropResults drops the rows of jobs, oldest first, until so many bytes are free or none are left, and reports whether
// it found any. What the jobs say of their results stays.
func (w *State) DropResults(need int64) (dropped bool) {
	for id, job := range table.All(&w.Core.Jobs) {
		if need <= 0 {
			break
		}
		if job.Output == nil || job.Output.Dropped {
			continue
		}
		before := table.Size(job.Output)
		rest := *job.Output
		rest.Rows, rest.Dropped = nil, true
		job.Output = &rest
		w.Core.Jobs.Put(id, job)
		need -= before - table.Size(job.Output)
		dropped = true
	}
	return dropped
}

// Query is a query over a world as it was at one moment. It runs outside of the world, so that the world waits for no
// query. Forks share it: whoever runs it gets the same result.
type Query interface {
	// Done reports whether the result is there.
	Done() bool
	// Run returns when the result is there, or with the context's error when the wait is given up.
	Run(ctx context.Context) error
}

// RunAll runs the queries of events side by side.
func RunAll(ctx context.Context, events []DueEvent) error {
	var running routine.Group
	for _, e := range events {
		running.Go(func() error { return e.Query.Run(ctx) })
	}
	return running.Wait()
}

// waits are the events that were due and wait for queries, and what those read.
type waits struct {
	all, holding DueEvents        // and those of them that hold the clock
	reads        table.Table[int] // how many of them read a state of the world, by its number
	latest       *readable        // what the last of them reads; nil: nothing waits
	number       int64            // of the last state that was read
}

// Begin notes that an event that was due waits for its query. It is settled once more when that has its result.
func (w *State) Begin(e DueEvent) {
	e.Reads = w.readable().number
	n, _ := w.waits.reads.Get(e.Reads)
	w.waits.reads.Put(e.Reads, n+1)
	w.waits.all.put(e)
	if e.Holds {
		w.waits.holding.put(e)
	}
}

// End forgets that an event waits for a query, if it does.
func (w *State) End(e DueEvent) {
	e, waits := w.waits.all.get(e)
	if !waits {
		return
	}
	w.waits.all.delete(e)
	if e.Holds {
		w.waits.holding.delete(e)
	}
	if n, _ := w.waits.reads.Get(e.Reads); n > 1 {
		w.waits.reads.Put(e.Reads, n-1)
	} else {
		table.Delete(&w.waits.reads, e.Reads)
	}
	if w.waits.all.Len() == 0 {
		w.waits.latest = nil
	}
}

// Waiting returns the events that wait for queries, in the order in which they were due.
func (w *State) Waiting() *DueEvents { return &w.waits.all }

// Holding returns those of them that hold the clock, likewise.
func (w *State) Holding() *DueEvents { return &w.waits.holding }

// WaitingAs returns the event that waits for a query and has the time, the kind and the id of another.
func (w *State) WaitingAs(e DueEvent) (DueEvent, bool) { return w.waits.all.get(e) }

// Held returns the moment at which the clock has to wait for a result, if there is one.
func (w *State) Held() (at time.Time, held bool) {
	first, held := w.waits.holding.first()
	return first.At, held
}

// readable holds what queries read of a world as it was at one moment: its account, and its databases with their
// records.
type readable struct {
	number int64 // later ones have greater ones
	state  State
}

var (
	sameAccount = table.Sames[Account]()
	sameCatalog = table.Sames[Catalog]()
	accountSize = table.Meters[Account]()
	catalogSize = table.Meters[Catalog]()
)

// Readable returns what queries read of the world as it is now. All that begin before that changes share it, so it must
// not be changed.
func (w *State) Readable() *State { return &w.readable().state }

func (w *State) readable() *readable {
	last := w.waits.latest
	if last != nil && sameAccount(&last.state.Account, &w.Account) &&
		sameCatalog(&last.state.Core.Catalog, &w.Core.Catalog) {
		return last
	}
	w.waits.number++
	state := State{Brand: w.Brand, Account: w.Account, Core: Core{Catalog: w.Core.Catalog}}
	w.waits.latest = &readable{w.waits.number, state}
	return w.waits.latest
}

// ReadableSize returns about how many bytes of the world queries read.
func (w *State) ReadableSize() int64 { return accountSize(&w.Account) + catalogSize(&w.Core.Catalog) }

// LastRead returns the number of what the last query reads that has begun, and 0 if no event waits for one.
func (w *State) LastRead() int64 {
	if w.waits.latest == nil {
		return 0
	}
	return w.waits.latest.number
}

// Reads reports whether an event waits for a query that reads what has a number.
func (w *State) Reads(number int64) bool {
	_, ok := w.waits.reads.Get(number)
	return ok
}

// ReadCount returns how many different states of the world are read by queries that events wait for.
func (w *State) ReadCount() int { return table.Len(&w.waits.reads) }
