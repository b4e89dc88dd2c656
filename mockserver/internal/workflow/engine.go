package workflow

import (
	"time"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

const (
	attemptLimit = 7 * 24 * time.Hour // how long an attempt may run before it is killed
	taskLimit    = 24 * time.Hour     // how long one try of a task may take before it is killed
	taskSlots    = 30                 // tasks of the account that run at a time
)

// runAttempt settles the event of an attempt: tasks return, others start, and in the end the attempt is done.
func runAttempt(w *world.World, e world.Event, _ op.Skips) {
	if a, ok := w.Workflow.Attempts.Get(e.ID); ok && a.State == world.Running && a.StepAt.Equal(e.At) {
		advance(w, a, e.At)
	}
}

// begin enters a new attempt, with its tasks, and runs it if its state says so.
func begin(w *world.World, a world.Attempt, at time.Time) world.Attempt {
	p := newProgress(w, a, at)
	p.appear(nobody)
	p.store()
	w.Workflow.Unfinished.Put(a.ID, a.Pool)
	if a.State == world.Running {
		run(w, a, at)
	}
	a, _ = w.Workflow.Attempts.Get(a.ID)
	return a
}

// run lets an attempt that had to wait, or is new, start its tasks.
func run(w *world.World, a world.Attempt, at time.Time) {
	a.State, a.StartedAt = world.Running, at
	advance(w, a, at)
}

// advance moves a running attempt on to a time.
func advance(w *world.World, a world.Attempt, at time.Time) {
	p := newProgress(w, a, at)
	p.advance()
	p.commit()
}

// commit stores what has become of the attempt, and then moves on what waited for what it has given free.
func (p *progress) commit() {
	p.store()
	if p.attempt.State == world.Done {
		release(p.w, p.attempt, p.at)
	}
	feed(p.w, p.at)
}

// feed gives free task slots to the attempts that wait for them, the oldest first.
func feed(w *world.World, at time.Time) {
	for id := range w.Workflow.Unfinished.All() {
		if a, _ := w.Workflow.Attempts.Get(id); a.Starved && freeSlots(w) > 0 {
			a.Starved = false
			advance(w, a, at)
			return // which has fed the others
		}
	}
}

func freeSlots(w *world.World) int {
	free := taskSlots
	for id := range w.Workflow.Unfinished.All() {
		a, _ := w.Workflow.Attempts.Get(id)
		free -= a.RunningTasks
	}
	return free
}

// release starts what waited for an attempt that is done: the attempts behind it, and those in its pool's queue.
func release(w *world.World, done world.Attempt, at time.Time) {
	w.Workflow.Unfinished.Delete(done.ID)
	pools := []int64{done.Pool}
	for id, pool := range w.Workflow.Unfinished.All() {
		a, _ := w.Workflow.Attempts.Get(id)
		if a.State == world.Blocked && a.After == done.ID {
			a.State = world.Queued
			w.Workflow.Attempts.Put(id, a)
			pools = append(pools, pool)
		}
	}
	for _, pool := range pools {
		dispatch(w, pool, at)
	}
}

// dispatch starts queued attempts of a pool, the oldest first, while there is room.
func dispatch(w *world.World, pool int64, at time.Time) {
	for {
		p, _ := w.Workflow.Pools.Get(pool)
		use := useOf(w, pool)
		if use.firstQueued == 0 || use.running >= p.Limit {
			return
		}
		a, _ := w.Workflow.Attempts.Get(use.firstQueued)
		run(w, a, at)
	}
}

// use is how an account uses a pool.
type use struct {
	running     int   // canceling ones included
	waiting     int   // queued or blocked
	firstQueued int64 // the attempt that starts next; 0: none
}

func useOf(w *world.World, pool int64) (u use) {
	for id, of := range w.Workflow.Unfinished.All() {
		if of != pool {
			continue
		}
		a, _ := w.Workflow.Attempts.Get(id)
		if a.State == world.Running {
			u.running++
			continue
		}
		u.waiting++
		if a.State == world.Queued && u.firstQueued == 0 {
			u.firstQueued = id
		}
	}
	return u
}

// watch is what an auto clock asks on behalf of a client that waits for attempts to change their status: where they
// stand, and when the next event is due that may change that. A running attempt changes by its own events, one that
// waits by those of others.
func watch(w *world.World, ids ...int64) (state string, at time.Time, pending bool) {
	for _, id := range ids {
		a, _ := w.Workflow.Attempts.Get(id)
		state += string(statusOfAttempt(a)) + " "
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
