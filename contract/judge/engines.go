package judge

import (
	"cmp"
	"slices"

	"svc.example/understudy/contract/report"
)

// fault is what one engine finds wrong with a value.
type fault struct {
	path    []string // of the value, below the body
	pointer string   // of the fact in the document
	message string
	keyword string // that was broken, where the engine tells
}

// maxFaults bounds how many faults of one message are told. A check that fails, fails once.
const maxFaults = 20

// both puts a body before both engines and settles what they say.
func (j *Judge) both(o *opinion, b *body) {
	first := b.seen(firstOnBody(b))
	second, voted := j.secondOnBody(b, len(first) > 0)
	second = b.hush(b.seen(second))
	base := "/" + b.side.String() + "/body"
	j.settle(o, b.message, ruling{
		first: first, second: second, voted: voted, pointer: b.schemaPointer, instance: base,
		known: func(c knownCase) bool { return c.is(b, first, second) },
		found: func(path []string) string { return j.foundAt(b, path) },
	})
}

// ruling is what the two engines say of one thing.
type ruling struct {
	first, second []fault
	voted         bool   // whether the second engine has a say
	pointer       string // of what was judged, where an engine does not tell more
	instance      string
	known         func(knownCase) bool       // nil where no case is known
	found         func(path []string) string // the value at a path, as a finding shows it
}

// settle turns two opinions into one check.
func (j *Judge) settle(o *opinion, m *message, r ruling) {
	voted := r.voted && (len(r.first) == 0) == (len(r.second) == 0)
	switch {
	case len(r.first) == 0 && (voted || !r.voted):
		o.check(Schema, report.Pass)
	case m.bodiless && (len(m.inQuery) == 0 || onlyMissing(r.first)):
		j.undecided(o, m, "the recording holds no body, and the query lacks what is required of one")
	case voted || !r.voted:
		j.tell(o, m, r, r.first, nil)
	case r.known != nil && slices.ContainsFunc(knownCases, r.known):
		if len(r.first) == 0 {
			o.check(Schema, report.Pass)
			return
		}
		j.tell(o, m, r, r.first, nil)
	default:
		j.dispute(o, m, r)
	}
}

// onlyMissing reports whether nothing is wrong but what is not there.
func onlyMissing(faults []fault) bool {
	return !slices.ContainsFunc(faults, func(f fault) bool { return f.keyword != "required" })
}

// dispute tells what one engine found and the other did not, with both voices.
func (j *Judge) dispute(o *opinion, m *message, r ruling) {
	voice := func(judge string, faults []fault) report.Voice {
		if len(faults) == 0 {
			return report.Voice{Judge: judge, Verdict: report.Pass}
		}
		return report.Voice{Judge: judge, Verdict: report.Fail, Message: faults[0].message}
	}
	voices := []report.Voice{voice("first", r.first), voice("second", r.second)}
	faults := r.first
	if len(faults) == 0 {
		faults = r.second
	}
	j.tell(o, m, r, faults, voices)
}

func (j *Judge) tell(o *opinion, m *message, r ruling, faults []fault, voices []report.Voice) {
	o.check(Schema, report.Fail)
	slices.SortStableFunc(faults, func(a, b fault) int {
		return cmp.Or(slices.Compare(a.path, b.path), cmp.Compare(a.message, b.message))
	})
	for _, f := range faults[:min(len(faults), maxFaults)] {
		pointer := f.pointer
		if pointer == "" {
			pointer = r.pointer
		}
		j.fault(o, m, report.Finding{
			Rule: Schema, Verdict: report.Fail, Message: f.message, Pointer: m.instance(r.instance, f.path),
			Found: r.found(f.path), Spec: report.Spec{Pointer: pointer}, Disputed: voices != nil, Voices: voices,
		})
	}
}
