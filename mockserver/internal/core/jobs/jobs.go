// Package jobs holds the jobs of an account from their issue to their result: queries and the engine that answers them,
// exports, schedules, and the jobs of bulk imports.
package jobs

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"svc.example/understudy/mockserver/internal/core/wire"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
)

// statusForm is a JobStatus. A killed job that never started has the duration 0.
type statusForm struct {
	JobID      string          `json:"job_id"`
	Status     world.JobStatus `json:"status"`
	CreatedAt  string          `json:"created_at"`
	StartAt    string          `json:"start_at"`
	EndAt      string          `json:"end_at"`
	UpdatedAt  string          `json:"updated_at"`
	Duration   *int64          `json:"duration"` // whole seconds
	CPUTime    *int64          `json:"cpu_time"` // milliseconds; equal to the duration (assumed)
	NumRecords *int64          `json:"num_records"`
	ResultSize *int64          `json:"result_size"`
}

func statusView(job world.Job) statusForm {
	form := statusForm{
		JobID: op.IDText(job.ID), Status: job.Status, CreatedAt: wire.DateTime(job.CreatedAt),
		UpdatedAt: wire.DateTime(job.UpdatedAt),
		StartAt:   wire.DateTimeOrEmpty(job.StartAt), EndAt: wire.DateTimeOrEmpty(job.EndAt),
	}
	if job.Status.Finished() {
		var took time.Duration
		if !job.StartAt.IsZero() {
			took = job.EndAt.Sub(job.StartAt)
		}
		form.Duration, form.CPUTime = new(int64(took/time.Second)), new(took.Milliseconds())
	}
	if job.Output != nil {
		form.NumRecords, form.ResultSize = &job.Output.Count, &job.Output.Size
	}
	return form
}

// jobForm is a Job; with Debug a JobDetail, and with ScheduledAt an entry of a schedule's history. A client refuses
// null in the fields that are texts here (client).
type jobForm struct {
	statusForm
	Type          string     `json:"type"`
	Database      string     `json:"database"`
	Query         string     `json:"query"` // of a bulk load its configuration (client)
	Priority      int        `json:"priority"`
	RetryLimit    int        `json:"retry_limit"`
	Schema        *string    `json:"hive_result_schema"`
	Result        string     `json:"result"`
	URL           string     `json:"url"`
	UserName      string     `json:"user_name"`
	Organization  *string    `json:"organization"` // a leftover (public)
	*exportsForm             // nil in a schedule's history, where a strict client refuses them (client)
	EngineVersion string     `json:"engine_version,omitzero"`
	Debug         *debugForm `json:"debug,omitzero"`
	ScheduledAt   *string    `json:"scheduled_at,omitzero"`
}

// exportsForm names the jobs that a job has to do with as an export, if any.
type exportsForm struct {
	Linked *int64 `json:"linked_result_export_job_id"`
	Target *int64 `json:"result_export_target_job_id"`
}

type debugForm struct {
	Cmdout *string `json:"cmdout"`
	Stderr *string `json:"stderr"`
}

func jobView(w *world.State, job world.Job) jobForm {
	user, _ := w.Account.Users.Get(job.User)
	return jobForm{
		statusForm: statusView(job), Type: job.Type, Database: job.Database,
		Query:    cmp.Or(job.Query, string(job.BulkLoad)),
		Priority: job.Priority, RetryLimit: job.RetryLimit, Schema: resultSchema(job.Output), Result: job.ResultURL,
		URL: specs.Brand(w.Brand).Text("https://console.svc.example/jobs/") + op.IDText(job.ID), UserName: user.Name,
		exportsForm:   &exportsForm{optionalID(job.LinkedExport), optionalID(job.ExportTarget)},
		EngineVersion: job.EngineVersion,
	}
}

// jobDetail returns a job with its printed output, which is null as long as the job is queued.
func jobDetail(w *world.State, job world.Job) jobForm {
	form := jobView(w, job)
	form.Debug = &debugForm{}
	if job.Status != world.JobQueued {
		form.Debug.Cmdout, form.Debug.Stderr = &job.Cmdout, &job.Stderr
	}
	return form
}

// resultSchema returns the names and types of a result's columns, in the form that clients read.
func resultSchema(out *world.Output) *string {
	if out == nil {
		return nil
	}
	columns := out.Columns
	if columns == nil {
		columns = [][2]string{}
	}
	text, _ := json.Marshal(columns) // texts cannot fail
	return new(string(text))
}

func optionalID(id int64) *int64 {
	if id == 0 {
		return nil
	}
	return &id
}

const (
	jobsByDefault = 20
	slowJob       = 3600 // seconds from which on a job is slow, unless the client sends another number (assumed)
)

// ListJobs lists jobs, the newest first. Positions count from 0, and the list includes the job at the position to.
func ListJobs(c *op.Call) (op.Reply, error) {
	from, to, err := positions(c, jobsByDefault-1)
	if err != nil {
		return op.Reply{}, err
	}
	listed, err := jobFilter(c)
	if err != nil {
		return op.Reply{}, err
	}
	jobs, at := []jobForm{}, int64(0)
	for _, job := range table.Before(&c.World.Core.Jobs, 0) {
		if at > to {
			break
		}
		waitForEnd(c, job)
		if !listed(job) {
			continue
		}
		if at >= from {
			jobs = append(jobs, jobView(c.World, job))
		}
		at++
	}
	return op.OK(jobPage{
		Jobs: jobs, Count: len(jobs), From: sentOrNull(c, "from", from), To: sentOrNull(c, "to", to),
	})
}

type jobPage struct {
	Jobs  []jobForm `json:"jobs"`
	Count int       `json:"count"`
	From  *int64    `json:"from"`
	To    *int64    `json:"to"`
}

// sentOrNull returns the value of a parameter, or nil if the request does not have the parameter.
func sentOrNull(c *op.Call, name string, value int64) *int64 {
	if !c.Has(name) {
		return nil
	}
	return &value
}

// positions returns two positions in a list, counted from 0: from and, unless it was sent, so much behind it to.
func positions(c *op.Call, behind int64) (from, to int64, err error) {
	position := func(name string, fallback int64) (int64, error) {
		at, err := c.Int(name, fallback)
		if err == nil && at < 0 {
			err = op.Invalid(name, "must be at least 0, but is %d", at)
		}
		return at, err
	}
	if from, err = position("from", 0); err == nil {
		to, err = position("to", from+behind)
	}
	return from, to, err
}

func jobFilter(c *op.Call) (func(world.Job) bool, error) {
	status := world.JobStatus(c.Text("status"))
	slow, err := c.Flag("slow", false)
	if err != nil {
		return nil, err
	}
	slower, err := c.Int("slower_than", slowJob)
	if err != nil {
		return nil, err
	}
	slow = slow || c.Has("slower_than")
	return func(job world.Job) bool {
		return (status == "" || job.Status == status) && (!slow || int64(runDuration(job, c.Now)/time.Second) > slower)
	}, nil
}

// runDuration returns the time for which a job has run by now.
func runDuration(job world.Job, now time.Time) time.Duration {
	switch {
	case job.StartAt.IsZero():
		return 0
	case job.EndAt.IsZero():
		return now.Sub(job.StartAt)
	}
	return job.EndAt.Sub(job.StartAt)
}

// GetJob returns a job with its printed output.
var GetJob = op.On(jobFromPath, func(c *op.Call, job world.Job) (op.Reply, error) {
	return op.OK(jobDetail(c.World, job))
})

// GetJobStatus returns the status of a job.
var GetJobStatus = op.On(jobFromPath, func(_ *op.Call, job world.Job) (op.Reply, error) {
	return op.OK(statusView(job))
})

// GetJobStatusByDomainKey returns the status of the job with a domain key.
func GetJobStatusByDomainKey(c *op.Call) (op.Reply, error) {
	id, ok := c.World.Core.JobKeys.Get(c.Param("domain_key"))
	if !ok {
		return op.Reply{}, op.NotFound("job", "domain key", c.Param("domain_key"))
	}
	job, _ := c.World.Core.Jobs.Get(id)
	waitForEnd(c, job)
	return op.OK(statusView(job))
}

// GetJobStatistics returns how many records a job has inserted.
var GetJobStatistics = op.On(jobFromPath, func(_ *op.Call, job world.Job) (op.Reply, error) {
	return op.OK(map[string]string{"records_inserted": fmt.Sprint(job.RecordsInserted)})
})

// jobFromPath returns the job of the path, with its result if that was due. All users see the jobs of the account
// (assumed).
func jobFromPath(c *op.Call) (world.Job, error) {
	job, err := findJob(c)
	if err == nil {
		waitForEnd(c, job)
	}
	return job, err
}

func findJob(c *op.Call) (world.Job, error) {
	return op.ByID(c, "job", "job_id", c.World.Core.Jobs.Get)
}

// JobPending reports the status of the job of the path, and when its next step is due, if it is not over.
var JobPending = op.PendingOn(jobFromPath, func(_ *op.Call, job world.Job) (string, time.Time, bool) {
	return string(job.Status), job.StepAt, !job.Status.Finished()
})

// DomainKeyPending reports the same as JobPending, for the job with the domain key of the path.
func DomainKeyPending(c *op.Call) (string, time.Time, bool) {
	id, _ := c.World.Core.JobKeys.Get(c.Param("domain_key"))
	job, ok := c.World.Core.Jobs.Get(id)
	return string(job.Status), job.StepAt, ok && !job.Status.Finished()
}
