package world

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"github.com/benbjohnson/immutable"

	"svc.example/understudy/mockserver/internal/table"
)

// DueEvent is something that will happen to one resource at a time: an attempt's next step, a schedule's next run. A
// resource has at most one event of a kind, so an event is its own key.
type DueEvent struct {
	At   time.Time `json:"at"`
	Kind string    `json:"kind"` // interface and name: workflow.attempt
	ID   int64     `json:"id"`

	// Query is nil until the event is due and waits for one, which has its result when the event is settled once more.
	Query Query `json:"-"`
	// Holds reports whether what happens later depends on that result, so that the clock does not move on without it.
	Holds bool `json:"-"`

	Reads int64 `json:"-"` // the number of the state of the world that the query reads
}

// Recurring events, such as those of schedules, come back for ever; a world is idle when only they are left.
func (e DueEvent) Recurring() bool {
	return e.Kind == ScheduleEvent || e.Kind == JobScheduleEvent || e.Kind == BulkLoadEvent
}

// The kinds of events.
const (
	AttemptEvent  = "workflow.attempt"  // a running attempt's next task ends, or its cancellation takes effect
	ScheduleEvent = "workflow.schedule" // a schedule's next run

	JobEvent         = "core.job"      // a queued job starts, or a running one ends
	JobScheduleEvent = "core.schedule" // a job schedule's next run

	BulkImportEvent = "core.bulk_import" // the rows of a bulk import are in the table
	BulkLoadEvent   = "core.bulk_load"   // a bulk load session's next run

	KnowledgeBaseEvent = "llm.knowledge_base" // the indexing of a knowledge base ends
	// the profiles of a query are counted, just before its job ends (kinds settle by name)
	QueryEvent = "audience.query"
)

// DueEvents is a queue of events, in time order. It is persistent, like the tables.
type DueEvents struct {
	table.Meter

	all  any       // *queue, once there was an event: packages that see a world do not compile what a queue can do
	next *DueEvent // the first of the queue, for the request that only wants to know whether something is due
}

// queue holds events behind pointers, since a change copies a leaf with up to 32 of them.
type queue = immutable.SortedMap[*DueEvent, *DueEvent]

func queueOf(x *DueEvents) *queue {
	all, _ := x.all.(*queue)
	if all == nil {
		all = immutable.NewSortedMap[*DueEvent, *DueEvent](chronological{})
	}
	return all
}

// eventCost is about what an event takes in memory, and queryCost what the query of one takes beside what it reads.
const (
	eventCost = 128
	queryCost = 2 << 10
)

type chronological struct{}

func (chronological) Compare(a, b *DueEvent) int {
	return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.ID, b.ID))
}

// put enters an event, in place of the one with the same time, kind and id.
func (x *DueEvents) put(e DueEvent) {
	e.At = e.At.UTC().Round(0)
	setQueue(x, queueOf(x).Set(&e, &e), e)
}

// delete removes an event, if it is there.
func (x *DueEvents) delete(e DueEvent) {
	e.At = e.At.UTC().Round(0)
	setQueue(x, queueOf(x).Delete(&e), e)
}

// setQueue replaces a queue by one with an event more or less.
func setQueue(x *DueEvents, all *queue, e DueEvent) {
	cost := int64(eventCost)
	if e.Query != nil {
		cost += queryCost
	}
	x.Charge(int64(all.Len()-x.Len()) * cost)
	x.all = all
	x.next, _, _ = all.Iterator().Next()
}

// get returns the event with the time, the kind and the id of another, with its query.
func (x *DueEvents) get(e DueEvent) (found DueEvent, ok bool) {
	if x.next == nil {
		return DueEvent{}, false
	}
	key := DueEvent{At: e.At.UTC().Round(0), Kind: e.Kind, ID: e.ID}
	it, ok := queueOf(x).Get(&key)
	if !ok {
		return DueEvent{}, false
	}
	return *it, true
}

// first returns the earliest event.
func (x *DueEvents) first() (DueEvent, bool) {
	if x.next == nil {
		return DueEvent{}, false
	}
	return *x.next, true
}

// Len returns the number of events.
func (x *DueEvents) Len() int { return queueOf(x).Len() }

// First returns the first n events.
func (x *DueEvents) First(n int) []DueEvent {
	events := make([]DueEvent, 0, min(n, x.Len()))
	for e := range x.All() {
		if len(events) == n {
			break
		}
		events = append(events, e)
	}
	return events
}

// All lists the events in time order.
func (x *DueEvents) All() iter.Seq[DueEvent] {
	return func(yield func(DueEvent) bool) {
		for it := queueOf(x).Iterator(); !it.Done(); {
			if event, _, _ := it.Next(); !yield(*event) {
				return
			}
		}
	}
}

// planned returns the queue in which an event that will happen stands.
func (w *State) planned(e DueEvent) *DueEvents {
	if e.Recurring() {
		return &w.recurring
	}
	return &w.once
}

// Plan enters an event into the queue of what will happen.
func (w *State) Plan(e DueEvent) { w.planned(e).put(e) }

// Cancel takes an event out of that queue, if it is there.
func (w *State) Cancel(e DueEvent) { w.planned(e).delete(e) }

// PlanSlot plans the event of a slot in the place of the one that was planned for the slot before, and returns when it
// is due: some seconds after the slot, or at once if that has passed. Without a slot, nothing is planned.
func (w *State) PlanSlot(planned DueEvent, slot time.Time, seconds int64, now time.Time) time.Time {
	w.Cancel(planned)
	if slot.IsZero() {
		return time.Time{}
	}
	planned.At = slot.Add(time.Duration(seconds) * time.Second)
	if planned.At.Before(now) {
		planned.At = now
	}
	w.Plan(planned)
	return planned.At
}

// Next returns the earliest event that will happen.
func (w *State) Next() (DueEvent, bool) {
	once, ok := w.once.first()
	if recurring, recurs := w.recurring.first(); recurs && (!ok || (chronological{}).Compare(&recurring, &once) < 0) {
		return recurring, true
	}
	return once, ok
}

// NextOnce returns the earliest event that does not recur: what a world waits for before it is idle.
func (w *State) NextOnce() (DueEvent, bool) { return w.once.first() }

// Idle reports whether nothing is due or waits for a query, nor will happen but for what recurs.
func (w *State) Idle() bool {
	_, busy := w.NextOnce()
	next, ok := w.Next()
	return !busy && w.waits.all.Len() == 0 && (!ok || next.At.After(w.Now()))
}

// Events lists what will happen, in time order.
func (w *State) Events() []DueEvent {
	all := w.once
	for e := range w.recurring.All() {
		all.put(e)
	}
	return slices.AppendSeq(make([]DueEvent, 0, all.Len()), all.All())
}

// EventCount returns the number of events that will happen, or wait for queries.
func (w *State) EventCount() int { return w.once.Len() + w.recurring.Len() + w.waits.all.Len() }
