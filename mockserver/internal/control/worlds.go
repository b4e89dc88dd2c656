package control

import (
	"time"

	"svc.example/understudy/mockserver/internal/clock"
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
			viewWorld(w), w.MemorySize(), w.Journal.Len(), checkpointsOf(w), faults, stubs, h.Worlds.Expires(w),
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
