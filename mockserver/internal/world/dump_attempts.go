package world

import (
	"bytes"
	"math"
	"slices"
	"unicode/utf8"
)

func (l *loader) pools(*workflowDump) {
	x := &l.w.Workflow
	names, defaults, priorities := map[string]bool{}, 0, map[int]bool{}
	for id, p := range x.Pools.All() {
		if p.Name == "" || utf8.RuneCountInString(p.Name) > 256 || names[p.Name] || p.Limit < 1 || p.Limit > math.MaxInt32 {
			l.wrong("pool", id, "want a name of its own of 1 to 256 characters, and a concurrencyLimit from 1 to %d", math.MaxInt32)
		}
		if names[p.Name] = true; p.Default {
			x.DefaultPool = id
			defaults++
		}
	}
	if defaults > 1 {
		l.wrong("pools", "of the dump", "%d of them are the default pool, there can only be one", defaults)
	}
	for id, r := range x.PoolRules.All() {
		if _, known := x.Pools.Get(r.Pool); !known {
			l.wrong("pool rule", id, "there is no pool %d", r.Pool)
		}
		if len(r.Conditions) < 1 || len(r.Conditions) > 2 {
			l.wrong("pool rule", id, "want one or two conditions, not %d", len(r.Conditions))
		}
		if slices.ContainsFunc(r.Conditions, PoolCondition.wrong) {
			l.wrong("pool rule", id, "want conditions as the interface takes them")
		}
		if r.Priority < 1 || r.Priority > 10_000 || priorities[r.Priority] {
			l.wrong("pool rule", id, "want a priority of its own from 1 to 10000, not %d", r.Priority)
		}
		priorities[r.Priority] = true
	}
}

func (c PoolCondition) wrong() bool {
	known := map[string][]string{
		"project_name": nil, "workflow_name": nil, "invocation_type": {"on_demand", "scheduled"},
		"workflow_type": {
			"ab_test", "audience", "customer_journey", "engage", "predictive_scoring", "realtime", "segment_insights",
			"syndication",
		},
	}
	values, ok := known[c.Type]
	if !ok || values == nil {
		return !ok || c.Operator != "starts_with"
	}
	return c.Operator != "" || slices.ContainsFunc(c.Values, func(v string) bool { return !slices.Contains(values, v) })
}

func (l *loader) sessions(*workflowDump) {
	x := &l.w.Workflow
	for id, s := range x.Sessions.All() {
		if _, known := x.Projects.Get(s.Project); !known {
			l.wrong("session", id, "there is no project %d", s.Project)
		}
		key := SessionKey{Project: s.Project, Workflow: s.Workflow, Time: s.Time.Unix()}
		if other, twice := x.SessionKeys.Get(key); twice {
			l.wrong("session", id, "session %d has the same project, workflow and time", other)
		}
		x.SessionKeys.Put(key, id)
		if len(s.Attempts) == 0 {
			l.wrong("session", id, "want at least one attempt")
		}
		for i, attempt := range s.Attempts {
			if a, ok := x.Attempts.Get(attempt); !ok || a.Session != id || a.Index != i+1 {
				l.wrong("session", id, "its attempt %d is none of its own with index %d", attempt, i+1)
			}
		}
	}
}

// attempts also plans their next steps.
func (l *loader) attempts(*workflowDump) {
	x := &l.w.Workflow
	for id, a := range x.Attempts.All() {
		if reason := l.wrongAttempt(a); reason != "" {
			l.wrong("attempt", id, "%s", reason)
			continue
		}
		if a.State == Done {
			continue
		}
		if _, known := x.Pools.Get(a.Pool); !known {
			l.wrong("attempt", id, "there is no pool %d", a.Pool)
		}
		x.enter(a)
		if a.State == Running {
			l.w.Plan(Event{At: a.StepAt, Kind: AttemptEvent, ID: id})
		}
	}
}

func (l *loader) wrongAttempt(a Attempt) string {
	x := &l.w.Workflow
	session, _ := x.Sessions.Get(a.Session)
	definition, known := x.Definitions.Get(a.Definition)
	before, waits := x.Attempts.Get(a.After)
	params := bytes.TrimSpace(a.Params)
	switch {
	case !slices.Contains(session.Attempts, a.ID):
		return "its session does not have it"
	case !known || definition.Project != session.Project || definition.Workflow.Name != session.Workflow:
		return "its definition is none of the session's workflow"
	case len(params) > 0 && params[0] != '{':
		return "its params are no object"
	case a.Resumes != 0 && a.Resumes >= a.ID, a.After != 0 && (a.After >= a.ID || !waits):
		return "it can only resume and wait for earlier attempts"
	case !slices.Contains([]AttemptState{Blocked, Queued, Running, Done}, a.State):
		return "its state is none of blocked, queued, running and done"
	case a.State == Blocked && (!waits || before.State == Done):
		return "it is blocked, but what it waits for is done"
	case a.StepAt.IsZero() == (a.State == Running):
		return "it must have stepAt while it is running, and only then"
	}
	return ""
}

var taskStates = []TaskState{
	TaskBlocked, TaskReady, TaskRunning, TaskPlanned, TaskRetryWaiting, TaskGroupRetryWaiting,
	TaskSuccess, TaskError, TaskGroupError, TaskCanceled,
}

func (l *loader) tasks(d *workflowDump) {
	x := &l.w.Workflow
	if len(d.Tasks) != x.Tasks.Len() || x.Tasks.Len() != x.Attempts.Len() {
		l.wrong("tasks", "of the dump", "want one list for each attempt")
	}
	ids := map[int64]bool{}
	for attempt, tasks := range x.Tasks.All() {
		a, known := x.Attempts.Get(attempt)
		if !known || len(tasks) == 0 {
			l.wrong("tasks of attempt", attempt, "want the tasks of an attempt, with its root first")
			continue
		}
		for i, t := range tasks {
			if ids[t.ID] || t.ID < 1 || t.ID > maxID {
				l.wrong("task", t.ID, "want an id of its own from 1 to %d", maxID)
				continue
			}
			ids[t.ID] = true
			l.w.Reserve("workflow.task", t.ID)
			if reason := l.wrongTask(a, tasks, i); reason != "" {
				l.wrong("task", t.ID, "%s", reason)
			}
		}
		l.slots(a, tasks)
	}
}

// wrongTask holds a task against the plan of its attempt's definition.
func (l *loader) wrongTask(a Attempt, tasks []Task, i int) string {
	definition, _ := l.w.Workflow.Definitions.Get(a.Definition)
	plan, t := definition.Workflow.Tasks, tasks[i]
	switch {
	case t.Plan < 0 || t.Plan >= len(plan) || plan[t.Plan].Name != t.Name:
		return "its plan is not the place of " + t.Name + " in the workflow"
	case t.Parent >= i || (t.Parent < 0) != (i == 0) || t.Parent < -1:
		return "its parent must stand before it, and the root first"
	case t.Parent >= 0 && tasks[t.Parent].Plan != plan[t.Plan].Parent:
		return "its parent is not the one in the workflow"
	case !slices.Contains(taskStates, t.State):
		return "its state is none that a task can have"
	case t.Tried < 0:
		return "tried must be 0 or more"
	}
	ups := make([]int, 0, len(t.Upstreams))
	for _, up := range t.Upstreams {
		if up < 0 || up >= len(tasks) {
			return "its upstreams are no places among the tasks"
		}
		ups = append(ups, tasks[up].Plan)
	}
	if !slices.Equal(ups, plan[t.Plan].Upstreams) {
		return "its upstreams are not those in the workflow"
	}
	return ""
}

// slots checks what an attempt says of its tasks.
func (l *loader) slots(a Attempt, tasks []Task) {
	running, starved := 0, false
	places := map[int]bool{}
	for _, t := range tasks {
		switch t.State {
		case TaskRunning:
			running++
		case TaskReady:
			starved = true
		default:
		}
		if places[t.Plan] {
			l.wrong("task", t.ID, "another task of the attempt has its place in the plan")
		}
		places[t.Plan] = true
	}
	if a.State != Running {
		running, starved = 0, false
	}
	if a.RunningTasks != running || a.Starved != starved {
		l.wrong("attempt", a.ID, "want runningTasks %d and starved %t, as its tasks are", running, starved)
	}
}

func (l *loader) outcomes(d *workflowDump) {
	for i, o := range d.Outcomes {
		if _, known := l.w.Workflow.Attempts.Get(o.Attempt); o.Attempt != 0 && !known || o.Takes < 0 || o.Times < 0 {
			l.wrong("outcome", i+1, "want an attempt that there is, and takes and times of 0 or more")
		}
	}
}
