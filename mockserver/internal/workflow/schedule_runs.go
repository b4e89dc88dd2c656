package workflow

import (
	"time"

	"svc.example/understudy/mockserver/internal/dig"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

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
	w.Cancel(world.DueEvent{At: s.PlannedAt, Kind: world.ScheduleEvent, ID: s.ID})
	s.PlannedAt = time.Time{}
	if s.DisabledAt.IsZero() && !s.Run.IsZero() {
		s.PlannedAt = laterOf(s.Run, now)
		w.Plan(world.DueEvent{At: s.PlannedAt, Kind: world.ScheduleEvent, ID: s.ID})
	}
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
