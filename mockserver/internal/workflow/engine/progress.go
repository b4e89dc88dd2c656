package engine

import (
	"slices"
	"time"

	"svc.example/understudy/mockserver/internal/dig"
	"svc.example/understudy/mockserver/internal/world"
)

// progress advances the tasks of one attempt. It works on a copy, which store puts back. Parents stand before their
// children.
type progress struct {
	w       *world.State
	at      time.Time
	attempt world.Attempt
	plan    []dig.Task
	tasks   []world.Task
	slots   int // tasks that the account may still start
}

func newProgress(w *world.State, a world.Attempt, at time.Time) *progress {
	definition, _ := w.Workflow.Definitions.Get(a.Definition)
	tasks, _ := w.Workflow.Tasks.Get(a.ID)
	return &progress{w: w, at: at, attempt: a, plan: definition.Workflow.Tasks, tasks: slices.Clone(tasks)}
}

// advance does everything that is due by now.
func (p *progress) advance() {
	p.slots = freeSlots(p.w)
	if !p.at.Before(p.attempt.StartedAt.Add(attemptLimit)) {
		p.expire()
	}
	for i := range p.tasks {
		p.stepTask(i)
	}
	for started, closed := true, true; started || closed; {
		started = p.startTasks()
		closed = p.closeGroups()
	}
	if root := p.tasks[0]; Final(root.State) {
		p.attempt.State, p.attempt.FinishedAt = world.Done, p.at
		p.attempt.Success = root.State == world.TaskSuccess
	}
}

// cancel flags every task that is not over.
func (p *progress) cancel() {
	p.attempt.CancelRequested = true
	for i := range p.tasks {
		if t := &p.tasks[i]; !Final(t.State) {
			t.CancelRequested, t.UpdatedAt = true, p.at
		}
	}
}

// expire kills an attempt that has run for too long, without waiting for its tasks to return (assumed).
func (p *progress) expire() {
	p.cancel()
	for i := range p.tasks {
		if t := &p.tasks[i]; t.State == world.TaskRunning {
			t.EndsAt = p.at
		}
	}
}

// stepTask takes the next step of a task that is due: its try ends, or it is tried again. A task that waits to be tried
// again is canceled at once (assumed).
func (p *progress) stepTask(i int) {
	switch t := &p.tasks[i]; t.State {
	case world.TaskRunning:
		if !t.EndsAt.After(p.at) {
			p.slots++
			p.endTry(i)
		}
	case world.TaskRetryWaiting, world.TaskGroupRetryWaiting:
		switch {
		case t.CancelRequested:
			p.setState(t, world.TaskCanceled)
		case t.RetryAt.After(p.at):
		case t.State == world.TaskRetryWaiting:
			p.setState(t, world.TaskReady)
		default:
			p.resetSubtasks(i)
			p.setState(t, world.TaskPlanned)
		}
	default: // waits for others
	}
}

// endTry ends a try. A canceled task is canceled whatever came out of it; one that has made subtasks waits for them.
func (p *progress) endTry(i int) {
	t := &p.tasks[i]
	fails := t.Fails
	t.EndsAt, t.Fails = time.Time{}, ""
	switch {
	case t.CancelRequested:
		p.setState(t, world.TaskCanceled)
	case fails != "" && p.planRetry(t):
		p.setState(t, world.TaskRetryWaiting)
	case fails != "":
		t.Error = fails
		p.setState(t, world.TaskError)
	default:
		p.setState(t, world.TaskPlanned) // which closeGroups ends at once if it has nothing to wait for
		p.addTasks(i)
	}
}

// planRetry plans the next try of a failed task or group, if it has one left. An interval of nothing is a second, so
// that a task that always fails takes its time (assumed).
func (p *progress) planRetry(t *world.Task) bool {
	planned := p.plan[t.Plan]
	if t.Tried >= planned.Retries {
		return false
	}
	interval := max(planned.RetryInterval, time.Second)
	for n := 0; planned.RetryExponential && n < t.Tried && interval < attemptLimit; n++ {
		interval *= 2
	}
	t.Tried++
	t.RetryAt = p.at.Add(interval)
	return true
}

// resetSubtasks makes the subtasks of a group blocked again, so that they run once more. Those that were taken over
// from another attempt run, too (assumed).
func (p *progress) resetSubtasks(group int) {
	within := make([]bool, len(p.tasks))
	within[group] = true
	for i := group + 1; i < len(p.tasks); i++ {
		t := &p.tasks[i]
		if within[i] = within[t.Parent]; !within[i] {
			continue
		}
		t.Copied, t.Tried, t.Error, t.StartedAt = false, 0, "", time.Time{}
		p.setState(t, world.TaskBlocked)
	}
}

// startTasks makes the unblocked tasks ready, and starts as many as there are slots for.
func (p *progress) startTasks() (changed bool) {
	for i := range p.tasks {
		t := &p.tasks[i]
		if t.State == world.TaskBlocked && p.isUnblocked(t) {
			changed = true
			if p.plan[t.Plan].Group && !t.CancelRequested {
				p.setState(t, world.TaskPlanned)
				continue
			}
			p.setState(t, world.TaskReady)
		}
		if t.State != world.TaskReady {
			continue
		}
		if t.CancelRequested {
			p.setState(t, world.TaskCanceled)
			changed = true
		} else if p.slots > 0 {
			p.startTask(t)
			changed = true
		}
	}
	return changed
}

// isUnblocked reports whether a blocked task may start: its parent runs, and its upstreams have succeeded.
func (p *progress) isUnblocked(t *world.Task) bool {
	if t.Parent >= 0 && p.tasks[t.Parent].State != world.TaskPlanned {
		return false
	}
	return !slices.ContainsFunc(t.Upstreams, func(up int) bool { return p.tasks[up].State != world.TaskSuccess })
}

// maxLogFiles is the number of log files of one task that are kept (assumed).
const maxLogFiles = 100

func (p *progress) startTask(t *world.Task) {
	takes, fails := p.outcome(t)
	if takes > taskLimit {
		takes, fails = taskLimit, "the task was killed because it ran for "+taskLimit.String()
	}
	p.slots--
	t.StartedAt, t.EndsAt, t.Fails = p.at, p.at.Add(takes), fails
	kept := t.Starts[max(0, len(t.Starts)-maxLogFiles+1):]
	t.Starts = append(slices.Clone(kept), p.at)
	p.setState(t, world.TaskRunning)
}

// closeGroups ends the planned tasks of which no subtask can move any more. Subtasks behind a failed one stay blocked
// for ever, so they do not count. What a task's end sets in motion is not known yet, so those above it stay for now.
func (p *progress) closeGroups() (changed bool) {
	busy, failed := make([]bool, len(p.tasks)), make([]bool, len(p.tasks))
	for i, t := range slices.Backward(p.tasks) {
		if t.State == world.TaskPlanned && !busy[i] {
			p.closeGroup(&p.tasks[i], failed[i])
			changed = true
		}
		if t.Parent >= 0 {
			moves := !Final(t.State) && (t.State != world.TaskBlocked || p.isUnblocked(&t))
			busy[t.Parent] = busy[t.Parent] || moves
			failed[t.Parent] = failed[t.Parent] || Final(t.State) && t.State != world.TaskSuccess
		}
	}
	return changed
}

func (p *progress) closeGroup(t *world.Task, failed bool) {
	switch {
	case t.CancelRequested:
		p.setState(t, world.TaskCanceled)
	case !failed:
		p.setState(t, world.TaskSuccess)
	case p.planRetry(t):
		p.setState(t, world.TaskGroupRetryWaiting)
	default:
		p.setState(t, world.TaskGroupError)
	}
}

func (p *progress) setState(t *world.Task, state world.TaskState) {
	t.State, t.UpdatedAt = state, p.at
	if state != world.TaskRetryWaiting && state != world.TaskGroupRetryWaiting {
		t.RetryAt = time.Time{}
	}
}

// Final reports whether a task does not change any more.
func Final(state world.TaskState) bool {
	switch state {
	case world.TaskSuccess, world.TaskError, world.TaskGroupError, world.TaskCanceled:
		return true
	default:
		return false
	}
}

// store puts the attempt and its tasks back, and plans its next event.
func (p *progress) store() {
	a := &p.attempt
	if !a.StepAt.IsZero() {
		p.w.Cancel(world.DueEvent{At: a.StepAt, Kind: world.AttemptEvent, ID: a.ID})
	}
	a.RunningTasks, a.Starved, a.StepAt = 0, false, time.Time{}
	if a.State == world.Running {
		a.StepAt = a.StartedAt.Add(attemptLimit)
		for i := range p.tasks {
			p.countTask(&p.tasks[i])
		}
		p.w.Plan(world.DueEvent{At: a.StepAt, Kind: world.AttemptEvent, ID: a.ID})
	}
	p.w.Workflow.PutAttempt(*a)
	p.w.Workflow.Tasks.Put(a.ID, p.tasks)
}

// countTask adds a task to the counts of its attempt, whose next event is not later than the task's.
func (p *progress) countTask(t *world.Task) {
	a := &p.attempt
	next := a.StepAt
	switch t.State {
	case world.TaskRunning:
		a.RunningTasks++
		next = t.EndsAt
	case world.TaskRetryWaiting, world.TaskGroupRetryWaiting:
		next = t.RetryAt
	case world.TaskReady:
		a.Starved = true
	default: // nothing of its own
	}
	if next.Before(a.StepAt) {
		a.StepAt = next
	}
}
