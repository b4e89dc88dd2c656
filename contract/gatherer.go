package contract

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"

	"svc.example/understudy/contract/internal/history"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/internal/ownership"
	"svc.example/understudy/contract/internal/rule"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

// gatherer turns the results of exchanges, in the order of the recording, into a report. It is used by one goroutine.
type gatherer struct {
	sum
	checker    *Checker
	disabled   map[string]bool
	watcher    *history.Watcher
	isFile     map[string]bool // by the name of a recording: whether it is a file on disk
	statements map[statementKey]string
	docs       []report.RuleDoc // of the rules that the report lists
	notes      []string         // on the recording as a whole
	err        error            // of the disk
	last       int              // the exchange that was collected last
	order      int64            // of the last finding between exchanges

	// called with each verdict and each finding, and the exchange that they are about; nil to call nothing
	onCheck   func(exchange int, rule string, v report.Verdict)
	onFinding func(f *report.Finding)
}

func newGatherer(c *Checker) *gatherer {
	g := &gatherer{
		sum: newSum(), checker: c, disabled: map[string]bool{}, docs: RuleDocs(), isFile: map[string]bool{},
		statements: map[statementKey]string{},
	}
	for _, id := range c.config.disabled {
		g.disabled[id] = true
	}
	config := c.rules()
	config.Workers = c.workers()
	g.watcher = history.NewWatcher(config, g.takeRuleResult)
	return g
}

// rules returns the settings of the rules between exchanges.
func (c *Checker) rules() history.Config {
	return history.Config{
		Rules: rule.All, Documents: c.documents, Trust: c.config.trust, Complete: c.config.complete, Changes: c.changes,
		Accounts: c.config.accounts,
	}
}

// workers returns how many goroutines judge at the same time.
func (c *Checker) workers() int { return cmp.Or(c.config.workers, runtime.GOMAXPROCS(0)) }

// breaks reports whether a finding makes a check fail.
func (c *Checker) breaks(f *report.Finding) bool {
	return (&Report{DisputedFails: c.config.disputed}).Breaks(f)
}

// snapshot returns a gatherer with all that this one has so far, which can be brought to an end while this one goes on.
// Both may not be used at the same time before the copy has come to its end.
func (g *gatherer) snapshot() *gatherer {
	s := *g
	s.sum = newSum()
	s.merge(&g.sum, g.checker.breaks)
	s.notes, s.onCheck, s.onFinding = slices.Clip(g.notes), nil, nil
	return &s
}

// collect counts the result of one exchange, and keeps its findings.
func (g *gatherer) collect(v *exchangeResult) {
	if v.err != nil {
		if g.Problems.take(v.err, g.last) {
			g.Exchanges.Broken++
		}
		return
	}
	g.last = v.number
	g.Exchanges.Read++
	if v.ignored != "" {
		g.Exchanges.Ignored++
		g.Ignored[v.ignored]++
		return
	}
	g.Sequences.take(&v.result.Item)
	switch v.result.Owner.State {
	case ownership.Matched:
		g.Exchanges.Matched++
		if v.result.IsInjected {
			g.Exchanges.Injected++
		}
	case ownership.Ignored:
		g.Exchanges.Ignored++
	case ownership.Unmatched, ownership.Several:
		g.Exchanges.Unmatched++
		g.Unmatched.take(v.result)
	}
	if base := v.result.Owner.Base; base != nil {
		g.Bases[keyOfBase(base)]++
	}
	if op := v.result.Operation(); op != nil {
		g.Coverage.Add(op, v.result.Status(), v.result.Touched)
	}
	g.Guesses.take(v.result)
	g.countJudged(v.result)
	name := nameOf(v.result.Operation())
	for _, c := range v.result.Checks {
		g.countCheck(v.result.Item.Number, c.Rule, name, c.Verdict, 1)
	}
	g.Omitted += v.result.Omitted
	for i := range v.result.Findings {
		g.keepFinding(v.result.Findings[i], int64(i), v.line)
	}
	g.Pending.take(g.checker, v.result)
	if v.event != nil {
		g.watcher.SeeEncoded(v.event, v.encoded)
	}
}

// nameOf returns the name of an operation, or the empty string for nil.
func nameOf(op *specs.Operation) string {
	if op == nil {
		return ""
	}
	return op.Name()
}

// countCheck counts verdicts on an exchange, as skipped when their rule is switched off.
func (g *gatherer) countCheck(exchange int, id, operation string, v report.Verdict, n int) {
	if g.isDisabled(id, operation) {
		v = report.Skipped
	}
	if g.onCheck != nil {
		for range n {
			g.onCheck(exchange, id, v)
		}
	}
	g.Checks.Add(v, n)
	tally := g.tally(id)
	switch v {
	case report.Pass:
		tally.Pass += n
	case report.Fail:
		tally.Fail += n
	case report.Inconclusive:
		tally.Inconclusive += n
	case report.Skipped:
		return
	}
	tally.Triggered += n
}

// end judges what can be judged only at the end of the recording.
func (g *gatherer) end(ctx context.Context) error { return g.judgeTheRest(ctx, g.watcher.End) }

// judgeTheRest judges what takes the whole recording. It has all exchanges shown to the rules between them.
func (g *gatherer) judgeTheRest(ctx context.Context, show func(context.Context) error) error {
	g.watcher.Missing(g.Sequences.gaps(false))
	if err := show(ctx); err != nil && ctx.Err() == nil {
		g.err = err
	}
	g.noteApart()
	if ctx.Err() == nil {
		g.judgePendingCredentials()
	}
	return errors.Join(append(g.Problems.errs(), g.err)...)
}

// noteApart notes which accounts were judged apart.
func (g *gatherer) noteApart() {
	for _, note := range g.watcher.Notes() {
		g.Apart[note]++
	}
}

// noteGuesses notes what a user must know of the bases that a judge has guessed.
func (g *gatherer) noteGuesses(j *judge.Judge, notes []string) {
	g.notes = append(slices.Clip(notes), g.Guesses.notes(j)...)
}

// allNotes lists what is worth knowing about the recording itself.
func (g *gatherer) allNotes() (notes []string) {
	for _, d := range g.checker.documents {
		for _, ignored := range d.Ignored {
			notes = append(notes, fmt.Sprintf("%s:%d: cannot be read, and was not checked: %s (%s)",
				cmp.Or(ignored.File, d.File), ignored.Line, ignored.Reason, ignored.Pointer))
		}
	}
	for _, one := range g.Problems.Minor {
		notes = append(notes, one.Text)
	}
	notes = slices.Concat(notes, slices.Sorted(maps.Keys(g.Apart)), g.notes)
	return append(notes, g.ignoredNotes()...)
}
