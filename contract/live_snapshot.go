package contract

import (
	"maps"
	"slices"
	"sync"

	"svc.example/understudy/contract/report"
)

// snapshot returns a gatherer with all that this one has so far, which can be brought to an end while this one goes on.
// Both may not be used at the same time before the copy has come to its end.
func (g *gatherer) snapshot() *gatherer {
	s, r := *g, *g.r
	r.Findings, r.Shown = slices.Clone(r.Findings), maps.Clone(r.Shown)
	r.Notes, r.Problems = slices.Clip(r.Notes), slices.Clip(r.Problems)
	s.r, s.errs, s.onCheck, s.onFinding = &r, slices.Clip(g.errs), nil, nil
	s.tallies = make(map[string]*report.Rule, len(g.tallies))
	for id, tally := range g.tallies {
		clone := *tally
		s.tallies[id] = &clone
	}
	s.groups = make(map[string]*report.Group, len(g.groups))
	for id, group := range g.groups {
		clone := *group
		clone.Occurrences = slices.Clip(clone.Occurrences)
		s.groups[id] = &clone
	}
	s.pending.absentCount = maps.Clone(g.pending.absentCount)
	s.pending.carriers = maps.Clone(g.pending.carriers)
	s.accepted = g.accepted.clone()
	s.coverage = g.coverage.Clone()
	s.exchanges, s.reasons, s.ignored = maps.Clone(g.exchanges), maps.Clone(g.reasons), maps.Clone(g.ignored)
	s.unmatched.counted = make(map[addressKey]*unmatchedAddress, len(g.unmatched.counted))
	for key, one := range g.unmatched.counted {
		clone := *one
		s.unmatched.counted[key] = &clone
	}
	s.sequences = g.sequences.clone()
	return &s
}

func (a *acceptedFindings) clone() *acceptedFindings {
	if a == nil {
		return nil
	}
	r := *a.r
	return &acceptedFindings{occurred: maps.Clone(a.occurred), r: &r}
}

func (n *sequenceNumbers) clone() sequenceNumbers {
	clone := sequenceNumbers{series: maps.Clone(n.series), order: slices.Clip(n.order)}
	for key, pieces := range clone.series {
		clone.series[key] = slices.Clone(pieces) // the last one grows in its place
	}
	return clone
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
