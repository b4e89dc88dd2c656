package contract

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"svc.example/understudy/contract/engine"
	"svc.example/understudy/contract/internal/coverage"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/internal/rule"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

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
