package control

import (
	"net/http"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/workflow"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/mockserver/internal/worlds"
)

// listOutcomes lists what the tasks of workflows result in, as fixtures have it.
func (h Host) listOutcomes(_ *op.Call, w *worlds.World) (op.Reply, error) {
	list := []fixtures.Outcome{}
	for _, o := range w.Read().Workflow.Outcomes.List() {
		list = append(list, workflow.ViewOutcome(o))
	}
	return op.OK(map[string]any{"world": w.ID, "outcomes": list})
}

func (h Host) queueOutcome(c *op.Call, w *worlds.World) (op.Reply, error) {
	var o fixtures.Outcome
	if err := c.Decode(&o); err != nil {
		return op.Reply{}, err
	}
	err := w.Write(len(c.Body), func(tx *world.State) error {
		if err := workflow.QueueOutcome(tx, o); err != nil {
			return op.Invalid("", "%v", err)
		}
		return nil
	})
	if err != nil {
		return op.Reply{}, err
	}
	return op.Created(o)
}

func (h Host) clearOutcomes(c *op.Call, w *worlds.World) (op.Reply, error) {
	return op.Reply{Status: http.StatusNoContent}, w.Write(len(c.Body), func(tx *world.State) error {
		tx.Workflow.Outcomes = world.Queue[world.Outcome]{}
		return nil
	})
}
