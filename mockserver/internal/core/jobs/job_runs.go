package jobs

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"svc.example/understudy/mockserver/internal/core/access"
	"svc.example/understudy/mockserver/internal/core/data"
	"svc.example/understudy/mockserver/internal/core/result"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// The times for which a job is queued and runs, unless the world or a queued result sets others.
const (
	QueuedTime  = time.Second
	RunningTime = 4 * time.Second
)

// Issue queues a job, from a request or a schedule alike. A domain key belongs to its first job permanently.
func Issue(w *world.State, job world.Job, at time.Time) (world.Job, error) {
	if job.DomainKey != "" {
		if holder, held := w.Core.JobKeys.Get(job.DomainKey); held {
			return job, &op.Error{
				Code: op.CodeConflict, Message: fmt.Sprintf("domain key %s is already used by job %d", job.DomainKey, holder),
				Details: map[string]any{"conflicts_with": op.IDText(holder)},
			}
		}
	}
	job.ID = w.NewID("core.job")
	if job.DomainKey != "" {
		w.Core.JobKeys.Put(job.DomainKey, job.ID)
	}
	job.Status, job.CreatedAt, job.UpdatedAt = world.JobQueued, at, at
	job.Answer = result.Take(w, job)
	return PlanStep(w, job, at.Add(queuedTime(w, job))), nil
}

func queuedTime(w *world.State, job world.Job) time.Duration {
	switch {
	case job.Answer != nil && job.Answer.Queued != nil:
		return *job.Answer.Queued
	case job.Takes != nil:
		return 0
	}
	return cmp.Or(w.Core.JobTime.Queued, QueuedTime)
}

// Answer sets the answer with which a job ends, if the job is under way and has none yet.
func Answer(w *world.State, id int64, answer world.QueuedResult) {
	if job, ok := w.Core.Jobs.Get(id); ok && job.Answer == nil && !job.Status.Finished() {
		job.Answer = &answer
		w.Core.Jobs.Put(id, job)
	}
}

// Proceed runs the next step of a job that has its answer, or has not started yet, as of the time at which it is due.
func Proceed(w *world.State, id int64) {
	job, _ := w.Core.Jobs.Get(id)
	due := nextStep(job)
	w.Cancel(due)
	Engine{}.RunJob(w, due)
}

// PlanStep stores a job and plans its next event.
func PlanStep(w *world.State, job world.Job, at time.Time) world.Job {
	job.StepAt = at.UTC().Round(0)
	w.Plan(nextStep(job))
	w.Core.Jobs.Put(job.ID, job)
	return job
}

// nextStep returns the next event of a job, which may be due already and wait for a query.
func nextStep(job world.Job) world.DueEvent {
	return world.DueEvent{At: job.StepAt, Kind: world.JobEvent, ID: job.ID}
}

// RunJob runs the due step of a job: it starts the job, or ends it.
func (g Engine) RunJob(w *world.State, e world.DueEvent) {
	job, ok := w.Core.Jobs.Get(e.ID)
	switch {
	case !ok || !job.StepAt.Equal(e.At):
	case job.Status == world.JobQueued:
		g.startJob(w, job, e)
	default:
		g.endJob(w, job, e)
	}
}

// startJob starts a job. One that exports the result of another waits for that job's end.
func (g Engine) startJob(w *world.State, job world.Job, e world.DueEvent) {
	target, ok := w.Core.Jobs.Get(job.ExportTarget)
	if end, waits := w.WaitingAs(nextStep(target)); ok && waits && end.Query.Done() { // only the export was waited for
		w.End(end)
		g.RunJob(w, end)
		target, _ = w.Core.Jobs.Get(target.ID)
	}
	end, waits := w.WaitingAs(nextStep(target))
	switch {
	case !ok || target.Status.Finished():
		StartJob(w, job, e)
	case waits:
		e.Query, e.Holds = end.Query, true
		w.Begin(e)
	default:
		PlanStep(w, job, target.StepAt)
	}
}

// StartJob starts a job.
func StartJob(w *world.State, job world.Job, e world.DueEvent) {
	job.Status, job.StartAt, job.UpdatedAt = world.JobRunning, e.At, e.At
	job.Cmdout = "started\n"
	PlanStep(w, job, e.At.Add(runningTime(w, job)))
}

func runningTime(w *world.State, job world.Job) time.Duration {
	switch {
	case job.Answer != nil && job.Answer.Running != nil:
		return *job.Answer.Running
	case job.Takes != nil:
		return *job.Takes
	}
	return cmp.Or(w.Core.JobTime.Running, RunningTime)
}

// endJob ends a job with its result, once its query has ended. A failed job runs again while it has retries left, with
// the result that is queued by then.
func (g Engine) endJob(w *world.State, job world.Job, e world.DueEvent) {
	job.UpdatedAt = e.At
	ended, _ := e.Query.(*run)
	if ended == nil {
		if query := g.beginQuery(w, job); query != nil {
			e.Query, e.Holds = query, job.Tried < job.RetryLimit || job.LinkedExport != 0
			w.Begin(e)
			return
		}
	}
	err := g.perform(w, &job, ended)
	if err != nil && job.Tried < job.RetryLimit {
		job.Tried++
		job.Cmdout += fmt.Sprintf("failed, retry %d of %d follows\n", job.Tried, job.RetryLimit)
		job.Stderr += err.Error() + "\n"
		job.Answer = result.Take(w, job)
		PlanStep(w, job, e.At.Add(runningTime(w, job)))
		return
	}
	Conclude(w, job, e.At, err)
}

// Conclude ends a job with its result, or with an error.
func Conclude(w *world.State, job world.Job, at time.Time, err error) {
	job.EndAt, job.UpdatedAt, job.StepAt, job.Answer = at, at, time.Time{}, nil
	if err != nil {
		job.Status = world.JobError
		job.Cmdout += "failed\n"
		job.Stderr += err.Error() + "\n"
	} else {
		job.Status = world.JobSuccess
		job.Cmdout += "finished\n"
	}
	w.Core.Jobs.Put(job.ID, job)
}

// perform does the work of a job. Its query, if it has one, has ended.
func (g Engine) perform(w *world.State, job *world.Job, ended *run) error {
	switch {
	case ended != nil:
		return deliverResult(job, ended.result.Load())
	case job.Answer != nil && job.Answer.Error != "":
		return errors.New(job.Answer.Error)
	case job.ExportTarget != 0:
		return resultExportable(w, job.ExportTarget)
	case job.Type == BulkImportJob:
		return readParts(w, job)
	}
	_, database, err := userAndDatabase(w, *job)
	switch {
	case err != nil:
		return err
	case job.Type == exportJob:
		return tableExportable(w, *job, database)
	}
	var output *world.Output
	if job.Answer != nil {
		output = job.Answer.Output
	} else if output, err = result.NewOutput(nil, nil); err != nil {
		return err
	}
	SetOutput(job, output)
	job.Note = g.EmptyReason(*job)
	return nil
}

func deliverResult(job *world.Job, o *queryResult) error {
	if o.err != nil {
		return o.err
	}
	SetOutput(job, o.output)
	job.Note = o.note
	return nil
}

// SetOutput sets the rows of a job. Those of a bulk load are counted as inserted.
func SetOutput(job *world.Job, output *world.Output) {
	if job.Type == BulkLoadJob {
		job.RecordsInserted = output.Count
		job.Cmdout += fmt.Sprintf("records inserted: %d\n", output.Count)
		return
	}
	job.Output = output
	job.Cmdout += fmt.Sprintf("rows: %d\n", output.Count)
}

// userAndDatabase returns the user of a job and its database. Since the job was issued, or its schedule created, the
// database may have been deleted, or the user may have lost the right to query it.
func userAndDatabase(w *world.State, job world.Job) (world.Caller, world.Database, error) {
	user, _ := w.Account.Users.Get(job.User)
	caller := world.Caller{User: user}
	database, err := data.LiveDatabase(w, job.Database)
	if err == nil && !access.May(w, caller, database, access.Query) {
		err = fmt.Errorf("the permissions of user %d do not include %s on database %s", user.ID, access.Query,
			database.Name)
	}
	return caller, database, err
}

// EmptyReason returns why the rows of a job mean nothing, and how to change that, or the empty text if they mean
// something.
func (g Engine) EmptyReason(job world.Job) string {
	switch {
	case job.Answer != nil || job.Type == exportJob || job.Type == BulkImportJob:
		return ""
	case job.Type == BulkLoadJob:
		return fmt.Sprintf("job %d loads nothing: the mock does not run bulk loads; queue rows for its domain key, or for a "+
			"pattern of its configuration, and that many are counted as inserted", job.ID)
	case !speaksSQL(job.Type):
		return fmt.Sprintf("job %d has an empty result: the mock does not run jobs of the type %s; queue rows for its query",
			job.ID, job.Type)
	case g.Query == nil:
		return fmt.Sprintf("job %d has an empty result: the mock has no query engine, and nothing is queued for the "+
			"query; use WithQueryEngine, or queue rows", job.ID)
	}
	return ""
}

// KillJob stops a job, and its query if that has not ended. A finished job stays as it is.
var KillJob = op.On(findJob, func(c *op.Call, job world.Job) (op.Reply, error) {
	if !c.Caller.Administers() && job.User != c.Caller.User.ID {
		return op.Reply{}, op.Forbidden("job %d belongs to another user: only administrators may kill it", job.ID) // assumed
	}
	former := job.Status
	if !former.Finished() {
		due := nextStep(job)
		c.World.Cancel(due)
		c.World.End(due)
		job.Status, job.EndAt, job.UpdatedAt, job.StepAt = world.JobKilled, c.Now, c.Now, time.Time{}
		job.Cmdout += "killed\n"
		c.World.Core.Jobs.Put(job.ID, job)
	}
	return op.OK(map[string]string{"job_id": op.IDText(job.ID), "former_status": string(former)})
})
