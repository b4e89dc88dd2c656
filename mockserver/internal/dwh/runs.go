package dwh

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"svc.example/understudy/mockserver/internal/bridge"
	"svc.example/understudy/mockserver/internal/dig"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/resource"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

// noRecords is for those who look into a target table after a run.
const noRecords = "the tasks of this attempt load nothing: the mock has no warehouse behind it, so the target " +
	"tables do not change"

// runDwhWorkflow starts one more attempt, whatever runs already. It waits when its pool is full (assumed).
func runDwhWorkflow(c *op.Call) (op.Reply, error) {
	i, err := integrationFromPath(c)
	if err == nil {
		err = requireProject(c.World, i)
	}
	if err != nil {
		return op.Reply{}, err
	}
	workflow := workflowOf(bridge.Project(c.World, i.Project).Name)
	a, err := bridge.StartNow(c.World, i.Project, workflow)
	if gone := (*op.Error)(nil); errors.As(err, &gone) && gone.Code == op.CodeNotFound {
		err = op.Conflict("the workflow of integration %d cannot run: %v; another revision of its project was "+
			"uploaded, which an update of the integration replaces", i.ID, err)
	}
	if err != nil {
		return op.Reply{}, err
	}
	return op.Reply{Body: bridge.AttemptView(c.World, a), Notes: []string{noRecords}}, nil
}

// runs are the attempts of the integration's project, whoever has started them.
var runs = resource.New(resource.Of[world.Attempt]{
	Dialect: dialect, Rows: bridge.Attempts,
	Page: resource.ByPage{Newest: true, Page: paging.Page, Size: paging.Size, Default: paging.Default}.PageOf,
	Match: func(c *op.Call) (func(world.Attempt) bool, error) {
		i, err := integrationFromPath(c)
		return func(a world.Attempt) bool { return bridge.OfProject(c.World, a, i.Project) }, err
	},
	View: func(c *op.Call, a world.Attempt) any {
		return runForm{
			AttemptID: a.ID, AttemptName: a.RetryName, SessionID: a.Session,
			SessionTime: bridge.SessionTime(c.World, a), Status: bridge.AttemptStatus(a),
		}
	},
})

type runForm struct {
	AttemptID   int64  `json:"attempt_id"`
	AttemptName string `json:"attempt_name"`
	SessionID   int64  `json:"session_id"`
	SessionTime string `json:"session_time"`
	Status      string `json:"status"`
}

var runsPending = op.PendingOn(integrationFromPath, func(c *op.Call, i world.Warehouse) (string, time.Time, bool) {
	var ids []int64
	for id, a := range table.All(bridge.Attempts(c.World)) {
		if bridge.OfProject(c.World, a, i.Project) {
			ids = append(ids, id)
		}
	}
	return bridge.Watch(c.World, ids...)
})

// never is the schedule type of an integration that only runs on request.
const never = "none"

// optionForms returns an example of the option for each schedule type. Only that of daily is public, the others are
// assumed after the directives of workflows.
func optionForms() map[string]string {
	return map[string]string{
		"daily": "10:00", "hourly": "30, the minute", "weekly": "Mon,10:00", "monthly": "1,10:00",
		"minutes_interval": "15, from 1 to 59", "cron": "0 10 * * *",
	}
}

// checkSchedule holds the option against its type. Without a type it is kept, and means nothing.
func checkSchedule(s world.WarehouseSchedule) error {
	zone, err := time.LoadLocation(s.Timezone)
	if err != nil || s.Timezone == "" || s.Timezone == "Local" { // the machine's own zone is not accepted
		return op.Invalid("timezone", "want the name of an IANA time zone, such as Asia/Tokyo, not %q", s.Timezone)
	}
	if s.Type == never {
		return nil
	}
	shape, known := optionForms()[s.Type]
	if !known {
		return op.Invalid("schedule_type", "want %s, daily, hourly, weekly, monthly, minutes_interval or cron, not %q",
			never, s.Type)
	}
	if _, err := dig.NewSchedule(s.Type, directiveValue(s), zone); err != nil {
		return op.Invalid("schedule_option", "%s needs a value such as %s, not %q", s.Type, shape, s.Option)
	}
	return nil
}

// directiveValue returns the option in the form of a workflow's schedule directive: with seconds, which may be left out
// here.
func directiveValue(s world.WarehouseSchedule) string {
	colons := 2
	switch s.Type {
	case "minutes_interval", "cron":
		return s.Option
	case "hourly":
		colons = 1
	}
	if strings.Count(s.Option, ":") == colons-1 {
		return s.Option + ":00"
	}
	return s.Option
}

// scheduleDirective returns the part of a workflow that makes it run by itself.
func scheduleDirective(s world.WarehouseSchedule) string {
	if s.Type == never {
		return ""
	}
	return fmt.Sprintf("schedule:\n  %s>: %s\n\n", s.Type, quoteYAML(directiveValue(s)))
}

type sessionForm struct {
	Name   string `json:"name"`
	ID     int64  `json:"bulkload_session_id"`
	Table  string `json:"target_table"`
	Digest string `json:"configs_digest"`
}

// listDwhBulkloadSessions: an integration that loads nothing has none.
func listDwhBulkloadSessions(c *op.Call) (op.Reply, error) {
	id, err := c.ID(integrations.Noun, integrations.Key)
	if err != nil {
		return op.Reply{}, err
	}
	sessions, ok := c.World.DWH.Sessions.Get(id)
	if !ok {
		return op.Reply{}, op.NotFound(integrations.Noun, "id", id)
	}
	i, _ := c.World.DWH.Integrations.Get(id)
	if err := requireOwn(c, i); err != nil {
		return op.Reply{}, err
	}
	forms := make([]sessionForm, len(sessions))
	for n, s := range sessions {
		forms[n] = sessionForm{s.Name, s.ID, s.Table, s.Digest}
	}
	return op.OK(forms)
}

// sessions returns the bulk load sessions that the configurations want, one for each target table. A table that had one
// before keeps it.
func (p configs) sessions(w *world.State, i world.Warehouse, before []world.BulkloadSession) []world.BulkloadSession {
	sessions := make([]world.BulkloadSession, len(p.Advanced))
	for n, entry := range p.Advanced {
		s := world.BulkloadSession{Name: i.Name + "_" + entry.Table, Table: entry.Table, Digest: p.digest(n)}
		at := slices.IndexFunc(before, func(b world.BulkloadSession) bool { return b.Table == entry.Table })
		if at >= 0 {
			s.ID = before[at].ID
		} else {
			s.ID = w.NewID("dwh.session")
		}
		sessions[n] = s
	}
	return sessions
}
