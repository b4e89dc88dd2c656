package jobs

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"svc.example/understudy/mockserver/internal/core/access"
	"svc.example/understudy/mockserver/internal/core/data"
	"svc.example/understudy/mockserver/internal/core/wire"
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
func CreateSchedule(c *op.Call) (op.Reply, error) {
	var body scheduleRequest
	if err := c.Decode(&body); err != nil {
		return op.Reply{}, err
	}
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
}

// UpdateSchedule changes a schedule. It moves the next run only if it changes the cron text or the timezone, so that a
// delayed run is not lost.
func UpdateSchedule(c *op.Call) (op.Reply, error) {
	before, err := managedSchedule(c)
	if err != nil {
		return op.Reply{}, err
	}
	var body scheduleRequest
	if err := c.Decode(&body); err != nil {
		return op.Reply{}, err
	}
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
}

// DeleteSchedule deletes a schedule, and cancels the job that it has planned.
func DeleteSchedule(c *op.Call) (op.Reply, error) {
	s, err := managedSchedule(c)
	if err != nil {
		return op.Reply{}, err
	}
	c.World.Cancel(world.DueEvent{At: s.PlannedAt, Kind: world.JobScheduleEvent, ID: s.ID})
	c.World.Core.ScheduleNames.Delete(s.Name)
	table.Delete(&c.World.Core.Schedules, s.ID)
	return op.OK(scheduleView(c.World, s))
}

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
	id, ok := c.World.Core.ScheduleNames.Get(c.Param("schedule_name"))
	if !ok {
		return world.JobSchedule{}, op.NotFound("schedule", "name", c.Param("schedule_name"))
	}
	s, _ := c.World.Core.Schedules.Get(id)
	return s, nil
}

// managedSchedule returns the schedule of the path if the caller created it or is an administrator (assumed).
func managedSchedule(c *op.Call) (world.JobSchedule, error) {
	s, err := scheduleFromPath(c)
	if err == nil && s.User != c.Caller.User.ID && !c.Caller.Administers() {
		err = op.Forbidden("schedule %s belongs to another user: only administrators may do this", s.Name)
	}
	return s, err
}
