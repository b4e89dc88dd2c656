package contract

import (
	"maps"
	"slices"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs/recording/verdict"
)

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
		Checks: verdict.Counts(r.Checks), Failed: r.Failed(), Outcome: r.Outcome(), Omitted: r.Omitted,
		Rules: []verdict.Rule{}, Findings: []verdict.Group{}, Coverage: coverageShown(&r.Coverage),
		Notes: append([]string{}, r.Notes...),
	}
	for _, rule := range r.Rules {
		doc := r.Docs[rule.ID]
		shown.Rules = append(shown.Rules, verdict.Rule{
			ID: rule.ID, Title: doc.Title, Watches: doc.Watches, Provenance: string(doc.Provenance),
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
			op.Covered += len(parts.Seen)
			op.Documented += len(parts.Seen) + len(parts.Missed)
		}
		shown.Operations = append(shown.Operations, op)
	}
	return shown
}
