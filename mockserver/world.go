package mockserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"testing"
	"time"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver/internal/clock"
	"svc.example/understudy/mockserver/internal/core/result"
	"svc.example/understudy/mockserver/internal/journal"
	"svc.example/understudy/mockserver/internal/llm/chat"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/workflow"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/mockserver/internal/worlds"
	"svc.example/understudy/specs/recording"
)

// World is one world of a server: state, clock and journal of its own, that no other world sees. It is safe for
// concurrent use.
type World struct {
	server *Server
	live   *worlds.World
}

// World returns the world with an id, or nil; the world default when the id is empty.
func (s *Server) World(id string) *World {
	if id == "" {
		id = worlds.Default
	}
	if w := s.worlds.Get(id); w != nil {
		return &World{s, w}
	}
	return nil
}

// ID returns the id by which requests choose the world, in the header X-Understudy-World or the path prefix
// /_worlds/{id}.
func (w *World) ID() string { return w.live.ID }

// Key is an administrator's API key that was minted for the world: a client that sends it is in this world without
// knowing. It is empty for the world default.
func (w *World) Key() string { return w.live.Keys["admin"] }

// Now is the world's time.
func (w *World) Now() time.Time { return w.live.Now() }

// Advance moves the world's clock forward and settles everything that is due by then, in time order. That more than a
// hundred thousand events are due fails the test, or is logged, and so does a time beyond the year 9998.
func (w *World) Advance(by time.Duration) {
	w.server.helper()
	w.moved(w.live.Advance(w.server.stopping, by))
}

// AdvanceUntilIdle moves the clock on until nothing is under way any more but what recurs for ever, such as schedules.
// That it takes more than a hundred thousand events fails the test, or is logged.
func (w *World) AdvanceUntilIdle() {
	w.server.helper()
	w.moved(w.live.AdvanceUntilIdle(w.server.stopping))
}

func (w *World) moved(m worlds.ClockChange, err error) {
	w.server.helper()
	switch {
	case err != nil && w.server.stopping.Err() != nil:
		return // the clock of a server that is closed is of no use
	case err != nil:
		w.server.fail("move the clock", slog.Any("error", err))
	case !m.Complete:
		w.server.fail("move the clock: too many events", slog.Int("settled", m.Settled), slog.Time("now", m.World.Now()))
	}
}

// SetClock changes what moves the clock, and its time, unless that is zero.
func (w *World) SetClock(mode ClockMode, now time.Time) error {
	m, err := clock.ParseMode(string(mode))
	if err != nil {
		return err
	}
	_, err = w.live.SetClock(w.server.stopping, m, now)
	return err
}

// Fork returns a new world that begins as this one is now, with keys of its own. It takes microseconds, whatever the
// size of the world. Delete deletes it. Fork panics if the world was deleted, or if the server has as many worlds as it
// may; in a test, use ForkFor.
func (w *World) Fork() *World {
	fork, err := w.fork(0)
	if err != nil {
		panic(fmt.Sprintf("understudy: fork: %v", err))
	}
	return fork
}

// ForkFor returns a fork, as Fork does, that is deleted when a test ends. If there can be none, the test fails.
func (w *World) ForkFor(tb testing.TB) *World {
	tb.Helper()
	fork, err := w.fork(0)
	if err != nil {
		tb.Fatalf("understudy: fork: %v", err)
	}
	tb.Cleanup(func() { _ = fork.Delete() }) // the test may have deleted it
	return fork
}

// fork makes a fork of the world as it was before an exchange, or as it is, with 0.
func (w *World) fork(before int64) (*World, error) {
	fork, err := w.server.worlds.Create(worlds.Plan{Fork: w.live.ID, Before: before, MintKeys: true})
	if err != nil {
		return nil, err
	}
	return &World{w.server, fork}, nil
}

// Delete forgets the world. The world default cannot be deleted.
func (w *World) Delete() error { return w.server.worlds.Delete(w.live.ID) }

// Reset puts the world back to how it began, and clears its journal.
func (w *World) Reset() { w.live.Reset() }

// Checkpoint remembers the world as it is, under a name.
func (w *World) Checkpoint(name string) { w.live.Checkpoint(name) }

// DeleteCheckpoint forgets a checkpoint.
func (w *World) DeleteCheckpoint(name string) error {
	if !w.live.DeleteCheckpoint(name) {
		return fmt.Errorf("world %s has no checkpoint %s", w.live.ID, name)
	}
	return nil
}

// Restore puts the world back to a checkpoint.
func (w *World) Restore(name string) error {
	if !w.live.Restore(name) {
		return fmt.Errorf("world %s has no checkpoint %s", w.live.ID, name)
	}
	return nil
}

// State returns a dump of the world, in JSON, for Load. The same world gives the same bytes. A dump that was edited is
// refused: a world that is made by hand is a fixture.
func (w *World) State() ([]byte, error) {
	value, err := w.live.ReadAll(w.server.stopping)
	if err != nil {
		return nil, err
	}
	return dumpWorld(value)
}

// Load replaces the state of the world by a dump, or by a fixture in JSON or YAML. The world stays as it is if there is
// an error.
func (w *World) Load(fixture []byte) error {
	value, err := w.server.loadWorld(w.live.Peek(), "fixture", fixture)
	if err != nil {
		return err
	}
	return w.live.Replace(value)
}

// Calls returns how often an operation, such as workflow.deletePool, was called in this world, whatever it answered;
// with statuses, only the calls that were answered with one of them. A call counts before its answer arrives.
//
// A name that no operation has fails the test, or is logged: it would never be called.
func (w *World) Calls(operation string, statuses ...int) int {
	w.server.helper()
	if err := w.server.knownOperations([]string{operation}); err != nil {
		w.server.fail("count calls", slog.Any("error", err))
	}
	n := 0
	for count, calls := range w.live.Journal.Counts() {
		if count.Operation == operation && (len(statuses) == 0 || slices.Contains(statuses, count.Status)) {
			n += calls
		}
	}
	return n
}

// Journal returns the exchanges of the world, oldest first, without secrets; only those of the named operations if any
// are named. It fails if no operation has one of the names, and if the journal has had to forget exchanges to stay
// within its bound.
func (w *World) Journal(operations ...string) ([]recording.Exchange, error) {
	if err := w.server.knownOperations(operations); err != nil {
		return nil, err
	}
	return w.render(w.live.Journal.Entries(operations...)), w.droppedError()
}

// Client is an HTTP client whose requests, to whatever world they would go, go to this one, inside the process.
func (w *World) Client() *http.Client { return &http.Client{Transport: worldTransport{w}} }

// ServeHTTP implements http.Handler: it serves requests, to whatever world they would go, in this one.
func (w *World) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	r = r.Clone(r.Context())
	r.Header.Set(worldHeader, w.live.ID)
	w.server.ServeHTTP(rw, r)
}

type worldTransport struct{ *World }

func (t worldTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set(worldHeader, t.live.ID)
	return t.server.roundTrip(r)
}

// Exchanges returns the exchanges of the world that fit a description, oldest first, without secrets. It fails if the
// description can fit no call, such as one with the name of an operation that does not exist, and if the journal has
// had to forget exchanges to stay within its bound.
func (w *World) Exchanges(calls fixtures.Calls) ([]recording.Exchange, error) {
	described, err := w.live.Calls(calls, w.server.served())
	if err != nil {
		return nil, fmt.Errorf("calls: %w", err)
	}
	return w.render(described.Seen()), w.droppedError()
}

// WaitFor waits until the world has answered n calls that fit a description, and returns their exchanges, oldest
// first, without secrets. Calls that are in the journal already count. An exchange is there before the first byte of
// its answer leaves. With an error WaitFor returns what it has seen: the error wraps that of the context when that ends
// first. It fails, as Exchanges does, if the description can fit no call, and if the world is deleted or the server is
// closed.
func (w *World) WaitFor(ctx context.Context, calls fixtures.Calls, n int) ([]recording.Exchange, error) {
	if n < 1 {
		return nil, fmt.Errorf("wait for %d calls: want a number above 0", n)
	}
	described, err := w.live.Calls(calls, w.server.served())
	if err != nil {
		return nil, fmt.Errorf("calls: %w", err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(w.server.stopping, func() { cancel(errClosed) })()
	found, lost, err := described.WaitFor(ctx, 0, n)
	if err != nil {
		if closed := context.Cause(ctx); errors.Is(closed, errClosed) {
			err = closed
		}
		err = fmt.Errorf("world %s: saw %d of %d calls: %w", w.live.ID, len(found), n, err)
		if lost > 0 {
			err = errors.Join(err, w.droppedError())
		}
	}
	return w.render(found), err
}

func (w *World) render(entries []*journal.Entry) []recording.Exchange {
	list := make([]recording.Exchange, len(entries))
	for i, e := range entries {
		list[i] = *w.server.redacted(e)
	}
	return list
}

// droppedError returns the error that says that the journal has forgotten exchanges, or nil if it has not.
func (w *World) droppedError() error {
	dropped := w.live.Journal.Extent().Dropped
	if dropped == (journal.Dropped{}) {
		return nil
	}
	return fmt.Errorf("the journal of world %s has dropped its first %d exchanges; raise WithJournalLimit",
		w.live.ID, dropped.Entries)
}

// WithHistory lets each world be forked as it was before any of its last exchanges, so many of them, by ForkBefore. The
// default is 0, none. What only the history has counts to the memory of the server, is at most about as much as a
// world may take, and 64 MiB, and is the first to go if room is missing.
func WithHistory(exchanges int) Option {
	return func(c *config) error {
		if exchanges < 0 {
			return fmt.Errorf("history %d: want a number of exchanges, or 0", exchanges)
		}
		c.limits.History = exchanges
		return nil
	}
}

// ForkBefore returns a new world that begins as this one was before the exchange with a number was served, which is in
// the header X-Understudy-Exchange of its answer: with its faults and stubs, the time of then, an empty journal, and
// keys of its own. The error says why there can be none: the history is off, see WithHistory, or does not have the
// exchange, or there are as many worlds as there may be.
func (w *World) ForkBefore(exchange int64) (*World, error) {
	if exchange < 1 {
		return nil, fmt.Errorf("exchange %d: want a number from 1", exchange)
	}
	return w.fork(exchange)
}

// remember notes the world that a request sees, if there is a history.
func (s *Server) remember(v *visit, value *world.State) {
	if s.limits.History > 0 {
		v.before = v.world.Moment(value)
	}
}

// moment returns the world as it was before the request, which its faults have not counted there.
func (v *visit) moment() *journal.Moment {
	if v.before.World == nil {
		return nil
	}
	m := v.before
	if v.faults != nil {
		value := *m.World
		value.Faults = *v.faults
		m.World = &value
	}
	return &m
}

// JobResult replaces the result of the query engine for jobs that fit it. Exactly one of Query, Pattern and DomainKey
// is set.
type JobResult struct {
	Query     string // the exact text of the query
	Pattern   string // a regular expression, RE2, that fits anywhere in the query
	DomainKey string

	Columns [][2]string // each its name and the engine's name of its type, such as varchar or bigint
	Rows    [][]any     // of as many values as there are columns: nil, bool, a number, string or []byte
	Error   string      // the message that the job fails with, in the place of columns and rows

	Queued  *time.Duration // how long the job waits before it runs; nil: the usual time
	Running *time.Duration // how long it runs; nil: the usual time
	Times   int            // how many jobs it is for; 0: all that it fits
}

// QueueResult queues a result for jobs that are issued from now on. Of several that fit a job, the one that was queued
// first counts.
func (w *World) QueueResult(r JobResult) error {
	queued := world.QueuedResult{
		Query: r.Query, Pattern: r.Pattern, DomainKey: r.DomainKey, Error: r.Error,
		Queued: r.Queued, Running: r.Running, Times: r.Times,
	}
	if r.Error == "" || r.Columns != nil || r.Rows != nil {
		output, err := result.NewOutput(r.Columns, r.Rows)
		if err != nil {
			return fmt.Errorf("queue a result: %w", err)
		}
		queued.Output = output
	}
	err := w.live.Write(0, func(tx *world.State) error { return result.Queue(tx, queued) })
	if err != nil {
		return fmt.Errorf("queue a result: %w", err)
	}
	return nil
}

// Outcome describes how the tasks of workflows that it fits end, in place of a success after the usual time. Empty
// names fit everything.
type Outcome struct {
	Project  string
	Workflow string
	Attempt  int64  // its id
	Nth      int    // which of the attempts to come that it fits, from 1; 0: all of them
	Task     string // the end of the full name of the task, such as +load

	Takes time.Duration // 0: the usual time
	Error string        // the message that the task fails with; empty: it succeeds
	Times int           // how many tasks it is for; 0: all that it fits

	Later bool // what it names is uploaded later, and so is not looked for now
}

// QueueOutcome queues an outcome for tasks that begin from now on. Of several that fit a task, the one that was queued
// first counts. A project, workflow or task that the world does not have is an error.
func (w *World) QueueOutcome(o Outcome) error {
	err := w.live.Write(0, func(tx *world.State) error {
		return workflow.QueueOutcome(tx, fixtures.Outcome{
			Project: o.Project, Workflow: o.Workflow, Attempt: fixtures.ID(o.Attempt), Nth: o.Nth, Task: o.Task,
			Takes: fixtures.Duration(o.Takes), Error: o.Error, Times: o.Times, Later: o.Later,
		})
	})
	if err != nil {
		return fmt.Errorf("queue an outcome: %w", err)
	}
	return nil
}

// Turn is the answer of an agent to an input of a chat, instead of a repetition of the input. What is left empty of
// Agent, Chat and Input fits everything. A turn either answers with Events or refuses with a Status.
type Turn struct {
	Agent string // name or id of the agent
	Chat  string // id of the chat
	Input string // a regular expression, RE2, that fits anywhere in the input

	Events  []TurnEvent // what is streamed behind the echo of the input
	Status  int         // refuses the input: 403, 404, 422 or 429
	Message string      // of the refusal; empty: that of the status

	Times int // how many inputs it is for; 0: all that it fits
}

// TurnEvent is an event of an answer: exactly one of its members is set.
type TurnEvent struct {
	Content   string        `json:"content,omitempty"`   // what the agent says
	Reasoning string        `json:"reasoning,omitempty"` // what it thinks
	Tool      *TurnTool     `json:"tool,omitempty"`      // a call of one of its functions
	Output    *TurnOutput   `json:"output,omitempty"`    // an answer by one of its outputs
	Artifact  *TurnArtifact `json:"artifact,omitempty"`  // something that it makes
	Error     *TurnError    `json:"error,omitempty"`     // ends the answer; nothing can follow
}

// TurnTool is a call of a function of an agent. What it gives is looked up in the data of the world where the function
// is one of a knowledge base, unless Content says it.
type TurnTool struct {
	FunctionName      string  `json:"functionName"`
	FunctionArguments string  `json:"functionArguments,omitempty"` // a JSON object as text; empty: no arguments
	Content           *string `json:"content,omitempty"`
	Status            string  `json:"status,omitempty"` // empty: OK, or ERROR where the call fails
}

// TurnOutput is an answer by an output of the agent. Where that makes an artifact, the content is the artifact's.
type TurnOutput struct {
	Name    string `json:"name"`
	Content string `json:"content"`
}

// TurnArtifact is something that an agent makes, a text or, in base64, something else, as its type wants.
type TurnArtifact struct {
	Output        string  `json:"output,omitempty"` // name of the output that makes it
	ArtifactType  string  `json:"artifactType"`     // such as MARKDOWN_TEXT_OUTPUT
	ContentType   string  `json:"contentType,omitempty"`
	TextContent   *string `json:"textContent,omitempty"`
	BinaryContent *string `json:"binaryContent,omitempty"`
}

// TurnError is the error with which an answer ends early.
type TurnError struct {
	Message string `json:"message"`
	Status  int    `json:"status,omitempty"` // that the answer would have had; 0: 500
}

// QueueTurn queues an answer for inputs that come from now on. Of several that fit an input, the one that was queued
// first counts.
func (w *World) QueueTurn(t Turn) error {
	queued := world.Turn{
		Agent: t.Agent, Chat: t.Chat, Input: t.Input, Status: t.Status, Message: t.Message, Times: t.Times,
	}
	for _, event := range t.Events {
		text, err := json.Marshal(event)
		if err != nil {
			return fmt.Errorf("queue a turn: %w", err)
		}
		queued.Events = append(queued.Events, text)
	}
	if err := w.live.Write(0, func(tx *world.State) error { return chat.QueueTurn(tx, queued) }); err != nil {
		return fmt.Errorf("queue a turn: %w", err)
	}
	return nil
}

// IngestionFailure is an event that was answered with 200 and then dropped: its key belongs to no user or may not
// import into the database, or the database or the table does not exist. The platform does not report it to the sender.
type IngestionFailure struct {
	At       time.Time
	Database string
	Table    string
	Reason   string
}

// IngestionFailures are the events that the world has dropped, oldest first; the last thousand of them.
func (w *World) IngestionFailures() []IngestionFailure {
	kept := w.live.Read().Ingestion.Failures
	failures := make([]IngestionFailure, 0, table.Len(&kept))
	for _, f := range table.All(&kept) {
		failures = append(failures, IngestionFailure(f))
	}
	return failures
}
