package control

import (
	"time"

	"svc.example/understudy/mockserver/internal/clock"
	"svc.example/understudy/mockserver/internal/journal"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/mockserver/internal/worlds"
)

type worldView struct {
	ID       string            `json:"id"`
	Scenario string            `json:"scenario"`
	Fork     string            `json:"fork,omitempty"`
	Before   int64             `json:"before,omitzero"`
	Seed     uint64            `json:"seed"`
	Clock    clockView         `json:"clock"`
	Keys     map[string]string `json:"keys,omitempty"`
}

// listedWorld is a world in the list of all.
type listedWorld struct {
	worldView
	Bytes       int64      `json:"bytes"`
	Exchanges   int        `json:"exchanges"` // that the journal has
	Checkpoints []string   `json:"checkpoints"`
	Faults      int        `json:"faults"`
	Stubs       int        `json:"stubs"`
	Expires     *time.Time `json:"expires,omitempty"` // by the wall clock, unless it is used before; nil: never
}

type clockView struct {
	Mode clock.Mode `json:"mode"`
	Now  time.Time  `json:"now"`
}

func viewWorld(w *worlds.World) worldView {
	value := w.Sketch()
	return worldView{
		ID: w.ID, Scenario: value.Scenario, Fork: w.Fork, Before: w.Plan().Before, Seed: value.Seed,
		Keys:  w.Keys,
		Clock: clockView{value.Clock.Mode(), value.Now()},
	}
}

func (h Host) listWorlds(*op.Call) (op.Reply, error) {
	views := []listedWorld{}
	for _, w := range h.Worlds.List() {
		faults, stubs := countFaults(w.Sketch())
		views = append(views, listedWorld{
			viewWorld(w), w.MemorySize(), w.Journal.Extent().Total, checkpointsOf(w), faults, stubs, h.Worlds.Expires(w),
		})
	}
	return op.OK(map[string]any{"worlds": views})
}

func (h Host) createWorld(c *op.Call) (op.Reply, error) {
	var body struct {
		ID       string    `json:"id"`
		Scenario string    `json:"scenario"`
		Fork     string    `json:"fork"`
		Before   int64     `json:"before"`
		Seed     *uint64   `json:"seed"`
		Clock    string    `json:"clock"`
		Now      time.Time `json:"now"`
		MintKeys bool      `json:"mintKeys"`
	}
	if err := c.Decode(&body); err != nil {
		return op.Reply{}, err
	}
	plan := worlds.Plan{
		ID: body.ID, Scenario: body.Scenario, Fork: body.Fork, Before: body.Before, Seed: body.Seed, Now: body.Now,
		MintKeys: body.MintKeys,
	}
	if body.Clock != "" {
		mode, err := clock.ParseMode(body.Clock)
		if err != nil {
			return op.Reply{}, op.Invalid("clock", "%v", err)
		}
		plan.Mode = mode
	}
	w, err := h.Worlds.Create(plan)
	if err != nil {
		return op.Reply{}, err
	}
	return op.Created(viewWorld(w))
}

func (h Host) deleteWorld(c *op.Call) (op.Reply, error) {
	if err := h.Worlds.Delete(c.Param("world")); err != nil {
		return op.Reply{}, err
	}
	return op.None()
}

func (h Host) resetWorld(_ *op.Call, w *worlds.World) (op.Reply, error) {
	w.Reset()
	return op.OK(viewWorld(w))
}

// countFaults counts the faults and the stubs that are planned in a world.
func countFaults(value *world.State) (faults, stubs int) {
	for _, planned := range value.Faults.Plan {
		if planned.Stub {
			stubs++
		} else {
			faults++
		}
	}
	return faults, stubs
}

func checkpointsOf(w *worlds.World) []string { return append([]string{}, w.Checkpoints()...) }

func (h Host) listCheckpoints(_ *op.Call, w *worlds.World) (op.Reply, error) {
	return op.OK(map[string][]string{"checkpoints": checkpointsOf(w)})
}

func (h Host) putCheckpoint(c *op.Call, w *worlds.World) (op.Reply, error) {
	w.Checkpoint(c.Param("name"))
	return op.OK(map[string]string{"world": w.ID, "name": c.Param("name")})
}

func (h Host) deleteCheckpoint(c *op.Call, w *worlds.World) (op.Reply, error) {
	if !w.DeleteCheckpoint(c.Param("name")) {
		return op.Reply{}, op.NotFound("checkpoint", "name", c.Param("name"))
	}
	return op.None()
}

func (h Host) restoreCheckpoint(c *op.Call, w *worlds.World) (op.Reply, error) {
	if !w.Restore(c.Param("name")) {
		return op.Reply{}, op.NotFound("checkpoint", "name", c.Param("name"))
	}
	return op.OK(viewWorld(w))
}

func (h Host) getState(c *op.Call, w *worlds.World) (op.Reply, error) {
	value, err := w.ReadAll(c.Context)
	if err != nil {
		return op.Reply{}, err
	}
	dump, err := h.Dump(c.Context, value)
	return op.Reply{Bytes: dump, Type: "application/json"}, err
}

func (h Host) putState(c *op.Call, w *worlds.World) (op.Reply, error) {
	value, err := h.Load(w.Peek(), "request body", c.Body)
	if err != nil {
		return op.Reply{}, op.Invalid("", "%v", err)
	}
	if err := w.Replace(value); err != nil {
		return op.Reply{}, err
	}
	return op.OK(viewWorld(w))
}

func (h Host) getClock(_ *op.Call, w *worlds.World) (op.Reply, error) {
	return op.OK(viewClock(w, worlds.ClockChange{World: w.Read(), Complete: true}))
}

func (h Host) moveClock(c *op.Call, w *worlds.World) (op.Reply, error) {
	var body struct {
		Advance   *string   `json:"advance"`
		UntilIdle *bool     `json:"untilIdle"`
		Mode      *string   `json:"mode"`
		Now       time.Time `json:"now"`
	}
	if err := c.Decode(&body); err != nil {
		return op.Reply{}, err
	}
	given := 0
	for _, is := range []bool{body.Advance != nil, body.UntilIdle != nil, body.Mode != nil} {
		if is {
			given++
		}
	}
	switch {
	case given != 1 || (body.Mode == nil && !body.Now.IsZero()):
		return op.Reply{}, op.Invalid("", "want exactly one of advance, untilIdle, and mode; now goes with mode only")
	case body.Advance != nil:
		by, err := time.ParseDuration(*body.Advance)
		if err != nil || by < 0 {
			return op.Reply{}, op.Invalid("advance", "want a duration such as 90s or 1h30m, not %q", *body.Advance)
		}
		return movedClock(w)(w.Advance(c.Context, by))
	case body.UntilIdle != nil:
		if !*body.UntilIdle {
			return op.Reply{}, op.Invalid("untilIdle", "want true")
		}
		return movedClock(w)(w.AdvanceUntilIdle(c.Context))
	}
	mode, err := clock.ParseMode(*body.Mode)
	if err != nil {
		return op.Reply{}, op.Invalid("mode", "%v", err)
	}
	return movedClock(w)(w.SetClock(c.Context, mode, body.Now))
}

func movedClock(w *worlds.World) func(worlds.ClockChange, error) (op.Reply, error) {
	return func(moved worlds.ClockChange, err error) (op.Reply, error) {
		if err != nil {
			return op.Reply{}, err
		}
		return op.OK(viewClock(w, moved))
	}
}

func viewClock(w *worlds.World, moved worlds.ClockChange) any {
	var next *time.Time
	if event, ok := moved.World.Next(); ok {
		next = &event.At
	}
	return struct {
		World     string     `json:"world"`
		Mode      clock.Mode `json:"mode"`
		Now       time.Time  `json:"now"`
		NextEvent *time.Time `json:"nextEvent"`
		Settled   int        `json:"settled"`
		Idle      bool       `json:"idle"`
		Complete  bool       `json:"complete"`
	}{w.ID, moved.World.Clock.Mode(), moved.World.Now(), next, moved.Settled, moved.World.Idle(), moved.Complete}
}

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
	extent := w.Journal.Extent()
	return op.OK(worldDetails{
		worldView: viewWorld(w),
		Size:      sizeView{w.MemorySize(), value.MemorySize(), int64(w.Journal.Size())},
		KeyCount:  len(value.Account.AllKeys()), Checkpoints: checkpointsOf(w),
		Journal: journalView{extent.Total, extent.Last, extent.Dropped},
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
