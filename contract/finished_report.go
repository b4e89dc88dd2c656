package contract

import (
	"cmp"
	"slices"

	"svc.example/understudy/contract/engine"
	"svc.example/understudy/contract/internal/coverage"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/report"
)

// conclude returns the report, with the addresses that a judge knew.
func (g *gatherer) conclude(j *judge.Judge) *Report {
	r := g.finish()
	r.Bases = g.baseReports(j)
	unmatched, note := g.unmatched.report(j)
	if r.Unmatched = unmatched; note != "" {
		r.Notes = append(r.Notes, note)
	}
	return r
}

// finish adds to the report all that is known only at the end.
func (g *gatherer) finish() *Report {
	g.r.Docs = map[string]report.RuleDoc{}
	for _, doc := range g.docs {
		g.r.Docs[doc.ID] = doc
		if doc.ID == judge.Latency && len(g.checker.config.latency) == 0 {
			continue // it judges nothing that was not asked for
		}
		g.r.Rules = append(g.r.Rules, *g.tallies[doc.ID])
	}
	g.r.Engines = g.engineReports()
	g.r.Coverage = g.coverage.Report(g.r.Rules)
	g.r.Gaps, g.r.Complete = g.sequences.gaps(g.checker.config.gapless), g.checker.config.gapless
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

// engineReports returns which engines judged how much.
func (g *gatherer) engineReports() []report.Engine {
	const first = "github.com/getkin/kin-openapi"
	list := []report.Engine{{
		Name: engine.KinOpenAPI, Version: engine.VersionOf(first), Messages: g.r.Judged.Parameters + g.r.Judged.Bodies,
	}}
	if second := g.checker.config.engine; second != nil {
		about := second.About()
		g.secondEngine.Name, g.secondEngine.Version, g.secondEngine.Trouble = about.Name, about.Version, about.Trouble
		list = append(list, g.secondEngine)
	}
	return list
}

// baseReports returns where the interfaces were, and how many exchanges each address had. Guesses that nothing came of
// are left out.
func (g *gatherer) baseReports(j *judge.Judge) []report.Base {
	var list []report.Base
	for _, b := range j.Addresses().Bases() {
		base := report.Base{Interface: b.Interface, URL: b.URL, Source: report.Given, Exchanges: g.exchanges[b]}
		if b.Guessed {
			base.Source = report.Guessed
		}
		if base.Exchanges > 0 || !b.Guessed {
			list = append(list, base)
		}
	}
	return list
}
