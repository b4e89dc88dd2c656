package workflow

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver/internal/dig"
	"svc.example/understudy/mockserver/internal/world"
)

var errNoSchedule = errors.New("the latest revision has no workflow of that name with a schedule")

// seedSchedules gives the schedules of a project what the fixture says of them, but for their next runs, and lets none
// run yet.
func seedSchedules(w *world.State, p world.Project, f fixtures.Project, now time.Time) error {
	for i, name := range f.Disabled {
		if _, ok := scheduleNamed(w, p, name); !ok {
			return fixtures.At(errNoSchedule, "disabled "+name, "disabled", i)
		}
	}
	for _, id := range p.Schedules {
		s, _ := w.Workflow.Schedules.Get(id)
		w.Cancel(world.DueEvent{At: s.PlannedAt, Kind: world.ScheduleEvent, ID: id})
		s.PlannedAt = time.Time{}
		if slices.Contains(f.Disabled, s.Name) {
			s.DisabledAt = p.UpdatedAt
		}
		w.Workflow.Schedules.Put(id, s)
	}
	for i, of := range f.Schedules {
		s, ok := scheduleNamed(w, p, of.Workflow)
		if !ok {
			return fixtures.At(errNoSchedule, "schedule of "+of.Workflow, "schedules", i, "workflow")
		}
		err := cmp.Or(setInstant(&s.CreatedAt, of.CreatedAt, now, "schedules", i, "createdAt"),
			setInstant(&s.DisabledAt, of.DisabledAt, now, "schedules", i, "disabledAt"))
		if err != nil {
			return err
		}
		w.Workflow.Schedules.Put(s.ID, s)
	}
	return nil
}

func scheduleNamed(w *world.State, p world.Project, workflow string) (world.Schedule, bool) {
	for _, id := range p.Schedules {
		if s, _ := w.Workflow.Schedules.Get(id); s.Name == workflow {
			return s, true
		}
	}
	return world.Schedule{}, false
}

// seedNextRuns moves the next runs of schedules to where the fixture says that they are.
func seedNextRuns(w *world.State, projects []fixtures.Project, now time.Time) error {
	var errs []error
	for i, f := range projects {
		for j, of := range f.Schedules {
			if of.NextScheduleTime == "" && of.NextRunTime == "" || f.DeletedAt != "" {
				continue
			}
			p, err := projectByName(w, f.Name)
			if err == nil {
				err = seedNextRun(w, p, of, now)
			}
			errs = append(errs, fixtures.At(err, "schedule of "+of.Workflow, "workflow", "projects", i, "schedules", j))
		}
	}
	return errors.Join(errs...)
}

func seedNextRun(w *world.State, p world.Project, f fixtures.WorkflowSchedule, now time.Time) error {
	s, _ := scheduleNamed(w, p, f.Workflow)
	d, _ := w.Workflow.Definitions.Get(s.Definition)
	slot := dig.Slot{Time: s.Time, Run: s.Run}
	if f.NextScheduleTime != "" {
		at, err := f.NextScheduleTime.At(now)
		if err != nil {
			return fixtures.At(err, "nextScheduleTime", "nextScheduleTime")
		}
		if slot = d.Workflow.Schedule.At(at); !slot.Time.Equal(at) { // moved by hand, so it runs at that time
			slot = dig.Slot{Time: at, Run: at}
		}
	}
	if f.NextRunTime != "" {
		at, err := f.NextRunTime.At(now)
		if err != nil {
			return fixtures.At(err, "nextRunTime", "nextRunTime")
		}
		slot.Run = at
	}
	setSlot(&s, slot)
	planSchedule(w, s, now)
	return nil
}

// seedSlot plans a schedule's first run from now on, and takes the one before it for run. One that is disabled stays
// where it was.
func seedSlot(w *world.State, s world.Schedule, now time.Time) {
	d, _ := w.Workflow.Definitions.Get(s.Definition)
	schedule := d.Workflow.Schedule
	if s.DisabledAt.IsZero() {
		next, last := schedule.First(now), schedule.Last(now)
		if !next.IsZero() {
			last = schedule.Last(next.Time.Add(-1))
		}
		if !last.Run.Before(s.CreatedAt) {
			s.LastTime = last.Time.UTC()
		}
		setSlot(&s, next)
	}
	planSchedule(w, s, now)
}
