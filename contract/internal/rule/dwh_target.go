package rule

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"svc.example/understudy/contract/internal/facts"
	"svc.example/understudy/contract/internal/history"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

var dwhTarget = history.Rule{
	Doc: report.RuleDoc{
		ID: DWHTarget, Provenance: specs.Documented,
		Title: "an integration is only created if its database and tables exist, and does not create them",
		Watches: "Creations of integrations and, if a target is known not to exist, later exchanges that show whether it " +
			"exists. A refusal is a pass if a target is known not to exist.",
		Evidence: "An integration is created for a target that does not exist: it was deleted, or the same caller got a " +
			"response that it is not found, or a list without it, and nothing can have created it since. Or a missing " +
			"target appears and, by the time in its list, was created while the integration was.",
		Inconclusive: "The recording does not show the targets, or whether they exist; a missing target appears without " +
			"its time of creation.",
		Passes: "A target that another caller does not see; a target that a request, a query, an event or a recovery may " +
			"have created since; a target that appears and was created at another time, by a caller outside of the " +
			"recording; a refusal although all targets exist, which may have other reasons.",
	},
	Check: checkDWHTarget,
}

func checkDWHTarget(st *history.Step) {
	if st.Kind == facts.Tables || st.Kind == facts.Databases || len(st.MayCreate) > 0 {
		st.Resolve(DWHTarget)
	}
	if st.Operation != "dwh.createDwhIntegration" || st.Unknown() {
		return
	}
	absent := absentTargets(st)
	r := history.Ruling{Rule: DWHTarget, Aspect: "creation", Provenance: specs.Documented}
	switch {
	case st.OK():
		checkAbsentTargets(st, r, absent)
	case len(absent) > 0 && (st.Status == http.StatusBadRequest || st.Status == http.StatusNotFound):
		st.Judge(r, report.Pass)
	}
	for _, a := range absent {
		awaitCreation(st, a)
	}
}

// absence is a target that is known not to be there.
type absence struct {
	facts.Entity
	proofs []*facts.Exchange
}

// targets returns the entities that the request wants the integration to load into.
func targets(st *history.Step) []facts.Entity {
	f := st.Targets
	if f == nil || f.Database == "" {
		return nil
	}
	list := []facts.Entity{{Kind: facts.Databases, ID: f.Database}}
	for _, name := range f.Tables {
		list = append(list, facts.Entity{Kind: facts.Tables, ID: f.Database + "/" + name})
	}
	return list
}

func absentTargets(st *history.Step) []absence {
	var list []absence
	for i, t := range targets(st) {
		if proofs := absenceOf(st, t); proofs != nil {
			list = append(list, absence{t, proofs})
		} else if i > 0 && len(list) > 0 && list[0].Kind == facts.Databases { // nor is anything in it
			list = append(list, absence{t, list[0].proofs})
		}
	}
	return list
}

// checkAbsentTargets judges an integration that was made.
func checkAbsentTargets(st *history.Step, r history.Ruling, absent []absence) {
	targets := targets(st)
	switch {
	case len(absent) > 0:
		a := absent[0]
		r.Message = fmt.Sprintf("an integration was created for %s, which does not exist", st.Text(a.Entity))
		since := a.proofs[len(a.proofs)-1]
		r.Excuses = []history.Excuse{
			history.NewExcuse("created", a.Entity, since, st.Exchange),
			history.NewExcuse(history.Recovered, a.Entity, since, st.Exchange),
		}
		st.Judge(r, report.Fail, a.proofs...)
		if x := st.State.LookUp(a.Entity); x != nil && x.DeletedBy != nil {
			st.Sign(history.Recovered, a.Entity, x.DeletedBy, time.Time{})
		}
	case len(targets) == 0:
		r.Aspect, r.Message = "unknown", "an integration was created; the recording does not show for which tables"
		st.Judge(r, report.Inconclusive)
	default:
		i := slices.IndexFunc(targets, func(t facts.Entity) bool { return !isThere(st, t) })
		if i < 0 {
			st.Judge(r, report.Pass)
			return
		}
		r.Aspect = "unknown"
		r.Message = fmt.Sprintf("an integration was created; the recording does not show whether %s exists",
			st.Text(targets[i]))
		st.Judge(r, report.Inconclusive)
	}
}

// absenceOf returns what shows that a target was not there when the exchange in hand began, or nil.
func absenceOf(st *history.Step, t facts.Entity) []*facts.Exchange {
	x := st.State.LookUp(t)
	if st.Deletion(x) != nil {
		return slices.DeleteFunc(x.DeletionEvidence(), func(e *facts.Exchange) bool { return e == nil })
	}
	var proofs []*facts.Exchange
	if x != nil {
		proofs = append(proofs, x.MissedBy)
	}
	if l, ok := st.State.TargetLists.Get(history.TargetList{Caller: st.Caller, Database: facts.DatabaseOf(t).ID}); ok &&
		!l.IDs[t.ID] {
		proofs = append(proofs, l.Proof)
	}
	for _, proof := range proofs {
		if st.Known(proof) && st.Caller != 0 && st.Caller == proof.Caller && !st.MayBeThereSince(t, x, proof) {
			return []*facts.Exchange{proof}
		}
	}
	return nil
}

// isThere reports whether a target is known to exist. A table that was seen in a database of the same name before that
// was made anew is not.
func isThere(st *history.Step, t facts.Entity) bool {
	x, in := st.State.LookUp(t), st.State.LookUp(facts.DatabaseOf(t))
	switch {
	case x == nil, !st.Known(x.Proof), x.DeletedBy != nil, x.Unsure != nil, x.MissedBy != nil &&
		facts.Before(x.Proof, x.MissedBy):
		return false
	case in != nil && in.CreatedBy != nil && facts.Before(x.Proof, in.CreatedBy):
		return false
	}
	return !st.Contested(func(e *facts.Exchange) bool {
		return e.Verb == facts.Deletes && (e.Target == t || e.Target == facts.DatabaseOf(t))
	})
}

// uncreated is a target that was not there when an integration was made for it, and is not to be made along.
type uncreated struct {
	history.Pending
	absence
	creation *facts.Exchange
}

func awaitCreation(st *history.Step, a absence) {
	u := &uncreated{absence: a, creation: st.Exchange}
	u.Look = u.find
	st.Await(DWHTarget, &u.Pending)
}

// find looks whether the target is there now, until something may have made it.
func (u *uncreated) find(st *history.Step) bool {
	if st.MayMake(u.Entity) {
		return !st.Refused()
	}
	if !facts.Before(u.creation, st.Exchange) ||
		st.Contested(func(e *facts.Exchange) bool { return e.MayMake(u.Entity) }) {
		return false
	}
	r := history.Ruling{Rule: DWHTarget, Aspect: "created", Provenance: specs.Documented}
	if i := slices.IndexFunc(st.Shows, func(f facts.Shown) bool { return f.Entity == u.Entity }); i >= 0 {
		u.appeared(st, r, &st.Shows[i])
		return true
	}
	if st.Caller == 0 || st.Caller != u.creation.Caller || !st.Lacks(u.Entity) {
		return false
	}
	st.Judge(r, report.Pass)
	return true
}

// appeared judges a target that is there although nothing in the recording made it.
func (u *uncreated) appeared(st *history.Step, r history.Ruling, f *facts.Shown) {
	from, to := u.creation.Start.Add(-time.Second), u.creation.EndedAt().Add(time.Second)
	evidence := append(slices.Clone(u.proofs), u.creation)
	switch {
	case f.Born.IsZero() || u.creation.Start.IsZero():
		r.Message = fmt.Sprintf("%s appeared after an integration was created for it; its time of creation is not known",
			st.Text(u.Entity))
		st.Judge(r, report.Inconclusive, evidence...)
	case f.Born.Before(from) || f.Born.After(to):
	default:
		r.Message = st.Text(u.Entity) + " was created along with an integration"
		r.Excuses = []history.Excuse{history.NewExcuse("created", u.Entity, u.proofs[len(u.proofs)-1], st.Exchange)}
		st.Judge(r, report.Fail, evidence...)
	}
}
