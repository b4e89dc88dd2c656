package bulkload

import (
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/core/data"
	"svc.example/understudy/mockserver/internal/core/jobs"
	"svc.example/understudy/mockserver/internal/core/wire"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

// RunDueBulkLoad issues the job of a bulk load session's slot, and advances the session to its next slot.
func RunDueBulkLoad(w *world.State, e world.DueEvent) {
	b, ok := w.Core.BulkLoads.Get(e.ID)
	if !ok || !b.PlannedAt.Equal(e.At) {
		return
	}
	_, _ = jobs.Issue(w, jobOfLoad(b, b.Slot), e.At) // without a domain key it cannot fail
	b.Slot, _ = jobs.NextSlot(timing(b), b.Slot)     // the cron text compiled when the session was stored
	putBulkLoad(w, b, e.At)
}

func jobOfLoad(b world.BulkLoad, slot time.Time) world.Job {
	return world.Job{
		Type: jobs.BulkLoadJob, Database: b.Database, Table: b.Table, BulkLoad: b.Config, User: b.User,
		BulkLoadSession: b.ID, ScheduledAt: slot,
	}
}

// RunBulkLoad issues a job with the configuration of a session.
func RunBulkLoad(c *op.Call) (op.Reply, error) {
	b, err := ownBulkLoad(c)
	if err != nil {
		return op.Reply{}, err
	}
	var body struct {
		ScheduledTime jsontext.Value `json:"scheduled_time"`
	}
	if err := c.Decode(&body); err != nil {
		return op.Reply{}, err
	}
	slot, err := scheduledTime(body.ScheduledTime, c.Now)
	if err != nil {
		return op.Reply{}, err
	}
	job := jobOfLoad(b, slot)
	job.User = c.Caller.User.ID
	if job, err = jobs.IssueWithin(c.World, job, c.Now); err != nil {
		return op.Reply{}, err
	}
	reply := op.Reply{Body: map[string]string{"job_id": op.IDText(job.ID)}}
	if note := (jobs.Engine{}).EmptyReason(job); note != "" {
		reply.Notes = []string{note}
	}
	return reply, nil
}

// scheduledTime returns the time that a run is for: unix seconds, as a number or a text. Without one it is now.
func scheduledTime(value jsontext.Value, now time.Time) (time.Time, error) {
	text := string(value)
	if value.Kind() == '"' {
		plain, _ := jsontext.AppendUnquote(nil, value) // which was read as JSON
		text = string(plain)
	}
	if value == nil || value.Kind() == 'n' || text == "" {
		return now, nil
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil || seconds < 0 || seconds > wire.MaxTime {
		return now, op.Unprocessable("scheduled_time", "want unix seconds, 0 to %d, not %s", wire.MaxTime, text)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// loadJobForm is a job of a bulk load session. A client takes the start from the end, or from now, so that there is
// always one (client).
type loadJobForm struct {
	JobID      int64           `json:"job_id"`
	AccountID  int64           `json:"account_id"`
	Status     world.JobStatus `json:"status"`
	Records    int64           `json:"records"`
	Priority   int             `json:"priority"`
	Database   namedForm       `json:"database"`
	Table      namedForm       `json:"table"`
	CreatedAt  int64           `json:"created_at"`
	StartAt    int64           `json:"start_at"`
	EndAt      *int64          `json:"end_at"`
	Schema     *string         `json:"schema"`
	ConfigDiff struct{}        `json:"config_diff"`
}

// namedForm is an object by its id and its name; the id is null once it is gone.
type namedForm struct {
	ID   *int64 `json:"id"`
	Name string `json:"name"`
}

// ListBulkLoadJobs lists the jobs of a session, the newest first.
func ListBulkLoadJobs(c *op.Call) (op.Reply, error) {
	b, err := bulkLoadFromPath(c)
	if err != nil {
		return op.Reply{}, err
	}
	jobs := []loadJobForm{}
	for _, job := range table.Before(&c.World.Core.Jobs, 0) {
		if job.BulkLoadSession == b.ID {
			jobs = append(jobs, loadJobView(c.World, job))
		}
	}
	return op.OK(jobs)
}

func loadJobView(w *world.State, job world.Job) loadJobForm {
	form := loadJobForm{
		JobID: job.ID, AccountID: w.Account.ID, Status: job.Status, Records: job.RecordsInserted,
		Priority: job.Priority,
		Database: namedForm{Name: job.Database}, Table: namedForm{Name: job.Table},
		CreatedAt: job.CreatedAt.Unix(), StartAt: job.CreatedAt.Unix(),
	}
	if d, err := data.LiveDatabase(w, job.Database); err == nil {
		form.Database.ID = &d.ID
	}
	if t, err := data.LiveTable(w, job.Database, job.Table); err == nil {
		form.Table.ID = &t.ID
	}
	if !job.StartAt.IsZero() {
		form.StartAt = job.StartAt.Unix()
	}
	if !job.EndAt.IsZero() {
		form.EndAt = new(job.EndAt.Unix())
	}
	return form
}

// Pending reports the state of the newest job of a session, and when its next step is due, if it is not over.
func Pending(c *op.Call) (string, time.Time, bool) {
	b, err := bulkLoadFromPath(c)
	if err != nil {
		return "", time.Time{}, false
	}
	for _, job := range table.Before(&c.World.Core.Jobs, 0) {
		if job.BulkLoadSession == b.ID {
			return op.IDText(job.ID) + " " + string(job.Status), job.StepAt, !job.Status.Finished()
		}
	}
	return "", time.Time{}, false
}
