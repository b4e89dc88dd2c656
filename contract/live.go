package contract

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/history"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
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
		v := &exchangeResult{}
		l.checker.judgeRecord(v, l.judge, Record{record.Of(e, l.name, l.added)}, nil)
		alone := &judgedExchanges{}
		alone.watch(l.gatherer, l.verdicts.ruleNumbers)
		l.gatherer.collect(v)
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
		err = g.watcher.Show(ctx, g.addRuleResult)
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

// settledReport is the report of a growing recording as it was at some time. It is made when it is asked for.
type settledReport struct {
	checker   *Checker
	gatherer  *gatherer
	exchanges int
	err       error

	once sync.Once
	made *Report
}

// report returns a copy of the report, whose parts are shared.
func (s *settledReport) report() (*Report, error) {
	s.once.Do(func() {
		s.made = s.gatherer.conclude(s.checker.judge)
		s.gatherer = nil
	})
	r, err := *s.made, s.err
	if err == nil {
		err = nothingChecked(&r)
	}
	return &r, err
}

// Overview returns what the last Settle found, with the numbers of the exchanges as they were recorded. It does not
// wait for one that is under way.
func (l *Live) Overview() verdict.Report {
	l.mu.Lock()
	settled, behind := l.settled, len(l.verdicts.seqs)-l.settled.exchanges
	l.mu.Unlock()
	r, _ := settled.report() // the error says that nothing is judged, as the report does, too
	l.mu.Lock()
	defer l.mu.Unlock()
	shown := verdict.Report{
		Exchanges: verdict.Exchanges{
			Read: r.Exchanges.Read, Matched: r.Exchanges.Matched, Unmatched: r.Exchanges.Unmatched,
			Ignored: r.Exchanges.Ignored, Injected: r.Exchanges.Injected, Behind: behind,
		},
		Checks: verdict.Counts(r.Checks), Count: r.CountFindings(""), Failed: r.Failed(), Outcome: r.Outcome(),
		Omitted: r.Omitted,
		Rules:   []verdict.Rule{}, Findings: []verdict.Group{}, Coverage: coverageShown(&r.Coverage),
		Notes: append([]string{}, r.Notes...),
	}
	for _, rule := range r.Rules {
		doc := r.Docs[rule.ID]
		shown.Rules = append(shown.Rules, verdict.Rule{
			ID: rule.ID, Title: doc.Title, Watches: doc.Watches, Provenance: string(doc.Provenance),
			Count:  r.CountFindings(rule.ID),
			Counts: verdict.Counts{Pass: rule.Pass, Fail: rule.Fail, Inconclusive: rule.Inconclusive},
		})
	}
	for i := range r.Groups {
		shown.Findings = append(shown.Findings, l.verdicts.group(&r.Groups[i]))
	}
	return shown
}

func (v *liveVerdicts) group(g *report.Group) verdict.Group {
	shown := verdict.Group{Finding: v.finding(&g.Finding), Count: g.Count, Occurrences: []verdict.Occurrence{}}
	for _, o := range g.Occurrences {
		shown.Occurrences = append(shown.Occurrences, verdict.Occurrence{Seq: v.seq(o.Exchange), Pointer: o.Pointer})
	}
	return shown
}

func coverageShown(c *report.Coverage) verdict.Coverage {
	shown := verdict.Coverage{Axes: []verdict.Axis{}, Operations: []verdict.Operation{}}
	for _, axis := range c.Axes {
		shown.Axes = append(shown.Axes, verdict.Axis{
			Name: axis.Name, Covered: axis.Covered, Documented: axis.Documented, Percent: axis.Percent(),
		})
	}
	names := slices.AppendSeq(slices.Collect(maps.Keys(c.Operations)), maps.Keys(c.Untouched))
	slices.Sort(names)
	for _, name := range names {
		touched := c.Operations[name]
		op := verdict.Operation{Name: name, Exchanges: touched.Exchanges, Statuses: map[string]int{}}
		maps.Copy(op.Statuses, touched.Statuses)
		for _, parts := range []report.Parts{
			touched.Requests, touched.Responses, touched.Parameters, touched.Enums, touched.Properties,
		} {
			op.Covered += len(parts.Covered)
			op.Documented += len(parts.Covered) + len(parts.Uncovered)
		}
		shown.Operations = append(shown.Operations, op)
	}
	return shown
}

// liveVerdicts holds the verdicts of a growing recording, within bounds.
type liveVerdicts struct {
	checker     *Checker
	rules       []string
	ruleNumbers map[string]uint8

	seqs    []int64       // of all exchanges, by their numbers
	numbers map[int64]int // of those that are kept
	first   int           // the number of the first one that is kept
	settled int           // the number of the last one that the rules between exchanges have seen

	alone    judgedExchanges // judged each by itself
	together judgedExchanges // judged by the rules between exchanges
	excerpts map[excerptKey]*verdict.Excerpt
}

type excerptKey struct {
	iface specs.Interface
	spec  report.Spec
}

func newLiveVerdicts(c *Checker) liveVerdicts {
	v := liveVerdicts{
		checker: c, rules: Rules(), ruleNumbers: map[string]uint8{}, numbers: map[int64]int{}, first: 1,
		excerpts: map[excerptKey]*verdict.Excerpt{},
	}
	for i, id := range v.rules {
		v.ruleNumbers[id] = uint8(i)
	}
	return v
}

// add takes the verdicts and findings of the next exchange, judged by itself.
func (v *liveVerdicts) add(seq int64, alone *judgedExchanges) {
	number := len(v.seqs) + 1
	if seq <= 0 {
		seq = int64(number)
	}
	v.seqs = append(v.seqs, seq)
	v.numbers[seq] = number
	v.alone.chances = append(v.alone.chances, alone.chances...)
	v.alone.findings = append(v.alone.findings, alone.findings...)
	if number-v.first >= maxLiveVerdicts {
		first := number - maxLiveVerdicts*3/4
		for _, seq := range v.seqs[v.first-1 : first-1] {
			if v.numbers[seq] < first {
				delete(v.numbers, seq)
			}
		}
		v.first = first
	}
	if v.alone.isTooLong(v.first) {
		v.alone.forget(v.first)
	}
}

// settle takes the verdicts of the rules between exchanges up to an exchange, and returns the numbers of those whose
// verdicts changed, in their order.
func (v *liveVerdicts) settle(together *judgedExchanges, last int) []int {
	together.forget(v.first)
	differ := v.together.differences(together)
	for number := v.settled + 1; number <= last; number++ {
		differ[number] = true
	}
	v.together, v.settled = *together, last
	return slices.Sorted(maps.Keys(differ))
}

// has reports whether the verdict of an exchange is kept.
func (v *liveVerdicts) has(number int) bool { return number >= v.first && number <= len(v.seqs) }

// of returns the verdict of an exchange that is kept.
func (v *liveVerdicts) of(number int) verdict.Verdict {
	shown := verdict.Verdict{
		Seq: v.seqs[number-1], Outcome: verdict.Skipped, Pending: number > v.settled, Checks: []verdict.Check{},
		Findings: []verdict.Finding{},
	}
	counts := map[uint8]*verdict.Counts{}
	for _, part := range []*judgedExchanges{&v.alone, &v.together} {
		chances, findings := part.of(number)
		for _, c := range chances {
			if counts[c.rule] == nil {
				counts[c.rule] = &verdict.Counts{}
			}
			count(counts[c.rule], liveOutcomes()[c.outcome])
		}
		for i := range findings {
			shown.Findings = append(shown.Findings, v.finding(&findings[i]))
		}
		shown.Omitted = shown.Omitted || number <= part.dropped
	}
	for _, rule := range slices.Sorted(maps.Keys(counts)) {
		check := verdict.Check{Rule: v.rules[rule], Counts: *counts[rule]}
		check.Outcome, check.Message = worst(&check.Counts), worstMessage(shown.Findings, check.Rule)
		if check.Outcome.Worse(shown.Outcome) {
			shown.Outcome = check.Outcome
		}
		shown.Checks = append(shown.Checks, check)
	}
	shown.Breaks = slices.ContainsFunc(shown.Findings, func(f verdict.Finding) bool { return f.Breaks })
	return shown
}

// count counts a chance by its outcome.
func count(c *verdict.Counts, o verdict.Outcome) {
	switch o {
	case verdict.Pass:
		c.Pass++
	case verdict.Fail:
		c.Fail++
	case verdict.Inconclusive:
		c.Inconclusive++
	case verdict.Skipped:
		c.Skipped++
	}
}

// worst returns the worst outcome of some chances.
func worst(c *verdict.Counts) verdict.Outcome {
	switch {
	case c.Fail > 0:
		return verdict.Fail
	case c.Inconclusive > 0:
		return verdict.Inconclusive
	case c.Pass > 0:
		return verdict.Pass
	}
	return verdict.Skipped
}

// worstMessage returns the message of the worst finding of a rule, the first one of equals; empty if there is none.
func worstMessage(findings []verdict.Finding, rule string) string {
	var worst *verdict.Finding
	for i := range findings {
		f := &findings[i]
		if f.Rule == rule && (worst == nil || f.Outcome.Worse(worst.Outcome) || f.Outcome == worst.Outcome &&
			report.Severity(f.Severity).Worse(report.Severity(worst.Severity))) {
			worst = f
		}
	}
	if worst == nil {
		return ""
	}
	return worst.Message
}

// finding returns a finding with the numbers of its exchanges as they were recorded.
func (v *liveVerdicts) finding(f *report.Finding) verdict.Finding {
	shown := verdict.Finding{
		ID: f.ID, Rule: f.Rule, Severity: string(f.Severity), Outcome: verdict.Outcome(f.Verdict),
		Breaks: v.checker.breaks(f), Interface: string(f.Interface), Operation: f.Operation, Seq: v.seq(f.Exchange),
		Message: f.Message, Pointer: f.Pointer, Found: f.Found, Provenance: string(f.Provenance),
		Spec: verdict.Spec{
			File: f.Spec.File, Line: f.Spec.Line, Pointer: f.Spec.Pointer, Says: f.Spec.Says, Excerpt: v.excerpt(f),
		},
	}
	for _, number := range f.Evidence {
		shown.Evidence = append(shown.Evidence, v.seq(number))
	}
	return shown
}

func (v *liveVerdicts) seq(number int) int64 {
	if number < 1 || number > len(v.seqs) {
		return 0
	}
	return v.seqs[number-1]
}

// excerpt returns the lines of the document that a finding refers to, or nil. Each is made once.
func (v *liveVerdicts) excerpt(f *report.Finding) *verdict.Excerpt {
	key := excerptKey{f.Interface, f.Spec}
	known, isKnown := v.excerpts[key]
	if !isKnown {
		if e, ok := v.checker.excerptFor(f); ok {
			known = &verdict.Excerpt{First: e.First, Lines: e.Lines}
		}
		v.excerpts[key] = known
	}
	return known
}
