package contract

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"svc.example/understudy/contract/capture"
	"svc.example/understudy/contract/judge"
	"svc.example/understudy/contract/rule"
)

const (
	batchRecords = 64
	batchBytes   = 1 << 20
	maxErrors    = 20 // of a source, told in full
)

// batch is a run of records, judged together by one worker.
type batch struct {
	records  []capture.Record
	problems []error // by position among the records, nil where there is none
	verdicts []verdict
	done     chan struct{}
}

// verdict is what one exchange gave.
type verdict struct {
	result *judge.Result
	event  *rule.Event
	err    error
}

// run reads the source in one goroutine, judges in several, and gathers in the order of the recording. What is under
// way is bounded, so that memory stays flat however long the recording is. The judge is the one that judged: it also
// knows what was guessed.
func (c *Checker) run(ctx context.Context, source Source, g *gatherer) (*judge.Judge, error) {
	outer := ctx
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	workers := cmp.Or(c.config.workers, runtime.GOMAXPROCS(0))
	work := make(chan *batch)
	order := make(chan *batch, 2*workers)
	j := c.judge
	if c.config.guess {
		source = c.guessing(source, func(decided *judge.Judge) { j = decided }) // before any batch is sent
	}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for b := range work {
				c.judgeBatch(j, b)
				close(b.done)
			}
		})
	}
	wg.Go(func() {
		defer close(order)
		defer close(work)
		fill(ctx, source, func(b *batch) bool {
			select {
			case order <- b:
			case <-ctx.Done():
				return false
			}
			work <- b // a worker is always free in time: none waits for anything
			return true
		})
	})
	err := g.gather(ctx, order)
	cancel()
	wg.Wait()
	return j, errors.Join(err, outer.Err())
}

// fill makes batches of a source.
func fill(ctx context.Context, source Source, send func(*batch) bool) {
	b, size := newBatch(), 0
	for record, err := range source {
		if ctx.Err() != nil {
			return
		}
		b.records, b.problems = append(b.records, record), append(b.problems, err)
		if size += record.Size(); len(b.records) == batchRecords || size >= batchBytes {
			if !send(b) {
				return
			}
			b, size = newBatch(), 0
		}
	}
	if len(b.records) > 0 {
		send(b)
	}
}

func newBatch() *batch {
	return &batch{records: make([]capture.Record, 0, batchRecords), done: make(chan struct{})}
}

func (c *Checker) judgeBatch(j *judge.Judge, b *batch) {
	b.verdicts = make([]verdict, len(b.records))
	for i := range b.records {
		b.verdicts[i] = c.judgeRecord(j, b.records[i], b.problems[i])
	}
	b.records = nil
}

func (c *Checker) judgeRecord(j *judge.Judge, record capture.Record, problem error) (v verdict) {
	if problem != nil {
		return verdict{err: problem}
	}
	item, err := record.Decode()
	if err != nil {
		return verdict{err: err}
	}
	defer func() { // one hostile exchange must not end the run
		if p := recover(); p != nil {
			v = verdict{err: fmt.Errorf("%s: the judge failed: %v", record.Place, p)}
		}
	}()
	v.result = j.Exchange(item)
	if v.event = rule.NewEvent(v.result); v.event != nil {
		v.event.Line = c.lineOf(v.result)
	}
	return v
}
