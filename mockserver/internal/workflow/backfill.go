package workflow

import (
	"time"

	"github.com/google/uuid"

	"svc.example/understudy/mockserver/internal/dig"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

type backfillRequest struct {
	FromTime        *string `json:"fromTime"`
	Count           *int64  `json:"count"`
	AttemptName     *string `json:"attemptName"`
	SkipExisting    bool    `json:"skipExisting"`
	AdvanceSchedule bool    `json:"advanceSchedule"`
	DryRun          *bool   `json:"dryRun"`
}

// backfill is a request that has been read: which slots of a schedule are to run, and how.
type backfill struct {
	schedule   world.Schedule
	definition world.Definition
	first      dig.Slot
	until      time.Time // slots before this session time
	due        time.Time // not zero: and also later ones that would have run by now
	count      int64     // 0: as many as there are
	name       string
	skip       bool // slots whose session exists
}

// backfillSchedule starts the attempts of past slots, each behind the one before it. A dry run does the same to a copy
// of the world and shows what came of it, with the ids taken away.
var backfillSchedule = op.OnTwo(scheduleFromPath, func(
	c *op.Call, s world.Schedule, d world.Definition,
) (op.Reply, error) {
	var body backfillRequest
	if err := c.Decode(&body); err != nil {
		return op.Reply{}, err
	}
	b, err := newBackfill(body, s, d, c.Now)
	if err != nil {
		return op.Reply{}, err
	}
	w := c.World
	if *body.DryRun {
		trial := *w
		w = &trial
	}
	times, err := b.slots()
	if err != nil {
		return op.Reply{}, err
	}
	attempts, err := b.run(w, times, c.Now)
	if err != nil {
		return op.Reply{}, err
	}
	if n := len(times); body.AdvanceSchedule && n > 0 && !s.Time.IsZero() && !times[n-1].Before(s.Time) {
		s.LastTime = times[n-1].UTC()
		setSlot(&s, d.Workflow.Schedule.Next(s.LastTime))
		planSchedule(w, s, c.Now)
	}
	p := projectOf(w, d)
	return op.OK(map[string]any{
		"id": op.IDText(s.ID), "project": idName(p.ID, p.Name), "workflow": idName(d.ID, s.Name),
		"attempts": backfillViews(w, attempts, *body.DryRun),
	})
})

// newBackfill reads a request. Without fromTime the slots begin with that of the schedule's next run (public).
// advanceSchedule takes in the slots that a disabled or late schedule has missed since its next session time, since it
// could not move on otherwise (assumed).
func newBackfill(body backfillRequest, s world.Schedule, d world.Definition, now time.Time) (backfill, error) {
	b := backfill{
		schedule: s, definition: d, first: dig.Slot{Time: s.Time, Run: s.Run}, until: s.Time, skip: body.SkipExisting,
	}
	if body.DryRun == nil {
		return b, op.Invalid("dryRun", "is missing: want true or false")
	}
	if body.FromTime != nil {
		from, err := parseMoment("fromTime", *body.FromTime, zoneOf(d))
		if err != nil {
			return b, err
		}
		b.first = d.Workflow.Schedule.At(from)
	}
	if body.Count != nil {
		if b.count = *body.Count; b.count < 1 || b.count > maxSlots {
			return b, op.Invalid("count", "want 1 to %d, not %d", maxSlots, b.count)
		}
	}
	if body.AttemptName != nil {
		b.name = *body.AttemptName
	}
	if body.AdvanceSchedule {
		switch {
		case !b.skip:
			return b, op.Invalid("advanceSchedule", "requires skipExisting")
		case b.name != "":
			return b, op.Invalid("advanceSchedule", "cannot be combined with attemptName")
		}
		b.due = now
	}
	return b, nil
}

// slots lists session times. Without slots left in the future, all of them are past.
func (b backfill) slots() ([]time.Time, error) {
	schedule := b.definition.Workflow.Schedule
	var times []time.Time
	for slot := b.first; !slot.IsZero(); slot = schedule.Next(slot.Time) {
		if !b.until.IsZero() && !slot.Time.Before(b.until) && slot.Run.After(b.due) {
			break
		}
		if b.count > 0 && int64(len(times)) == b.count {
			return times, nil
		}
		if len(times) == maxSlots {
			return nil, op.Invalid("fromTime", "is followed by more than %d slots: pass count, or a later time", maxSlots)
		}
		times = append(times, slot.Time)
	}
	if n := int64(len(times)); n < b.count {
		return nil, op.Invalid("count", "is %d, but only %d slots exist", b.count, n)
	}
	return times, nil
}

// run starts the attempts of the slots.
func (b backfill) run(w *world.State, times []time.Time, now time.Time) ([]world.Attempt, error) {
	var attempts []world.Attempt
	var after int64
	for _, at := range times {
		if b.skip && sessionExists(w, b.schedule, at) {
			continue
		}
		begin := start{
			Definition: b.definition, Time: at, RetryName: b.name, Queue: true, Scheduled: true, After: after,
		}
		a, existing, err := begin.run(w, now)
		if err != nil {
			return nil, err
		}
		if existing {
			return nil, op.Conflict("session %s already has an attempt with the name %q: choose another attemptName",
				zonedTime(at, zoneOf(b.definition)), b.name)
		}
		attempts, after = append(attempts, a), a.ID
	}
	return attempts, nil
}

func sessionExists(w *world.State, s world.Schedule, at time.Time) bool {
	_, ok := w.Workflow.SessionKeys.Get(world.SessionKey{Project: s.Project, Workflow: s.Name, Time: at.Unix()})
	return ok
}

func backfillViews(w *world.State, attempts []world.Attempt, dryRun bool) []attemptForm {
	views := make([]attemptForm, len(attempts))
	for i, a := range attempts {
		views[i] = attemptView(w, a)
		if !dryRun {
			continue
		}
		views[i].ID = op.IDText(0)
		if a.Index == 1 {
			views[i].SessionID, views[i].SessionUUID = op.IDText(0), uuid.Nil.String()
		}
	}
	return views
}
