package workflow

import (
	"encoding/json"
	"slices"
	"time"

	"svc.example/understudy/mockserver/internal/op"
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
func listAttemptTasks(c *op.Call) (op.Reply, error) {
	attempt, tasks, err := calledTasks(c, "id")
	if err != nil {
		return op.Reply{}, err
	}
	definition, _ := c.World.Workflow.Definitions.Get(attempt.Definition)
	forms := make([]taskForm, len(tasks))
	for i, t := range tasks {
		planned := definition.Workflow.Tasks[t.Plan]
		forms[i] = taskForm{
			ID: op.IDText(t.ID), FullName: t.Name, ParentID: taskID(tasks, t.Parent),
			Group: planned.Group, IsGroup: planned.Group, State: t.State,
			CancelRequested: t.CancelRequested, Config: object(planned.Config), Upstreams: taskIDs(tasks, t.Upstreams),
			ExportParams: object(planned.Export), Error: taskError{Message: t.Error},
			StartedAt: op.OptionalInstant(t.StartedAt), RetryAt: op.OptionalInstant(t.RetryAt), UpdatedAt: op.Instant(t.UpdatedAt),
		}
	}
	return op.OK(map[string]any{"tasks": forms})
}

func calledTasks(c *op.Call, param string) (world.Attempt, []world.Task, error) {
	attempt, err := calledAttempt(c, param)
	if err != nil {
		return attempt, nil, err
	}
	tasks, _ := c.World.Workflow.Tasks.Get(attempt.ID)
	return attempt, tasks, nil
}

func taskID(tasks []world.Task, place int) *string {
	if place < 0 {
		return nil
	}
	return optional(op.IDText(tasks[place].ID))
}

func taskIDs(tasks []world.Task, places []int) []string {
	ids := make([]string, len(places))
	for i, place := range places {
		ids[i] = op.IDText(tasks[place].ID)
	}
	return ids
}

// tasksPending is for those who watch the tasks of the attempt that a path parameter names: one step of one of them is
// a change.
func tasksPending(param string) func(*op.Call) (string, time.Time, bool) {
	return func(c *op.Call) (state string, at time.Time, pending bool) {
		attempt, tasks, err := calledTasks(c, param)
		if err != nil {
			return "", time.Time{}, false
		}
		state, at, pending = Watch(c.World, attempt.ID)
		for _, t := range tasks {
			state += string(t.State) + " "
		}
		return state, at, pending
	}
}

// nobody stands for the task that has made the tasks which are there from the start.
const nobody = -1

// appear adds the tasks that have come into being: all that no run of another must make first, or what the run of one
// task has made. A task that was taken over has made its own already.
func (p *progress) appear(by int) {
	places := make([]int, len(p.plan)) // among the tasks, by place in the plan
	for i := range places {
		places[i] = -1
	}
	for i, t := range p.tasks {
		places[t.Plan] = i
	}
	whole := p.whole()
	for i, planned := range p.plan {
		parent := -1
		if planned.Parent >= 0 {
			parent = places[planned.Parent]
		}
		if places[i] >= 0 || !p.born(i, parent, by) {
			continue
		}
		places[i] = len(p.tasks)
		t := world.Task{
			ID: p.w.NewID("workflow.task"), Plan: i, Name: planned.Name, Parent: parent, State: world.TaskBlocked,
			CancelRequested: p.attempt.CancelRequested, UpdatedAt: p.at, Copied: whole[i],
		}
		if t.Copied {
			t.State = world.TaskSuccess
		}
		for _, up := range planned.Upstreams {
			if places[up] >= 0 {
				t.Upstreams = append(t.Upstreams, places[up])
			}
		}
		p.tasks = append(p.tasks, t)
	}
}

// born reports whether a task of the plan, whose parent has a place among the tasks, comes into being now.
func (p *progress) born(i, parent, by int) bool {
	if planned := p.plan[i]; planned.Parent < 0 || parent >= 0 && !planned.Generated {
		return true
	}
	return parent >= 0 && (parent == by || p.tasks[parent].Copied || p.plan[p.tasks[parent].Plan].Group)
}

// whole returns which tasks of the plan are taken over: those that the resumed attempt has done, subtasks included. A
// group that has got another subtask in a newer revision is not among them.
func (p *progress) whole() []bool {
	whole := make([]bool, len(p.plan))
	for i := range whole {
		_, whole[i] = slices.BinarySearch(p.attempt.Copies, p.plan[i].Name)
	}
	for i := len(p.plan) - 1; i > 0; i-- {
		if parent := p.plan[i].Parent; parent >= 0 && !whole[i] {
			whole[parent] = false
		}
	}
	return whole
}
