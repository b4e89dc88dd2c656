package contract

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
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

// gatherer turns verdicts, in the order of the recording, into a report. It is used by one goroutine.
type gatherer struct {
	checker   *Checker
	r         *Report
	tallies   map[string]*report.Rule
	groups    map[string]*report.Group
	disabled  map[string]bool
	watcher   *history.Watcher
	pending   pendingCredentials
	coverage  *coverage.Collector
	exchanges map[*ownership.Base]int // by the base that they were found under
	accepted  *acceptance
	unmatched unmatchedAddresses
	numbers   numbering
	guesses   guesses
	second    report.Engine
	reasons   map[string]int  // why bodies were not judged
	ignored   map[string]int  // exchanges, by what they are left out
	files     map[string]bool // recordings, by whether they are on disk
	says      map[saysKey]string
	errs      []error
	dropped   int
}

func newGatherer(c *Checker) *gatherer {
	g := &gatherer{
		checker: c, tallies: map[string]*report.Rule{}, groups: map[string]*report.Group{}, disabled: map[string]bool{},
		reasons: map[string]int{}, ignored: map[string]int{},
		r:        &Report{Shown: map[int]report.Line{}, DisputedFails: c.config.disputed},
		coverage: coverage.NewCollector(c.documents), exchanges: map[*ownership.Base]int{},
		accepted: newAcceptance(c.config.baseline), files: map[string]bool{}, says: map[saysKey]string{},
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
	g.watcher = history.NewWatcher(c.rules(), g.ruled)
	return g
}

// rules returns the settings of the rules between exchanges.
func (c *Checker) rules() history.Config {
	return history.Config{Rules: rule.All, Documents: c.documents, Trust: c.config.trust, Complete: c.config.complete}
}

// end concludes what waited for the end of the recording.
func (g *gatherer) end(ctx context.Context) error {
	for _, gap := range g.numbers.gaps(false) {
		g.watcher.Missing(gap)
	}
	if err := g.watcher.End(ctx); err != nil && ctx.Err() == nil {
		g.errs = append(g.errs, err)
	}
	g.r.Notes = append(g.r.Notes, g.watcher.Notes()...)
	if ctx.Err() == nil {
		g.settleCredentials()
	}
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
	if v.ignored != "" {
		g.r.Exchanges.Ignored++
		g.ignored[v.ignored]++
		return
	}
	g.numbers.take(&v.result.Item)
	switch v.result.Owner.State {
	case ownership.Matched:
		g.r.Exchanges.Matched++
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
	g.judged(v.result)
	for _, c := range v.result.Checks {
		g.check(c.Rule, nameOf(v.result.Operation()), c.Verdict)
	}
	g.r.Omitted += v.result.Omitted
	for i := range v.result.Findings {
		g.finding(v.result.Findings[i], v.line)
	}
	g.pending.take(v.result)
	if v.event != nil {
		g.watcher.See(v.event)
	}
}

// judged counts what was judged of an exchange, and what was not.
func (g *gatherer) judged(r *judge.Result) {
	g.r.Judged.Parameters += r.Parameters
	g.r.Judged.Bodies += r.Bodies
	g.r.Judged.Unjudged += len(r.Unjudged)
	g.second.Messages += r.Second
	g.second.Lost += r.Lost
	for _, reason := range r.Unjudged {
		if _, known := g.reasons[reason]; !known && len(g.reasons) >= maxReasons {
			reason = "another reason"
		}
		g.reasons[reason]++
	}
}

// nameOf is the name of an operation, empty of none.
func nameOf(op *specs.Operation) string {
	if op == nil {
		return ""
	}
	return op.Name()
}

// problem keeps what could not be read: a note when nothing is lost by it that a user would miss, else an error.
func (g *gatherer) problem(err error) {
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

// check counts a verdict, as skipped when its rule is switched off.
func (g *gatherer) check(id, operation string, v report.Verdict) {
	if g.off(id, operation) {
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
func (g *gatherer) ruled(v history.Result) {
	g.check(v.Rule, v.Operation, v.Verdict)
	g.r.RulesJudged = g.r.RulesJudged || v.Verdict == report.Pass || v.Verdict == report.Fail
	if v.Finding != nil {
		g.finding(*v.Finding, v.Lines...)
	}
}

// finding keeps a finding, if it is one of the first with its fingerprint, and counts it in any case.
func (g *gatherer) finding(f report.Finding, lines ...report.Line) {
	if g.off(f.Rule, f.Operation) {
		return
	}
	if level := g.checker.config.severity(f.Rule, f.Operation); level != "" && f.Verdict == report.Fail {
		f.Severity = level
	}
	g.guesses.lower(&f, lines)
	f.Accepted = g.accepted.accepts(&f)
	g.checker.clean(&f)
	f.Spec.Says = g.saying(&f)
	group := g.groups[f.ID]
	if group == nil {
		if len(g.groups) >= maxGroups {
			g.r.Omit(&f)
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
	group.Occurrences = append(group.Occurrences, report.Occurrence{Exchange: f.Exchange, Pointer: f.Pointer})
	g.r.Findings = append(g.r.Findings, f)
	for _, line := range lines {
		line.OnDisk = g.onDisk(line.File)
		g.r.Shown[line.Exchange] = line
	}
}

type saysKey struct{ iface, file, pointer string }

// saying returns the document's statement at the place of a finding, in one line.
func (g *gatherer) saying(f *report.Finding) string {
	key := saysKey{string(f.Interface), f.Spec.File, f.Spec.Pointer}
	says, known := g.says[key]
	if known || f.Spec.File == "" {
		return says
	}
	for _, d := range g.checker.documents {
		for _, d := range []*specs.Document{d, d.Extras} {
			if d != nil && d.Interface == f.Interface && d.File == f.Spec.File {
				says = d.Says(f.Spec.Pointer)
			}
		}
	}
	g.says[key] = says
	return says
}

// onDisk reports whether a name of a recording is that of a file, and not of what a zip archive or memory holds.
func (g *gatherer) onDisk(file string) bool {
	known, ok := g.files[file]
	if !ok {
		info, err := os.Stat(file)
		known = err == nil && info.Mode().IsRegular()
		g.files[file] = known
	}
	return known
}

// report completes the report.
func (g *gatherer) report() *Report {
	g.r.Docs = map[string]report.RuleDoc{}
	for _, doc := range RuleDocs() {
		g.r.Docs[doc.ID] = doc
		if doc.ID == judge.Latency && len(g.checker.config.latency) == 0 {
			continue // it judges nothing that was not asked for
		}
		g.r.Rules = append(g.r.Rules, *g.tallies[doc.ID])
	}
	g.r.Engines = g.engines()
	g.r.Coverage = g.coverage.Report(g.r.Rules)
	g.r.Gaps, g.r.Complete = g.numbers.gaps(g.checker.config.gapless), g.checker.config.gapless
	g.r.Thresholds = coverage.Thresholds(g.checker.config.thresholds, g.r.Coverage)
	g.r.Baseline = g.accepted.report()
	g.r.Notes = append(g.r.Notes, g.ignoredNotes()...)
	for reason, n := range g.reasons {
		g.r.Judged.Reasons = append(g.r.Judged.Reasons, report.Reason{Reason: g.checker.redactor.Text(reason), Count: n})
	}
	slices.SortFunc(g.r.Judged.Reasons, func(a, b report.Reason) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Reason, b.Reason))
	})
	if most := g.checker.config.maxInconclusive; most != nil {
		g.r.MaxInconclusive = &report.Limit{Most: *most, Got: g.r.Checks.InconclusiveShare()}
	}
	for _, group := range g.groups {
		g.r.Groups = append(g.r.Groups, *group)
	}
	slices.SortFunc(g.r.Groups, func(a, b report.Group) int {
		return cmp.Or(
			cmp.Compare(g.r.Weight(&b.Finding), g.r.Weight(&a.Finding)),
			cmp.Compare(a.Exchange, b.Exchange), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Pointer, b.Pointer),
			cmp.Compare(a.ID, b.ID),
		)
	})
	slices.SortStableFunc(g.r.Findings, func(a, b report.Finding) int { return cmp.Compare(a.Exchange, b.Exchange) })
	return g.r
}
