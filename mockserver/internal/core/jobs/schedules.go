package jobs

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"svc.example/understudy/mockserver/internal/core/access"
	"svc.example/understudy/mockserver/internal/core/data"
	"svc.example/understudy/mockserver/internal/core/wire"
	"svc.example/understudy/mockserver/internal/dig"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

// scheduleForm is a ScheduleReference: the nine fields that a client expects of a deleted schedule, and no others
// (client).
type scheduleForm struct {
	Name      string  `json:"name"`
	Cron      *string `json:"cron"`
	Timezone  string  `json:"timezone"`
	Delay     int64   `json:"delay"`
	Type      string  `json:"type"`
	Database  string  `json:"database"`
	Query     string  `json:"query"`
	UserName  string  `json:"user_name"`
	CreatedAt string  `json:"created_at"`
}

// listedForm is a Schedule.
type listedForm struct {
	scheduleForm
	Priority      int     `json:"priority"`
	RetryLimit    int     `json:"retry_limit"`
	Result        string  `json:"result"`
	NextTime      *string `json:"next_time"`
	EngineVersion string  `json:"engine_version,omitzero"`
	ExecutingUser int64   `json:"executing_user_id,omitzero"`
}

// createdForm is a ScheduleCreated.
type createdForm struct {
	scheduleForm
	ID         int64   `json:"id"`
	Priority   int     `json:"priority"`
	RetryLimit int     `json:"retry_limit"`
	Result     string  `json:"result"`
	Start      *string `json:"start"`
}

func scheduleView(w *world.State, s world.JobSchedule) scheduleForm {
	user, _ := w.Account.Users.Get(s.User)
	form := scheduleForm{
		Name: s.Name, Timezone: s.Timezone, Delay: s.Delay, Type: s.Type, Database: s.Database, Query: s.Query,
		UserName: user.Name, CreatedAt: op.Instant(s.CreatedAt),
	}
	if s.Cron != "" {
		form.Cron = &s.Cron
	}
	return form
}

func createdView(w *world.State, s world.JobSchedule) createdForm {
	return createdForm{
		scheduleForm: scheduleView(w, s), ID: s.ID, Priority: s.Priority, RetryLimit: s.RetryLimit, Result: s.ResultURL,
		Start: slotText(s),
	}
}

// slotText returns the next slot of a schedule, without its delay; nil if it is never due.
func slotText(s world.JobSchedule) *string {
	if s.Slot.IsZero() {
		return nil
	}
	return new(wire.DateTime(s.Slot))
}

// ListSchedules lists the schedules of the account.
func ListSchedules(c *op.Call) (op.Reply, error) {
	list := []listedForm{}
	for _, s := range table.All(&c.World.Core.Schedules) {
		list = append(list, listedForm{
			scheduleForm: scheduleView(c.World, s), Priority: s.Priority, RetryLimit: s.RetryLimit, Result: s.ResultURL,
			NextTime: slotText(s), EngineVersion: s.EngineVersion, ExecutingUser: s.ExecutingUser,
		})
	}
	return op.OK(map[string]any{"schedules": list})
}

// scheduleRequest is the body of requests on a schedule. An absent field leaves its value as it is.
type scheduleRequest struct {
	jobOptions
	Name          *string               `json:"name"`
	Cron          wire.Nullable[string] `json:"cron"`
	Timezone      *string               `json:"timezone"`
	Delay         wire.Nullable[int64]  `json:"delay"`
	Type          *string               `json:"type"`
	Database      *string               `json:"database"`
	Query         *string               `json:"query"`
	ExecutingUser *int64                `json:"executing_user_id"`
}

// CreateSchedule creates a schedule and plans its first job.
var CreateSchedule = op.Sent(func(c *op.Call, body scheduleRequest) (op.Reply, error) {
	s := world.JobSchedule{
		ID: c.World.NewID("core.schedule"), Name: c.Param("schedule_name"), Timezone: "UTC", User: c.Caller.User.ID,
		CreatedAt: c.Now,
	}
	if other, ok := c.World.Core.ScheduleNames.Get(s.Name); ok {
		return op.Reply{}, op.Conflict("schedule %d already has the name %s", other, s.Name)
	}
	body.Name = nil // the path holds the name
	s, err := body.apply(c, s)
	if err != nil {
		return op.Reply{}, err
	}
	if s.Slot, err = NextSlot(s, c.Now); err != nil {
		return op.Reply{}, err
	}
	return op.OK(createdView(c.World, PutSchedule(c.World, s, c.Now)))
})

// UpdateSchedule changes a schedule. It moves the next run only if it changes the cron text or the timezone, so that a
// delayed run is not lost.
var UpdateSchedule = op.OnSent(managedSchedule, func(
	c *op.Call, before world.JobSchedule, body scheduleRequest,
) (op.Reply, error) {
	s, err := body.apply(c, before)
	if err != nil {
		return op.Reply{}, err
	}
	if s.Cron != before.Cron || s.Timezone != before.Timezone {
		if s.Slot, err = NextSlot(s, c.Now); err != nil {
			return op.Reply{}, err
		}
	}
	if s.Name != before.Name {
		c.World.Core.ScheduleNames.Delete(before.Name)
	}
	return op.OK(createdView(c.World, PutSchedule(c.World, s, c.Now)))
})

// DeleteSchedule deletes a schedule, and cancels the job that it has planned.
var DeleteSchedule = op.On(managedSchedule, func(c *op.Call, s world.JobSchedule) (op.Reply, error) {
	c.World.Cancel(world.DueEvent{At: s.PlannedAt, Kind: world.JobScheduleEvent, ID: s.ID})
	c.World.Core.ScheduleNames.Delete(s.Name)
	table.Delete(&c.World.Core.Schedules, s.ID)
	return op.OK(scheduleView(c.World, s))
})

// apply returns a schedule with the changes of a request, without its next slot.
func (r scheduleRequest) apply(c *op.Call, s world.JobSchedule) (world.JobSchedule, error) {
	wire.Set(&s.Name, r.Name)
	wire.Set(&s.Timezone, r.Timezone)
	wire.Set(&s.Type, r.Type)
	wire.Set(&s.Database, r.Database)
	wire.Set(&s.Query, r.Query)
	wire.Set(&s.Priority, r.Priority)
	wire.Set(&s.RetryLimit, r.RetryLimit)
	wire.Set(&s.Pool, r.Pool)
	wire.Set(&s.EngineVersion, r.EngineVersion)
	wire.Set(&s.ExecutingUser, r.ExecutingUser)
	if r.Cron.Sent {
		s.Cron = strings.TrimSpace(*cmp.Or(r.Cron.Value, new("")))
	}
	if r.Delay.Sent {
		s.Delay = *cmp.Or(r.Delay.Value, new(int64(0)))
	}
	if r.Result != nil || r.Connection != nil {
		url, err := r.url(c.World)
		if err != nil {
			return s, err
		}
		s.ResultURL = url
	}
	return s, errors.Join(checkRanges(r.Priority, r.RetryLimit), scheduleValid(c, s), r.scheduleAllowed(c, s))
}

// scheduleValid checks a schedule in everything except rights.
func scheduleValid(c *op.Call, s world.JobSchedule) error {
	switch n := utf8.RuneCountInString(s.Name); {
	case n < 3:
		return op.Unprocessable("name", "want 3 or more characters, not %d: %q", n, s.Name)
	case !slices.Contains(queryTypes(), s.Type):
		return op.Unprocessable("type", "want one of %s, not %q", strings.Join(queryTypes(), ", "), s.Type)
	case strings.TrimSpace(s.Query) == "":
		return op.Unprocessable("query", "is missing: want a query")
	case s.Delay < 0 || s.Delay > MaxDelay:
		return op.Unprocessable("delay", "want 0 to %d seconds, not %d", MaxDelay, s.Delay)
	}
	if other, ok := c.World.Core.ScheduleNames.Get(s.Name); ok && other != s.ID { // renaming documents no 409
		return op.Unprocessable("name", "schedule %d already has the name %s", other, s.Name)
	}
	_, err := SlotsOf(s)
	return err
}

// scheduleAllowed requires the right to query the database from a caller who creates a schedule, or changes its
// database. Only administrators may let it run as another user (assumed).
func (r scheduleRequest) scheduleAllowed(c *op.Call, s world.JobSchedule) error {
	if user := r.ExecutingUser; user != nil {
		row, ok := c.World.Account.Users.Get(*user)
		if !ok || !row.DeletedAt.IsZero() {
			return op.Unprocessable("executing_user_id", "user %d not found", *user)
		}
		if *user != c.Caller.User.ID && !c.Caller.Administers() {
			return op.Forbidden("only administrators may let a schedule run as another user")
		}
	}
	if r.Database == nil {
		return nil
	}
	database, err := data.LiveDatabase(c.World, s.Database)
	if err != nil {
		return err
	}
	return data.RequireRight(c, database, access.Query)
}

// scheduleFromPath returns the schedule that the path names. All users see the schedules of the account (assumed).
func scheduleFromPath(c *op.Call) (world.JobSchedule, error) {
	return op.ByName("schedule", c.Param("schedule_name"), c.World.Core.ScheduleNames.Get, c.World.Core.Schedules.Get)
}

// managedSchedule returns the schedule of the path if the caller created it or is an administrator (assumed).
func managedSchedule(c *op.Call) (world.JobSchedule, error) {
	s, err := scheduleFromPath(c)
	if err == nil && s.User != c.Caller.User.ID && !c.Caller.Administers() {
		err = op.Forbidden("schedule %s belongs to another user: only administrators may do this", s.Name)
	}
	return s, err
}

// MaxDelay is the largest delay of a job after its slot, in seconds (assumed).
const MaxDelay = 366 * 24 * 3600

const historyKept = 90 * 24 * time.Hour // (client)

// SlotsOf returns the times at which a schedule is due. Without cron there are none.
func SlotsOf(s world.JobSchedule) (dig.Schedule, error) {
	zone, err := time.LoadLocation(s.Timezone)
	if err != nil || s.Timezone == "" || s.Timezone == "Local" { // the machine's own zone is not accepted
		return dig.Schedule{}, op.Unprocessable("timezone", "want the name of an IANA time zone, not %q", s.Timezone)
	}
	expression := s.Cron
	switch expression {
	case "":
		return dig.Schedule{}, nil
	case "@hourly":
		expression = "0 * * * *"
	case "@daily":
		expression = "0 0 * * *"
	}
	slots, err := dig.NewSchedule("cron", expression, zone)
	if err != nil {
		reason := strings.TrimPrefix(err.Error(), "cron> ")
		return slots, op.Unprocessable("cron", "%s; @hourly and @daily are also known", reason)
	}
	return slots, nil
}

// NextSlot returns the first time after a moment at which a schedule is due, or the zero time if there is none.
func NextSlot(s world.JobSchedule, after time.Time) (time.Time, error) {
	slots, err := SlotsOf(s)
	if err != nil {
		return time.Time{}, err
	}
	next := slots.Next(after)
	if next.IsZero() || next.Time.Unix() > wire.MaxTime {
		return time.Time{}, nil
	}
	return next.Time.UTC(), nil
}

// PutSchedule stores a schedule and plans the job of its next slot.
func PutSchedule(w *world.State, s world.JobSchedule, now time.Time) world.JobSchedule {
	event := world.DueEvent{At: s.PlannedAt, Kind: world.JobScheduleEvent, ID: s.ID}
	s.PlannedAt = w.PlanSlot(event, s.Slot, s.Delay, now)
	w.Core.Schedules.Put(s.ID, s)
	w.Core.ScheduleNames.Put(s.Name, s.ID)
	return s
}

// RunDueSchedule issues the job of a schedule's slot, and advances the schedule to its next slot. The job checks
// whether its user may still query.
func RunDueSchedule(w *world.State, e world.DueEvent) {
	s, ok := w.Core.Schedules.Get(e.ID)
	if !ok || !s.PlannedAt.Equal(e.At) {
		return
	}
	_, _ = Issue(w, JobForSlot(s, s.Slot), e.At) // without a domain key it cannot fail
	s.Slot, _ = NextSlot(s, s.Slot)              // the cron text compiled when the schedule was stored
	PutSchedule(w, s, e.At)
}

// JobForSlot returns a schedule's job for a slot.
func JobForSlot(s world.JobSchedule, slot time.Time) world.Job {
	return world.Job{
		Type: s.Type, Database: s.Database, Query: s.Query, Priority: s.Priority, RetryLimit: s.RetryLimit,
		ResultURL: s.ResultURL, Pool: s.Pool, EngineVersion: s.EngineVersion,
		User: cmp.Or(s.ExecutingUser, s.User), Schedule: s.ID, ScheduledAt: slot,
	}
}

type scheduledJobForm struct {
	JobID       int64  `json:"job_id"` // an integer here, and text everywhere else (public)
	Type        string `json:"type"`
	ScheduledAt string `json:"scheduled_at"`
}

// RunSchedule issues the jobs of consecutive slots, from the time in the path on. The first job gets the domain key
// (assumed).
var RunSchedule = op.On(managedSchedule, func(c *op.Call, s world.JobSchedule) (op.Reply, error) {
	body := struct {
		Num       int64     `json:"num"`
		DomainKey domainKey `json:"domain_key"`
	}{Num: 1}
	if err := c.Decode(&body); err != nil {
		return op.Reply{}, err
	}
	times, err := runTimes(s, c.Param("schedule_time"), body.Num)
	if err != nil {
		return op.Reply{}, err
	}
	jobs := make([]scheduledJobForm, len(times))
	for i, at := range times {
		job := JobForSlot(s, at)
		if i == 0 {
			job.DomainKey = string(body.DomainKey)
		}
		if job, err = IssueWithin(c.World, job, c.Now); err != nil {
			return op.Reply{}, err
		}
		jobs[i] = scheduledJobForm{job.ID, job.Type, wire.DateTime(at)}
	}
	return op.OK(map[string]any{"jobs": jobs})
})

// runTimes returns the slots of a run: the time that the path names, and the schedule's own slots after it.
func runTimes(s world.JobSchedule, text string, num int64) ([]time.Time, error) {
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil || seconds < 0 || seconds > wire.MaxTime {
		return nil, op.Unprocessable("schedule_time", "want unix seconds, 0 to %d, not %q", wire.MaxTime, text)
	}
	if num < 1 || num > 10 {
		return nil, op.Unprocessable("num", "want 1 to 10, not %d", num)
	}
	times := []time.Time{time.Unix(seconds, 0).UTC()}
	for int64(len(times)) < num {
		next, err := NextSlot(s, times[len(times)-1])
		if err != nil {
			return nil, err
		}
		if next.IsZero() {
			return nil, op.Unprocessable("num", "schedule %s has only %d more runs from there", s.Name, len(times))
		}
		times = append(times, next)
	}
	return times, nil
}

// GetScheduleHistory lists the jobs of a schedule, the newest first, without the job at the position to.
var GetScheduleHistory = op.On(scheduleFromPath, func(c *op.Call, s world.JobSchedule) (op.Reply, error) {
	from, to, err := positions(c, jobsByDefault)
	if err != nil {
		return op.Reply{}, err
	}
	history, at := []jobForm{}, int64(0)
	for _, job := range table.Before(&c.World.Core.Jobs, 0) {
		if at >= to || c.Now.Sub(job.CreatedAt) > historyKept {
			break
		}
		if job.Schedule != s.ID {
			continue
		}
		if at >= from {
			waitForEnd(c, job)
			form := jobView(c.World, job)
			form.ScheduledAt, form.exportsForm = new(wire.DateTimeOrEmpty(job.ScheduledAt)), nil
			history = append(history, form)
		}
		at++
	}
	return op.OK(historyForm{Count: len(history), From: from, To: to, History: history})
})

type historyForm struct {
	Count   int       `json:"count"`
	From    int64     `json:"from"`
	To      int64     `json:"to"`
	History []jobForm `json:"history"`
}
