package control

import (
	"svc.example/understudy/mockserver/internal/llm/chat"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/mockserver/internal/worlds"
)

func (h Host) listTurns(_ *op.Call, w *worlds.World) (op.Reply, error) {
	return op.OK(map[string]any{"world": w.ID, "turns": append([]world.Turn{}, w.Read().LLM.Turns.List()...)})
}

func (h Host) queueTurn(c *op.Call, w *worlds.World) (op.Reply, error) {
	var turn world.Turn
	if err := c.Decode(&turn); err != nil {
		return op.Reply{}, err
	}
	if err := w.Write(len(c.Body), func(tx *world.State) error { return chat.QueueTurn(tx, turn) }); err != nil {
		return op.Reply{}, err
	}
	return op.Created(turn)
}

func (h Host) clearTurns(c *op.Call, w *worlds.World) (op.Reply, error) {
	return op.Reply{Status: 204}, w.Write(len(c.Body), func(tx *world.State) error {
		tx.LLM.Turns = world.Queue[world.Turn]{}
		return nil
	})
}
