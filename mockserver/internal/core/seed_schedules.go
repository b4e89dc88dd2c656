package core

import (
	"fmt"
	"slices"
	"time"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver/internal/core/jobs"
	"svc.example/understudy/mockserver/internal/world"
)

// schedule plans a schedule with its history. The schedule issues jobs by itself only from now on.
func (s *seeding) schedule(i int, f fixtures.JobSchedule) {
	what := newSubject("schedule "+f.Name, "schedules", i).inDatabase(f.Database)
	user := s.user(what, f.User)
	slots, err := s.history(what, f)
	if err != nil {
		s.check(what, err)
		return
	}
	created := s.past(what.member("createdAt"), f.CreatedAt, s.now)
	if len(slots) > 0 {
		first := slices.MinFunc(slots, time.Time.Compare)
		if created = s.past(what.member("createdAt"), f.CreatedAt, first.Add(-24*time.Hour)); created.After(first) {
			s.check(what, fmt.Errorf("its history begins at %s: want an earlier createdAt", first.Format(time.RFC3339)))
		}
	}
	s.plan(what, created, func(at time.Time) error {
		err := s.World.WithID(scheduleIDs, int64(f.ID), func() error {
			_, err := jobs.CreateSchedule(s.Call(at, user, s.scheduleBody(what, f), "schedule_name", f.Name))
			return err
		})
		if row, ok := s.scheduleNamed(f.Name); ok {
			row.Slot = time.Time{}
			jobs.PutSchedule(s.World, row, at)
		}
		return err
	})
	for j, run := range f.History {
		s.planRun(what.member("history", j), f, run, slots[j])
	}
	s.plan(what, s.now, func(now time.Time) error {
		row, ok := s.scheduleNamed(f.Name)
		if !ok { // it could not be created
			return nil
		}
		after := now.Add(-time.Duration(row.Delay) * time.Second) // whose job is still to come
		if after.Before(row.CreatedAt) {
			after = row.CreatedAt
		}
		slot, err := jobs.NextSlot(row, after)
		row.Slot = s.moment(what.member("nextTime"), f.NextTime, slot)
		jobs.PutSchedule(s.World, row, now)
		return err
	})
}

func (s *seeding) scheduleNamed(name string) (world.JobSchedule, bool) {
	id, _ := s.World.Core.ScheduleNames.Get(name)
	return s.World.Core.Schedules.Get(id)
}

func (s *seeding) scheduleBody(what subject, f fixtures.JobSchedule) map[string]any {
	body := map[string]any{
		"cron": f.Cron, "delay": f.Delay, "database": f.Database, "type": f.Type, "query": f.Query,
		"priority": f.Priority, "retry_limit": f.RetryLimit, "result": f.Target,
	}
	if f.Timezone != "" {
		body["timezone"] = f.Timezone
	}
	if f.Pool != "" {
		body["pool_name"] = f.Pool
	}
	if f.EngineVersion != "" {
		body["engine_version"] = f.EngineVersion
	}
	if f.ExecutingUser != "" {
		body["executing_user_id"] = s.user(what.member("executingUser"), f.ExecutingUser)
	}
	return body
}

// history returns the slots of the past runs of a schedule: the slots that the runs name, and else the latest slots
// whose jobs are over by now.
func (s *seeding) history(what subject, f fixtures.JobSchedule) ([]time.Time, error) {
	row := world.JobSchedule{Cron: f.Cron, Timezone: f.Timezone}
	if row.Timezone == "" {
		row.Timezone = "UTC"
	}
	calendar, err := jobs.SlotsOf(row)
	if err != nil {
		return nil, err
	}
	slots := make([]time.Time, len(f.History))
	at := s.now.Add(-s.slotDuration(f))
	for i, run := range slices.Backward(f.History) {
		if run.ScheduledAt != "" {
			slots[i] = s.past(what.member("history", i, "scheduledAt"), run.ScheduledAt, s.now)
			continue
		}
		slot := calendar.Last(at)
		if slot.IsZero() {
			return nil, fmt.Errorf("its cron expression has fewer than %d slots before now", len(f.History))
		}
		slots[i] = slot.Time.UTC()
		at = slot.Time.Add(-1)
	}
	return slots, nil
}

// slotDuration returns the time from a slot to the end of its job.
func (s *seeding) slotDuration(f fixtures.JobSchedule) time.Duration {
	queued, running := s.usualTimes()
	return time.Duration(f.Delay)*time.Second + queued + running
}

// planRun plans the job of a slot.
func (s *seeding) planRun(what subject, f fixtures.JobSchedule, run fixtures.ScheduledRun, slot time.Time) {
	what.label = fmt.Sprintf("schedule %s, job for %s", f.Name, slot.Format(time.RFC3339))
	queued, running := s.usualTimes()
	j := seededJob{subject: what, status: world.JobStatus(run.Status)}
	j.created = s.past(what.member("createdAt"), run.CreatedAt, slot.Add(time.Duration(f.Delay)*time.Second))
	j.start = s.past(what.member("startAt"), run.StartAt, j.created.Add(queued))
	j.end = s.past(what.member("endAt"), run.EndAt, j.start.Add(running))
	j.answer = s.answer(j.subject, ending{j.status, run.Result, run.Error})
	j.issue = func(at time.Time) (int64, error) {
		row, ok := s.scheduleNamed(f.Name)
		if !ok { // it could not be created
			return 0, nil
		}
		var job world.Job
		err := s.World.WithID(JobIDs, int64(run.ID), func() (err error) {
			job, err = jobs.Issue(s.World, jobs.JobForSlot(row, slot), at)
			return err
		})
		return job.ID, err
	}
	s.planLife(j)
}
