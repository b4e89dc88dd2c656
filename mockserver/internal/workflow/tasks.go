package workflow

import (
	"encoding/json"
	"time"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/workflow/engine"
	"svc.example/understudy/mockserver/internal/world"
)

type taskForm struct {
	ID              string          `json:"id"`
	FullName        string          `json:"fullName"`
	ParentID        *string         `json:"parentId"`
	Group           bool            `json:"group"`
	IsGroup         bool            `json:"isGroup"` // the same: some clients read one, some the other (client)
	State           world.TaskState `json:"state"`
	CancelRequested bool            `json:"cancelRequested"`
	Config          json.RawMessage `json:"config"`
	Upstreams       []string        `json:"upstreams"`
	ExportParams    json.RawMessage `json:"exportParams"`
	StoreParams     struct{}        `json:"storeParams"`
	StateParams     struct{}        `json:"stateParams"`
	Error           taskError       `json:"error"`
	StartedAt       *string         `json:"startedAt"`
	RetryAt         *string         `json:"retryAt"`
	UpdatedAt       string          `json:"updatedAt"`
}

type taskError struct {
	Message string `json:"message,omitempty"`
}

// listAttemptTasks lists the tasks that have come into being, by id. Those that a task makes when it runs are not there
// before it has.
var listAttemptTasks = op.OnTwo(tasksFromPath("id"), func(
	c *op.Call, attempt world.Attempt, tasks []world.Task,
) (op.Reply, error) {
	definition, _ := c.World.Workflow.Definitions.Get(attempt.Definition)
	forms := make([]taskForm, len(tasks))
	for i, t := range tasks {
		planned := definition.Workflow.Tasks[t.Plan]
		forms[i] = taskForm{
			ID: op.IDText(t.ID), FullName: t.Name, ParentID: taskID(tasks, t.Parent),
			Group: planned.Group, IsGroup: planned.Group, State: t.State,
			CancelRequested: t.CancelRequested, Config: objectOrEmpty(planned.Config), Upstreams: taskIDs(tasks, t.Upstreams),
			ExportParams: objectOrEmpty(planned.Export), Error: taskError{Message: t.Error},
			StartedAt: op.OptionalInstant(t.StartedAt), RetryAt: op.OptionalInstant(t.RetryAt),
			UpdatedAt: op.Instant(t.UpdatedAt),
		}
	}
	return op.OK(map[string]any{"tasks": forms})
})

func tasksFromPath(param string) func(*op.Call) (world.Attempt, []world.Task, error) {
	return func(c *op.Call) (world.Attempt, []world.Task, error) {
		attempt, err := attemptFromPath(param)(c)
		tasks, _ := c.World.Workflow.Tasks.Get(attempt.ID)
		return attempt, tasks, err
	}
}

func taskID(tasks []world.Task, place int) *string {
	if place < 0 {
		return nil
	}
	return nullIfEmpty(op.IDText(tasks[place].ID))
}

func taskIDs(tasks []world.Task, places []int) []string {
	ids := make([]string, len(places))
	for i, place := range places {
		ids[i] = op.IDText(tasks[place].ID)
	}
	return ids
}

// tasksPending returns the state of the tasks of the attempt that the path names, and the time of its next step.
func tasksPending(param string) func(*op.Call) (string, time.Time, bool) {
	return func(c *op.Call) (state string, at time.Time, pending bool) {
		attempt, tasks, err := tasksFromPath(param)(c)
		if err != nil {
			return "", time.Time{}, false
		}
		state, at, pending = engine.Watch(c.World, attempt.ID)
		for _, t := range tasks {
			state += string(t.State) + " "
		}
		return state, at, pending
	}
}

// killAttempt answers the attempt as it was before, so cancelRequested is still false in it.
var killAttempt = op.On(attemptFromPath("id"), func(c *op.Call, a world.Attempt) (op.Reply, error) {
	switch {
	case a.State == world.Done:
		return op.Reply{}, op.Conflict("attempt %d has already ended, with status %s", a.ID, engine.StatusOf(a))
	case a.CancelRequested:
		return op.Reply{}, op.Conflict("attempt %d was already asked to stop", a.ID)
	}
	before := attemptView(c.World, a)
	engine.Kill(c.World, a, c.Now)
	return op.OK(before)
})
