package control

import (
	"time"

	"svc.example/understudy/mockserver/internal/journal"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/mockserver/internal/worlds"
)

type worldDetails struct {
	worldView
	Size        sizeView    `json:"size"`
	KeyCount    int         `json:"keyCount"` // of the account
	Checkpoints []string    `json:"checkpoints"`
	Journal     journalView `json:"journal"`
	Events      int         `json:"events"` // that are due some time
	Faults      int         `json:"faults"`
	Stubs       int         `json:"stubs"`
	Expires     *time.Time  `json:"expires,omitempty"` // by the wall clock, unless it is used before; nil: never
	History     historyView `json:"history"`
}

// historyView says before which exchanges the world can be forked.
type historyView struct {
	Limit int   `json:"limit"`
	First int64 `json:"first"` // the next one if there is none
}

// sizeView holds how many bytes a world takes: in all, that no other world takes, and of it the state and the journal.
type sizeView struct {
	Total   int64 `json:"total"`
	State   int64 `json:"state"` // what it shares with its forks included
	Journal int64 `json:"journal"`
}

type journalView struct {
	Entries int             `json:"entries"`
	Last    int64           `json:"last"` // the number of the last exchange
	Dropped journal.Dropped `json:"dropped"`
}

func (h Host) getWorld(_ *op.Call, w *worlds.World) (op.Reply, error) {
	value := w.Read()
	faults, stubs := countFaults(value)
	limit, first := w.Journal.History()
	return op.OK(worldDetails{
		worldView: viewWorld(w),
		Size:      sizeView{w.MemorySize(), value.MemorySize(), int64(w.Journal.Size())},
		KeyCount:  len(value.Account.AllKeys()), Checkpoints: checkpointsOf(w),
		Journal: journalView{w.Journal.Len(), w.Journal.Last(), w.Journal.Dropped()},
		Events:  value.EventCount(),
		Faults:  faults, Stubs: stubs, Expires: h.Worlds.Expires(w), History: historyView{limit, first},
	})
}

// maxEvents is the number of events that are listed unless the client asks for another.
const maxEvents = 1000

type eventView struct {
	At        time.Time `json:"at"`
	Kind      string    `json:"kind"`
	Resource  string    `json:"resource"`
	ID        int64     `json:"id"` // of the resource
	Happens   string    `json:"happens"`
	Recurring bool      `json:"recurring"`
	Waiting   bool      `json:"waiting"` // it was due, and waits for the result of a query
}

// listEvents lists what was due and waits for queries, and then what is due, by time.
func (h Host) listEvents(c *op.Call, w *worlds.World) (op.Reply, error) {
	limit, err := c.Int("limit", maxEvents)
	if err != nil {
		return op.Reply{}, err
	}
	value := w.Read()
	events := []eventView{}
	add := func(e world.DueEvent, waiting bool) {
		if int64(len(events)) < limit {
			kind := eventKinds[e.Kind]
			events = append(events, eventView{e.At, e.Kind, kind.resource, e.ID, kind.happens, e.Recurring(), waiting})
		}
	}
	for e := range value.Waiting().All() {
		add(e, true)
	}
	for _, e := range value.Events() {
		add(e, false)
	}
	return op.OK(struct {
		World  string      `json:"world"`
		Now    time.Time   `json:"now"`
		Total  int         `json:"total"`
		Events []eventView `json:"events"`
	}{w.ID, value.Now(), value.EventCount(), events})
}

// eventKinds says of each kind of event which resource it is about, and what happens to that.
var eventKinds = map[string]struct{ resource, happens string }{
	world.AttemptEvent:       {"attempt", "the attempt's next step: a task ends, or its cancellation takes effect"},
	world.ScheduleEvent:      {"workflow schedule", "the schedule starts its next session"},
	world.JobEvent:           {"job", "the job starts or ends"},
	world.JobScheduleEvent:   {"job schedule", "the schedule issues its next job"},
	world.BulkImportEvent:    {"bulk import", "the rows of the bulk import are in its table"},
	world.BulkLoadEvent:      {"bulk load session", "the session starts its next load"},
	world.KnowledgeBaseEvent: {"knowledge base", "the indexing of the knowledge base ends"},
	world.QueryEvent:         {"audience query", "the profiles of the query are counted"},
}
