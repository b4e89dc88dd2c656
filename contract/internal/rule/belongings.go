package rule

import (
	"fmt"
	"net/http"
	"slices"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

// belonging states that a thing is a part of another, and gone with it.
type belonging struct {
	Part, Whole thing
	Sure        specs.Provenance // of it that the part is gone with the whole
	proof       *Event           // that shows it
}

// tie notes that an answer shows a thing to be a part of another.
func (e *Event) tie(part, whole thing, sure specs.Provenance) {
	if part.id != "" && whole.id != "" {
		e.Belongs = append(e.Belongs, belonging{part, whole, sure, e})
	}
}

// learnBelongings learns what is a part of what, also from the answer to a deletion, which shows what was deleted.
func (s *state) learnBelongings(e *Event) {
	for _, b := range e.Belongs {
		x := s.life(b.Part)
		x.wholes = append(slices.DeleteFunc(slices.Clone(x.wholes), b.isReplaced), b)
		s.life(b.Whole).parted = e
	}
}

// isReplaced reports whether another belonging of the same part does not hold any more: of each kind it has one whole.
func (b belonging) isReplaced(other belonging) bool { return other.Whole.kind == b.Whole.kind }

// maxWholes bounds how many steps a part may be away from what it is gone with.
const maxWholes = 3

// loss is a deletion of something that a thing was a part of.
type loss struct {
	whole  *entity
	proofs []*Event // that it was
	sure   specs.Provenance
}

// lost looks for a thing that was deleted and that another one is a part of.
func (st *step) lost(t thing, depth int) *loss {
	if depth == 0 {
		return nil
	}
	for _, b := range st.wholesOf(t) {
		if b.proof != st.Event && !st.known(b.proof) {
			continue
		}
		l := &loss{whole: st.s.lookUp(b.Whole), sure: b.Sure}
		if st.deletion(l.whole) == nil {
			l = st.lost(b.Whole, depth-1)
		}
		if l != nil {
			l.proofs = append(l.proofs, b.proof)
			return l
		}
	}
	return nil
}

// wholesOf returns the things that a thing is a part of, as the answer in hand shows them, else as they were shown
// before.
func (st *step) wholesOf(t thing) []belonging {
	var list []belonging
	for _, b := range st.Belongs {
		if b.Part == t {
			list = append(list, b)
		}
	}
	x := st.s.lookUp(t)
	if x == nil {
		return list
	}
	for _, b := range x.wholes {
		if !slices.ContainsFunc(list, b.isReplaced) {
			list = append(list, b)
		}
	}
	return list
}

// outlived looks at what belonged to something that a rule watches over and that was deleted. It is gone with it: to
// name it is answered with 404, and no answer shows it.
func (st *step) outlived(rule string) {
	if st.does == makes {
		return
	}
	isMet := st.Status == http.StatusNotFound || st.OK() && st.does != removes
	if t := st.Named; !t.isNone() && st.does != nothing && isMet {
		st.outlivedThing(rule, t)
	}
	if !st.OK() || st.does == removes {
		return
	}
	for _, f := range st.Shows {
		if f.Thing != st.Named {
			st.outlivedThing(rule, f.Thing)
		}
	}
}

func (st *step) outlivedThing(rule string, t thing) {
	l := st.lost(t, maxWholes)
	if l == nil || l.whole.kind.rule() != rule || st.contested(func(e *Event) bool { return e.mayMake(t) }) {
		return
	}
	x := st.s.lookUp(t)
	if x != nil && x.created != nil && !before(x.created, l.whole.gone) {
		return // it was made later: that this was let through is another matter
	}
	r := ruling{rule: rule, aspect: "part", provenance: l.sure}
	if st.Status == http.StatusNotFound {
		st.judge(r, report.Pass)
		return
	}
	r.message = fmt.Sprintf("%s exists after %s, which it belongs to, was deleted", st.text(t), st.text(l.whole.thing))
	st.judge(r, report.Fail, append(l.whole.evidence(), l.proofs...)...)
}
