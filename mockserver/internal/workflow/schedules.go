package workflow

import (
	"bytes"
	"time"

	"svc.example/understudy/mockserver/internal/dig"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

// neverRun is the value of the next times of a schedule without a slot left. The document demands times there, and one
// far ahead keeps a client that waits for it from taking it for due (assumed).
var neverRun = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// scheduleForm is a Schedule or, with createdAt and updatedAt, a ScheduleSummary.
type scheduleForm struct {
	ID               string    `json:"id"`
	Project          idAndName `json:"project"`
	Workflow         idAndName `json:"workflow"`
	NextRunTime      string    `json:"nextRunTime"`
	NextScheduleTime string    `json:"nextScheduleTime"`
	DisabledAt       *string   `json:"disabledAt"`
	CreatedAt        string    `json:"createdAt,omitempty"`
	UpdatedAt        string    `json:"updatedAt,omitempty"`
}

func scheduleView(w *world.State, s world.Schedule) scheduleForm {
	d, _ := w.Workflow.Definitions.Get(s.Definition)
	p := projectOf(w, d)
	run := laterOf(s.Run, s.PlannedAt)
	if run.IsZero() {
		run = neverRun
	}
	return scheduleForm{
		ID: op.IDText(s.ID), Project: idName(p.ID, p.Name), Workflow: idName(d.ID, s.Name),
		NextRunTime: op.Instant(run), NextScheduleTime: scheduleTime(s, d), DisabledAt: op.OptionalInstant(s.DisabledAt),
	}
}

func scheduleTime(s world.Schedule, d world.Definition) string {
	if s.Time.IsZero() {
		return zonedTime(neverRun, zoneOf(d))
	}
	return zonedTime(s.Time, zoneOf(d))
}

// scheduleSummary returns a schedule in the form for lists. Its updatedAt is the time of creation, as in the engine.
func scheduleSummary(w *world.State, s world.Schedule) scheduleForm {
	form := scheduleView(w, s)
	form.CreatedAt = op.Instant(s.CreatedAt)
	form.UpdatedAt = form.CreatedAt
	return form
}

const maxSchedules = 100 // of a page; the interface has no parameter for it

var listSchedules = op.On(lastIDOf, func(c *op.Call, last int64) (op.Reply, error) {
	schedules := []scheduleForm{}
	for _, s := range table.After(&c.World.Workflow.Schedules, last) {
		if schedules = append(schedules, scheduleView(c.World, s)); len(schedules) == maxSchedules {
			break
		}
	}
	return op.OK(map[string]any{"schedules": schedules})
})

var listProjectSchedules = op.On(projectFromPath, func(c *op.Call, p world.Project) (op.Reply, error) {
	last, err := lastIDOf(c)
	if err != nil {
		return op.Reply{}, err
	}
	schedules := []scheduleForm{}
	for _, id := range p.Schedules {
		s, _ := c.World.Workflow.Schedules.Get(id)
		if id > last && len(schedules) < maxSchedules && (!c.Has("workflow") || s.Name == c.Text("workflow")) {
			schedules = append(schedules, scheduleView(c.World, s))
		}
	}
	return op.OK(map[string]any{"schedules": schedules})
})

var getSchedule = op.OnTwo(scheduleFromPath, func(c *op.Call, s world.Schedule, _ world.Definition) (op.Reply, error) {
	return op.OK(scheduleView(c.World, s))
})

// disableSchedule leaves the next times where they are, so that they come to lie in the past.
var disableSchedule = op.OnTwo(scheduleFromPath, func(
	c *op.Call, s world.Schedule, _ world.Definition,
) (op.Reply, error) {
	s.DisabledAt = c.Now
	return op.OK(scheduleSummary(c.World, planSchedule(c.World, s, c.Now)))
})

// enableSchedule leaves out the slots that were missed, unless skipSchedule is false: then they run at once, one after
// the other.
var enableSchedule = op.OnTwo(scheduleFromPath, func(
	c *op.Call, s world.Schedule, d world.Definition,
) (op.Reply, error) {
	var body struct {
		SkipSchedule *bool   `json:"skipSchedule"`
		NextTime     *string `json:"nextTime"`
	}
	c.Body = bytes.TrimSpace(c.Body)
	if err := c.Decode(&body); err != nil {
		return op.Reply{}, err
	}
	if body.SkipSchedule == nil || *body.SkipSchedule {
		var err error
		if s, err = skipMissed(s, d, body.NextTime, c.Now); err != nil {
			return op.Reply{}, err
		}
	}
	s.DisabledAt = time.Time{}
	return op.OK(scheduleSummary(c.World, planSchedule(c.World, s, c.Now)))
})

// skipMissed moves a schedule to the first slot at or after a session time or, without one, to the first that is still
// to run. The latter never moves it back.
func skipMissed(s world.Schedule, d world.Definition, text *string, now time.Time) (world.Schedule, error) {
	if text != nil {
		return moveToTime(s, d, *text)
	}
	if slot := d.Workflow.Schedule.First(now); slot.IsZero() || slot.Time.After(s.Time) {
		setSlot(&s, slot)
	}
	return s, nil
}

// skipSchedule moves a schedule forward, to a session time or by a number of slots. nextTime wins when both are given.
var skipSchedule = op.OnTwo(scheduleFromPath, func(c *op.Call, s world.Schedule, d world.Definition) (op.Reply, error) {
	var body skipRequest
	err := c.Decode(&body)
	switch {
	case err != nil:
	case body.NextTime != nil:
		s, err = moveToTime(s, d, *body.NextTime)
	case body.FromTime != nil && body.Count != nil:
		s, err = moveBySlots(s, d, *body.FromTime, *body.Count)
	default:
		err = op.Invalid("", "want nextTime, or fromTime together with count")
	}
	if err == nil && body.NextRunTime != nil {
		s.Run, err = parseMoment("nextRunTime", *body.NextRunTime, zoneOf(d))
		s.Run = s.Run.UTC()
	}
	if err != nil {
		return op.Reply{}, err
	}
	if body.DryRun {
		s.PlannedAt = time.Time{} // so that the new run time shows
		return op.OK(scheduleSummary(c.World, s))
	}
	return op.OK(scheduleSummary(c.World, planSchedule(c.World, s, c.Now)))
})

type skipRequest struct {
	NextTime    *string `json:"nextTime"`
	FromTime    *string `json:"fromTime"`
	Count       *int64  `json:"count"`
	NextRunTime *string `json:"nextRunTime"`
	DryRun      bool    `json:"dryRun"`
}

// moveToTime moves a schedule to the first slot at or after a session time.
func moveToTime(s world.Schedule, d world.Definition, text string) (world.Schedule, error) {
	t, err := parseMoment("nextTime", text, zoneOf(d))
	if err != nil {
		return s, err
	}
	return moveForward(s, d, "nextTime", d.Workflow.Schedule.At(t))
}

// maxSlots bounds how many slots one request may walk over (assumed): a schedule of every minute has so many in a week.
const maxSlots = 10_000

func moveBySlots(s world.Schedule, d world.Definition, text string, count int64) (world.Schedule, error) {
	from, err := parseMoment("fromTime", text, zoneOf(d))
	if err != nil {
		return s, err
	}
	if count < 0 || count > maxSlots {
		return s, op.Invalid("count", "want 0 to %d, not %d", maxSlots, count)
	}
	slot := d.Workflow.Schedule.At(from)
	for ; count > 0 && !slot.IsZero(); count-- {
		slot = d.Workflow.Schedule.Next(slot.Time)
	}
	return moveForward(s, d, "count", slot)
}

// moveForward refuses to move a schedule back, or nowhere.
func moveForward(s world.Schedule, d world.Definition, field string, slot dig.Slot) (world.Schedule, error) {
	if slot.IsZero() {
		return s, op.Invalid(field, "the schedule has no slot at that time: choose an earlier one")
	}
	if s.Time.IsZero() || !slot.Time.After(s.Time) {
		return s, op.Conflict("the schedule cannot go back to %s: it is already at %s",
			zonedTime(slot.Time, zoneOf(d)), scheduleTime(s, d))
	}
	setSlot(&s, slot)
	return s, nil
}

// scheduleFromPath returns the schedule of the path, and the workflow that it starts.
func scheduleFromPath(c *op.Call) (s world.Schedule, d world.Definition, err error) {
	s, err = op.ByID(c, "schedule", "id", c.World.Workflow.Schedules.Get)
	d, _ = c.World.Workflow.Definitions.Get(s.Definition)
	return s, d, err
}

// retryAfter is the time after which a scheduled start that hit a limit is tried again.
const retryAfter = 10 * time.Minute

// setSlot gives a schedule its next slot. A time beyond those that can be written is not a slot.
func setSlot(s *world.Schedule, slot dig.Slot) {
	s.Time, s.Run = slot.Time.UTC(), slot.Run.UTC()
	if s.Run.Year() > lastYear {
		s.Time, s.Run = time.Time{}, time.Time{}
	}
}

// planSchedule stores a schedule and plans its next run, except when it is disabled or has no slot left. A run whose
// time has passed is due at once.
func planSchedule(w *world.State, s world.Schedule, now time.Time) world.Schedule {
	run := s.Run
	if !s.DisabledAt.IsZero() {
		run = time.Time{}
	}
	s.PlannedAt = w.PlanSlot(world.DueEvent{At: s.PlannedAt, Kind: world.ScheduleEvent, ID: s.ID}, run, 0, now)
	w.Workflow.Schedules.Put(s.ID, s)
	return s
}

func dropSchedule(w *world.State, id int64) {
	s, _ := w.Workflow.Schedules.Get(id)
	w.Cancel(world.DueEvent{At: s.PlannedAt, Kind: world.ScheduleEvent, ID: id})
	table.Delete(&w.Workflow.Schedules, id)
}

// runSchedule starts the attempt of a schedule's slot and moves the schedule on. A session that exists already counts
// as run.
func runSchedule(w *world.State, e world.DueEvent) {
	s, ok := w.Workflow.Schedules.Get(e.ID)
	if !ok || !s.PlannedAt.Equal(e.At) {
		return
	}
	d, _ := w.Workflow.Definitions.Get(s.Definition)
	if !isSkipped(w, s, d, e.At) {
		begin := start{Definition: d, Time: s.Time, Queue: true, Scheduled: true}
		if _, _, err := begin.run(w, e.At); err != nil {
			planSchedule(w, s, e.At.Add(retryAfter))
			return
		}
	}
	s.LastTime = s.Time
	setSlot(&s, d.Workflow.Schedule.Next(s.Time))
	planSchedule(w, s, e.At)
}

// isSkipped reports whether the workflow's own options keep a slot from running: it comes too late, or an attempt of
// the workflow is not over yet.
func isSkipped(w *world.State, s world.Schedule, d world.Definition, at time.Time) bool {
	schedule := d.Workflow.Schedule
	if schedule.SkipDelayedBy > 0 && at.Sub(s.Run) > schedule.SkipDelayedBy {
		return true
	}
	if !schedule.SkipOnOvertime {
		return false
	}
	for id := range table.All(&w.Workflow.Unfinished) {
		a, _ := w.Workflow.Attempts.Get(id)
		session, _ := w.Workflow.Sessions.Get(a.Session)
		if session.Project == s.Project && session.Workflow == s.Name {
			return true
		}
	}
	return false
}
