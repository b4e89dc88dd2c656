package core

import (
	"cmp"
	"errors"
	"fmt"
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
	for member, value := range map[string]string{"pool_name": f.Pool, "engine_version": f.EngineVersion} {
		if value != "" {
			body[member] = value
		}
	}
	j.issue = func(at time.Time) (id int64, err error) {
		err = s.World.WithID(JobIDs, int64(f.ID), func() (err error) {
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
