package rule

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

var dwhTarget = watch{
	about: report.RuleDoc{
		ID: DWHTarget, Provenance: specs.Documented,
		Title: "an integration is only created if its database and tables exist, and does not create them",
		Watches: "Creations of integrations and, if a target is known not to exist, later exchanges that show whether it " +
			"exists. A refusal is a pass if a target is known not to exist.",
		Evidence: "An integration is created for a target that does not exist: it was deleted, or the same caller got a " +
			"response that it is not found, or a list without it, and nothing can have created it since. Or a missing " +
			"target appears and, by the time in its list, was created while the integration was.",
		Inconclusive: "The recording does not show the targets, or whether they exist; a missing target appears without its time " +
			"of creation.",
		Passes: "A target that another caller does not see; a target that a request, a query, an event or a recovery may " +
			"have created since; a target that appears and was created at another time, by a caller outside of the " +
			"recording; a refusal although all targets exist, which may have other reasons.",
	},
	see: seeDWHTarget,
}

func seeDWHTarget(st *step) {
	if st.of == tables || st.of == databases || len(st.mayStir()) > 0 {
		st.settle(DWHTarget)
	}
	if st.Operation != "dwh.createDwhIntegration" || st.Unknown() {
		return
	}
	absent := st.absentTargets()
	r := ruling{rule: DWHTarget, aspect: "creation", provenance: specs.Documented}
	switch {
	case st.OK():
		st.madeOnto(r, absent)
	case len(absent) > 0 && (st.Status == http.StatusBadRequest || st.Status == http.StatusNotFound):
		st.judge(r, report.Pass)
	}
	for _, a := range absent {
		st.awaitNone(a)
	}
}

// absence is a target that is known not to be there.
type absence struct {
	thing
	proofs []*Event
}

// targets returns the things that the request wants the integration to load into.
func (st *step) targets() []thing {
	f := st.Target
	if f == nil || f.Database == "" {
		return nil
	}
	list := []thing{{databases, f.Database}}
	for _, name := range f.Tables {
		list = append(list, thing{tables, f.Database + "/" + name})
	}
	return list
}

func (st *step) absentTargets() []absence {
	var list []absence
	for i, t := range st.targets() {
		if proofs := st.absent(t); proofs != nil {
			list = append(list, absence{t, proofs})
		} else if i > 0 && len(list) > 0 && list[0].kind == databases { // nor is anything in it
			list = append(list, absence{t, list[0].proofs})
		}
	}
	return list
}

// madeOnto judges an integration that was made.
func (st *step) madeOnto(r ruling, absent []absence) {
	targets := st.targets()
	switch {
	case len(absent) > 0:
		a := absent[0]
		r.message = fmt.Sprintf("an integration was created for %s, which does not exist", st.text(a.thing))
		r.excuses = []excuse{excused("created", a.thing, a.proofs[len(a.proofs)-1], st.Event)}
		st.judge(r, report.Fail, a.proofs...)
		if x := st.s.lookUp(a.thing); x != nil && x.gone != nil {
			st.sign(recovered, a.thing, x.gone, time.Time{})
		}
	case len(targets) == 0:
		r.aspect, r.message = "unknown", "an integration was created; the recording does not show for which tables"
		st.judge(r, report.Inconclusive)
	default:
		i := slices.IndexFunc(targets, func(t thing) bool { return !st.isThere(t) })
		if i < 0 {
			st.judge(r, report.Pass)
			return
		}
		r.aspect = "unknown"
		r.message = fmt.Sprintf("an integration was created; the recording does not show whether %s exists",
			st.text(targets[i]))
		st.judge(r, report.Inconclusive)
	}
}

// absent returns what shows that a target was not there when the exchange in hand began, or nil.
func (st *step) absent(t thing) []*Event {
	x := st.s.lookUp(t)
	if st.deletion(x) != nil {
		return slices.DeleteFunc(x.evidence(), func(e *Event) bool { return e == nil })
	}
	var proofs []*Event
	if x != nil {
		proofs = append(proofs, x.missing)
	}
	if l, ok := st.s.targetLists.get(targetList{st.Caller, databaseOf(t).id}); ok && !l.ids[t.id] {
		proofs = append(proofs, l.proof)
	}
	for _, proof := range proofs {
		if st.known(proof) && st.Caller != 0 && st.Caller == proof.Caller && !st.mayBeThereSince(t, x, proof) {
			return []*Event{proof}
		}
	}
	return nil
}

// mayBeThereSince reports whether something was shown, or may have been made, since it was not there.
func (st *step) mayBeThereSince(t thing, x *entity, proof *Event) bool {
	signs := []*Event{st.s.stirred[t.kind]}
	if x != nil {
		signs = append(signs, x.proof, x.unsure, x.fed)
	}
	return slices.ContainsFunc(signs, func(e *Event) bool { return e != nil && !before(e, proof) }) ||
		st.contested(func(e *Event) bool { return e.mayMake(t) })
}

// isThere reports whether a target is known to exist. A table that was seen in a database of the same name before that
// was made anew is not.
func (st *step) isThere(t thing) bool {
	x, in := st.s.lookUp(t), st.s.lookUp(databaseOf(t))
	switch {
	case x == nil, !st.known(x.proof), x.gone != nil, x.unsure != nil, x.missing != nil && before(x.proof, x.missing):
		return false
	case in != nil && in.created != nil && before(x.proof, in.created):
		return false
	}
	return !st.contested(func(e *Event) bool { return e.does == removes && (e.Named == t || e.Named == databaseOf(t)) })
}

// uncreated is a target that was not there when an integration was made for it, and is not to be made along.
type uncreated struct {
	pending
	absence
	creation *Event
}

func (st *step) awaitNone(a absence) {
	u := &uncreated{absence: a, creation: st.Event}
	u.look = u.find
	st.await(DWHTarget, &u.pending)
}

// find looks whether the target is there now, until something may have made it.
func (u *uncreated) find(st *step) bool {
	if st.mayMake(u.thing) {
		return !st.refused()
	}
	if !before(u.creation, st.Event) || st.contested(func(e *Event) bool { return e.mayMake(u.thing) }) {
		return false
	}
	r := ruling{rule: DWHTarget, aspect: "made", provenance: specs.Documented}
	if i := slices.IndexFunc(st.Shows, func(f shown) bool { return f.Thing == u.thing }); i >= 0 {
		u.appeared(st, r, &st.Shows[i])
		return true
	}
	if st.Caller == 0 || st.Caller != u.creation.Caller || !st.lacks(u.thing) {
		return false
	}
	st.judge(r, report.Pass)
	return true
}

// appeared judges a target that is there although nothing in the recording made it.
func (u *uncreated) appeared(st *step, r ruling, f *shown) {
	from, to := u.creation.Start.Add(-time.Second), u.creation.over().Add(time.Second)
	evidence := append(slices.Clone(u.proofs), u.creation)
	switch {
	case f.Born.IsZero() || u.creation.Start.IsZero():
		r.message = fmt.Sprintf("%s appeared after an integration was created for it; its time of creation is not known",
			st.text(u.thing))
		st.judge(r, report.Inconclusive, evidence...)
	case f.Born.Before(from) || f.Born.After(to):
	default:
		r.message = st.text(u.thing) + " was created along with an integration"
		r.excuses = []excuse{excused("created", u.thing, u.proofs[len(u.proofs)-1], st.Event)}
		st.judge(r, report.Fail, evidence...)
	}
}
