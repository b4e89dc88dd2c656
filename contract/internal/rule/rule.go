// Package rule watches what exchanges say together. Rules are passive: they see what was recorded and never send
// anything. They look back only, entity by entity and world by world, and need positive evidence: a violation names
// the exchanges that created, referenced and broke. A history that is not known, or requests that overlapped, give an
// inconclusive verdict, never a violation.
//
// Each rule is one file, which begins with its description: what must hold, what it checks, what counts as a
// violation, and what does not.
package rule

import (
	"slices"
	"strings"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

// Names of the rules. They are part of the interface.
const (
	Role            = "role"
	PoolDeletion    = "pool-deletion"
	DefaultPool     = "default-pool"
	PoolRuleOrder   = "pool-rule-order"
	AttemptResume   = "attempt-resume"
	TokenRevocation = "token-revocation"
	SubUserRemoval  = "sub-user-removal"
	TableRecovery   = "table-recovery"
	DWHDeletion     = "dwh-deletion"
	DWHTarget       = "dwh-target"
	UseAfterDelete  = "use-after-delete"
	IngestionSize   = "ingestion-size"
	IngestionAuth   = "ingestion-auth"
	IngestionTime   = "ingestion-time"
	Consistency     = "consistency"
)

// Docs returns what the rules are about, in the order of reports.
func Docs() []report.RuleDoc {
	docs := make([]report.RuleDoc, len(rules))
	for i := range rules {
		docs[i] = rules[i].about
	}
	return docs
}

// Names lists the rules, in the order of reports.
func Names() []string {
	names := make([]string, len(rules))
	for i := range rules {
		names[i] = rules[i].about.ID
	}
	return names
}

// Config holds the settings of the rules.
type Config struct {
	Documents []*specs.Document
	Trust     specs.Provenance
	Complete  Completeness // by default Auto
	InMemory  int          // exchanges that are held in memory until they are in order; by default some ten thousand
}

// Verdict is the result of one chance of a rule.
type Verdict struct {
	Rule      string
	Operation string // of the exchange that was judged
	Verdict   report.Verdict
	Finding   *report.Finding // of everything but a pass
	Lines     []report.Line   // of its evidence
}

// ruling is a verdict as a rule gives it.
type ruling struct {
	rule       string
	verdict    report.Verdict
	aspect     string // which part of the rule: deviations of different parts are different
	operation  string
	message    string
	provenance specs.Provenance
	evidence   []*Event // the last one is what was judged
	excuses    []excuse // what would make a violation none
	ifComplete bool     // the violation itself shows an unrecorded caller, unless the recording is taken as complete
}

// step is one exchange before the rules, with what else was under way, and what was known when it began.
type step struct {
	*Event
	overlapping []*Event
	s           *state
	say         func(ruling)
}

// watch is a rule: what it is about, and how it looks at an exchange.
type watch struct {
	about report.RuleDoc
	see   func(*step)
}

// rules in the order of reports.
var rules = []watch{
	role, poolDeletion, defaultPool, poolRuleOrder, attemptResume, tokenRevocation, subUserRemoval, tableRecovery,
	dwhDeletion, dwhTarget, useAfterDelete, ingestionSize, ingestionAuth, ingestionTime,
	consistency,
}

// known reports whether a fact was certain when the exchange began.
func (st *step) known(proof *Event) bool { return proof != nil && before(proof, st.Event) }

// contested reports whether another request that was under way may have changed what an exchange depends on.
func (st *step) contested(match func(*Event) bool) bool {
	return slices.ContainsFunc(st.overlapping, match)
}

func (st *step) judge(r ruling, v report.Verdict, evidence ...*Event) {
	r.verdict = v
	if r.operation == "" {
		r.operation = st.Operation
	}
	r.evidence = append(slices.Clone(evidence), st.Event)
	st.say(r)
}

// verdict makes a finding of a ruling, whose callers are of one account as the exchanges of links show.
func (c *Config) verdict(r ruling, links []report.Line) Verdict {
	v := Verdict{Rule: r.rule, Operation: r.operation, Verdict: r.verdict}
	if r.verdict == report.Pass || r.verdict == report.Skipped {
		return v
	}
	judged := r.evidence[len(r.evidence)-1]
	f := &report.Finding{
		Rule: r.rule, Verdict: r.verdict, Severity: report.Notice, Operation: r.operation, Exchange: judged.Number,
		Message: r.message, Pointer: "/response", Provenance: r.provenance, Spec: c.spec(r.operation),
	}
	f.Interface, _, _ = strings.Cut(r.operation, ".")
	if r.verdict == report.Fail {
		f.Severity = report.Of(r.provenance, c.Trust)
	}
	v.Lines = links
	for _, e := range r.evidence {
		v.Lines = append(v.Lines, e.Line)
	}
	slices.SortFunc(v.Lines, func(a, b report.Line) int { return a.Exchange - b.Exchange })
	v.Lines = slices.Compact(v.Lines)
	for _, line := range v.Lines {
		f.Evidence = append(f.Evidence, line.Exchange)
	}
	identity := *f
	identity.Pointer += "#" + r.aspect
	f.ID = report.Fingerprint(&identity)
	v.Finding = f
	return v
}

// spec returns the place in the document that describes an operation.
func (c *Config) spec(operation string) report.Spec {
	iface, id, _ := strings.Cut(operation, ".")
	for _, d := range c.Documents {
		if op := d.Operation(id); d.Interface == iface && op != nil {
			d := op.Document // which is another one for extras
			spec := report.Spec{File: d.File, Pointer: op.Pointer}
			if place, err := d.Place(op.Pointer + "/description"); err == nil {
				spec.Line, spec.Pointer = place.Line, place.Pointer
			}
			return spec
		}
	}
	return report.Spec{}
}
