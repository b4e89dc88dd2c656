package history

import (
	"slices"
	"strings"

	"svc.example/understudy/contract/internal/facts"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

// Step is one exchange before the rules, with what else was under way, and what was known when it began.
type Step struct {
	*facts.Exchange
	overlapping []*facts.Exchange
	State       *State
	Say         func(Ruling)
	Changes     []ChangeRule // of the resource that the operation is about
}

// Known reports whether a fact was certain when the exchange began.
func (st *Step) Known(proof *facts.Exchange) bool {
	return proof != nil && facts.Before(proof, st.Exchange)
}

// Contested reports whether another request that was under way may have changed what an exchange depends on.
func (st *Step) Contested(match func(*facts.Exchange) bool) bool {
	return slices.ContainsFunc(st.overlapping, match)
}

// Judge gives a verdict on the exchange, with the exchanges that prove it.
func (st *Step) Judge(r Ruling, v report.Verdict, evidence ...*facts.Exchange) {
	r.Verdict = v
	if r.Operation == "" {
		r.Operation = st.Operation
	}
	r.Evidence = append(slices.Clone(evidence), st.Exchange)
	st.Say(r)
}

// Text names an entity for messages: pool 17.
func (st *Step) Text(t facts.Entity) string { return st.State.Kinds.Text(t) }

// Ruling is a verdict as a rule gives it.
type Ruling struct {
	Rule       string
	Verdict    report.Verdict
	Aspect     string // which part of the rule: deviations of different parts are different
	Operation  string
	Message    string
	Provenance specs.Provenance
	Evidence   []*facts.Exchange // the last one is what was judged
	Excuses    []Excuse          // what would make a violation none
	// the violation itself shows an unrecorded caller, unless the recording is taken as complete
	IfComplete bool
}

// Result is the result of one chance of a rule.
type Result struct {
	Rule      string
	Operation string // of the exchange that was judged
	Exchange  int    // its number
	Verdict   report.Verdict
	Finding   *report.Finding       // of everything but a pass
	Lines     []report.ExchangeLine // of its evidence
}

// Config holds the settings of the rules.
type Config struct {
	Rules     []Rule // which see each exchange, in this order
	Documents []*specs.Document
	Trust     specs.Provenance
	Complete  Completeness      // by default Auto
	Accounts  map[uint64]string // names of accounts, by callers, as the user gives them
	InMemory  int               // exchanges that are held in memory until they are in order; by default some thousand
	Workers   int               // that show accounts to the rules at a time; by default one, in the caller's goroutine
	Pause     func()            // called before each exchange that is shown, to take a rest; nil for none

	Changes map[facts.Kind][]ChangeRule // of users, in Go
}

// ChangeRule returns an error if a change has to be refused. Rows are empty of what is new or deleted.
type ChangeRule func(verb string, keys []string, before, after facts.Row) error

// verdict returns the result of a ruling without a finding.
func (r *Ruling) verdict() Result {
	judged := r.Evidence[len(r.Evidence)-1]
	return Result{Rule: r.Rule, Operation: r.Operation, Exchange: judged.Number, Verdict: r.Verdict}
}

// result makes a finding of a ruling, whose callers are of one account as the exchanges of links show.
func (c *Config) result(r Ruling, links []report.ExchangeLine, spec report.Spec) Result {
	v := r.verdict()
	f := &report.Finding{
		Rule: r.Rule, Verdict: r.Verdict, Severity: report.Notice, Operation: r.Operation, Exchange: v.Exchange,
		Message: r.Message, Pointer: "/response", Provenance: r.Provenance, Spec: spec,
	}
	iface, _, _ := strings.Cut(r.Operation, ".")
	f.Interface = specs.Interface(iface)
	if r.Verdict == report.Fail {
		f.Severity = report.SeverityOf(r.Provenance, c.Trust)
	}
	v.Lines = links
	for _, e := range r.Evidence {
		v.Lines = append(v.Lines, e.Line)
	}
	slices.SortFunc(v.Lines, func(a, b report.ExchangeLine) int { return a.Exchange - b.Exchange })
	v.Lines = slices.Compact(v.Lines)
	for _, line := range v.Lines {
		f.Evidence = append(f.Evidence, line.Exchange)
	}
	identity := *f
	identity.Pointer += "#" + r.Aspect
	f.ID = report.Fingerprint(&identity)
	v.Finding = f
	return v
}

// spec returns the place in the document that describes an operation.
func (w *Watcher) spec(operation string) report.Spec {
	return w.specs.Of(operation, func() report.Spec { return w.config.find(operation) })
}

func (c *Config) find(operation string) report.Spec {
	iface, id, _ := strings.Cut(operation, ".")
	for _, d := range c.Documents {
		if op := d.Operation(id); string(d.Interface) == iface && op != nil {
			d := op.Document // which is another one for extras
			spec := report.Spec{File: d.File, Pointer: op.Pointer}
			if place, err := d.Place(op.Pointer + "/description"); err == nil {
				spec.File, spec.Line, spec.Pointer = place.File, place.Line, place.Pointer
			}
			return spec
		}
	}
	return report.Spec{}
}

// Rule is a rule: what it is about, and how it looks at an exchange.
type Rule struct {
	Doc   report.RuleDoc
	Check func(*Step)
}
