package workflow

import (
	"cmp"
	"time"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// killAttempt answers the attempt as it was before, so cancelRequested is still false in it.
func killAttempt(c *op.Call) (op.Reply, error) {
	a, err := calledAttempt(c, "id")
	if err != nil {
		return op.Reply{}, err
	}
	switch {
	case a.State == world.Done:
		return op.Reply{}, op.Conflict("attempt %d has already ended, with status %s", a.ID, statusOfAttempt(a))
	case a.CancelRequested:
		return op.Reply{}, op.Conflict("attempt %d was already asked to stop", a.ID)
	}
	before := attemptView(c.World, a)
	kill(c.World, a, c.Now)
	return op.OK(before)
}

// kill cancels an attempt. One that runs is canceling until the tasks that run have returned; one that waits has none
// to wait for (assumed). A task that has to stop returns within the usual time of a task, however long it would have
// taken (assumed): a client that waits for its kill does not wait for hours.
func kill(w *world.World, a world.Attempt, at time.Time) {
	p := newProgress(w, a, at)
	p.cancel()
	p.hasten()
	if a.State == world.Running {
		p.advance()
	} else {
		p.set(&p.tasks[0], world.TaskCanceled)
		p.attempt.State, p.attempt.FinishedAt = world.Done, at
	}
	p.commit()
}

func (p *progress) hasten() {
	soon := p.at.Add(cmp.Or(p.w.Workflow.TaskTime, defaultTaskTime))
	for i := range p.tasks {
		if t := &p.tasks[i]; t.State == world.TaskRunning && t.EndsAt.After(soon) {
			t.EndsAt = soon
		}
	}
}
