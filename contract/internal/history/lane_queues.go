package history

import (
	"context"
	"sync"

	"svc.example/understudy/contract/internal/facts"
)

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
	defer cancel(nil)
	q := &queues{ctx: ctx, fail: cancel, work: make(chan *passedLane), order: make(chan *passedLane, 2*p.workers)}
	var wg sync.WaitGroup
	defer wg.Wait()
	for range p.workers {
		read := make(chan *passedLane)
		wg.Go(func() { q.read(p.w.store.reader(&l.copies), read) })
		wg.Go(func() {
			in := p.w.store.reader(&l.copies)
			for one := range read {
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
	results   chan []outcome
	told      []outcome // not passed on yet
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
				account: l.accounts[x.key], entries: make(chan []entry, maxUnderWay),
				exchanges: make(chan []*facts.Exchange, maxUnderWay), results: make(chan []outcome, maxUnderWay),
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
		exchanges: func(yield func(*facts.Exchange, error) bool) {
			for exchanges := range one.exchanges {
				for _, e := range exchanges {
					if !yield(e, nil) {
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

// read reads the exchanges of lanes, and passes the lanes on.
func (q *queues) read(in *reader, to chan<- *passedLane) {
	defer close(to)
	for one := range q.work {
		if !send(q, to, one) {
			close(one.results) // no worker will
			continue
		}
		if err := one.read(q, in); err != nil {
			q.fail(err)
		}
		close(one.exchanges)
	}
}

func (one *passedLane) read(q *queues, in *reader) error {
	for entries := range one.entries {
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
	send(q, one.results, one.told)
	close(one.results)
}
