package control

import (
	"cmp"
	"net/http"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver/internal/fault"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/mockserver/internal/worlds"
)

// stub is an answer in the place of an operation, in requests.
type stub struct {
	fixtures.Calls

	Times   int               `json:"times,omitzero"`
	Status  int               `json:"status,omitzero"`
	Headers map[string]string `json:"headers,omitempty"`
	Body    any               `json:"body,omitempty"`

	Template bool `json:"template,omitzero"`
}

// plannedStub is a stub in answers.
type plannedStub struct {
	ID string `json:"id"`
	stub
	Calls int64 `json:"calls"`
	Hits  int64 `json:"hits"`
}

func viewStub(p fault.Planned) plannedStub {
	return plannedStub{
		ID: p.ID,
		stub: stub{
			Calls: p.Fault.Calls, Times: p.First, Status: p.Status, Headers: p.Headers, Body: p.Body, Template: p.Template,
		},
		Calls: p.Calls, Hits: p.Hits,
	}
}

func (h Host) listStubs(_ *op.Call, w *worlds.World) (op.Reply, error) {
	views := []plannedStub{}
	for _, p := range fault.List(w.Read(), true) {
		views = append(views, viewStub(p))
	}
	return op.OK(map[string]any{"world": w.ID, "stubs": views})
}

func (h Host) planStub(c *op.Call, w *worlds.World) (op.Reply, error) {
	var s stub
	if err := decodeMembers(c.Body, &s); err != nil {
		return op.Reply{}, err
	}
	f := fixtures.Fault{
		Calls: s.Calls, First: s.Times, Status: cmp.Or(s.Status, http.StatusOK), Headers: s.Headers, Body: s.Body,
		Template: s.Template,
	}
	var view plannedStub
	return created(c, w, &view, func(tx *world.State) error {
		planned, err := fault.PlanStub(tx, f, h.Documents)
		view = viewStub(fault.View(tx, planned))
		return err
	})
}
