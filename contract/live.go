package contract

import (
	"context"
	"errors"
	"sync"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/history"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/specs/recording"
	"svc.example/understudy/specs/recording/verdict"
)

// Live checks a recording that is still growing, such as the journal of a world: it judges each exchange alone as soon
// as it comes (Add), and all of them together whenever it is asked to (Settle). Its report is then the same as that of
// a Checker that reads all that was added so far.
//
// It keeps no bodies: who wants to see exchanges again reads them from where they came from. It is safe for concurrent
// use. Verdicts, Overview, Settled and Minimal do not wait for Add and Settle.
type Live struct {
	checker *Checker
	name    string
	judge   *judge.Judge
	pause   func()

	work     sync.Mutex // held while something is judged
	gatherer *gatherer
	added    int

	mu       sync.Mutex // held for a moment; guards what follows
	verdicts liveVerdicts
	settled  *settledReport
}

// Live begins to check a growing recording, whose exchanges come in the order in which a source would have them. The
// name stands in the place of a file in reports. Pause may be nil; otherwise it is called before each exchange that is
// judged, alone or by the rules between exchanges, so that the caller can take rests. A checker that guesses addresses,
// or that has WithViolations, cannot do this: the one takes the whole recording, the other has no effect.
func (c *Checker) Live(name string, pause func()) (*Live, error) {
	if c.config.guess || c.config.found != nil {
		return nil, errors.New("a recording that is growing cannot be checked with WithGuess and WithViolations")
	}
	if pause == nil {
		pause = func() {}
	}
	l := &Live{
		checker: c, name: name, pause: pause, gatherer: newGatherer(c), judge: c.judge.Sampling(isSampled),
	}
	config := c.rules()
	config.Pause = pause
	l.gatherer.watcher = history.NewWatcher(config, nil)
	l.verdicts = newLiveVerdicts(c)
	l.settled = &settledReport{checker: c, gatherer: l.gatherer.snapshot()}
	return l, nil
}

// Add judges exchanges alone, and returns their verdicts. They are pending until Settle has judged them together with
// the others.
func (l *Live) Add(exchanges ...*recording.Exchange) []verdict.Verdict {
	l.work.Lock()
	defer l.work.Unlock()
	numbers := make([]int, 0, len(exchanges))
	for _, e := range exchanges {
		l.pause()
		l.added++
		v := l.checker.judgeRecord(l.judge, record.Of(e, l.name, l.added), nil)
		alone := &judgedExchanges{}
		alone.watch(l.gatherer, l.verdicts.ruleNumbers)
		l.gatherer.collect(&v)
		l.mu.Lock()
		if e != nil {
			l.verdicts.add(e.Seq, alone)
		} else {
			l.verdicts.add(0, alone)
		}
		l.mu.Unlock()
		numbers = append(numbers, l.added)
	}
	return l.verdictsOf(numbers)
}

// Settle judges all exchanges together that were added so far, and returns the verdicts that changed, also those of
// earlier exchanges: what comes later may show that an earlier answer was wrong, or explain it. It takes time with the
// number of exchanges, some 20 µs each, and does nothing if there are no new ones. The error is that of the context, or
// of the disk, where exchanges wait that are too many for memory; then what was known before stands.
func (l *Live) Settle(ctx context.Context) ([]verdict.Verdict, error) {
	l.work.Lock()
	defer l.work.Unlock()
	return l.settle(ctx)
}

func (l *Live) settle(ctx context.Context) ([]verdict.Verdict, error) {
	if l.settled.exchanges == l.added {
		return nil, nil
	}
	together := &judgedExchanges{}
	g := l.gatherer.snapshot()
	together.watch(g, l.verdicts.ruleNumbers)
	var err error
	judged := g.judgeTheRest(ctx, func(ctx context.Context) error {
		err = g.watcher.Show(ctx, g.takeRuleResult)
		return err
	})
	if err = errors.Join(err, ctx.Err()); err != nil {
		return nil, err
	}
	together.sort()
	l.mu.Lock()
	changed := l.verdicts.settle(together, l.added)
	l.settled = &settledReport{checker: l.checker, gatherer: g, exchanges: l.added, err: judged}
	l.mu.Unlock()
	return l.verdictsOf(changed), nil
}

// Verdicts returns what is known of exchanges, by their Seq, or, where they have none, by the order in which they were
// added. Those that were not added, or so long ago that they are forgotten, are left out.
func (l *Live) Verdicts(seqs ...int64) []verdict.Verdict {
	l.mu.Lock()
	defer l.mu.Unlock()
	var list []verdict.Verdict
	for _, seq := range seqs {
		if number, known := l.verdicts.numbers[seq]; known {
			list = append(list, l.verdicts.of(number))
		}
	}
	return list
}

func (l *Live) verdictsOf(numbers []int) []verdict.Verdict {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := make([]verdict.Verdict, 0, len(numbers))
	for _, number := range numbers {
		if l.verdicts.has(number) {
			list = append(list, l.verdicts.of(number))
		}
	}
	return list
}

// Report returns the report that a Check of all that was added so far gives, with the same errors. It settles first if
// there are new exchanges. It is not to be changed, but for its Evidence and Excerpts.
func (l *Live) Report(ctx context.Context) (*Report, error) {
	l.work.Lock()
	defer l.work.Unlock()
	if _, err := l.settle(ctx); err != nil {
		return nil, err
	}
	return l.settled.report()
}

// Settled returns the report of the last Settle, with the errors of a Check. It does not wait for one that is under
// way. It is not to be changed, but for its Evidence and Excerpts.
func (l *Live) Settled() (*Report, error) {
	l.mu.Lock()
	settled := l.settled
	l.mu.Unlock()
	return settled.report()
}

// Close ends the check, and removes what waits on the disk. Verdicts and Overview keep working; nothing is added any
// more.
func (l *Live) Close() error {
	l.work.Lock()
	defer l.work.Unlock()
	return l.gatherer.watcher.Close()
}
