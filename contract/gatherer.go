package contract

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/coverage"
	"svc.example/understudy/contract/internal/history"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/internal/ownership"
	"svc.example/understudy/contract/internal/rule"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

const (
	perGroup    = 50     // findings kept of each fingerprint
	maxFindings = 10_000 // findings kept in all
	maxGroups   = 20_000 // fingerprints that are kept apart
	maxProblems = 1000   // of a source, kept in the report
	maxReasons  = 100    // why bodies were not judged
)

// gatherer turns the results of exchanges, in the order of the recording, into a report. It is used by one goroutine.
type gatherer struct {
	checker      *Checker
	r            *Report
	tallies      map[string]*report.Rule
	groups       map[string]*report.Group
	disabled     map[string]bool
	watcher      *history.Watcher
	pending      pendingCredentials
	coverage     *coverage.Collector
	exchanges    map[*ownership.Base]int // by the base that they were found under
	accepted     *acceptedFindings
	unmatched    unmatchedAddresses
	sequences    sequenceNumbers
	guesses      guessedBases
	secondEngine report.Engine
	reasons      map[string]int  // why bodies were not judged
	ignored      map[string]int  // exchanges that are left out, by the option that says so
	isFile       map[string]bool // by the name of a recording: whether it is a file on disk
	statements   map[statementKey]string
	docs         []report.RuleDoc // of the rules that the report lists
	errs         []error
	dropped      int

	// called with each verdict and each finding, and the exchange that they are about; nil to call nothing
	onCheck   func(exchange int, rule string, v report.Verdict)
	onFinding func(f *report.Finding)
}

func newGatherer(c *Checker) *gatherer {
	g := &gatherer{
		checker: c, tallies: map[string]*report.Rule{}, groups: map[string]*report.Group{}, disabled: map[string]bool{},
		reasons: map[string]int{}, ignored: map[string]int{},
		r:        &Report{Shown: map[int]report.Line{}, DisputedFails: c.config.disputed},
		coverage: coverage.NewCollector(c.documents), exchanges: map[*ownership.Base]int{},
		docs: RuleDocs(), accepted: newAcceptedFindings(c.config.baseline), isFile: map[string]bool{},
		statements: map[statementKey]string{},
	}
	g.r.Own = slices.Sorted(maps.Values(c.config.specs))
	for _, id := range c.config.disabled {
		g.disabled[id] = true
	}
	for _, id := range Rules() {
		g.tallies[id] = &report.Rule{ID: id}
	}
	for _, d := range c.documents {
		for _, ignored := range d.Ignored {
			g.r.Notes = append(g.r.Notes, fmt.Sprintf("%s:%d: cannot be read, and was not checked: %s (%s)",
				d.File, ignored.Line, ignored.Reason, ignored.Pointer))
		}
	}
	g.watcher = history.NewWatcher(c.rules(), g.takeRuleResult)
	return g
}

// rules returns the settings of the rules between exchanges.
func (c *Checker) rules() history.Config {
	return history.Config{Rules: rule.All, Documents: c.documents, Trust: c.config.trust, Complete: c.config.complete}
}

// collect counts the result of one exchange, and keeps its findings.
func (g *gatherer) collect(v *exchangeResult) {
	if v.err != nil {
		g.keepProblem(v.err)
		return
	}
	g.r.Exchanges.Read++
	if v.ignored != "" {
		g.r.Exchanges.Ignored++
		g.ignored[v.ignored]++
		return
	}
	g.sequences.take(&v.result.Item)
	switch v.result.Owner.State {
	case ownership.Matched:
		g.r.Exchanges.Matched++
		if v.result.IsInjected {
			g.r.Exchanges.Injected++
		}
	case ownership.Ignored:
		g.r.Exchanges.Ignored++
	case ownership.Unmatched, ownership.Several:
		g.r.Exchanges.Unmatched++
		g.unmatched.take(v.result)
	}
	if base := v.result.Owner.Base; base != nil {
		g.exchanges[base]++
	}
	if op := v.result.Operation(); op != nil {
		g.coverage.Add(op, v.result.Status(), v.result.Touched)
	}
	g.guesses.take(v.result)
	g.countJudged(v.result)
	for _, c := range v.result.Checks {
		g.countCheck(v.result.Item.Number, c.Rule, nameOf(v.result.Operation()), c.Verdict)
	}
	g.r.Omitted += v.result.Omitted
	for i := range v.result.Findings {
		g.keepFinding(v.result.Findings[i], v.line)
	}
	g.pending.take(v.result)
	if v.event != nil {
		g.watcher.See(v.event)
	}
}

// keepProblem keeps an error of the source: as a note if nothing is lost that a user would miss.
func (g *gatherer) keepProblem(err error) {
	isFatal := record.IsFatal(err)
	if p, ok := errors.AsType[*record.ReadError](err); isFatal || ok && p.Kind == record.TooLarge {
		g.r.Exchanges.Broken++
	}
	switch {
	case !isFatal:
		if len(g.r.Notes) < maxErrors {
			g.r.Notes = append(g.r.Notes, err.Error())
		}
		return
	case len(g.errs) < maxErrors:
		g.errs = append(g.errs, err)
	default:
		g.dropped++
	}
	if len(g.r.Problems) < maxProblems {
		problem := report.Problem{Message: err.Error()}
		if p, ok := errors.AsType[*record.ReadError](err); ok {
			problem = report.Problem{File: p.File, Line: p.Line, Offset: p.Offset, Message: p.Err.Error()}
		}
		g.r.Problems = append(g.r.Problems, problem)
	}
}

// countJudged counts what was judged of an exchange, and what was not.
func (g *gatherer) countJudged(r *judge.Result) {
	g.r.Judged.Parameters += r.Parameters
	g.r.Judged.Bodies += r.Bodies
	g.r.Judged.Unjudged += len(r.Unjudged)
	g.secondEngine.Messages += r.SecondEngine
	g.secondEngine.Lost += r.SecondEngineLost
	for _, reason := range r.Unjudged {
		if _, known := g.reasons[reason]; !known && len(g.reasons) >= maxReasons {
			reason = "another reason"
		}
		g.reasons[reason]++
	}
}

// nameOf returns the name of an operation, or the empty string for nil.
func nameOf(op *specs.Operation) string {
	if op == nil {
		return ""
	}
	return op.Name()
}

// countCheck counts a verdict on an exchange, as skipped when its rule is switched off.
func (g *gatherer) countCheck(exchange int, id, operation string, v report.Verdict) {
	if g.isDisabled(id, operation) {
		v = report.Skipped
	}
	if g.onCheck != nil {
		g.onCheck(exchange, id, v)
	}
	g.r.Checks.Add(v, 1)
	tally := g.tallies[id]
	switch v {
	case report.Pass:
		tally.Pass++
	case report.Fail:
		tally.Fail++
	case report.Inconclusive:
		tally.Inconclusive++
	case report.Skipped:
		return
	}
	tally.Triggered++
}

// end judges what can be judged only at the end of the recording.
func (g *gatherer) end(ctx context.Context) error { return g.judgeTheRest(ctx, g.watcher.End) }

// judgeTheRest judges what takes the whole recording. It has all exchanges shown to the rules between them.
func (g *gatherer) judgeTheRest(ctx context.Context, show func(context.Context) error) error {
	g.watcher.Missing(g.sequences.gaps(false))
	if err := show(ctx); err != nil && ctx.Err() == nil {
		g.errs = append(g.errs, err)
	}
	g.r.Notes = append(g.r.Notes, g.watcher.Notes()...)
	if ctx.Err() == nil {
		g.judgePendingCredentials()
	}
	if g.dropped > 0 {
		g.errs = append(g.errs, fmt.Errorf("and %d more", g.dropped))
	}
	return errors.Join(g.errs...)
}
