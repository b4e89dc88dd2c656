package world

import (
	"context"
	"time"

	"svc.example/understudy/internal/routine"
	"svc.example/understudy/mockserver/internal/table"
)

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
