package history

import (
	"context"
	"iter"

	"svc.example/understudy/contract/internal/facts"
	"svc.example/understudy/internal/routine"
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
		work(func() error { return q.read(p.w.store.reader(&l.copies), read) })
		work(func() error {
			in := p.w.store.reader(&l.copies)
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
func (l *lanes) dispatch(q *queues) error {
	defer close(q.order)
	defer close(q.work)
	var one *passedLane
	var entries []entry
	for x, err := range l.all() {
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
				exchanges: make(chan []*facts.Exchange, maxUnderWay), results: make(chan []outcome, maxUnderWay),
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
		results: func(r outcome) {
			if one.told = append(one.told, r); len(one.told) == chunk {
				send(q, one.results, one.told)
				one.told = nil
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
	send(q, one.results, one.told)
	close(one.results)
}
