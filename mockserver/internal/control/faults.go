package control

import (
	"errors"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver/internal/core/result"
	"svc.example/understudy/mockserver/internal/fault"
	"svc.example/understudy/mockserver/internal/llm/chat"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/workflow"
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
	return created(c, w, &view, func(tx *world.State) error {
		planned, err := fault.Plan(tx, f, h.Documents)
		view = fault.View(tx, planned)
		return err
	})
}

// created answers with a view of what a write adds to a world.
func created(c *op.Call, w *worlds.World, view any, add func(tx *world.State) error) (op.Reply, error) {
	if err := w.Write(len(c.Body), add); err != nil {
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

// change returns a handler that changes a world, and answers with nothing.
func change(apply func(c *op.Call, tx *world.State) error) func(*op.Call, *worlds.World) (op.Reply, error) {
	return func(c *op.Call, w *worlds.World) (op.Reply, error) {
		return op.Reply{Status: http.StatusNoContent}, w.Write(len(c.Body), func(tx *world.State) error {
			return apply(c, tx)
		})
	}
}

// clearPlan returns what takes the planned faults from a world, or the stubs.
func clearPlan(stubs bool) func(*op.Call, *world.State) error {
	return func(_ *op.Call, tx *world.State) error { fault.Clear(tx, stubs); return nil }
}

// removePlanned returns what takes the fault, or the stub, that the path names from a world.
func removePlanned(stub bool) func(*op.Call, *world.State) error {
	return func(c *op.Call, tx *world.State) error { return fault.Remove(tx, c.Param("id"), stub) }
}

// clearQueue returns what empties a queue of a world.
func clearQueue[T any](queue func(*world.State) *world.Queue[T]) func(*op.Call, *world.State) error {
	return func(_ *op.Call, tx *world.State) error { *queue(tx) = world.Queue[T]{}; return nil }
}

func (h Host) listIngestionFailures(_ *op.Call, w *worlds.World) (op.Reply, error) {
	state := w.Read().Ingestion
	failures := []world.IngestionFailure{}
	for _, failure := range table.All(&state.Failures) {
		failures = append(failures, failure)
	}
	return op.OK(struct {
		World    string                   `json:"world"`
		Total    int64                    `json:"total"`
		Failures []world.IngestionFailure `json:"failures"`
	}{w.ID, state.Failed, failures})
}

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
	return created(c, w, o, func(tx *world.State) error {
		if err := workflow.QueueOutcome(tx, o); err != nil {
			return op.Invalid("", "%v", err)
		}
		return nil
	})
}

func outcomes(tx *world.State) *world.Queue[world.Outcome] { return &tx.Workflow.Outcomes }

func (h Host) listTurns(_ *op.Call, w *worlds.World) (op.Reply, error) {
	return op.OK(map[string]any{"world": w.ID, "turns": append([]world.Turn{}, w.Read().LLM.Turns.List()...)})
}

func (h Host) queueTurn(c *op.Call, w *worlds.World) (op.Reply, error) {
	var turn world.Turn
	if err := c.Decode(&turn); err != nil {
		return op.Reply{}, err
	}
	return created(c, w, turn, func(tx *world.State) error { return chat.QueueTurn(tx, turn) })
}

func turns(tx *world.State) *world.Queue[world.Turn] { return &tx.LLM.Turns }

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
	if err := decodeMembers(c.Body, &body); err != nil {
		return op.Reply{}, err
	}
	queued, err := result.FromFixture(body)
	if err != nil {
		return op.Reply{}, op.Invalid("rows", "%v", err)
	}
	return created(c, w, viewJobResult(queued), func(tx *world.State) error { return result.Queue(tx, queued) })
}

func jobResults(tx *world.State) *world.Queue[world.QueuedResult] { return &tx.Core.Results }
