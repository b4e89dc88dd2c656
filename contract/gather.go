package contract

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"svc.example/understudy/contract/capture"
	"svc.example/understudy/contract/judge"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/contract/rule"
)

const (
	perGroup    = 50     // findings kept of each fingerprint
	maxFindings = 10_000 // findings kept in all
	maxGroups   = 20_000 // fingerprints told apart
)

// gatherer turns verdicts, in the order of the recording, into a report. It is used by one goroutine.
type gatherer struct {
	checker  *Checker
	r        *Report
	tallies  map[string]*report.Rule
	groups   map[string]*report.Group
	disabled map[string]bool
	watcher  *rule.Watcher
	pending  pendingCredentials
	errs     []error
	dropped  int
}

func newGatherer(c *Checker) *gatherer {
	g := &gatherer{
		checker: c, tallies: map[string]*report.Rule{}, groups: map[string]*report.Group{}, disabled: map[string]bool{},
		r: &Report{
			Shown: map[int]report.Line{}, DisputedFails: c.config.disputed,
			Coverage: report.Coverage{Operations: map[string]report.Touched{}},
		},
	}
	for _, id := range c.config.disabled {
		g.disabled[id] = true
	}
	for _, id := range Rules() {
		g.tallies[id] = &report.Rule{ID: id}
	}
	for _, d := range c.documents {
		g.r.Coverage.Documented += len(d.Operations)
	}
	g.watcher = rule.NewWatcher(rule.Config{Documents: c.documents, Trust: c.config.trust}, g.ruled)
	return g
}

// gather takes the batches in their order, each when it is done.
func (g *gatherer) gather(order <-chan *batch) error {
	for b := range order {
		<-b.done
		for i := range b.verdicts {
			g.take(&b.verdicts[i])
		}
	}
	g.watcher.End()
	g.settleCredentials()
	if g.dropped > 0 {
		g.errs = append(g.errs, fmt.Errorf("and %d more", g.dropped))
	}
	return errors.Join(g.errs...)
}

func (g *gatherer) take(v *verdict) {
	if v.err != nil {
		g.problem(v.err)
		return
	}
	g.r.Exchanges.Read++
	switch v.result.Owner.State {
	case judge.Matched:
		g.r.Exchanges.Matched++
	case judge.Ignored:
		g.r.Exchanges.Ignored++
	case judge.Unmatched, judge.Several:
		g.r.Exchanges.Unmatched++
	}
	g.cover(v.result)
	for _, c := range v.result.Checks {
		g.check(c.Rule, c.Verdict)
	}
	for i := range v.result.Findings {
		g.finding(v.result.Findings[i], g.checker.lineOf(v.result))
	}
	g.pending.take(v.result)
	if v.event != nil {
		g.watcher.See(v.event)
	}
}

// problem keeps what could not be read: a note when nothing is lost by it that a user would miss, else an error.
func (g *gatherer) problem(err error) {
	switch {
	case !capture.IsFatal(err):
		if len(g.r.Notes) < maxErrors {
			g.r.Notes = append(g.r.Notes, err.Error())
		}
	case len(g.errs) < maxErrors:
		g.errs = append(g.errs, err)
	default:
		g.dropped++
	}
}

func (g *gatherer) cover(r *judge.Result) {
	op := r.Operation()
	if op == nil {
		return
	}
	touched := g.r.Coverage.Operations[op.Name()]
	if touched.Statuses == nil {
		touched.Statuses = map[string]int{}
	}
	touched.Exchanges++
	if r.Item.Response != nil {
		touched.Statuses[fmt.Sprint(r.Item.Response.Status)]++
	}
	g.r.Coverage.Operations[op.Name()] = touched
}

// check counts a verdict, as skipped when its rule is switched off.
func (g *gatherer) check(id string, v report.Verdict) {
	if g.disabled[id] {
		v = report.Skipped
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

// ruled takes a verdict of a temporal rule, which has a finding unless it is a pass.
func (g *gatherer) ruled(v rule.Verdict) {
	g.check(v.Rule, v.Verdict)
	if v.Finding != nil {
		g.finding(*v.Finding, v.Lines...)
	}
}

// finding keeps a finding, if it is one of the first with its fingerprint, and counts it in any case.
func (g *gatherer) finding(f report.Finding, lines ...report.Line) {
	if g.disabled[f.Rule] {
		return
	}
	group := g.groups[f.ID]
	if group == nil {
		if len(g.groups) >= maxGroups {
			g.r.Omitted++
			return
		}
		group = &report.Group{Finding: f}
		g.groups[f.ID] = group
	}
	group.Count++
	if f.Severity.Worse(group.Severity) {
		group.Severity = f.Severity
	}
	if group.Count > perGroup || len(g.r.Findings) >= maxFindings {
		g.r.Omitted++
		return
	}
	group.Numbers = append(group.Numbers, f.Exchange)
	g.r.Findings = append(g.r.Findings, f)
	for _, line := range lines {
		g.r.Shown[line.Exchange] = line
	}
}

// report completes the report.
func (g *gatherer) report() *Report {
	for _, id := range Rules() {
		g.r.Rules = append(g.r.Rules, *g.tallies[id])
	}
	g.r.Coverage.Covered = len(g.r.Coverage.Operations)
	for _, group := range g.groups {
		g.r.Groups = append(g.r.Groups, *group)
	}
	slices.SortFunc(g.r.Groups, func(a, b report.Group) int {
		return cmp.Or(
			cmp.Compare(g.r.Weight(&b.Finding), g.r.Weight(&a.Finding)),
			cmp.Compare(a.Exchange, b.Exchange), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.ID, b.ID),
		)
	})
	slices.SortStableFunc(g.r.Findings, func(a, b report.Finding) int { return cmp.Compare(a.Exchange, b.Exchange) })
	return g.r
}
