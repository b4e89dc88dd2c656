package world

import (
	"cmp"
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

	Ended Query `json:"-"` // what the event has waited for, when it is settled once more
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

// DueEvents is the queue of what will happen, in time order. It is persistent, like the tables.
type DueEvents struct {
	table.Meter

	all  any      // *queue, once there was an event: packages that see a world do not compile what a queue can do
	next DueEvent // the first of the queue, for the request that only wants to know whether something is due
}

// queue holds events behind pointers, since a change copies a leaf with up to 32 of them.
type queue = immutable.SortedMap[*DueEvent, struct{}]

func queueOf(x *DueEvents) *queue {
	all, _ := x.all.(*queue)
	return all
}

// eventCost is about what an event takes in memory.
const eventCost = 128

type chronological struct{}

func (chronological) Compare(a, b *DueEvent) int {
	return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.ID, b.ID))
}

// Plan enters an event into the queue.
func (w *State) Plan(e DueEvent) {
	all := queueOf(&w.events)
	if all == nil {
		all = immutable.NewSortedMap[*DueEvent, struct{}](chronological{})
	}
	e.At = e.At.UTC().Round(0)
	setQueue(&w.events, all.Set(&e, struct{}{}))
}

// Cancel takes an event out of the queue, if it is there.
func (w *State) Cancel(e DueEvent) {
	if all := queueOf(&w.events); all != nil {
		e.At = e.At.UTC().Round(0)
		setQueue(&w.events, all.Delete(&e))
	}
}

func setQueue(x *DueEvents, all *queue) {
	x.Charge(int64(all.Len())*eventCost - x.MemorySize())
	x.all = all
	x.next = DueEvent{}
	if first, _, ok := all.Iterator().Next(); ok {
		x.next = *first
	}
}

// Next returns the earliest event.
func (w *State) Next() (DueEvent, bool) {
	return w.events.next, w.events.next.Kind != ""
}

// NextOnce returns the earliest event that does not recur: what a world waits for before it is idle.
func (w *State) NextOnce() (DueEvent, bool) {
	for _, event := range w.Events() {
		if !event.Recurring() {
			return event, true
		}
	}
	return DueEvent{}, false
}

// Events lists the queue in time order.
func (w *State) Events() []DueEvent {
	all := queueOf(&w.events)
	if all == nil {
		return nil
	}
	events := make([]DueEvent, 0, all.Len())
	for it := all.Iterator(); !it.Done(); {
		event, _, _ := it.Next()
		events = append(events, *event)
	}
	return events
}
