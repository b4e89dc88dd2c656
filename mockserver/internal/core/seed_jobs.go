package core

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver/internal/core/jobs"
	"svc.example/understudy/mockserver/internal/core/result"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// seededWait is the time until a queued job starts, or a running one ends, when a fixture leaves it out: enough to
// inspect the job.
const seededWait = 12 * time.Hour

// jobTimes holds the moments of a job's life. Those after now are in the future.
type jobTimes struct{ created, start, end time.Time }

// seededJob is a job to play, with the way it is issued and the way it ends.
type seededJob struct {
	jobTimes
	subject subject
	issue   func(at time.Time) (id int64, err error)
	status  world.JobStatus
	answer  *world.QueuedResult // nil: left to the engine
	set     func(*world.Job)    // sets what does not follow from its course; nil: nothing
}

// job plans a job of a fixture.
func (s *seeding) job(i int, f fixtures.Job) {
	what := newSubject(fmt.Sprintf("job %d (%s, %s)", i+1, f.Type, f.Database), "jobs", i).inDatabase(f.Database)
	j := seededJob{subject: what, status: world.JobStatus(f.Status), set: func(job *world.Job) { s.setJob(what, f, job) }}
	user := s.user(j.subject, f.User)
	queued, isQueued := s.results[f.ID]
	if isQueued = isQueued && f.ID != 0; isQueued {
		f.Result, f.Error = resultOf(queued)
	}
	j.jobTimes = s.times(j.subject, f)
	j.answer = s.answer(j.subject, ending{j.status, f.Result, f.Error})
	if isQueued && queued.Running != nil && j.answer != nil {
		j.answer.Running = (*time.Duration)(queued.Running)
	}
	body := map[string]any{
		"query": f.Query, "domain_key": f.DomainKey, "priority": f.Priority, "retry_limit": f.RetryLimit,
		"result": f.Target,
	}
	addTexts(body, map[string]string{"pool_name": f.Pool, "engine_version": f.EngineVersion})
	j.issue = func(at time.Time) (id int64, err error) {
		err = s.World.WithID("core.job", int64(f.ID), func() (err error) {
			if f.Type == jobs.BulkImportJob {
				id, err = s.bulkImportJob(f, user, at)
				return err
			}
			reply, err := jobs.Engine{}.IssueJob(s.Call(at, user, body, "job_type", f.Type, "database_name", f.Database))
			if err != nil {
				return err
			}
			id, err = strconv.ParseInt(reply.Body.(map[string]string)["job_id"], 10, 64)
			return err
		})
		return id, err
	}
	s.planLife(j)
}

// bulkImportJob issues a job that has read a bulk import. What it has found stands in the import.
func (s *seeding) bulkImportJob(f fixtures.Job, user int64, at time.Time) (int64, error) {
	job, err := jobs.Issue(s.World, world.Job{
		Type: f.Type, Database: f.Database, User: user, DomainKey: f.DomainKey, Priority: f.Priority,
	}, at)
	return job.ID, err
}

// setJob gives a job what does not follow from its course.
func (s *seeding) setJob(what subject, f fixtures.Job, job *world.Job) {
	s.set(what, "updatedAt", f.UpdatedAt, &job.UpdatedAt)
	s.set(what, "scheduledAt", f.ScheduledAt, &job.ScheduledAt)
	if f.Schedule != "" {
		schedule, _ := s.scheduleNamed(f.Schedule)
		job.Schedule = schedule.ID
	}
	job.LinkedExport, job.ExportTarget = int64(f.LinkedExport), int64(f.ExportTarget)
	if f.Cmdout != nil {
		job.Cmdout = *f.Cmdout
	}
	if f.Stderr != nil {
		job.Stderr = *f.Stderr
	}
}

// resultOf returns the result, or the error, of a job for which a result is queued by its id.
func resultOf(r fixtures.QueuedResult) (*fixtures.Output, string) {
	if r.Error != "" {
		return nil, r.Error
	}
	return &fixtures.Output{Columns: r.Columns, Rows: r.Rows}, ""
}

// times returns the moments that a fixture gives, and derives those that it leaves out.
func (s *seeding) times(what subject, f fixtures.Job) jobTimes {
	queued, running := s.usualTimes()
	later, status := s.now.Add(seededWait), world.JobStatus(f.Status)
	t := jobTimes{
		created: s.moment(what.member("createdAt"), f.CreatedAt, time.Time{}),
		start:   s.moment(what.member("startAt"), f.StartAt, time.Time{}),
		end:     s.moment(what.member("endAt"), f.EndAt, time.Time{}),
	}
	if status == world.JobQueued {
		return jobTimes{created: cmp.Or(t.created, s.now), start: cmp.Or(t.start, later)}
	}
	if status == world.JobRunning {
		t.end = cmp.Or(t.end, later)
	}
	if !t.created.IsZero() {
		t.start = cmp.Or(t.start, t.created.Add(queued))
	} else if status == world.JobRunning {
		t.start = cmp.Or(t.start, s.now)
	}
	if !t.start.IsZero() {
		t.end = cmp.Or(t.end, t.start.Add(running))
	}
	t.end = cmp.Or(t.end, s.now)
	t.start = cmp.Or(t.start, t.end.Add(-running))
	t.created = cmp.Or(t.created, t.start.Add(-queued))
	return t
}

// usualTimes returns the times for which jobs wait and run in this world.
func (s *seeding) usualTimes() (queued, running time.Duration) {
	return cmp.Or(s.World.Core.JobTime.Queued, jobs.QueuedTime), cmp.Or(s.World.Core.JobTime.Running, jobs.RunningTime)
}

// check returns an error if times do not fit a status.
func (t jobTimes) check(status world.JobStatus, now time.Time) error {
	switch {
	case t.created.After(now):
		return errors.New("createdAt is in the future")
	case status == world.JobQueued && !t.start.After(now):
		return errors.New("a queued job must start later than now: want another startAt")
	case status == world.JobQueued:
	case t.start.Before(t.created), t.end.Before(t.start) && status != world.JobKilled:
		return errors.New("want createdAt, startAt and endAt in this order")
	case status == world.JobRunning && (t.start.After(now) || !t.end.After(now)):
		return errors.New("a running job must have started by now and end later: want another startAt or endAt")
	case status.Finished() && t.end.After(now):
		return fmt.Errorf("a finished job must have ended by now: want an earlier endAt than %s",
			t.end.Format(time.RFC3339))
	}
	return nil
}

// planLife plans the steps of a job's life. A job that was killed before its start never starts.
func (s *seeding) planLife(j seededJob) {
	if err := j.check(j.status, s.now); err != nil {
		s.check(j.subject, err)
		return
	}
	var id int64
	s.plan(j.subject, j.created, func(at time.Time) (err error) {
		if id, err = j.issue(at); id == 0 {
			return err
		}
		job := s.stopJob(id)
		if !j.status.Finished() {
			job.Answer = j.answer
		}
		jobs.PlanStep(s.World, job, j.start)
		s.finish = append(s.finish, func() {
			if job, ok := s.World.Core.Jobs.Get(id); ok && j.set != nil {
				j.set(&job)
				s.World.Core.Jobs.Put(id, job)
			}
		})
		return nil
	})
	then := func(at time.Time, do func(id int64, at time.Time) error) {
		s.plan(j.subject, at, func(at time.Time) error {
			if id == 0 { // it could not be issued
				return nil
			}
			return do(id, at)
		})
	}
	if !j.start.After(s.now) && (j.status != world.JobKilled || !j.end.Before(j.start)) {
		then(j.start, func(id int64, at time.Time) error {
			jobs.StartJob(s.World, s.stopJob(id), world.DueEvent{At: at, Kind: world.JobEvent, ID: id})
			jobs.PlanStep(s.World, s.stopJob(id), j.end)
			return nil
		})
	}
	if j.status.Finished() {
		then(j.end, func(id int64, at time.Time) error { return s.endJob(j, id, at) })
	}
}

// stopJob returns a job, and cancels its next event.
func (s *seeding) stopJob(id int64) world.Job {
	job, _ := s.World.Core.Jobs.Get(id)
	s.World.Cancel(world.DueEvent{At: job.StepAt, Kind: world.JobEvent, ID: id})
	return job
}

// endJob ends a job in the way that the fixture describes, even if its database or its user's rights are gone.
func (s *seeding) endJob(j seededJob, id int64, at time.Time) error {
	job := s.stopJob(id)
	if j.status == world.JobKilled {
		_, err := jobs.KillJob(s.Call(at, job.User, nil, "job_id", op.IDText(id)))
		return err
	}
	if j.status == world.JobError {
		jobs.Conclude(s.World, job, at, errors.New(j.answer.Error))
		return nil
	}
	jobs.SetOutput(&job, j.answer.Output)
	jobs.Conclude(s.World, job, at, nil)
	return nil
}

// ending is the end of a job that a fixture describes, past or future.
type ending struct {
	status world.JobStatus
	result *fixtures.Output
	err    string
}

// answer returns the answer of a job; nil for a job that is killed, and for one that has not ended and is left to the
// engine.
func (s *seeding) answer(what subject, e ending) *world.QueuedResult {
	if e.status == world.JobError || e.err != "" {
		return &world.QueuedResult{Error: cmp.Or(e.err, "the job failed")}
	}
	if e.result == nil {
		if e.status != world.JobSuccess {
			return nil
		}
		e.result = &fixtures.Output{}
	}
	output, err := result.FixtureOutput(*e.result)
	s.check(what, err)
	return &world.QueuedResult{Output: output}
}

func seedResult(w *world.State, f fixtures.QueuedResult) error {
	r, err := result.FromFixture(f)
	if err != nil {
		return err
	}
	return result.Queue(w, r)
}

// addTexts adds members to a body of a request, but for empty ones.
func addTexts(body map[string]any, members map[string]string) {
	for member, text := range members {
		if text != "" {
			body[member] = text
		}
	}
}

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
		err := s.World.WithID("core.schedule", int64(f.ID), func() error {
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
	addTexts(body, map[string]string{"timezone": f.Timezone, "pool_name": f.Pool, "engine_version": f.EngineVersion})
	if f.ExecutingUser != "" {
		body["executing_user_id"] = s.user(what.member("executingUser"), f.ExecutingUser)
	}
	return body
}

// history returns the slots of the past runs of a schedule: the slots that the runs name, and else the latest slots
// whose jobs are over by now.
func (s *seeding) history(what subject, f fixtures.JobSchedule) ([]time.Time, error) {
	calendar, err := jobs.SlotsOf(world.JobSchedule{Cron: f.Cron, Timezone: cmp.Or(f.Timezone, "UTC")})
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
		err := s.World.WithID("core.job", int64(run.ID), func() (err error) {
			job, err = jobs.Issue(s.World, jobs.JobForSlot(row, slot), at)
			return err
		})
		return job.ID, err
	}
	s.planLife(j)
}
