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
}

// A message may have as many faults as it has bytes. A check that fails, fails once.
const (
	maxFaults = 20   // of a rule in one message, listed one by one
	maxFound  = 1000 // by the first engine, of which those that are listed are chosen
)

// found holds the findings of the first engine: the first faults, and the number of the others.
type found struct {
	list []fault
	more int
}

// room reports whether one more fault is kept, and counts it if it is not.
func (f *found) room() bool {
	if len(f.list) < maxFound {
		return true
	}
	f.more++
	return false
}

// vote says whether the second engine has a say.
type vote int

const (
	silent vote = iota // it was not asked
	voted
	lost // it was asked, and could not judge
)

// engineResults holds what the two engines found in a body or in parameters.
type engineResults struct {
	first    found
	second   []fault
	vote     vote   // of the second engine
	pointer  string // of what was judged, where an engine says no more
	instance string
	known    func(knownCase) bool       // nil where no case is known
	found    func(path []string) string // the value at a path, as a finding shows it
}

// decision is what the results of two engines come to.
type decision struct {
	verdict report.Verdict
	faults  found                  // those that count
	engines []report.EngineVerdict // both, if they differ
}

// askEngines gives a body to both engines.
func (j *Judge) askEngines(b *content) engineResults {
	first := kinOnBody(b)
	first.list = b.dropRedacted(first.list)
	second, vote := j.secondOnBody(b, len(first.list)+first.more)
	second = b.redactSecrets(b.dropRedacted(second))
	return engineResults{
		first: first, second: second, vote: vote, pointer: b.schemaPointer, instance: "/" + b.side.String() + "/body",
		known: func(c knownCase) bool { return c.is(b, first.list, second) },
		found: func(path []string) string { return j.foundAt(b, path) },
	}
}

// compareEngines decides by the results of two engines.
func (j *Judge) compareEngines(m *message, r engineResults) decision {
	isPass := len(r.first.list) == 0
	agree := r.vote != voted || isPass == (len(r.second) == 0)
	switch {
	case isPass && agree:
		return decision{verdict: report.Pass}
	case m.bodiless && (len(m.inQuery) == 0 || onlyMissing(r.first.list)):
		return decision{verdict: report.Inconclusive}
	case agree:
		return decision{verdict: report.Fail, faults: r.first}
	case r.known != nil && slices.ContainsFunc(knownCases, r.known):
		if isPass {
			return decision{verdict: report.Pass}
		}
		return decision{verdict: report.Fail, faults: r.first}
	}
	disputed := decision{verdict: report.Fail, faults: r.first, engines: []report.EngineVerdict{
		verdictOf(engine.KinOpenAPI, r.first.list), verdictOf(j.engine.About().Name, r.second),
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

// addFaults adds one check, and its findings.
func (j *Judge) addFaults(o *judgement, m *message, r engineResults, d decision) {
	o.votes[r.vote]++
	if d.verdict == report.Inconclusive {
		j.inconclusive(o, m, "the recording does not contain the body, and the query lacks its required members")
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
