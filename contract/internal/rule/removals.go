package rule

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"

	"svc.example/understudy/contract/internal/facts"
	"svc.example/understudy/contract/internal/history"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

// checkUses looks at a request whose path names something that was deleted, or is a part of such an entity.
func checkUses(st *history.Step, rule string) {
	for t := range st.NamedEntities {
		if removalRule(t.Kind) != rule || st.Verb == facts.Creates && t == st.Target {
			continue
		}
		x := st.State.LookUp(t)
		if st.Deletion(x) != nil {
			checkUseOf(st, t, x)
			return
		}
		checkUncertainUse(st, x)
	}
}

// checkUncertainUse looks at an entity that is there after a request to delete it with an unknown outcome.
func checkUncertainUse(st *history.Step, x *history.EntityState) {
	if x == nil || x.Unsure == nil || x.Unsure.Verb != facts.Deletes ||
		x.Unsure.Target != x.Entity || !st.Known(x.Unsure) {
		return
	}
	if !st.OK() || st.Verb == facts.Deletes {
		return
	}
	st.Judge(history.Ruling{
		Rule: removalRule(x.Kind), Aspect: "unseen", Provenance: removalProvenance(st, x.Kind),
		Message: st.Text(x.Entity) +
			" was used after a request to delete it; the recording does not show whether it was deleted",
	}, report.Inconclusive, x.Unsure)
}

// removalProvenance returns the provenance of the fact that deleted entities of a kind are gone.
func removalProvenance(st *history.Step, k facts.Kind) specs.Provenance {
	return st.State.Kinds.Of(k).Provenance
}

func checkUseOf(st *history.Step, t facts.Entity, x *history.EntityState) {
	r := history.Ruling{Rule: removalRule(t.Kind), Aspect: "use", Provenance: removalProvenance(st, t.Kind)}
	isRepeat := st.Verb == facts.Deletes && t == st.Target
	switch {
	case st.Status == http.StatusNotFound:
		st.Judge(r, report.Pass)
	case !st.OK(), isRepeat && !t.Kind.IsOnce():
	case isRepeat:
		r.Aspect, r.Provenance = "again", specs.Assumed
		r.Message = st.Text(t) + " was removed a second time"
		if with := x.DeletedBy.Target; with != t {
			r.Message = fmt.Sprintf("%s was removed after it was deleted along with %s", st.Text(t), st.Text(with))
		}
		st.Judge(r, report.Fail, x.DeletionEvidence()...)
	case slices.ContainsFunc(st.Shows, func(f facts.Shown) bool { return f.Entity.Kind == x.Kind && x.Recreated(&f) }):
	default:
		r.Message = st.Text(t) + " was used after it was deleted"
		r.Excuses = recreatedExcuses(st, x)
		st.Judge(r, report.Fail, x.DeletionEvidence()...)
	}
}

// checkListed looks at what an answer shows for what was deleted before it was asked for, and reports whether there is
// such.
func checkListed(st *history.Step, rule string) (found bool) {
	if st.Verb != facts.Lists && st.Verb != facts.Reads || !st.OK() || st.Opaque {
		return false
	}
	named := st.State.LookUp(st.Target)
	for i := range st.Shows {
		f := &st.Shows[i]
		x := st.State.LookUp(f.Entity)
		if removalRule(f.Entity.Kind) != rule || x == named || st.Deletion(x) == nil || x.Recreated(f) {
			continue
		}
		found = true
		r := history.Ruling{
			Rule: rule, Aspect: "list", Provenance: removalProvenance(st, f.Entity.Kind),
			Excuses: recreatedExcuses(st, x),
		}
		r.Message = st.Text(f.Entity) + " is listed after it was deleted"
		if f.Entity.Kind != st.Kind {
			r.Aspect, r.Message = "shown", st.Text(f.Entity)+" is shown after it was deleted"
		}
		if with := x.DeletedBy.Target; with != f.Entity {
			r.Message = fmt.Sprintf("%s is listed after it was deleted along with %s", st.Text(f.Entity), st.Text(with))
		}
		st.Judge(r, report.Fail, x.DeletionEvidence()...)
	}
	return found
}

// recreatedExcuses returns the excuses that something was made anew after it was deleted, which takes a name that can
// be given again, or that it was recovered.
func recreatedExcuses(st *history.Step, x *history.EntityState) []history.Excuse {
	if !st.State.Kinds.Of(x.Kind).IsNamed() {
		return nil
	}
	list := []history.Excuse{history.NewExcuse("created", x.Entity, x.DeletedBy, st.Exchange)}
	if x.Kind == facts.Tables || x.Kind == facts.Databases {
		list = append(list, history.NewExcuse(history.Recovered, x.Entity, x.DeletedBy, st.Exchange))
	}
	return list
}

// isListOf reports whether the exchange lists entities whose removal a rule watches over.
func isListOf(st *history.Step, rule string) bool {
	return st.Verb == facts.Lists && removalRule(st.Kind) == rule && st.OK() && st.Listed && !st.Opaque
}

// checkOutlived looks at what belonged to something that a rule watches over and that was deleted. It is gone as
// well: naming it is answered with 404, and no answer shows it.
func checkOutlived(st *history.Step, rule string) {
	if st.Verb == facts.Creates {
		return
	}
	isMet := st.Status == http.StatusNotFound || st.OK() && st.Verb != facts.Deletes
	if t := st.Target; !t.IsNone() && st.Verb != facts.NoVerb && isMet {
		checkOutlivedEntity(st, rule, t)
	}
	if !st.OK() || st.Verb == facts.Deletes {
		return
	}
	for _, f := range st.Shows {
		if f.Entity != st.Target {
			checkOutlivedEntity(st, rule, f.Entity)
		}
	}
}

func checkOutlivedEntity(st *history.Step, rule string, t facts.Entity) {
	l := st.DeletedParent(t, history.MaxParents)
	if l == nil || removalRule(l.Parent.Kind) != rule ||
		st.Contested(func(e *facts.Exchange) bool { return e.MayMake(t) }) {
		return
	}
	x := st.State.LookUp(t)
	if x != nil && x.CreatedBy != nil && !facts.Before(x.CreatedBy, l.Parent.DeletedBy) {
		return // it was made later: that this was let through is another matter
	}
	r := history.Ruling{Rule: rule, Aspect: "part", Provenance: l.Sure}
	if st.Status == http.StatusNotFound {
		st.Judge(r, report.Pass)
		return
	}
	r.Message = fmt.Sprintf("%s exists after %s, which it belongs to, was deleted", st.Text(t), st.Text(l.Parent.Entity))
	st.Judge(r, report.Fail, append(l.Parent.DeletionEvidence(), l.Proofs...)...)
}

// removalRules are the rules that watch over the removal of entities of a kind, where that is not UseAfterDelete.
var removalRules = map[facts.Kind]string{
	facts.Tokens: TokenRevocation, facts.SubUsers: SubUserRemoval,
	facts.Warehouses: DWHDeletion,
}

// removalRule returns the rule that watches over the removal of entities of a kind.
func removalRule(k facts.Kind) string { return cmp.Or(removalRules[k], UseAfterDelete) }
