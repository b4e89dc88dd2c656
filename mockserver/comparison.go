package mockserver

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"svc.example/understudy/mockserver/internal/worlds"
	"svc.example/understudy/specs/recording"
)

// Comparison compares an exchange with a target, which has no secrets in it, with what the mock would have answered,
// and returns the differences in words. Mock answers requests in the world of the exchange, also for interfaces that
// have a target: what they ask for takes effect there, without faults and stubs. It enters none of them into the
// journal, the recording, the counts and the log.
type Comparison func(ctx context.Context, mock http.Handler, e *recording.Exchange) (differences []string)

// WithComparison has each exchange with a target compared, one at a time, in the order of the journal of its world. The
// differences become notes of the exchange in the journal. No client waits for that: an exchange is not compared if
// more than a thousand others wait, or if the journal has forgotten it by then. The log says how many were not. Close
// waits up to five seconds for those that came before.
func WithComparison(compare Comparison) Option {
	return set(func(c *config) { c.comparison = compare })
}

const (
	maxWaiting     = 1000 // exchanges that wait to be compared
	maxDifferences = 10   // of an exchange that its notes list
)

// comparer compares exchanges with targets, beside the clients.
type comparer struct {
	server *Server

	mu     sync.Mutex
	queue  []passed
	missed int           // exchanges that were not compared
	idle   chan struct{} // closed as soon as none waits; nil while none does
}

// passed is an exchange with a target, in the journal of its world.
type passed struct {
	world *worlds.World
	seq   int64
}

func (s *Server) newComparer() *comparer {
	if s.comparison == nil {
		return nil
	}
	return &comparer{server: s}
}

// add gives an exchange to be compared.
func (c *comparer) add(p passed) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.queue) == maxWaiting || c.server.stopping.Err() != nil {
		c.missed++
		return
	}
	if c.queue = append(c.queue, p); c.idle == nil {
		c.idle = make(chan struct{})
		c.server.routines.GoThen(c.run, c.ended)
	}
}

func (c *comparer) run() error {
	for p, ok := c.next(); ok; p, ok = c.next() {
		c.compare(p)
	}
	return nil
}

// next takes the next exchange that waits, unless none does or the server is closed.
func (c *comparer) next() (p passed, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.queue) == 0 || c.server.stopping.Err() != nil {
		c.rest()
		return p, false
	}
	p, c.queue = c.queue[0], c.queue[1:]
	return p, true
}

// rest ends the comparing, until more comes. The comparer is locked.
func (c *comparer) rest() {
	close(c.idle)
	c.idle, c.missed, c.queue = nil, c.missed+len(c.queue), nil
}

func (c *comparer) ended(err error) {
	if err == nil {
		return
	}
	c.server.fail("compare with targets", slog.Any("error", err))
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rest()
}

// compare compares an exchange, if the journal still has it.
func (c *comparer) compare(p passed) {
	found := p.world.Journal.Find(p.seq)
	if len(found) == 0 {
		c.mu.Lock()
		c.missed++
		c.mu.Unlock()
		return
	}
	mock := aside{&World{c.server, p.world}}
	differences := c.server.comparison(c.server.stopping, mock, c.server.redacted(found[0]))
	var notes []string
	for i, text := range differences {
		if i == maxDifferences {
			notes = append(notes, fmt.Sprintf("the mock differs in %d more places", len(differences)-i))
			break
		}
		notes = append(notes, "the mock differs: "+text)
	}
	p.world.Journal.Note(p.seq, notes)
}

// finish waits until what came so far is compared, up to some time, and logs how much is not.
func (c *comparer) finish(limit time.Duration) {
	if c == nil {
		return
	}
	c.mu.Lock()
	idle := c.idle
	c.mu.Unlock()
	if idle != nil {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		select {
		case <-idle:
		case <-timer.C:
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := c.missed + len(c.queue); n > 0 {
		c.server.log.Warn("some exchanges with targets were not compared", "exchanges", n)
	}
}

// aside is a world that answers without a trace of the exchange.
type aside struct{ world *World }

type asideKey struct{}

func (a aside) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.world.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), asideKey{}, true)))
}
