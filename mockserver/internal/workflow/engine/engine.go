// Package engine runs the attempts of the workflow interface on the world's clock: which tasks start, how they end,
// what waits for a slot, a pool or another attempt, and what a kill does. Due events of the world call it; handlers
// begin, resume and kill attempts through it.
package engine

import (
	"cmp"
	"time"

	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

const (
	attemptLimit = 7 * 24 * time.Hour // how long an attempt may run before it is killed
	taskLimit    = 24 * time.Hour     // how long one try of a task may take before it is killed
	taskSlots    = 30                 // tasks of the account that run at a time
)

// RunAttempt settles the event of an attempt: tasks return, others start, and in the end the attempt is done.
func RunAttempt(w *world.State, e world.DueEvent) {
	if a, ok := w.Workflow.Attempts.Get(e.ID); ok && a.State == world.Running && a.StepAt.Equal(e.At) {
		advance(w, a, e.At)
	}
}

// Begin enters a new attempt, with its tasks, and runs it if its state says so.
func Begin(w *world.State, a world.Attempt, at time.Time) world.Attempt {
	p := newProgress(w, a, at)
	p.addTasks(atStart)
	p.store()
	if a.State == world.Running {
		run(w, a, at)
	}
	a, _ = w.Workflow.Attempts.Get(a.ID)
	return a
}

// run starts the tasks of an attempt that is new or had to wait.
func run(w *world.State, a world.Attempt, at time.Time) {
	a.State, a.StartedAt = world.Running, at
	advance(w, a, at)
}

// advance moves a running attempt on to a time.
func advance(w *world.State, a world.Attempt, at time.Time) {
	p := newProgress(w, a, at)
	p.advance()
	p.commit()
}

// commit stores what has become of the attempt, and then moves on what waited for what it has given free.
func (p *progress) commit() {
	p.store()
	if p.attempt.State == world.Done {
		startFollowers(p.w, p.attempt, p.at)
	}
	startWaiting(p.w, p.at)
}

// startWaiting gives free task slots to the attempts that wait for them, the oldest first.
func startWaiting(w *world.State, at time.Time) {
	if w.Workflow.Use.Starved == 0 || freeSlots(w) == 0 {
		return
	}
	for id := range table.All(&w.Workflow.Unfinished) {
		if a, _ := w.Workflow.Attempts.Get(id); a.Starved {
			advance(w, a, at)
			return // which has fed the others
		}
	}
}

func freeSlots(w *world.State) int { return taskSlots - w.Workflow.Use.Tasks }

// startFollowers starts the attempts that waited for one that is done: those behind it, and those in its pool's queue.
func startFollowers(w *world.State, done world.Attempt, at time.Time) {
	pools := []int64{done.Pool}
	followers, _ := w.Workflow.Use.Followers.Get(done.ID)
	w.Workflow.Use.Followers.Delete(done.ID)
	for _, id := range followers {
		if a, _ := w.Workflow.Attempts.Get(id); a.State == world.Blocked {
			a.State = world.Queued
			w.Workflow.PutAttempt(a)
			pools = append(pools, a.Pool)
		}
	}
	for _, pool := range pools {
		Dispatch(w, pool, at)
	}
}

// Dispatch starts queued attempts of a pool, the oldest first, while there is room.
func Dispatch(w *world.State, pool int64, at time.Time) {
	for {
		p, _ := w.Workflow.Pools.Get(pool)
		a, waits := w.Workflow.FirstQueued(pool)
		if !waits || w.Workflow.PoolUse(pool).Running >= p.Limit {
			return
		}
		run(w, a, at)
	}
}

// Watch returns, to an auto clock on behalf of a client that waits for attempts to change their status, their state,
// and the time of the next event that may change it. A running attempt changes by its own events, one that waits by
// those of others.
func Watch(w *world.State, ids ...int64) (state string, at time.Time, pending bool) {
	for _, id := range ids {
		a, _ := w.Workflow.Attempts.Get(id)
		state += string(StatusOf(a)) + " "
		if a.State == world.Done {
			continue
		}
		next := a.StepAt
		if a.State != world.Running || a.Starved {
			event, _ := w.NextOnce()
			next = event.At
		}
		if !next.IsZero() && (!pending || next.Before(at)) {
			at, pending = next, true
		}
	}
	return state, at, pending
}

// RequestCancel cancels an attempt without a limit to how long its running tasks may take to return.
func RequestCancel(w *world.State, a world.Attempt, at time.Time) {
	p := newProgress(w, a, at)
	p.cancel()
	p.commit()
}

// Kill cancels an attempt. One that runs is canceling until the tasks that run have returned; one that waits has none
// to wait for (assumed). A task that has to stop returns within the usual time of a task, however long it would have
// taken (assumed): a client that waits for its kill does not wait for hours.
func Kill(w *world.State, a world.Attempt, at time.Time) {
	p := newProgress(w, a, at)
	p.cancel()
	soon := p.at.Add(cmp.Or(p.w.Workflow.TaskTime, DefaultTaskTime))
	for i := range p.tasks {
		if t := &p.tasks[i]; t.State == world.TaskRunning && t.EndsAt.After(soon) {
			t.EndsAt = soon
		}
	}
	if a.State == world.Running {
		p.advance()
	} else {
		p.setState(&p.tasks[0], world.TaskCanceled)
		p.attempt.State, p.attempt.FinishedAt = world.Done, at
	}
	p.commit()
}
