package mockserver

import (
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"testing"
	"time"

	"svc.example/understudy/mockserver/internal/clock"
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

// RoundTrip implements http.RoundTripper.
func (t worldTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set(worldHeader, t.live.ID)
	return roundTrip(t.server, r)
}
