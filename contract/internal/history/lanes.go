package history

import (
	"context"
	"errors"
	"iter"
	"sync"

	"svc.example/understudy/contract/internal/facts"
)

// A lane is the exchanges of one account from one reset of its world to the next, in order of time. Lanes have nothing
// to do with each other, so that several workers show them to the rules at the same time.
type lane struct {
	account caller
	entries iter.Seq[*entry]
	results func(outcome)
}

// lanes holds the exchanges in the order of their lanes, which is that of their beginnings.
type lanes struct {
	entries
	accounts []caller      // by the key of entries, from 0
	begun    map[int]entry // the first exchange at each site, of whichever account
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
func (w *Watcher) intoLanes(ctx context.Context) (*lanes, error) {
	s := &laneSorter{
		w: w, lanes: lanes{entries: entries{limit: w.timeline.limit}, begun: map[int]entry{}},
		current: make([]currentLane, len(w.accounts.callers)), resets: map[string]int{}, seen: map[uint64]int32{},
	}
	in := w.store.reader()
	for x, err := range w.timeline.all() {
		if err = errors.Join(err, ctx.Err()); err == nil && x.forget {
			err = s.forget(in, x)
		} else if err == nil && !s.isDouble(x) {
			err = s.take(*x)
		}
		if err != nil {
			return nil, errors.Join(err, s.lanes.close())
		}
	}
	return &s.lanes, nil
}

func (s *laneSorter) take(x entry) error {
	account := s.w.accounts.accountOf(x.member())
	at := s.w.accounts.siteOf(account)
	resets := int32(s.resets[nameOf(s.w.sites.of(at).world)]) + 1
	lane := &s.current[account]
	if lane.resets != resets {
		*lane = currentLane{uint32(len(s.lanes.accounts)), resets}
		s.lanes.accounts = append(s.lanes.accounts, account)
		if _, isBegun := s.lanes.begun[at]; !isBegun {
			s.lanes.begun[at] = x
		}
	}
	x.key = uint64(lane.number)
	return s.lanes.put(x)
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

const (
	chunk       = 256 // entries, or results, that are passed on at once
	maxUnderWay = 4   // chunks of each lane
)

// show has workers show all lanes to the rules, and gives the results to say, in the order of the lanes.
func (l *lanes) show(ctx context.Context, p *pass) error {
	if p.workers <= 1 {
		return l.showInTurn(ctx, p)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	q := &queues{ctx: ctx, fail: cancel, work: make(chan *passedLane), order: make(chan *passedLane, 2*p.workers)}
	var wg sync.WaitGroup
	defer wg.Wait()
	for range p.workers {
		wg.Go(func() {
			in := p.w.store.reader()
			for one := range q.work {
				q.finish(one, p.showLane(ctx, in, one.lane(q)))
			}
		})
	}
	wg.Go(func() { l.dispatch(q) })
	for one := range q.order {
		for results := range one.results {
			for i := range results {
				p.take(results[i])
			}
		}
	}
	return context.Cause(ctx)
}

// showInTurn shows one lane after the other.
func (l *lanes) showInTurn(ctx context.Context, p *pass) error {
	in := p.w.store.reader()
	next, stop := iter.Pull2(l.all())
	defer stop()
	x, err, isMore := next()
	for isMore && err == nil {
		key := x.key
		one := lane{account: l.accounts[key], results: p.take, entries: func(yield func(*entry) bool) {
			for isMore && err == nil && x.key == key && yield(x) {
				x, err, isMore = next()
			}
		}}
		if shown := p.showLane(ctx, in, one); shown != nil {
			return shown
		}
	}
	return err
}

// queues connect whoever dispatches lanes, the workers, and whoever gathers the results.
type queues struct {
	ctx   context.Context
	fail  context.CancelCauseFunc
	work  chan *passedLane
	order chan *passedLane // the same ones, in their order
}

// passedLane is a lane on its way through a worker.
type passedLane struct {
	account caller
	entries chan []entry
	results chan []outcome
	told    []outcome // not passed on yet
}

// dispatch gives the lanes to the workers, one after the other.
func (l *lanes) dispatch(q *queues) {
	defer close(q.order)
	defer close(q.work)
	var one *passedLane
	var entries []entry
	for x, err := range l.all() {
		if err != nil {
			q.fail(err)
			break
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
				account: l.accounts[x.key], entries: make(chan []entry, maxUnderWay), results: make(chan []outcome, maxUnderWay),
			}
			if !send(q, q.order, one) || !send(q, q.work, one) {
				close(one.results) // no worker will
				break
			}
		}
		entries = append(entries, *x)
	}
	if one != nil {
		send(q, one.entries, entries)
		close(one.entries)
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
		entries: func(yield func(*entry) bool) {
			for entries := range one.entries {
				for i := range entries {
					if !yield(&entries[i]) {
						return
					}
				}
			}
		},
		results: func(r outcome) {
			if one.told = append(one.told, r); len(one.told) == chunk {
				send(q, one.results, one.told)
				one.told = nil
			}
		},
	}
}

// finish ends a lane that was shown.
func (q *queues) finish(one *passedLane, err error) {
	if err != nil {
		q.fail(err)
	}
	send(q, one.results, one.told)
	close(one.results)
}

// showLane shows the exchanges of a lane to the rules.
func (p *pass) showLane(ctx context.Context, in *reader, one lane) error {
	h := &history{w: p.w, account: one.account, in: in, tell: one.results}
	first := p.begun[p.w.accounts.siteOf(one.account)]
	for x := range one.entries {
		e, err := in.get(x)
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		if p.w.config.Pause != nil {
			p.w.config.Pause()
		}
		if h.state == nil {
			h.begin(firstOf(in, &first, e))
		}
		h.take(e)
	}
	if h.state != nil {
		h.end()
	}
	return nil
}

// firstOf returns the first exchange at a site, which may be the one in hand.
func firstOf(in *reader, first *entry, e *facts.Exchange) *facts.Exchange {
	if int64(e.Number) != first.number {
		if other, err := in.get(first); err == nil {
			e = other
		}
	}
	return e.WithoutFacts()
}
