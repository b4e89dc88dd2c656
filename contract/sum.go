package contract

import (
	"svc.example/understudy/contract/internal/coverage"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/internal/ownership"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

// sum holds what is counted and kept of a part of a recording. The sums of its parts, merged in any order, are the sum
// of the whole; newSum is the sum of nothing. The members are exported to be encoded: who changes them changes
// partVersion.
type sum struct {
	Exchanges    report.Exchanges
	Checks       report.Checks
	Judged       report.Judged // without the reasons
	Tallies      map[string]*report.Rule
	Found        foundFindings
	Omitted      int            // findings that were not even listed for their exchange
	Accepted     map[string]int // findings, by the fingerprints of the baseline
	Pending      pendingCredentials
	Coverage     *coverage.Collector
	Bases        map[baseKey]int // exchanges
	Unmatched    unmatchedAddresses
	Sequences    sequenceNumbers
	Guesses      guessedBases
	SecondEngine report.Engine
	Reasons      map[string]int // why bodies were not judged
	Ignored      map[string]int // exchanges that are left out, by the option that says so
	Problems     problems
	Apart        map[string]int // notes on accounts that were judged apart, with the numbers of watches that say so
	RulesJudged  bool           // a rule between exchanges had a chance that passed or failed
}

// baseKey identifies a base address.
type baseKey struct {
	Interface specs.Interface
	URL       string
	IsGuessed bool
}

func keyOfBase(b *ownership.Base) baseKey { return baseKey{b.Interface, b.URL, b.Guessed} }

const maxReasons = 100 // why bodies were not judged: those that are first as texts

// otherReason counts for those beyond.
const otherReason = "another reason"

func newSum() sum {
	return sum{
		Tallies: map[string]*report.Rule{}, Accepted: map[string]int{}, Pending: newPendingCredentials(),
		Coverage: coverage.NewCollector(), Bases: map[baseKey]int{}, Guesses: newGuessedBases(),
		Reasons: map[string]int{}, Ignored: map[string]int{}, Apart: map[string]int{},
	}
}

// tally returns the counts of a rule.
func (s *sum) tally(id string) *report.Rule {
	t := s.Tallies[id]
	if t == nil {
		t = &report.Rule{ID: id}
		s.Tallies[id] = t
	}
	return t
}

// countJudged counts what was judged of an exchange, and what was not.
func (s *sum) countJudged(r *judge.Result) {
	s.Judged.Parameters += r.Parameters
	s.Judged.Bodies += r.Bodies
	s.Judged.Unjudged += len(r.Unjudged)
	s.SecondEngine.Messages += r.SecondEngine
	s.SecondEngine.Lost += r.SecondEngineLost
	for _, reason := range r.Unjudged {
		s.countReason(reason, 1)
	}
}

// countReason counts a reason, and keeps those that are first as texts, whatever came first.
func (s *sum) countReason(reason string, n int) {
	s.Reasons[reason] += n
	if _, isOther := s.Reasons[otherReason]; len(s.Reasons) <= maxReasons || isOther && len(s.Reasons) == maxReasons+1 {
		return
	}
	last := ""
	for known := range s.Reasons {
		if known != otherReason {
			last = max(last, known)
		}
	}
	s.Reasons[otherReason] += s.Reasons[last]
	delete(s.Reasons, last)
}

// merge adds the sum of another part of the recording. Nothing is shared with it that changes.
func (s *sum) merge(other *sum, breaks func(*report.Finding) bool) {
	addExchanges(&s.Exchanges, &other.Exchanges)
	addChecks(&s.Checks, &other.Checks)
	s.Judged.Parameters += other.Judged.Parameters
	s.Judged.Bodies += other.Judged.Bodies
	s.Judged.Unjudged += other.Judged.Unjudged
	for id, from := range other.Tallies {
		t := s.tally(id)
		t.Triggered += from.Triggered
		t.Pass += from.Pass
		t.Fail += from.Fail
		t.Inconclusive += from.Inconclusive
	}
	s.Found.merge(&other.Found, breaks)
	s.Omitted += other.Omitted
	addCounts(s.Accepted, other.Accepted)
	s.Pending.merge(&other.Pending)
	s.Coverage.Merge(other.Coverage)
	addCounts(s.Bases, other.Bases)
	s.Unmatched.merge(&other.Unmatched)
	s.Sequences.merge(&other.Sequences)
	s.Guesses.merge(&other.Guesses)
	s.SecondEngine.Messages += other.SecondEngine.Messages
	s.SecondEngine.Lost += other.SecondEngine.Lost
	for reason, n := range other.Reasons {
		s.countReason(reason, n)
	}
	addCounts(s.Ignored, other.Ignored)
	s.Problems.merge(&other.Problems)
	addCounts(s.Apart, other.Apart)
	s.RulesJudged = s.RulesJudged || other.RulesJudged
}

func addExchanges(to, from *report.Exchanges) {
	to.Read += from.Read
	to.Matched += from.Matched
	to.Unmatched += from.Unmatched
	to.Ignored += from.Ignored
	to.Broken += from.Broken
	to.Injected += from.Injected
}

func addChecks(to, from *report.Checks) {
	to.Add(report.Pass, from.Pass)
	to.Add(report.Fail, from.Fail)
	to.Add(report.Inconclusive, from.Inconclusive)
	to.Add(report.Skipped, from.Skipped)
}

func addCounts[K comparable](to, from map[K]int) {
	for key, n := range from {
		to[key] += n
	}
}
