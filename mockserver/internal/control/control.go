// Package control is the mock's own interface: worlds, their clocks, states and journals, over HTTP. It is a table of
// handlers like those of the platform's interfaces, held against a document of its own.
package control

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"svc.example/understudy/internal/version"
	"svc.example/understudy/mockserver/internal/journal"
	"svc.example/understudy/mockserver/internal/match"
	"svc.example/understudy/mockserver/internal/meter"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/mockserver/internal/worlds"
	"svc.example/understudy/scenarios"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// Host holds what the control interface controls.
type Host struct {
	Worlds *worlds.Worlds
	Dump   func(context.Context, *world.State) ([]byte, error)                       // as a fixture that loads again
	Load   func(like *world.State, name string, fixture []byte) (world.State, error) // with the clock's mode of like
	Render func(*journal.Entry) *recording.Exchange                                  // without secrets
	Source func(iface specs.Interface) ([]byte, error)                               // the text of a document
	// all that are documented, by name
	Operations func() []string
	Ready      func() error      // once every interface can answer
	Recording  func() *Recording // nil when there is none
	State      func() *State     // likewise
	Version    func() version.Info
	Library    func() scenarios.Library // as it was last read
	Scenario   string                   // with which the server began
	Brand      specs.Brand
	Documents  match.Documents
	Address    func(specs.Interface) string // the path of an interface
	Target     func(specs.Interface) string // the address of the service that answers it; empty: the mock does
	Meters     *meter.Set
	Watchers   *atomic.Int64 // how many clients wait for exchanges, or follow them

	searches *searches
}

// Recording describes how much of what was answered is in the recording.
type Recording struct {
	Recorded   int64  `json:"recorded"`
	Unrecorded int64  `json:"unrecorded"`
	Error      string `json:"error,omitempty"`
}

// State describes what of the worlds is in the file that they are kept in.
type State struct {
	Saved time.Time `json:"saved"` // what was done before is in it
	Takes string    `json:"takes"` // to save
	Error string    `json:"error,omitempty"`
}

// maxState is the number of bytes of a whole world, archives and all, of the rows of a result, and of a planned answer.
const maxState = 512 << 20

// Interface returns the table of the control interface.
func Interface(h Host) op.Interface {
	h.searches = &searches{}
	return op.Interface{Name: specs.Control, Error: errorReply, Routes: []op.Route{
		{Path: "GET /health", Handle: h.health},
		{Path: "GET /livez", Handle: h.alive},
		{Path: "GET /readyz", Handle: h.ready},
		{Path: "GET /version", Handle: h.version},
		{Path: "GET /metrics", Handle: h.getMetrics},
		{Path: "GET /scenarios", Handle: h.listScenarios},
		{Path: "GET /worlds", Handle: h.listWorlds},
		{Path: "POST /worlds", Handle: h.createWorld},
		{Path: "GET /worlds/{world}", Handle: h.in(h.getWorld)},
		{Path: "DELETE /worlds/{world}", Handle: h.deleteWorld},
		{Path: "POST /worlds/{world}/reset", Handle: h.in(h.resetWorld)},
		{Path: "GET /worlds/{world}/checkpoints", Handle: h.in(h.listCheckpoints)},
		{Path: "PUT /worlds/{world}/checkpoints/{name}", Handle: h.in(h.putCheckpoint)},
		{Path: "DELETE /worlds/{world}/checkpoints/{name}", Handle: h.in(h.deleteCheckpoint)},
		{Path: "POST /worlds/{world}/checkpoints/{name}/restore", Handle: h.in(h.restoreCheckpoint)},
		{Path: "GET /worlds/{world}/state", Handle: h.in(h.getState)},
		{Path: "PUT /worlds/{world}/state", Handle: h.in(h.putState), MaxBody: maxState, ManyValues: true},
		{Path: "GET /worlds/{world}/clock", Handle: h.in(h.getClock)},
		{Path: "POST /worlds/{world}/clock", Handle: h.in(h.moveClock)},
		{Path: "GET /worlds/{world}/events", Handle: h.in(h.listEvents)},
		{Path: "GET /worlds/{world}/journal", Handle: h.in(h.getJournal)},
		{Path: "DELETE /worlds/{world}/journal", Handle: h.in(h.clearJournal)},
		{Path: "GET /worlds/{world}/journal.har", Handle: h.in(h.getJournalHAR)},
		{Path: "GET /worlds/{world}/journal.ndjson", Handle: h.in(h.getJournalNDJSON)},
		{Path: "GET /worlds/{world}/journal/rows", Handle: h.in(h.getJournalRows)},
		{Path: "GET /worlds/{world}/journal/{seq}", Handle: h.in(h.getExchange)},
		{Path: "GET /worlds/{world}/journal/ticks", Handle: h.in(h.tickJournal), Lasts: true},
		{Path: "GET /worlds/{world}/journal/counts", Handle: h.in(h.getJournalCounts)},
		{Path: "POST /worlds/{world}/journal/counts", Handle: h.in(h.countCalls)},
		{Path: "POST /worlds/{world}/journal/wait", Handle: h.in(h.waitForCalls), Lasts: true},
		{Path: "GET /worlds/{world}/journal/stream", Handle: h.in(h.streamJournal), Lasts: true},
		{Path: "GET /worlds/{world}/jobs/results", Handle: h.in(h.listJobResults)},
		{Path: "POST /worlds/{world}/jobs/results", Handle: h.in(h.queueJobResult), MaxBody: maxState, ManyValues: true},
		{Path: "DELETE /worlds/{world}/jobs/results", Handle: h.in(change(clearQueue(jobResults)))},
		{Path: "GET /worlds/{world}/chats/turns", Handle: h.in(h.listTurns)},
		{Path: "POST /worlds/{world}/chats/turns", Handle: h.in(h.queueTurn), MaxBody: maxState},
		{Path: "DELETE /worlds/{world}/chats/turns", Handle: h.in(change(clearQueue(turns)))},
		{Path: "GET /worlds/{world}/attempts/outcomes", Handle: h.in(h.listOutcomes)},
		{Path: "POST /worlds/{world}/attempts/outcomes", Handle: h.in(h.queueOutcome)},
		{Path: "DELETE /worlds/{world}/attempts/outcomes", Handle: h.in(change(clearQueue(outcomes)))},
		{Path: "GET /worlds/{world}/faults", Handle: h.in(h.listFaults)},
		{Path: "POST /worlds/{world}/faults", Handle: h.in(h.planFault), MaxBody: maxState},
		{Path: "DELETE /worlds/{world}/faults", Handle: h.in(change(clearPlan(false)))},
		{Path: "DELETE /worlds/{world}/faults/{id}", Handle: h.in(change(removePlanned(false)))},
		{Path: "GET /worlds/{world}/stubs", Handle: h.in(h.listStubs)},
		{Path: "POST /worlds/{world}/stubs", Handle: h.in(h.planStub), MaxBody: maxState},
		{Path: "DELETE /worlds/{world}/stubs", Handle: h.in(change(clearPlan(true)))},
		{Path: "DELETE /worlds/{world}/stubs/{id}", Handle: h.in(change(removePlanned(true)))},
		{Path: "GET /worlds/{world}/ingestion/failures", Handle: h.in(h.listIngestionFailures)},
		{Path: "GET /specs/{interface}.yaml", Handle: h.getSpec},
		{Path: "GET /coverage", Handle: h.getCoverage},
	}}
}

func (h Host) health(*op.Call) (op.Reply, error) {
	if err := h.Ready(); err != nil {
		return op.Reply{}, err
	}
	usage, status := h.Worlds.Usage(), "ok"
	recording, state := h.Recording(), h.State()
	if recording != nil && recording.Unrecorded > 0 || state != nil && state.Error != "" {
		status = "degraded"
	}
	return op.OK(struct {
		Status    string     `json:"status"`
		Worlds    worldCount `json:"worlds"`
		Memory    memory     `json:"memory"`
		Recording *Recording `json:"recording,omitempty"`
		State     *State     `json:"state,omitempty"`
	}{status, worldCount{usage.Worlds, usage.MaxWorlds}, memory{usage.Bytes, usage.MaxBytes}, recording, state})
}

type worldCount struct {
	Count int `json:"count"`
	Limit int `json:"limit"`
}

type memory struct {
	Bytes int64 `json:"bytes"`
	Limit int64 `json:"limit"`
}

// in returns a handler that is given the world that the path names.
func (h Host) in(handle func(*op.Call, *worlds.World) (op.Reply, error)) op.Handler {
	return func(c *op.Call) (op.Reply, error) {
		w := h.Worlds.Get(c.Param("world"))
		if w == nil {
			return op.Reply{}, op.NotFound("world", "id", c.Param("world"))
		}
		return handle(c, w)
	}
}

func (h Host) getSpec(c *op.Call) (op.Reply, error) {
	source, err := h.Source(specs.Interface(c.Param("interface")))
	if err != nil {
		return op.Reply{}, &op.Error{Code: op.CodeNotFound, Message: err.Error()}
	}
	return op.Reply{Bytes: source, Type: "application/yaml"}, nil
}

func notFound(format string, args ...any) error {
	return &op.Error{Code: op.CodeNotFound, Message: fmt.Sprintf(format, args...)}
}

type errorBody struct {
	Message string `json:"message"`
	Field   string `json:"field,omitempty"`
}

// statuses replaces the statuses that the document does not have.
var statuses = op.BadRequest(op.CodeUnprocessable, op.CodeTooLarge, op.CodeMediaType, op.CodeRange,
	op.CodeNotAcceptable)

func errorReply(_ op.Asked, list op.Errors) op.Reply {
	e := list.One()
	return op.Reply{Status: statuses.Of(e.Code), Body: map[string]errorBody{"error": {e.Message, e.Field}}}
}
