package control

import (
	"errors"
	"strings"

	"github.com/go-json-experiment/json"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver/internal/core/result"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/mockserver/internal/worlds"
)

// jobResult is a queued result in answers. Requests have the form of fixtures, with the rows.
type jobResult struct {
	Query     string             `json:"query,omitempty"`
	Pattern   string             `json:"pattern,omitempty"`
	DomainKey string             `json:"domainKey,omitempty"`
	Job       int64              `json:"job,omitzero"`
	Columns   [][2]string        `json:"columns,omitempty"`
	Count     *int64             `json:"count,omitempty"`
	Error     string             `json:"error,omitempty"`
	Queued    *fixtures.Duration `json:"queued,omitempty"`
	Running   *fixtures.Duration `json:"running,omitempty"`
	Times     int                `json:"times,omitzero"`
}

func viewJobResult(r world.QueuedResult) jobResult {
	view := jobResult{
		Query: r.Query, Pattern: r.Pattern, DomainKey: r.DomainKey, Job: r.Job, Error: r.Error, Times: r.Times,
		Queued: (*fixtures.Duration)(r.Queued), Running: (*fixtures.Duration)(r.Running),
	}
	if r.Output != nil {
		view.Columns, view.Count = r.Output.Columns, &r.Output.Count
	}
	return view
}

func (h Host) listJobResults(_ *op.Call, w *worlds.World) (op.Reply, error) {
	views := []jobResult{}
	for _, r := range w.Read().Core.Results.List() {
		views = append(views, viewJobResult(r))
	}
	return op.OK(map[string]any{"world": w.ID, "results": views})
}

func (h Host) queueJobResult(c *op.Call, w *worlds.World) (op.Reply, error) {
	var body fixtures.QueuedResult
	err := op.Unmarshal(c.Body, &body)
	if misfit, ok := errors.AsType[*json.SemanticError](err); ok && misfit.Err != nil { // of a duration
		return op.Reply{}, op.Invalid(strings.TrimPrefix(string(misfit.JSONPointer), "/"), "%v", misfit.Err)
	}
	if err != nil {
		return op.Reply{}, op.Invalid("", "request body: %v", err)
	}
	queued, err := result.FromFixture(body)
	if err != nil {
		return op.Reply{}, op.Invalid("rows", "%v", err)
	}
	if err := w.Write(len(c.Body), func(tx *world.State) error { return result.Queue(tx, queued) }); err != nil {
		return op.Reply{}, err
	}
	return op.Created(viewJobResult(queued))
}

func (h Host) clearJobResults(c *op.Call, w *worlds.World) (op.Reply, error) {
	return op.Reply{Status: 204}, w.Write(len(c.Body), func(tx *world.State) error {
		tx.Core.Results = world.Queue[world.QueuedResult]{}
		return nil
	})
}
