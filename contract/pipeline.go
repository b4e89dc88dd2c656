package contract

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/facts"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/internal/routine"
)

const (
	batchRecords = 64
	batchBytes   = 1 << 20
	maxInFlight  = 8 << 20 // bytes of all batches under way, unless one alone has more
	maxWaiting   = 32      // batches that wait for the gatherer
)

// batch is a run of records, judged together by one worker.
type batch struct {
	records  []record.Raw
	size     int
	problems []error // of each record, or nil
	results  []exchangeResult
	encoded  []byte // the events of all results
	done     chan struct{}
}

// exchangeResult holds the judgement of one exchange.
type exchangeResult struct {
	number int
	result *judge.Result
	line   report.ExchangeLine // set if there is a finding or an event
	event  *facts.Exchange
	err    error

	encoded []byte // the event; nil if it was not encoded

	ignored string // the option that leaves the exchange out
}

// run reads the source in one goroutine, judges in several, and gathers in the order of the recording. The batches
// under way are bounded, so that memory stays flat however long the recording is. It returns the judge that was used,
// which also knows the guessed base addresses.
//
// When the context ends, run waits for nothing: an engine cannot be interrupted, so that the exchange at hand is judged
// to its end in the background.
func (c *Checker) run(ctx context.Context, source Source, g *gatherer) (*judge.Judge, error) {
	outer := ctx
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	p := &pipeline{
		checker: c, judge: c.judge.Sampling(isSampled), fail: cancel,
		work: make(chan *batch), order: make(chan *batch, maxWaiting), room: make(chan struct{}, 1),
	}
	if c.config.guess {
		source = c.withGuessedBases(ctx, source, func(j *judge.Judge, notes []string) { // before any batch is sent
			p.judge, p.notes = j.Sampling(isSampled), notes
		})
	}
	var working routine.Group
	for range c.workers() {
		working.GoThen(func() error { return p.judgeAll(ctx) }, p.ended)
	}
	working.GoThen(func() error { return p.read(ctx, source) }, p.ended)
	err := p.gather(ctx, g)
	if interrupted := outer.Err(); interrupted != nil {
		return c.judge, errors.Join(err, interrupted)
	}
	if ctx.Err() == nil { // the source has come to its end
		err = errors.Join(err, working.Wait())
	}
	if failed := context.Cause(ctx); failed != nil { // the source, or a worker
		return c.judge, errors.Join(err, failed)
	}
	g.noteGuesses(p.judge, p.notes)
	return p.judge, err
}

// pipeline is a check under way.
type pipeline struct {
	checker *Checker
	judge   *judge.Judge
	notes   []string // on what was guessed
	work    chan *batch
	order   chan *batch // the same ones, in the order of the recording
	fail    context.CancelCauseFunc

	bytes atomic.Int64  // of the batches under way
	room  chan struct{} // signals that a batch was gathered
}

// ended ends the check if a goroutine of it has ended with an error. What it was at is not judged, so nothing must wait
// for it.
func (p *pipeline) ended(err error) {
	if err != nil {
		p.fail(err)
	}
}

// read makes batches of a source, and sends them to the workers and to the gatherer.
func (p *pipeline) read(ctx context.Context, source Source) error {
	defer close(p.order)
	defer close(p.work)
	most := batchRecords
	if p.checker.config.found != nil {
		most = 1 // the next record may take its time
	}
	fill(ctx, source, most, func(b *batch) bool {
		if !p.waitForRoom(ctx, b.size) {
			return false
		}
		for _, queue := range []chan *batch{p.order, p.work} {
			select {
			case queue <- b:
			case <-ctx.Done():
				return false
			}
		}
		return true
	})
	return nil
}

// waitForRoom waits until the batches under way leave room for another one.
func (p *pipeline) waitForRoom(ctx context.Context, size int) bool {
	for p.bytes.Load() > 0 && p.bytes.Load()+int64(size) > maxInFlight {
		select {
		case <-p.room:
		case <-ctx.Done():
			return false
		}
	}
	p.bytes.Add(int64(size))
	return true
}

func (p *pipeline) judgeAll(ctx context.Context) error {
	for b := range p.work {
		p.judgeBatch(ctx, b)
		close(b.done)
	}
	return nil
}

// gather takes the batches in their order, each when it is done.
func (p *pipeline) gather(ctx context.Context, g *gatherer) error {
	for {
		b := p.next(ctx)
		if b == nil {
			return g.end(ctx)
		}
		for i := range b.results {
			if ctx.Err() != nil {
				break
			}
			g.collect(&b.results[i])
		}
		p.bytes.Add(-int64(b.size))
		select {
		case p.room <- struct{}{}:
		default:
		}
	}
}

// next returns the next batch as soon as it is judged, or nil at the end of the source or of the context.
func (p *pipeline) next(ctx context.Context) *batch {
	select {
	case b, ok := <-p.order:
		if !ok {
			return nil
		}
		select {
		case <-b.done:
			return b
		case <-ctx.Done():
		}
	case <-ctx.Done():
	}
	return nil
}

// fill makes batches of a source, of so many records at most.
func fill(ctx context.Context, source Source, most int, send func(*batch) bool) {
	b := newBatch()
	for record, err := range source {
		if ctx.Err() != nil {
			return
		}
		b.records, b.problems = append(b.records, record), append(b.problems, err)
		if b.size += record.Size(); len(b.records) == most || b.size >= batchBytes {
			if !send(b) {
				return
			}
			b = newBatch()
		}
	}
	if len(b.records) > 0 {
		send(b)
	}
}

func newBatch() *batch {
	return &batch{records: make([]record.Raw, 0, batchRecords), done: make(chan struct{})}
}

func (p *pipeline) judgeBatch(ctx context.Context, b *batch) {
	const usual = 512 // bytes of an event
	b.results, b.encoded = make([]exchangeResult, len(b.records)), make([]byte, 0, usual*len(b.records))
	for i := range b.records {
		if ctx.Err() != nil {
			break
		}
		v := &b.results[i]
		*v = p.checker.judgeRecord(p.judge, b.records[i], b.problems[i])
		b.records[i] = record.Raw{}
		if v.event != nil { // encoded here, because one goroutine gathers for all
			begin := len(b.encoded)
			b.encoded = facts.Append(b.encoded, v.event)
			v.encoded = b.encoded[begin:]
		}
	}
	b.records = nil
}

// judgeRecord judges an exchange, and releases its bodies.
func (c *Checker) judgeRecord(j *judge.Judge, record record.Raw, problem error) (v exchangeResult) {
	if problem != nil {
		return exchangeResult{err: problem}
	}
	err := routine.Try(func() error { return c.judgeDecoded(j, &record, &v) })
	if panicked, ok := errors.AsType[*routine.PanicError](err); ok { // one hostile exchange must not end the run
		err = fmt.Errorf("%s: the judge failed: %v", record.Position, panicked.Value)
	}
	if err != nil {
		return exchangeResult{err: err}
	}
	return v
}

func (c *Checker) judgeDecoded(j *judge.Judge, record *record.Raw, v *exchangeResult) error {
	item, err := record.Decode()
	if err != nil {
		return err
	}
	if v.ignored = c.config.ignores(&item); v.ignored != "" {
		v.number = item.Number
		return nil
	}
	v.number, v.result = item.Number, j.Exchange(item)
	v.event = facts.New(v.result)
	if v.event != nil || len(v.result.Findings) > 0 {
		v.line = c.lineOf(v.result)
	}
	if v.event != nil {
		v.event.Line = v.line
	}
	v.result.Shed()
	return nil
}
