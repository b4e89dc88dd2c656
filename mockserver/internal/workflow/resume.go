package workflow

import (
	"slices"
	"strings"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// resumeRequest asks a new attempt to take over what an earlier one has done. Mode failed takes over all tasks that
// succeeded; mode from those before one task, which is named by the end of its full name.
type resumeRequest struct {
	Mode      string     `json:"mode"`
	AttemptID flexibleID `json:"attemptId"`
	From      string     `json:"from"`
}

// tasksToCopy returns the attempt resumed and the full names of the tasks to take over, sorted. They are matched by
// name, so that the new attempt may belong to a newer revision.
func (r *resumeRequest) tasksToCopy(w *world.State) (resumed int64, names []string, err error) {
	if err := r.check(); err != nil {
		return 0, nil, err
	}
	attempt, ok := w.Workflow.Attempts.Get(r.AttemptID.id())
	if !ok {
		return 0, nil, op.NotFound("attempt", "id", r.AttemptID.text)
	}
	tasks, _ := w.Workflow.Tasks.Get(attempt.ID)
	if r.Mode == "failed" {
		names, err = succeededTasks(attempt, tasks)
	} else {
		names, err = r.tasksBefore(tasks)
	}
	slices.Sort(names)
	return attempt.ID, names, err
}

func (r *resumeRequest) check() error {
	switch {
	case r.Mode != "failed" && r.Mode != "from":
		return op.Invalid("resume.mode", "want failed or from, not %q", r.Mode)
	case r.AttemptID.text == "":
		return op.Invalid("resume.attemptId", "is missing")
	case r.Mode == "from" && !strings.HasPrefix(r.From, "+"):
		return op.Invalid("resume.from", "want the end of a task's full name, starting with +, not %q", r.From)
	}
	return nil
}

// succeededTasks returns the tasks that mode failed takes over: those that succeeded. An attempt that succeeded as a
// whole has nothing left to do.
func succeededTasks(attempt world.Attempt, tasks []world.Task) (names []string, err error) {
	if attempt.Success {
		return nil, op.Invalid("resume.attemptId", "attempt %d succeeded, so it has no failed tasks", attempt.ID)
	}
	for _, t := range tasks {
		if t.State == world.TaskSuccess {
			names = append(names, t.Name)
		}
	}
	return names, nil
}

// tasksBefore returns the tasks that mode from takes over: those that the named one, or one of its parents, had to wait
// for, with all their subtasks. Beside it, with _parallel, is not before it.
func (r *resumeRequest) tasksBefore(tasks []world.Task) (names []string, err error) {
	at, err := r.findTask(tasks)
	if err != nil {
		return nil, err
	}
	taken := make([]bool, len(tasks))
	for ; at >= 0; at = tasks[at].Parent {
		addUpstreams(tasks, at, taken)
	}
	for i, t := range tasks {
		if t.Parent >= 0 && taken[t.Parent] {
			taken[i] = true // parents stand before their children
		}
		if !taken[i] {
			continue
		}
		if t.State != world.TaskSuccess {
			return nil, op.Invalid("resume.from", "%s comes before %s and has not succeeded: it is %s", t.Name, r.From, t.State)
		}
		names = append(names, t.Name)
	}
	return names, nil
}

func addUpstreams(tasks []world.Task, at int, taken []bool) {
	for _, up := range tasks[at].Upstreams {
		if !taken[up] {
			taken[up] = true
			addUpstreams(tasks, up, taken)
		}
	}
}

func (r *resumeRequest) findTask(tasks []world.Task) (int, error) {
	found := -1
	for i, t := range tasks {
		switch {
		case !strings.HasSuffix(t.Name, r.From):
		case found < 0:
			found = i
		default:
			return 0, op.Invalid("resume.from", "%s matches %s and %s; want the end of exactly one task's name", r.From,
				tasks[found].Name, t.Name)
		}
	}
	if found < 0 {
		return 0, op.Invalid("resume.from", "%s does not match a task of attempt %s", r.From, r.AttemptID.text)
	}
	return found, nil
}
