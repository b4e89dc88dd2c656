package workflow

import (
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/workflow/engine"
	"svc.example/understudy/mockserver/internal/world"
)

// killAttempt answers the attempt as it was before, so cancelRequested is still false in it.
func killAttempt(c *op.Call) (op.Reply, error) {
	a, err := attemptFromPath(c, "id")
	if err != nil {
		return op.Reply{}, err
	}
	switch {
	case a.State == world.Done:
		return op.Reply{}, op.Conflict("attempt %d has already ended, with status %s", a.ID, engine.StatusOf(a))
	case a.CancelRequested:
		return op.Reply{}, op.Conflict("attempt %d was already asked to stop", a.ID)
	}
	before := attemptView(c.World, a)
	engine.Kill(c.World, a, c.Now)
	return op.OK(before)
}
