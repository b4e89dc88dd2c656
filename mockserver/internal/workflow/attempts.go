package workflow

import (
	"time"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/resource"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/workflow/engine"
	"svc.example/understudy/mockserver/internal/world"
)

// newestFirst is the paging of attempts and sessions.
var newestFirst = resource.ByID{Newest: true, Last: "last_id", Size: "page_size", Default: 100, Max: 100}

var attempts = resource.New(resource.Of[world.Attempt]{
	Noun: "attempt", Plural: "attempts", Key: "id", Dialect: dialect,
	Rows: attemptRows, Page: newestFirst.PageOf, Match: matchAttempts, View: viewAttempt,
})

func attemptRows(w *world.State) *table.Table[world.Attempt] { return &w.Workflow.Attempts }
func viewAttempt(c *op.Call, a world.Attempt) any            { return attemptView(c.World, a) }

// matchAttempts keeps the last attempt of each session, unless include_retried asks for all. An unknown project is
// refused; an unknown workflow has no attempts.
func matchAttempts(c *op.Call) (func(world.Attempt) bool, error) {
	all, err := c.Flag("include_retried", false)
	if err != nil {
		return nil, err
	}
	var project world.Project
	if c.Has("project") {
		if project, err = projectByName(c.World, c.Text("project")); err != nil {
			return nil, err
		}
	}
	return func(a world.Attempt) bool {
		session, _ := c.World.Workflow.Sessions.Get(a.Session)
		isLast := len(session.Attempts) > 0 && session.Attempts[len(session.Attempts)-1] == a.ID
		return (all || isLast) &&
			(project.ID == 0 || session.Project == project.ID) &&
			(!c.Has("workflow") || session.Workflow == c.Text("workflow"))
	}, nil
}

// attemptFromPath returns the attempt that a path parameter names.
func attemptFromPath(param string) func(*op.Call) (world.Attempt, error) {
	return func(c *op.Call) (world.Attempt, error) {
		return op.ByID(c, "attempt", param, c.World.Workflow.Attempts.Get)
	}
}

var attemptPending = op.PendingOn(attemptFromPath("id"), func(c *op.Call, a world.Attempt) (string, time.Time, bool) {
	return engine.Watch(c.World, a.ID)
})

// listAttemptRetries lists all attempts of the session, oldest first.
var listAttemptRetries = op.On(attemptFromPath("id"), func(c *op.Call, a world.Attempt) (op.Reply, error) {
	session, _ := c.World.Workflow.Sessions.Get(a.Session)
	forms := []attemptForm{}
	for _, id := range session.Attempts {
		retry, _ := c.World.Workflow.Attempts.Get(id)
		forms = append(forms, attemptView(c.World, retry))
	}
	return op.OK(map[string]any{"attempts": forms})
})

var retriesPending = op.PendingOn(attemptFromPath("id"), func(c *op.Call, a world.Attempt) (string, time.Time, bool) {
	session, _ := c.World.Workflow.Sessions.Get(a.Session)
	return engine.Watch(c.World, session.Attempts...)
})
