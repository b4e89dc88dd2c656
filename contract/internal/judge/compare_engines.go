package judge

import (
	"cmp"
	"slices"

	"svc.example/understudy/contract/engine"
	"svc.example/understudy/contract/report"
)

// fault is a violation that one engine finds in a value.
type fault struct {
	path    []string // of the value, below the body
	pointer string   // of the fact in the document
	message string
	keyword string // that was broken, where the engine reports it
	format  string // that a value does not have, if the keyword is format
}

// Limits on faults, of which a message may have as many as it has bytes.
const (
	maxFaults = 20   // of a rule in one message that are listed
	maxFound  = 1000 // of the first engine, from which the listed ones are chosen
)

// faultList holds the first faults that an engine finds, and the number of the others.
type faultList struct {
	list  []fault
	more  int
	doubt string // why it was not found out whether there are faults; empty if it was
}

// tooMuch notes a place in the document whose schemas combine too many others.
func (f *faultList) tooMuch(pointer string) {
	f.doubt = "the schema at " + pointer + " of the document combines so many schemas, level by level, that an engine " +
		"would take too long"
}

// room reports whether one more fault is kept, and counts it if it is not.
func (f *faultList) room() bool {
	if len(f.list) < maxFound {
		return true
	}
	f.more++
	return false
}

// vote states whether the second engine judged a message.
type vote int

const (
	notAsked vote = iota // it was not asked
	voted
	lost // it was asked, and could not judge
)

// engineResults holds what the two engines found in a body or in parameters.
type engineResults struct {
	kin      faultList
	second   []fault
	vote     vote                       // of the second engine
	pointer  string                     // of what was judged, where an engine says no more
	instance string                     // pointer to the judged value in the exchange
	known    func(knownCase) bool       // nil if known cases do not apply
	place    func(f *fault) string      // of a fault, as in the table of what engines look at; nil if that does not apply
	found    func(path []string) string // the value at a path, as a finding shows it
}

// decision is the verdict on the results of two engines.
type decision struct {
	verdict report.Verdict
	faults  faultList              // those that count
	engines []report.EngineVerdict // both, if they differ
}

// askEngines gives a body to both engines.
func (j *Judge) askEngines(b *content) engineResults {
	kin := kinOnBody(b)
	kin.list = b.dropRedacted(kin.list)
	second, vote := j.secondOnBody(b, len(kin.list)+kin.more)
	second = b.redactSecrets(b.dropRedacted(second))
	if len(kin.list)+len(second) == 0 && kin.doubt == "" {
		return engineResults{vote: vote}
	}
	return engineResults{
		kin: kin, second: second, vote: vote, pointer: b.schemaPointer, instance: "/" + b.side.String() + "/body",
		known: func(c knownCase) bool { return c.is(b, kin.list, second) },
		found: func(path []string) string { return j.foundAt(b, path) }, place: b.placeOf,
	}
}

// compareEngines decides on the results of two engines: they agree, a known case decides, or they are in dispute.
func (j *Judge) compareEngines(m *message, r engineResults) decision {
	if r.place != nil && m.op.Document.IsUsers() {
		if r.vote == voted && documentedOf(m.op).hasOtherDialects() { // which the second engine does not read
			r.vote, r.second = notAsked, nil
		}
		r = r.weighed()
	}
	isPass := len(r.kin.list) == 0
	agree := r.vote != voted || isPass == (len(r.second) == 0)
	switch {
	case isPass && r.kin.doubt != "":
		return decision{verdict: report.Inconclusive}
	case isPass && agree:
		return decision{verdict: report.Pass}
	case m.bodiless && (len(m.queryMembers) == 0 || onlyMissing(r.kin.list)):
		return decision{verdict: report.Inconclusive}
	case agree:
		return decision{verdict: report.Fail, faults: r.kin}
	case r.known != nil && slices.ContainsFunc(knownCases, r.known):
		if isPass {
			return decision{verdict: report.Pass}
		}
		return decision{verdict: report.Fail, faults: r.kin}
	}
	first := engine.KinOpenAPI
	if m.op.Document.IsUsers() {
		first = engine.JSONSchema
	}
	disputed := decision{verdict: report.Fail, faults: r.kin, engines: []report.EngineVerdict{
		verdictOf(first, r.kin.list), verdictOf(j.engine.About().Name, r.second),
	}}
	if isPass {
		disputed.faults.list = r.second
	}
	return disputed
}

// onlyMissing reports whether nothing is wrong but what is not there.
func onlyMissing(faults []fault) bool {
	return !slices.ContainsFunc(faults, func(f fault) bool { return f.keyword != "required" })
}

func verdictOf(engine string, faults []fault) report.EngineVerdict {
	if len(faults) == 0 {
		return report.EngineVerdict{Engine: engine, Verdict: report.Pass}
	}
	return report.EngineVerdict{Engine: engine, Verdict: report.Fail, Message: faults[0].message}
}

// addFaults adds the check of rule schema, and its findings.
func (j *Judge) addFaults(o *judgement, m *message, r engineResults, d decision) {
	o.votes[r.vote]++
	if d.verdict == report.Inconclusive {
		j.inconclusive(o, m, cmp.Or(r.kin.doubt,
			"the recording does not contain the body, and the query lacks its required members"))
		return
	}
	o.check(Schema, d.verdict)
	slices.SortStableFunc(d.faults.list, func(a, b fault) int {
		return cmp.Or(slices.Compare(a.path, b.path), cmp.Compare(a.message, b.message))
	})
	o.omit(Schema, d.faults.more)
	for _, f := range d.faults.list {
		j.addFinding(o, m, report.Finding{
			Rule: Schema, Verdict: report.Fail, Message: f.message, Pointer: m.instance(r.instance, f.path),
			Found: r.found(f.path), Spec: report.Spec{Pointer: cmp.Or(f.pointer, r.pointer)},
			Disputed: d.engines != nil, Engines: d.engines,
		})
	}
}
