package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"svc.example/understudy/contract"
	"svc.example/understudy/internal/routine"
	"svc.example/understudy/mockserver/console"
	"svc.example/understudy/specs/recording"
	"svc.example/understudy/specs/recording/verdict"
)

// consoleJudge judges what the worlds of a server answer, for its console: beside the server, with a share of one core
// for all worlds together.
type consoleJudge struct {
	checker func() (*contract.Checker, error) // made when the first world is watched
	share   *workShare
}

// newConsoleJudge returns a judge that takes a share of one core, such as 0.1. The options are those of a check with
// the brand and the documents of the server.
func newConsoleJudge(share float64, opts ...contract.Option) *consoleJudge {
	opts = append(opts, contract.WithMockOnAllHosts())
	return &consoleJudge{
		checker: sync.OnceValues(func() (*contract.Checker, error) { return contract.NewChecker(opts...) }),
		share:   newWorkShare(share),
	}
}

func (j *consoleJudge) Watch(world string) (console.Watch, error) { return j.watch(world) }

// watch begins to judge a world. Exchanges come in the order of its journal; Close ends it.
func (j *consoleJudge) watch(world string) (*consoleWatch, error) {
	checker, err := j.checker()
	if err != nil {
		return nil, fmt.Errorf("watch world %s: %w", world, err)
	}
	w := &consoleWatch{judge: j, world: world, over: make(chan struct{}), ended: make(chan struct{})}
	w.changed.L = &w.mu
	if w.live, err = checker.Live("world "+world, func() { j.share.pause(w.over) }); err != nil {
		return nil, fmt.Errorf("watch world %s: %w", world, err)
	}
	w.judging.GoThen(func() error { w.run(); return nil }, w.fail)
	return w, nil
}

// How much may wait to be judged. Beyond, Add waits.
const (
	watchedExchanges = 1000     // in number
	watchedBytes     = 16 << 20 // bytes of their bodies
	watchedBatch     = 64
)

var errNotWatched = errors.New("the world is not watched any more")

// consoleWatch judges one world.
type consoleWatch struct {
	judge *consoleJudge
	world string
	live  *contract.Live
	over  chan struct{} // closed by Close
	ended chan struct{} // closed when nothing is judged any more

	judging routine.Group

	mu      sync.Mutex
	changed sync.Cond
	queue   []*recording.Exchange
	size    int
	waiting int // exchanges in the queue, and those that are being added
	closed  bool
	err     error // of the disk
}

// Add gives the next exchanges to the judge, who looks at them when it has time. It waits while much is to be judged:
// the journal is the better buffer. The error says that the watch was closed, or that exchanges that wait on disk are
// lost.
func (w *consoleWatch) Add(exchanges []*recording.Exchange) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range exchanges {
		size := bodySize(e)
		isFull := func() bool {
			return len(w.queue) >= watchedExchanges || len(w.queue) > 0 && w.size+size > watchedBytes
		}
		for !w.closed && w.err == nil && isFull() {
			w.changed.Wait()
		}
		switch {
		case w.err != nil:
			return w.err
		case w.closed:
			return errNotWatched
		}
		w.queue, w.size, w.waiting = append(w.queue, e), w.size+size, w.waiting+1
		w.changed.Broadcast()
	}
	return nil
}

func bodySize(e *recording.Exchange) (size int) {
	if e.Request.Body != nil {
		size = len(e.Request.Body.Bytes)
	}
	if e.Response != nil && e.Response.Body != nil {
		size += len(e.Response.Body.Bytes)
	}
	return size
}

// next waits for exchanges, and takes some of them. There are none at the end.
func (w *consoleWatch) next() (batch []*recording.Exchange) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.queue) == 0 && !w.closed {
		w.changed.Wait()
	}
	if w.closed {
		return nil
	}
	n := min(watchedBatch, len(w.queue))
	batch, w.queue = w.queue[:n:n], w.queue[n:]
	for _, e := range batch {
		w.size -= bodySize(e)
	}
	w.changed.Broadcast()
	return batch
}

// run judges until the watch is closed. All exchanges together are judged when none waits, and else when it takes no
// more time than what was judged alone since: the time for both grows with the number of exchanges alone.
func (w *consoleWatch) run() {
	defer close(w.ended)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	w.judging.Go(func() error {
		select {
		case <-w.over:
			cancel()
		case <-ctx.Done():
		}
		return nil
	})
	added, settled := time.Duration(0), time.Duration(0) // how long they took
	for batch := w.next(); len(batch) > 0; batch = w.next() {
		added += w.work(func() { w.live.Add(batch...) })
		if w.done(len(batch)) || added >= settled {
			var err error
			added, settled = 0, w.work(func() { _, err = w.live.Settle(ctx) })
			w.fail(err)
		}
	}
	w.fail(w.live.Close())
}

// work does something in its turn, and returns how long that took, with its rests.
func (w *consoleWatch) work(do func()) time.Duration {
	share := w.judge.share
	share.begin(w.over)
	began := time.Now()
	do()
	took := time.Since(began)
	share.end()
	return took
}

// done notes that exchanges were added, and reports whether none waits.
func (w *consoleWatch) done(n int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waiting -= n
	return len(w.queue) == 0
}

// fail keeps an error, unless the watch was closed.
func (w *consoleWatch) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil && !w.closed && w.err == nil {
		w.err = fmt.Errorf("watch world %s: %w", w.world, err)
		w.changed.Broadcast()
	}
}

// Verdicts returns what is known of exchanges, by their numbers in the journal. Those that were not
// looked at yet are left out.
func (w *consoleWatch) Verdicts(seqs ...int64) []verdict.Verdict { return w.live.Verdicts(seqs...) }

// Report returns what the rules said when they last looked at all exchanges.
func (w *consoleWatch) Report() verdict.Report {
	w.mu.Lock()
	waiting := w.waiting
	w.mu.Unlock()
	r := w.live.Overview()
	r.Exchanges.Behind += waiting
	return r
}

// Minimal returns the smallest recording that shows a finding. The error is contract.ErrNoFinding,
// contract.ErrNotReproduced, or that of the context.
func (w *consoleWatch) Minimal(ctx context.Context, finding string,
	read func(seq int64) (*recording.Exchange, bool),
) ([]*recording.Exchange, error) {
	return w.live.Minimal(ctx, finding, read)
}

// HTML writes the report of the last time that the rules looked at all exchanges, as check --format html does.
func (w *consoleWatch) HTML(ctx context.Context, out io.Writer,
	read func(seq int64) (*recording.Exchange, bool),
) error {
	r, _ := w.live.Settled() // the error says that nothing is judged, as the page does
	if err := w.live.Evidence(ctx, r, read); err != nil {
		return err
	}
	return r.WriteHTML(out)
}

// Close ends the watch. What is being judged is left as it is; verdicts that are there stay.
func (w *consoleWatch) Close() {
	w.mu.Lock()
	isFirst := !w.closed
	w.closed, w.queue = true, nil
	w.changed.Broadcast()
	w.mu.Unlock()
	if isFirst {
		close(w.over)
	}
	<-w.ended
}

const (
	workStep   = 5 * time.Millisecond // is worked at a time, at least
	defaultRun = 0.1                  // the share of one core that the judge of a console takes
)

// workShare lets those who work take turns, and rest so long that all together they work a share of the time. It
// measures by the clock on the wall, so that they rest longer where others need the processors as well.
type workShare struct {
	share float64       // above 0, 1 for no rest
	turn  chan struct{} // holds a value while a worker has the turn

	since time.Time // when the turn began, or was counted last
	until time.Time // by when what was worked is within the share
}

func newWorkShare(share float64) *workShare {
	return &workShare{share: share, turn: make(chan struct{}, 1)}
}

// begin waits for the turn, and for the end of the rest that is due. When over is closed, it does not wait for a rest.
func (s *workShare) begin(over <-chan struct{}) {
	for {
		s.turn <- struct{}{}
		s.since = time.Now()
		due := s.until.Sub(s.since)
		if due <= s.slack() || isClosed(over) {
			return
		}
		<-s.turn
		rest(due, over)
	}
}

// rest waits for some time, or until a channel is closed.
func rest(d time.Duration, over <-chan struct{}) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-over:
	}
}

// pause takes a rest if one is due, and lets others have their turn meanwhile. It is called often.
func (s *workShare) pause(over <-chan struct{}) {
	if time.Since(s.since) >= workStep {
		s.end()
		s.begin(over)
	}
}

// end counts what was worked, and ends the turn.
func (s *workShare) end() {
	now := time.Now()
	if s.until.Before(s.since) {
		s.until = s.since
	}
	s.until = s.until.Add(time.Duration(float64(now.Sub(s.since)) / s.share))
	<-s.turn
}

// slack returns how far ahead of the share one may be, so that there are few and longer rests.
func (s *workShare) slack() time.Duration {
	return time.Duration(float64(workStep)/s.share) - workStep
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
