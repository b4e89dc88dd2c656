package workflow

import (
	"time"

	"svc.example/understudy/mockserver/internal/dig"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/resource"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/workflow/engine"
	"svc.example/understudy/mockserver/internal/world"
)

var sessions = resource.New(resource.Of[world.Session]{
	Noun: "session", Plural: "sessions", Key: "id", Dialect: dialect,
	Rows: sessionRows, Page: newestFirst.PageOf, View: viewSession,
})

func sessionRows(w *world.State) *table.Table[world.Session] { return &w.Workflow.Sessions }
func viewSession(c *op.Call, s world.Session) any            { return sessionView(c.World, s) }

// projectSessions lists the sessions of the project of the path.
var projectSessions = resource.New(resource.Of[world.Session]{
	Plural: sessions.Plural, Rows: sessionRows, Page: sessions.Page, View: viewSession,
	Match: func(c *op.Call) (func(world.Session) bool, error) {
		project, err := projectFromPath(c)
		return func(s world.Session) bool {
			return s.Project == project.ID && (!c.Has("workflow") || s.Workflow == c.Text("workflow"))
		}, err
	},
})

// sessionAttempts lists the attempts of the session of the path.
var sessionAttempts = resource.New(resource.Of[world.Attempt]{
	Plural: attempts.Plural, Rows: attemptRows, Page: attempts.Page, View: viewAttempt,
	Match: func(c *op.Call) (func(world.Attempt) bool, error) {
		id, _, err := sessions.Find(c)
		return func(a world.Attempt) bool { return a.Session == id }, err
	},
})

type sessionForm struct {
	ID          string      `json:"id"`
	Project     idAndName   `json:"project"`
	Workflow    idAndName   `json:"workflow"`
	SessionUUID string      `json:"sessionUuid"`
	SessionTime string      `json:"sessionTime"`
	LastAttempt lastAttempt `json:"lastAttempt"`
}

type lastAttempt struct {
	ID string `json:"id"`
	attemptCourse
}

// sessionView returns a session, which always has an attempt: id and zone of the workflow are those of the last one.
func sessionView(w *world.State, s world.Session) sessionForm {
	last, _ := w.Workflow.Attempts.Get(s.Attempts[len(s.Attempts)-1])
	a := attemptView(w, last)
	return sessionForm{
		ID: a.SessionID, Project: a.Project, Workflow: a.Workflow, SessionUUID: a.SessionUUID, SessionTime: a.SessionTime,
		LastAttempt: lastAttempt{a.ID, a.attemptCourse},
	}
}

var sessionPending = op.PendingOn(resource.Named[world.Session](sessions), func(
	c *op.Call, s world.Session,
) (string, time.Time, bool) {
	return engine.Watch(c.World, s.Attempts[len(s.Attempts)-1])
})

var sessionAttemptsPending = op.PendingOn(resource.Named[world.Session](sessions), func(
	c *op.Call, s world.Session,
) (string, time.Time, bool) {
	return engine.Watch(c.World, s.Attempts...)
})

var getTruncatedSessionTime = op.On(definitionFromQuery, func(c *op.Call, d world.Definition) (op.Reply, error) {
	zone := zoneOf(d)
	at, err := parseMoment("session_time", c.Text("session_time"), zone)
	if err != nil {
		return op.Reply{}, err
	}
	cut, err := dig.TruncateSessionTime(at, zone, c.Text("mode"), d.Workflow.Schedule)
	if err != nil {
		return op.Reply{}, op.Invalid("mode", "%v", err)
	}
	p := projectOf(c.World, d)
	return op.OK(map[string]any{
		"project":     idName(p.ID, p.Name),
		"revision":    revisionOf(c.World, d).Name,
		"timezone":    d.Workflow.Timezone,
		"sessionTime": zonedTime(cut, zone),
	})
})

// lastYear is the last in which a time can lie: one year before the last that RFC 3339 can write, so that no zone and
// no schedule leads out of what can be written.
const lastYear = 9998

// parseMoment reads ISO 8601; a time without an offset is one of the zone's.
func parseMoment(field, text string, zone *time.Location) (time.Time, error) {
	t, err := dig.ParseSessionTime(text, zone)
	if err != nil {
		return t, op.Invalid(field, "%v", err)
	}
	if year := t.UTC().Year(); year < 1 || year > lastYear {
		return t, op.Invalid(field, "want a time in the years 1 to %d, not %q", lastYear, text)
	}
	return t, nil
}

func laterOf(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}
