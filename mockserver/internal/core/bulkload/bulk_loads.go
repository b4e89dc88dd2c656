// Package bulkload holds the sessions that load files from elsewhere, and plans their jobs.
package bulkload

import (
	"cmp"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/core/access"
	"svc.example/understudy/mockserver/internal/core/data"
	"svc.example/understudy/mockserver/internal/core/jobs"
	"svc.example/understudy/mockserver/internal/core/wire"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

// bulkLoadForm is a BulkLoad.
type bulkLoadForm struct {
	Name       string          `json:"name"`
	Database   string          `json:"database"`
	Table      string          `json:"table"`
	Cron       *string         `json:"cron"`
	Timezone   string          `json:"timezone"`
	Delay      int64           `json:"delay"`
	TimeColumn *string         `json:"time_column"`
	Config     json.RawMessage `json:"config"`
	ConfigDiff struct{}        `json:"config_diff"` // state that a run leaves for the next: the mock's runs leave none
	CreatedAt  string          `json:"created_at"`
	UpdatedAt  string          `json:"updated_at"`
}

func bulkLoadView(b world.BulkLoad) bulkLoadForm {
	form := bulkLoadForm{
		Name: b.Name, Database: b.Database, Table: b.Table, Timezone: b.Timezone, Delay: b.Delay, Config: b.Config,
		CreatedAt: wire.DateTime(b.CreatedAt), UpdatedAt: wire.DateTime(b.UpdatedAt),
	}
	if b.Cron != "" {
		form.Cron = &b.Cron
	}
	if b.TimeColumn != "" {
		form.TimeColumn = &b.TimeColumn
	}
	return form
}

// bulkLoadRequest is the body of requests on a bulk load session. An absent field leaves its value as it is.
type bulkLoadRequest struct {
	Name       *string               `json:"name"`
	Database   *string               `json:"database"`
	Table      *string               `json:"table"`
	Cron       wire.Nullable[string] `json:"cron"`
	Timezone   *string               `json:"timezone"`
	Delay      *int64                `json:"delay"`
	TimeColumn wire.Nullable[string] `json:"time_column"`
	Config     jsontext.Value        `json:"config"`
}

// ListBulkLoads lists the bulk load sessions of the account. All users see them (assumed).
func ListBulkLoads(c *op.Call) (op.Reply, error) {
	list := []bulkLoadForm{}
	for _, b := range table.All(&c.World.Core.BulkLoads) {
		list = append(list, bulkLoadView(b))
	}
	return op.OK(list)
}

// CreateBulkLoad creates a bulk load session, and plans its first job if it has a cron text.
var CreateBulkLoad = op.Sent(func(c *op.Call, body bulkLoadRequest) (op.Reply, error) {
	b, err := body.apply(c, world.BulkLoad{
		ID: c.World.NewID("core.bulk_load"), Timezone: "UTC", User: c.Caller.User.ID, CreatedAt: c.Now,
	})
	if err == nil {
		b.Slot, err = jobs.NextSlot(timing(b), c.Now)
	}
	if err != nil {
		return op.Reply{}, err
	}
	return op.OK(bulkLoadView(putBulkLoad(c.World, b, c.Now)))
})

// GetBulkLoad returns a bulk load session.
var GetBulkLoad = op.On(bulkLoadFromPath, func(_ *op.Call, b world.BulkLoad) (op.Reply, error) {
	return op.OK(bulkLoadView(b))
})

// UpdateBulkLoad changes a bulk load session. It moves the next run only if its cron text or its timezone changes.
var UpdateBulkLoad = op.OnSent(ownBulkLoad, func(
	c *op.Call, before world.BulkLoad, body bulkLoadRequest,
) (op.Reply, error) {
	b, err := body.apply(c, before)
	if err == nil && (b.Cron != before.Cron || b.Timezone != before.Timezone) {
		b.Slot, err = jobs.NextSlot(timing(b), c.Now)
	}
	if err != nil {
		return op.Reply{}, err
	}
	c.World.Core.BulkLoadNames.Delete(before.Name)
	return op.OK(bulkLoadView(putBulkLoad(c.World, b, c.Now)))
})

// DeleteBulkLoad deletes a bulk load session, and cancels the job that it has planned.
var DeleteBulkLoad = op.On(ownBulkLoad, func(c *op.Call, b world.BulkLoad) (op.Reply, error) {
	c.World.Cancel(world.DueEvent{At: b.PlannedAt, Kind: world.BulkLoadEvent, ID: b.ID})
	c.World.Core.BulkLoadNames.Delete(b.Name)
	table.Delete(&c.World.Core.BulkLoads, b.ID)
	return op.OK(bulkLoadView(b))
})

// apply returns a bulk load session with the changes of a request, without its next slot.
func (r bulkLoadRequest) apply(c *op.Call, b world.BulkLoad) (world.BulkLoad, error) {
	wire.Set(&b.Name, r.Name)
	wire.Set(&b.Database, r.Database)
	wire.Set(&b.Table, r.Table)
	wire.Set(&b.Timezone, r.Timezone)
	wire.Set(&b.Delay, r.Delay)
	if r.Cron.Sent {
		b.Cron = strings.TrimSpace(*cmp.Or(r.Cron.Value, new("")))
	}
	if r.TimeColumn.Sent {
		b.TimeColumn = *cmp.Or(r.TimeColumn.Value, new(""))
	}
	if r.Config != nil {
		config, err := loadConfig(r.Config)
		if err != nil {
			return b, err
		}
		b.Config = config
	}
	b.UpdatedAt = c.Now
	return b, errors.Join(bulkLoadValid(c, b), bulkLoadAllowed(c, b))
}

// bulkLoadValid checks a bulk load session in everything except rights.
func bulkLoadValid(c *op.Call, b world.BulkLoad) error {
	other, taken := c.World.Core.BulkLoadNames.Get(b.Name)
	switch {
	case taken && other != b.ID:
		return op.Conflict("bulk load session %d already has the name %s", other, b.Name)
	case b.Name == "":
		return op.Unprocessable("name", "want a string that is not empty")
	case b.Config == nil:
		return op.Unprocessable("config", "is missing: want the configuration of the load, a JSON object")
	case b.Delay < 0 || b.Delay > jobs.MaxDelay:
		return op.Unprocessable("delay", "want 0 to %d seconds, not %d", jobs.MaxDelay, b.Delay)
	}
	if err := data.CheckName("table", b.Table); err != nil {
		return wire.Recode(err, op.CodeInvalid, op.CodeUnprocessable)
	}
	_, err := jobs.SlotsOf(timing(b))
	return err
}

// bulkLoadAllowed requires the right to query the database of a session, as for issuing its jobs (assumed).
func bulkLoadAllowed(c *op.Call, b world.BulkLoad) error {
	database, err := data.LiveDatabase(c.World, b.Database)
	if err != nil {
		return err
	}
	return data.RequireRight(c, database, access.Query)
}

// loadConfig returns the configuration of a load: an object, or a text that holds one.
func loadConfig(value jsontext.Value) ([]byte, error) {
	if value.Kind() == '"' {
		text, err := jsontext.AppendUnquote(nil, value)
		if err != nil {
			return nil, op.Invalid("config", "%v", err)
		}
		value = text
	}
	value = value.Clone()
	if value.Kind() != '{' || value.Compact() != nil {
		return nil, op.Invalid("config", "want the configuration of the load, a JSON object")
	}
	return value, nil
}

func bulkLoadFromPath(c *op.Call) (world.BulkLoad, error) {
	return op.ByName("bulk load session", c.Param("name"), c.World.Core.BulkLoadNames.Get, c.World.Core.BulkLoads.Get)
}

// ownBulkLoad returns the bulk load session of the path if the caller created it or is an administrator (assumed).
func ownBulkLoad(c *op.Call) (world.BulkLoad, error) {
	b, err := bulkLoadFromPath(c)
	if err == nil && b.User != c.Caller.User.ID && !c.Caller.Administers() {
		err = op.Forbidden("bulk load session %s belongs to another user: only administrators may do this", b.Name)
	}
	return b, err
}

// timing returns when a bulk load session is due, in the terms of schedules.
func timing(b world.BulkLoad) world.JobSchedule {
	return world.JobSchedule{Cron: b.Cron, Timezone: b.Timezone, Slot: b.Slot}
}

// putBulkLoad stores a bulk load session and plans the job of its next slot.
func putBulkLoad(w *world.State, b world.BulkLoad, now time.Time) world.BulkLoad {
	event := world.DueEvent{At: b.PlannedAt, Kind: world.BulkLoadEvent, ID: b.ID}
	b.PlannedAt = w.PlanSlot(event, b.Slot, b.Delay, now)
	w.Core.BulkLoads.Put(b.ID, b)
	w.Core.BulkLoadNames.Put(b.Name, b.ID)
	return b
}

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
var RunBulkLoad = op.OnSent(ownBulkLoad, func(
	c *op.Call, b world.BulkLoad, body struct {
		ScheduledTime jsontext.Value `json:"scheduled_time"`
	},
) (op.Reply, error) {
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
})

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
var ListBulkLoadJobs = op.On(bulkLoadFromPath, func(c *op.Call, b world.BulkLoad) (op.Reply, error) {
	jobs := []loadJobForm{}
	for _, job := range table.Before(&c.World.Core.Jobs, 0) {
		if job.BulkLoadSession == b.ID {
			jobs = append(jobs, loadJobView(c.World, job))
		}
	}
	return op.OK(jobs)
})

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
var Pending = op.PendingOn(bulkLoadFromPath, func(c *op.Call, b world.BulkLoad) (string, time.Time, bool) {
	for _, job := range table.Before(&c.World.Core.Jobs, 0) {
		if job.BulkLoadSession == b.ID {
			return op.IDText(job.ID) + " " + string(job.Status), job.StepAt, !job.Status.Finished()
		}
	}
	return "", time.Time{}, false
})
