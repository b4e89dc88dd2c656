package control

import (
	"errors"
	"strings"

	"github.com/go-json-experiment/json"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver/internal/fault"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/mockserver/internal/worlds"
)

func (h Host) listFaults(_ *op.Call, w *worlds.World) (op.Reply, error) {
	return op.OK(map[string]any{"world": w.ID, "faults": fault.List(w.Read(), false)})
}

func (h Host) planFault(c *op.Call, w *worlds.World) (op.Reply, error) {
	var f fixtures.Fault
	if err := decodeMembers(c.Body, &f); err != nil {
		return op.Reply{}, err
	}
	var view fault.Planned
	err := w.Write(len(c.Body), func(tx *world.State) error {
		planned, err := fault.Plan(tx, f, h.Documents)
		view = fault.View(tx, planned)
		return err
	})
	if err != nil {
		return op.Reply{}, err
	}
	return op.Created(view)
}

// decodeMembers reads a body that fits the document. What is wrong with a text in it, such as a duration, is an error
// that names the member.
func decodeMembers(body []byte, into any) error {
	err := op.Unmarshal(body, into)
	if misfit, ok := errors.AsType[*json.SemanticError](err); ok && misfit.Err != nil {
		field := strings.ReplaceAll(strings.TrimPrefix(string(misfit.JSONPointer), "/"), "/", ".")
		return op.Invalid(field, "%v", misfit.Err)
	}
	if err != nil {
		return op.Invalid("", "request body: %v", err)
	}
	return nil
}

func (h Host) clearFaults(c *op.Call, w *worlds.World) (op.Reply, error) {
	return op.Reply{Status: 204}, w.Write(len(c.Body), func(tx *world.State) error { fault.Clear(tx, false); return nil })
}

func (h Host) removeFault(c *op.Call, w *worlds.World) (op.Reply, error) {
	return op.Reply{Status: 204}, w.Write(len(c.Body), func(tx *world.State) error {
		return fault.Remove(tx, c.Param("id"), false)
	})
}
