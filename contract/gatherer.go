package contract

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"

	"svc.example/understudy/contract/engine"
	"svc.example/understudy/contract/internal/coverage"
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
	g.watcher = history.NewWatcher(config, g.addRuleResult)
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
		if g.Problems.add(v.err, g.last) {
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
	g.Sequences.add(&v.result.Item)
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
		g.Unmatched.add(v.result)
	}
	if base := v.result.Owner.Base; base != nil {
		g.Bases[keyOfBase(base)]++
	}
	if op := v.result.Operation(); op != nil {
		g.Coverage.Add(op, v.result.Status(), v.result.Touched)
	}
	g.Guesses.add(v.result)
	g.countJudged(v.result)
	name := nameOf(v.result.Operation())
	for _, c := range v.result.Checks {
		g.countCheck(v.result.Item.Number, c.Rule, name, c.Verdict, 1)
	}
	g.Omitted += v.result.Omitted
	for i := range v.result.Findings {
		g.keepFinding(v.result.Findings[i], int64(i), v.line)
	}
	g.Pending.add(g.checker, v.result)
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
			notes = append(notes, fmt.Sprintf("%s:%d: is not judged as it is written: %s (%s)",
				cmp.Or(ignored.File, d.File), ignored.Line, ignored.Reason, ignored.Pointer))
		}
	}
	for _, one := range g.Problems.Minor {
		notes = append(notes, one.Text)
	}
	notes = slices.Concat(notes, slices.Sorted(maps.Keys(g.Apart)), g.notes)
	return append(notes, g.ignoredNotes()...)
}

// conclude returns the report, with the addresses that a judge knew.
func (g *gatherer) conclude(j *judge.Judge) *Report {
	c := &g.checker.config
	r := &Report{
		Exchanges: g.Exchanges, Checks: g.Checks, Judged: g.Judged, RulesJudged: g.RulesJudged,
		Own: slices.Sorted(maps.Values(c.specs)), DisputedFails: c.disputed, Complete: c.gapless,
		Docs: map[string]report.RuleDoc{}, Gaps: g.Sequences.gaps(c.gapless), Bases: g.baseReports(j),
	}
	counted := g.counted()
	isOfPlatform := slices.ContainsFunc(counted, func(d *specs.Document) bool { return !d.Interface.IsOwn() })
	for _, doc := range g.docs {
		r.Docs[doc.ID] = doc
		switch {
		case doc.ID == judge.Latency && len(c.latency) == 0, doc.ID == judge.Probe && g.tally(doc.ID).Triggered == 0:
			continue // it judges nothing that was not asked for
		}
		if isOfPlatform || !rule.IsOfPlatform(doc.ID) {
			r.Rules = append(r.Rules, *g.tally(doc.ID))
		}
	}
	r.Engines = g.engineReports()
	r.Coverage = g.Coverage.Report(counted, r.Rules)
	r.Thresholds = coverage.Thresholds(c.thresholds, r.Coverage)
	r.Baseline = c.baseline.report(g.Accepted)
	for reason, n := range g.Reasons {
		r.Judged.Reasons = append(r.Judged.Reasons, report.Reason{Reason: g.checker.redactor.Text(reason), Count: n})
	}
	slices.SortFunc(r.Judged.Reasons, func(a, b report.Reason) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Reason, b.Reason))
	})
	if most := c.maxInconclusive; most != nil {
		r.MaxInconclusive = &report.Limit{Most: *most, Got: r.Checks.InconclusiveShare()}
	}
	for _, one := range g.Problems.Fatal {
		r.Problems = append(r.Problems, one.Problem)
	}
	g.addFindings(r)
	r.Notes = g.allNotes()
	unmatched, note := g.Unmatched.report(j)
	if second := g.checker.config.engine; second != nil && second.About().Failure != "" {
		r.Notes = append(r.Notes, fmt.Sprintf("%s has not judged all that it was asked about: %s",
			second.About().Name, second.About().Failure))
	}
	if r.Unmatched = unmatched; note != "" {
		r.Notes = append(r.Notes, note)
	}
	return r
}

// counted returns the documents that the report counts: all, or beside documents of the user's own only those of the
// platform that an exchange belongs to.
func (g *gatherer) counted() []*specs.Document {
	documents := g.checker.documents
	if !slices.ContainsFunc(documents, func(d *specs.Document) bool { return d.Interface.IsOwn() }) {
		return documents
	}
	called := map[string]bool{}
	for name := range g.Coverage.Operations {
		iface, _, _ := strings.Cut(name, ".")
		called[iface] = true
	}
	return slices.DeleteFunc(slices.Clone(documents), func(d *specs.Document) bool {
		return !d.Interface.IsOwn() && g.checker.config.only == nil && !called[string(d.Interface)]
	})
}

// addFindings adds the findings that are kept to a report, one by one and by fingerprint, with the exchanges that they
// speak of.
func (g *gatherer) addFindings(r *Report) {
	g.Found.dropGroups(maxGroups, g.checker.breaks)
	kept := g.Found.list()
	kept = kept[:min(len(kept), maxFindings)]
	r.Omitted = g.Omitted + g.Found.total() - len(kept)
	r.Shown = map[int]report.ExchangeLine{}
	occurrences := map[string][]report.Occurrence{}
	for i := range kept {
		f := &kept[i]
		r.Findings = append(r.Findings, f.Finding)
		occurrences[f.ID] = append(occurrences[f.ID], report.Occurrence{Exchange: f.Exchange, Pointer: f.Pointer})
		for _, line := range f.Lines {
			line.OnDisk = g.onDisk(line.File)
			r.Shown[line.Exchange] = line
		}
	}
	if g.Found.Broken {
		r.BreaksBeyond()
	}
	for id, group := range g.Found.Groups {
		r.Groups = append(r.Groups, report.Group{Finding: group.First, Count: group.Count, Occurrences: occurrences[id]})
	}
	temporal := rule.Names()
	ofMessages := func(g *report.Group) int { // after what goes wrong over several exchanges
		if slices.Contains(temporal, g.Rule) {
			return 0
		}
		return 1
	}
	slices.SortFunc(r.Groups, func(a, b report.Group) int {
		return cmp.Or(
			cmp.Compare(r.Weight(&b.Finding), r.Weight(&a.Finding)), cmp.Compare(ofMessages(&a), ofMessages(&b)),
			cmp.Compare(a.Exchange, b.Exchange), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Pointer, b.Pointer),
			cmp.Compare(a.ID, b.ID),
		)
	})
}

// engineReports returns which engines judged how much.
func (g *gatherer) engineReports() []report.Engine {
	const kin, compiled = "github.com/getkin/kin-openapi", "github.com/santhosh-tekuri/jsonschema/v6"
	list := []report.Engine{
		{
			Name: engine.KinOpenAPI, Version: engine.VersionOf(kin),
			Messages: g.Judged.Parameters + g.Judged.Bodies - g.Compiled,
		},
		{Name: engine.JSONSchema, Version: engine.VersionOf(compiled), Messages: g.Compiled},
	}
	switch { // the one that judged, or both
	case g.Compiled == 0:
		list = list[:1]
	case list[0].Messages == 0:
		list = list[1:]
	}
	if second := g.checker.config.engine; second != nil {
		about := second.About()
		list = append(list, report.Engine{
			Name: about.Name, Version: about.Version, Failure: about.Failure,
			Messages: g.SecondEngine.Messages, Lost: g.SecondEngine.Lost,
		})
	}
	return list
}

// baseReports returns where the interfaces were, and how many exchanges each address had. Guesses that nothing came of
// are left out.
func (g *gatherer) baseReports(j *judge.Judge) []report.Base {
	var list []report.Base
	for _, b := range j.Addresses().Bases() {
		base := report.Base{Interface: b.Interface, URL: b.URL, Source: report.Given, Exchanges: g.Bases[keyOfBase(b)]}
		if b.Guessed {
			base.Source = report.Guessed
		}
		if base.Exchanges > 0 || !b.Guessed {
			list = append(list, base)
		}
	}
	return list
}
