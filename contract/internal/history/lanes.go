package history

import (
	"context"
	"errors"
	"iter"

	"svc.example/understudy/contract/internal/facts"
	"svc.example/understudy/internal/routine"
)

// A lane is the exchanges of one account from one reset of its world to the next, in order of time. Lanes have nothing
// to do with each other, so that several workers show them to the rules at the same time.
type lane struct {
	account   caller
	exchanges iter.Seq2[*facts.Exchange, error]
	results   func(ruling)
}

// lanes holds the exchanges in the order of their lanes, which is that of their beginnings.
type lanes struct {
	entries
	accounts []caller      // by the key of entries, from 0
	begun    map[int]entry // the first exchange at each instance, of whichever account
}

// laneSorter goes through exchanges in order of time.
type laneSorter struct {
	w       *Watcher
	lanes   lanes
	current []currentLane  // by account
	resets  map[string]int // of worlds, by their names
	instant entry
	seen    map[uint64]int32 // the exchanges that began at the same instant, with their files
}

// currentLane is the lane of an account until its world is reset once more.
type currentLane struct {
	number uint32
	resets int32 // of its world, and 1 more; 0 before the first lane
}

// intoLanes puts all exchanges into lanes, but for those that another file has, too.
func (w *Watcher) intoLanes(ctx context.Context) (_ *lanes, err error) {
	s := &laneSorter{
		w: w, lanes: lanes{entries: entries{Limit: w.timeline.Limit}, begun: map[int]entry{}},
		current: make([]currentLane, len(w.accounts.callers)), resets: map[string]int{}, seen: map[uint64]int32{},
	}
	in := w.store.reader()
	timeline := &w.timeline
	if w.clock.isAny() {
		timeline, err = w.timelineByService()
		defer func() { err = errors.Join(err, timeline.Close()) }()
		if err != nil {
			return nil, err
		}
	}
	for x, err := range timeline.All() {
		if err = errors.Join(err, ctx.Err()); err == nil && x.forget {
			err = s.forget(in, x)
		} else if err == nil && !s.isDouble(x) {
			err = s.add(*x)
		}
		if err != nil {
			return nil, errors.Join(err, s.lanes.Close())
		}
	}
	return &s.lanes, nil
}

func (s *laneSorter) add(x entry) error {
	account := s.w.accounts.accountOf(x.member())
	at := s.w.accounts.instanceOf(account)
	resets := int32(s.resets[nameOf(s.w.instances.of(at).world)]) + 1
	lane := &s.current[account]
	if lane.resets != resets {
		*lane = currentLane{uint32(len(s.lanes.accounts)), resets}
		s.lanes.accounts = append(s.lanes.accounts, account)
		if _, isBegun := s.lanes.begun[at]; !isBegun {
			s.lanes.begun[at] = x
		}
	}
	x.key = uint64(lane.number)
	return s.lanes.Put(x)
}

// forget ends the lanes of a world, on whatever host: that of the control interface may be another.
func (s *laneSorter) forget(in *reader, x *entry) error {
	e, err := in.get(x)
	if err == nil {
		s.resets[nameOf(e.World)]++
	}
	return err
}

// isDouble reports whether the same exchange stands in another file, too.
func (s *laneSorter) isDouble(x *entry) bool {
	if !x.hasTime() || x.digest == 0 {
		return false
	}
	if x.second != s.instant.second || x.nano != s.instant.nano {
		s.instant = *x
		clear(s.seen)
	}
	file, isKnown := s.seen[x.digest]
	if !isKnown {
		s.seen[x.digest] = x.file
	}
	return isKnown && file != x.file
}

// showInTurn shows one lane after the other.
func (l *lanes) showInTurn(ctx context.Context, p *pass) error {
	in := p.w.store.reader()
	next, stop := iter.Pull2(l.All())
	defer stop()
	x, err, isMore := next()
	for isMore && err == nil {
		key := x.key
		one := lane{account: l.accounts[key], results: p.add, exchanges: func(yield func(*facts.Exchange, error) bool) {
			for isMore && err == nil && x.key == key && yield(in.get(x)) {
				x, err, isMore = next()
			}
		}}
		if shown := p.showLane(ctx, in, one); shown != nil {
			return shown
		}
	}
	return err
}

// showLane shows the exchanges of a lane to the rules.
func (p *pass) showLane(ctx context.Context, in *reader, one lane) error {
	h := &history{w: p.w, account: one.account, in: in, tell: one.results}
	first := p.begun[p.w.accounts.instanceOf(one.account)]
	for e, err := range one.exchanges {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		if p.w.config.Pause != nil {
			p.w.config.Pause()
		}
		if h.state == nil {
			h.begin(firstOf(in, &first, e))
		}
		h.add(e)
	}
	if h.state != nil {
		h.end()
	}
	return nil
}

// firstOf returns the first exchange at an instance, which may be the one in hand.
func firstOf(in *reader, first *entry, e *facts.Exchange) *facts.Exchange {
	if int64(e.Number) != first.number {
		if other, err := in.get(first); err == nil {
			e = other
		}
	}
	return e.WithoutFacts()
}

const (
	chunk       = 256 // entries, exchanges, or results, that are passed on at once
	maxUnderWay = 4   // chunks of each lane
)

// show has workers show all lanes to the rules, and gives the results to say, in the order of the lanes.
func (l *lanes) show(ctx context.Context, p *pass) error {
	if p.workers <= 1 {
		return l.showInTurn(ctx, p)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	q := &queues{ctx: ctx, fail: cancel, work: make(chan *passedLane), order: make(chan *passedLane, 2*p.workers)}
	var working routine.Group
	defer working.Wait() //nolint:errcheck // it is the cause of the context's end
	defer cancel(nil)
	work := func(f func() error) {
		working.GoThen(f, func(err error) {
			if err != nil {
				cancel(err)
			}
		})
	}
	for range p.workers {
		read := make(chan *passedLane)
		work(func() error { return q.read(p.w.store.reader(), read) })
		work(func() error {
			in := p.w.store.reader()
			for one := range received(q, read) {
				q.finish(one, routine.Try(func() error { return p.showLane(ctx, in, one.lane(q)) }))
			}
			return nil
		})
	}
	work(func() error { return l.dispatch(q) })
	for one := range received(q, q.order) {
		for results := range received(q, one.results) {
			for i := range results {
				p.add(results[i])
			}
		}
	}
	return context.Cause(ctx)
}

// queues connect whoever dispatches lanes, the workers, and whoever gathers the results.
type queues struct {
	ctx   context.Context
	fail  context.CancelCauseFunc
	work  chan *passedLane
	order chan *passedLane // the same ones, in their order
}

// passedLane is a lane on its way through a worker, which has a goroutine that reads exchanges ahead of the one that
// shows them, so that even a single account keeps two processors busy.
type passedLane struct {
	account   caller
	entries   chan []entry
	exchanges chan []*facts.Exchange
	results   chan []ruling
	unsent    []ruling // not passed on yet
}

// dispatch gives the lanes to the workers, one after the other.
func (l *lanes) dispatch(q *queues) error {
	defer close(q.order)
	defer close(q.work)
	var one *passedLane
	var entries []entry
	for x, err := range l.All() {
		if err != nil {
			return err
		}
		isNext := len(entries) > 0 && entries[0].key != x.key
		if isNext || len(entries) == chunk {
			if !send(q, one.entries, entries) {
				break
			}
			entries = nil
		}
		if isNext || one == nil {
			if one != nil {
				close(one.entries)
			}
			one = &passedLane{
				account: l.accounts[x.key], entries: make(chan []entry, maxUnderWay),
				exchanges: make(chan []*facts.Exchange, maxUnderWay), results: make(chan []ruling, maxUnderWay),
			}
			if !send(q, q.order, one) || !send(q, q.work, one) {
				break
			}
		}
		entries = append(entries, *x)
	}
	if one != nil {
		send(q, one.entries, entries)
		close(one.entries)
	}
	return nil
}

// received yields what comes through a channel until it is closed, or the context ends. Then whoever would close it may
// have failed.
func received[T any](q *queues, from <-chan T) iter.Seq[T] {
	return func(yield func(T) bool) {
		for {
			select {
			case value, ok := <-from:
				if !ok || !yield(value) {
					return
				}
			case <-q.ctx.Done():
				return
			}
		}
	}
}

func send[T any](q *queues, to chan<- T, value T) bool {
	select {
	case to <- value:
		return true
	case <-q.ctx.Done():
		return false
	}
}

// lane returns the lane as a worker sees it.
func (one *passedLane) lane(q *queues) lane {
	return lane{
		account: one.account,
		exchanges: func(yield func(*facts.Exchange, error) bool) {
			for exchanges := range received(q, one.exchanges) {
				for _, e := range exchanges {
					if !yield(e, nil) {
						return
					}
				}
			}
		},
		results: func(r ruling) {
			if one.unsent = append(one.unsent, r); len(one.unsent) == chunk {
				send(q, one.results, one.unsent)
				one.unsent = nil
			}
		},
	}
}

// read reads the exchanges of lanes, and passes the lanes on.
func (q *queues) read(in *reader, to chan<- *passedLane) error {
	defer close(to)
	for one := range received(q, q.work) {
		if !send(q, to, one) {
			break
		}
		if err := one.read(q, in); err != nil {
			return err
		}
		close(one.exchanges)
	}
	return nil
}

func (one *passedLane) read(q *queues, in *reader) error {
	for entries := range received(q, one.entries) {
		exchanges := make([]*facts.Exchange, len(entries))
		for i := range entries {
			var err error
			if exchanges[i], err = in.get(&entries[i]); err != nil {
				return err
			}
		}
		if !send(q, one.exchanges, exchanges) {
			return nil
		}
	}
	return nil
}

// finish ends a lane that was shown.
func (q *queues) finish(one *passedLane, err error) {
	if err != nil {
		q.fail(err)
	}
	send(q, one.results, one.unsent)
	close(one.results)
}
