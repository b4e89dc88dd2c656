package contract

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"svc.example/understudy/contract/internal/facts"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/internal/routine"
	"svc.example/understudy/specs/recording/verdict"
)

const (
	batchRecords = 64
	batchBytes   = 1 << 20
	maxInFlight  = 8 << 20 // bytes of all batches under way, unless one alone has more
	maxWaiting   = 32      // batches that wait for the gatherer
)

// batch is a run of records, judged together by one worker.
type batch struct {
	records  []Record
	size     int
	problems []error // of each record, or nil
	results  []exchangeResult
	encoded  []byte // the events of all results
	done     chan struct{}
}

var batches = sync.Pool{New: func() any {
	return &batch{records: make([]Record, 0, batchRecords), results: make([]exchangeResult, batchRecords)}
}}

// newBatch returns an empty batch. Its channel is new, since one that was made in a bubble of testing/synctest cannot
// be used outside of that.
func newBatch() *batch {
	b := batches.Get().(*batch)
	b.done = make(chan struct{})
	return b
}

// free ends the use of a batch, unless it is too large to be kept for another one.
func (b *batch) free() {
	const worthKeeping = 256 << 10
	if b.size <= worthKeeping {
		b.records, b.problems, b.encoded, b.size = b.records[:0], b.problems[:0], b.encoded[:0], 0
		batches.Put(b)
	}
}

// exchangeResult holds the judgement of one exchange.
type exchangeResult struct {
	room   judge.Room     // of the result
	facts  facts.Exchange // the event
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
		for i := range b.records {
			if ctx.Err() != nil {
				break
			}
			g.collect(&b.results[i])
		}
		p.bytes.Add(-int64(b.size))
		b.free()
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

func (p *pipeline) judgeBatch(ctx context.Context, b *batch) {
	for i := range b.records {
		if ctx.Err() != nil {
			break
		}
		v := &b.results[i]
		p.checker.judgeRecord(v, p.judge, b.records[i], b.problems[i])
		b.records[i] = Record{}
		if v.event != nil { // encoded here, because one goroutine gathers for all
			begin := len(b.encoded)
			b.encoded = facts.Append(b.encoded, v.event)
			v.encoded = b.encoded[begin:]
		}
	}
}

// judgeRecord judges an exchange, and releases what was made of its bodies.
func (c *Checker) judgeRecord(v *exchangeResult, j *judge.Judge, record Record, problem error) {
	*v = exchangeResult{err: problem}
	if problem != nil {
		return
	}
	err := routine.Try(func() error { return c.judgeDecoded(j, &record, v) })
	if panicked, ok := errors.AsType[*routine.PanicError](err); ok { // one hostile exchange must not end the run
		err = fmt.Errorf("%s: the judge failed: %v", record.Position, panicked.Value)
	}
	if err != nil {
		*v = exchangeResult{err: err}
	}
}

func (c *Checker) judgeDecoded(j *judge.Judge, record *Record, v *exchangeResult) error {
	item, err := record.Decode()
	if err != nil {
		return err
	}
	if v.ignored = c.config.ignores(&item); v.ignored != "" {
		v.number = item.Number
		return nil
	}
	v.number, v.result = item.Number, j.ExchangeIn(&v.room, item)
	v.event = facts.New(&v.facts, v.result)
	if v.event != nil || len(v.result.Findings) > 0 {
		v.line = c.lineOf(v.result)
	}
	if v.event != nil {
		v.event.Line = v.line
	}
	v.result.Shed()
	return nil
}

// What is kept of the verdicts of a growing recording. Of what came before, only the report knows.
const (
	maxLiveVerdicts = 200_000 // exchanges
	maxLiveFindings = 50_000  // of exchanges alone, and as many of the rules between them
)

// chance is the verdict of one rule that had one chance.
type chance struct {
	exchange int32
	rule     uint8
	outcome  uint8
}

// judgedExchanges holds verdicts and findings of exchanges, in their order.
type judgedExchanges struct {
	chances  []chance
	findings []report.Finding
	dropped  int // the findings on exchanges up to this one are not all kept
}

// watch keeps the verdicts and the findings of a gatherer.
func (j *judgedExchanges) watch(g *gatherer, ruleNumbers map[string]uint8) {
	g.onCheck = func(exchange int, rule string, v report.Verdict) {
		if exchange > 0 {
			j.chances = append(j.chances, chance{int32(exchange), ruleNumbers[rule], outcomeNumber(v)})
		}
	}
	g.onFinding = func(f *report.Finding) { j.findings = append(j.findings, *f) }
}

// liveOutcomes are the outcomes by the numbers that a chance has.
func liveOutcomes() [4]verdict.Outcome {
	return [...]verdict.Outcome{verdict.Skipped, verdict.Pass, verdict.Inconclusive, verdict.Fail}
}

func outcomeNumber(v report.Verdict) uint8 {
	outcomes := liveOutcomes()
	return uint8(slices.Index(outcomes[:], verdict.Outcome(v)))
}

// sort brings verdicts that came in any order into that of the exchanges.
func (j *judgedExchanges) sort() {
	slices.SortFunc(j.chances, func(a, b chance) int {
		return cmp.Or(cmp.Compare(a.exchange, b.exchange), cmp.Compare(a.rule, b.rule), cmp.Compare(a.outcome, b.outcome))
	})
	slices.SortStableFunc(j.findings, func(a, b report.Finding) int { return cmp.Compare(a.Exchange, b.Exchange) })
}

// isTooLong reports whether there is enough to forget that it is worth the work.
func (j *judgedExchanges) isTooLong(first int) bool {
	return len(j.findings) > maxLiveFindings || len(j.chances) > 0 && int(j.chances[0].exchange) < first
}

// forget drops the exchanges before a number, and the oldest findings when there are too many.
func (j *judgedExchanges) forget(first int) {
	j.chances = slices.Delete(j.chances, 0, lowerChance(j.chances, first))
	n := lowerFinding(j.findings, first)
	if rest := len(j.findings) - n; rest > maxLiveFindings {
		n += rest - maxLiveFindings*3/4
		j.dropped = j.findings[n-1].Exchange
	}
	j.findings = slices.Delete(j.findings, 0, n)
}

// of returns what is kept of an exchange.
func (j *judgedExchanges) of(exchange int) ([]chance, []report.Finding) {
	return j.chances[lowerChance(j.chances, exchange):lowerChance(j.chances, exchange+1)],
		j.findings[lowerFinding(j.findings, exchange):lowerFinding(j.findings, exchange+1)]
}

func lowerChance(list []chance, exchange int) int {
	n, _ := slices.BinarySearchFunc(list, exchange, func(c chance, exchange int) int {
		return cmp.Compare(int(c.exchange), exchange)
	})
	return n
}

func lowerFinding(list []report.Finding, exchange int) int {
	n, _ := slices.BinarySearchFunc(list, exchange, func(f report.Finding, exchange int) int {
		return cmp.Compare(f.Exchange, exchange)
	})
	return n
}

// differences returns the exchanges whose verdicts or findings differ between two.
func (j *judgedExchanges) differences(other *judgedExchanges) map[int]bool {
	differ := map[int]bool{}
	own, others := judgedRun{rest: *j}, judgedRun{rest: *other}
	for {
		exchange := min(own.next(), others.next())
		if exchange == math.MaxInt {
			return differ
		}
		own.advance(exchange)
		others.advance(exchange)
		if !slices.Equal(own.chances, others.chances) || !slices.EqualFunc(own.findings, others.findings, isSameFinding) {
			differ[exchange] = true
		}
	}
}

// judgedRun holds the verdicts and findings of one exchange, with the rest that follows.
type judgedRun struct {
	rest     judgedExchanges
	chances  []chance
	findings []report.Finding
}

// next returns the number of the exchange that follows, or the largest number.
func (r *judgedRun) next() int {
	next := math.MaxInt
	if len(r.rest.chances) > 0 {
		next = int(r.rest.chances[0].exchange)
	}
	if len(r.rest.findings) > 0 {
		next = min(next, r.rest.findings[0].Exchange)
	}
	return next
}

// advance takes what follows, if it is of an exchange.
func (r *judgedRun) advance(exchange int) {
	n := 0
	for n < len(r.rest.chances) && int(r.rest.chances[n].exchange) == exchange {
		n++
	}
	r.chances, r.rest.chances = r.rest.chances[:n], r.rest.chances[n:]
	for n = 0; n < len(r.rest.findings) && r.rest.findings[n].Exchange == exchange; {
		n++
	}
	r.findings, r.rest.findings = r.rest.findings[:n], r.rest.findings[n:]
}

func isSameFinding(a, b report.Finding) bool {
	return a.ID == b.ID && a.Verdict == b.Verdict && a.Severity == b.Severity && a.Message == b.Message &&
		a.Pointer == b.Pointer && slices.Equal(a.Evidence, b.Evidence)
}

// Of what the first engine passes, the second one judges a sample: the first exchanges of a recording, and some of
// those that follow. Which ones depends on nothing but their numbers, so that whoever judges a part of a recording
// needs to know nothing of the others.
const (
	sampledWhole = 512 // exchanges at the beginning
	sampledOf    = 256 // one of so many of the others
)

// isSampled reports whether the second engine judges an exchange even if the first one finds no fault in it. The
// numbers are scattered, so that traffic that repeats itself is not seen at one place of its cycle only.
func isSampled(r *judge.Result) bool {
	const golden = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio
	n := r.Item.Number
	scattered := uint64(n) * golden
	scattered = (scattered ^ scattered>>32) * golden
	return n <= sampledWhole || scattered < 1<<63/(sampledOf/2)
}
