package report

import (
	"fmt"
	"slices"

	"svc.example/understudy/specs"
)

// provenances, from the surest to the least sure.
var provenances = []specs.Provenance{specs.Documented, specs.Public, specs.Client, specs.Assumed}

// ParseTrust reads the least sure provenance from which a deviation is an error.
func ParseTrust(word string) (specs.Provenance, error) {
	if p := specs.Provenance(word); slices.Contains(provenances, p) {
		return p, nil
	}
	return "", fmt.Errorf("unknown trust %q; want documented, public, client or assumed", word)
}

// SeverityOf returns the severity of a deviation from a fact, given where the fact comes from. A fact at least as sure
// as trust gives an error. Of the rest, a guess gives a notice and everything else a warning, so that no build breaks
// on a guess of ours.
func SeverityOf(p, trust specs.Provenance) Severity {
	switch {
	case rank(p) <= rank(trust):
		return Error
	case p == specs.Assumed:
		return Notice
	}
	return Warning
}

// rank returns 0 for the surest. A document of a user's own carries no provenance: it says what it says.
func rank(p specs.Provenance) int { return max(0, slices.Index(provenances, p)) }

// LeastSure returns the least sure one of several provenances.
func LeastSure(list ...specs.Provenance) specs.Provenance {
	least := specs.Documented
	for _, p := range list {
		if rank(p) > rank(least) {
			least = p
		}
	}
	return least
}

// AtMost returns the severity, lowered to a limit.
func (s Severity) AtMost(limit Severity) Severity {
	if s.Worse(limit) {
		return limit
	}
	return s
}

// Worse reports whether a severity is louder than another.
func (s Severity) Worse(than Severity) bool { return s.weight() > than.weight() }

func (s Severity) weight() int {
	return slices.Index([]Severity{Notice, Warning, Error}, s)
}

// Weight orders findings by how much they matter: what breaks the check before what does not, by severity, and
// inconclusive ones last.
func (r *Report) Weight(f *Finding) int {
	weight := f.Severity.weight() * 2
	if r.Breaks(f) {
		weight += 20
	}
	if f.Verdict == Fail {
		weight++
	}
	return weight
}
