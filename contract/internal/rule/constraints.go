package rule

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"svc.example/understudy/contract/internal/facts"
	"svc.example/understudy/contract/internal/history"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

// What a document says of its resources with unique, refers, once and update is judged here, for the rules Consistency
// and UseAfterDelete. A mock of the document keeps the same.

// promise begins a ruling of Consistency on what a document says of a kind. Of ours it is public.
func promise(st *history.Step, aspect string, k facts.Kind) history.Ruling {
	r := history.Ruling{Rule: Consistency, Aspect: aspect, Provenance: specs.Public}
	if k.Interface().IsOwn() {
		r.Provenance = st.State.Kinds.Of(k).Provenance
	}
	return r
}

// checkReferences looks at requests that refer to what is not there. That this is refused is only assumed, unless the
// document says so.
func checkReferences(st *history.Step) {
	for i := range st.Refers {
		to := &st.Refers[i]
		r := history.Ruling{Rule: UseAfterDelete, Aspect: "reference", Provenance: specs.Assumed}
		if to.MustExist {
			r.Provenance = to.Sure
		}
		switch x := st.State.LookUp(to.Entity); {
		case st.Deletion(x) != nil:
			r.Message = st.Text(x.Entity) + " was referenced after it was deleted"
			r.Excuses = recreatedExcuses(st, x)
			checkReference(st, to, r, x.DeletionEvidence()...)
		case to.MustExist && x != nil && st.Known(x.MissedBy) && !st.MayBeThereSince(to.Entity, x, x.MissedBy):
			r.Message = st.Text(x.Entity) + " was referenced although it was not found"
			r.Excuses = []history.Excuse{history.NewExcuse("created", x.Entity, x.MissedBy, st.Exchange)}
			checkReference(st, to, r, x.MissedBy)
		}
	}
}

func checkReference(st *history.Step, to *facts.Reference, r history.Ruling, proofs ...*facts.Exchange) {
	lacks := func(f facts.Shown) bool {
		return f.Entity.Kind == st.Kind && f.Object != nil && f.Object.Row != "" && !slices.Contains(f.Object.Refers, *to)
	}
	switch {
	case st.OK() && slices.ContainsFunc(st.Shows, lacks): // it was not taken
	case st.OK():
		st.Judge(r, report.Fail, proofs...)
	case st.Status == http.StatusBadRequest, st.Status == http.StatusNotFound, st.Status == http.StatusUnprocessableEntity:
		st.Judge(r, report.Pass)
	}
}

// checkDeletion looks whether something is deleted that others refer to so that it cannot be.
func checkDeletion(st *history.Step) {
	if st.Verb != facts.Deletes || st.Target.IsNone() || st.Status == http.StatusNotFound {
		return
	}
	if gone := st.State.LookUp(st.Target); gone != nil && gone.DeletedBy != nil {
		return
	}
	for _, x := range st.State.ReferringTo(st.Target) {
		i := slices.IndexFunc(x.Refers, func(to facts.Reference) bool {
			return to.Entity == st.Target && to.OnDelete == specs.Refuse
		})
		if i < 0 {
			continue
		}
		r := history.Ruling{
			Rule: UseAfterDelete, Aspect: "refuse", Provenance: x.Refers[i].Sure,
			Message: fmt.Sprintf("%s was deleted although %s refers to it", st.Text(st.Target), st.Text(x.Entity)),
		}
		switch shown := st.ShownBy(x); {
		case shown == nil && st.OK() && x.DeletedBy == nil && x.Unsure != nil && st.Known(x.Unsure):
			r.Message += ", unless an earlier request with an unknown outcome changed that"
			st.Judge(r, report.Inconclusive, x.Unsure)
		case shown == nil:
		case st.OK():
			r.Excuses = []history.Excuse{history.NewExcuse("changed or deleted", x.Entity, shown, st.Exchange)}
			st.Judge(r, report.Fail, shown)
		case st.Status != http.StatusUnauthorized && st.Status != http.StatusForbidden && st.Refused():
			st.Judge(r, report.Pass)
		}
	}
}

// checkReferring looks at what referred to something that was deleted: it goes as well, or loses the reference.
func checkReferring(st *history.Step) {
	if x := st.State.LookUp(st.Target); x != nil && st.Status == http.StatusNotFound {
		for i := range x.Refers {
			if to := &x.Refers[i]; to.OnDelete == specs.Cascade && st.Deletion(st.State.LookUp(to.Entity)) != nil {
				st.Judge(history.Ruling{Rule: UseAfterDelete, Aspect: "cascade"}, report.Pass)
			}
		}
	}
	if !st.OK() || st.Opaque || st.Verb.Writes() {
		return
	}
	for i := range st.Shows {
		if f := &st.Shows[i]; f.Object != nil && f.Object.Row != "" {
			checkShownReferences(st, f)
		}
	}
}

func checkShownReferences(st *history.Step, f *facts.Shown) {
	x := st.State.LookUp(f.Entity)
	if x != nil && (x.DeletedBy != nil || x.Unsure != nil) ||
		st.Contested(func(e *facts.Exchange) bool { return e.MayTouch(f.Entity) }) {
		return
	}
	for _, to := range f.Object.Refers {
		gone := st.State.LookUp(to.Entity)
		if st.Deletion(gone) == nil || to.OnDelete == specs.Keep || to.OnDelete == "" {
			continue
		}
		wasThere := refersSince(x, to, gone)
		if to.OnDelete == specs.Refuse && (!to.MustExist || wasThere) {
			continue // the deletion itself was judged
		}
		r := history.Ruling{
			Rule: UseAfterDelete, Aspect: to.OnDelete, Provenance: to.Sure, Excuses: recreatedExcuses(st, gone),
			Message: fmt.Sprintf("%s still refers to %s after it was deleted", st.Text(f.Entity), st.Text(to.Entity)),
		}
		if to.OnDelete == specs.Cascade {
			r.Message = fmt.Sprintf("%s is there after %s was deleted, with which it goes",
				st.Text(f.Entity), st.Text(to.Entity))
		}
		proofs := gone.DeletionEvidence()
		switch {
		case wasThere:
			st.Judge(r, report.Fail, append(proofs, x.ObjectBy())...)
		case to.MustExist:
			st.Judge(r, report.Fail, proofs...)
		case x == nil:
			r.Message += ", unless it was made or changed since"
			st.Judge(r, report.Inconclusive, proofs...)
		}
	}
	if x == nil {
		return
	}
	for _, to := range x.Refers {
		gone := st.State.LookUp(to.Entity)
		if slices.Contains(f.Object.Refers, to) || st.Deletion(gone) == nil || !refersSince(x, to, gone) {
			continue
		}
		r := history.Ruling{Rule: UseAfterDelete, Aspect: to.OnDelete, Provenance: to.Sure}
		switch to.OnDelete {
		case specs.Clear:
			st.Judge(r, report.Pass)
		case specs.Cascade:
			r.Message = fmt.Sprintf("%s is there after %s was deleted, with which it goes",
				st.Text(f.Entity), st.Text(to.Entity))
			r.Excuses = []history.Excuse{history.NewExcuse("changed or deleted", f.Entity, x.ObjectBy(), st.Exchange)}
			st.Judge(r, report.Fail, append(gone.DeletionEvidence(), x.ObjectBy())...)
		}
	}
}

// refersSince reports whether an entity referred to another one when that was deleted.
func refersSince(x *history.EntityState, to facts.Reference, gone *history.EntityState) bool {
	return x != nil && slices.Contains(x.Refers, to) && x.WasShownUntil(gone.DeletedBy)
}

// checkObjects looks whether objects are as the document says that creations and updates leave them, and have been
// changed as a request wanted.
func checkObjects(st *history.Step) {
	checkChange(st)
	isShown := false
	for i := range st.Shows {
		f := &st.Shows[i]
		isShown = isShown || f.Entity == st.Target
		x := st.State.LookUp(f.Entity)
		if f.Object == nil || x == nil || f.Does == facts.Creates && f.Entity.Kind != facts.Projects { // which are put
			continue
		}
		checkOnce(st, x, f)
		if u := st.Updated(x); u != nil && f.Object.Row != "" {
			checkUpdate(st, x, u, f)
		}
	}
	if x := st.State.LookUp(st.Target); x != nil && !isShown && len(st.Kept) > 0 {
		if u := st.Updated(x); u != nil {
			st.AwaitEffect(x, u)
		}
	}
}

// checkChange looks whether a change was accepted that a rule in Go refuses.
func checkChange(st *history.Step) {
	if len(st.Changes) == 0 || !st.Verb.Writes() {
		return
	}
	t, before, after := st.Target, facts.Row(""), facts.Row("")
	for i := range st.Shows {
		if f := &st.Shows[i]; f.Object != nil && f.Entity.Kind == st.Kind &&
			(t.IsNone() || f.Entity == t) && f.Does.Writes() {
			t, after = f.Entity, f.Object.Row
		}
	}
	r := promise(st, "change "+st.Word, st.Kind)
	var shown *facts.Exchange
	if st.Verb != facts.Creates {
		x := st.State.LookUp(t)
		if shown = st.ShownBy(x); shown == nil || x.Row == "" {
			return
		}
		before = x.Row
		r.Excuses = []history.Excuse{history.NewExcuse("changed", t, shown, st.Exchange)}
	}
	if after == "" && st.Verb != facts.Deletes {
		return
	}
	for _, refuses := range st.Changes {
		if err := refuses(st.Word, strings.Split(t.ID, "/"), before, after); err != nil {
			r.Message = fmt.Sprintf("%s of %s was accepted: %v", cmp.Or(st.Word, "a change"), st.Text(t), err)
			st.Judge(r, report.Fail, shown)
			return
		}
	}
	st.Judge(r, report.Pass)
}

// checkOnce looks at members that only a creation sets.
func checkOnce(st *history.Step, x *history.EntityState, f *facts.Shown) {
	since := st.SameSince(x)
	if len(f.Object.Once) == 0 || since == nil {
		return
	}
	resource, r := st.State.Kinds.Of(x.Kind), promise(st, "once", x.Kind)
	for _, is := range f.Object.Once {
		i := slices.IndexFunc(x.Once, func(was facts.Held) bool { return was.Member == is.Member })
		if i < 0 || x.Once[i].Equals(is) {
			continue
		}
		r.Message = fmt.Sprintf("%s of %s was %s, and is %s, although only a creation sets it", is.Member, st.Text(x.Entity),
			x.Once[i].Value, is.Value)
		if id := resource.Behaviour.Make.ID; resource.IsNamed() || id == "client" || id == "path" {
			r.Excuses = []history.Excuse{history.NewExcuse("deleted", x.Entity, since, st.Exchange)}
		}
		st.Judge(r, report.Fail, since)
		return
	}
	if st.Verb == facts.Changes {
		st.Judge(r, report.Pass)
	}
}

// isHidden reports whether a row has a member whose value the recording does not show.
func isHidden(value string, row facts.Row, name string) bool { return value == "" && row.Has(name) }

// checkUpdate looks whether an update left alone what its request did not name, or took it away.
func checkUpdate(st *history.Step, x *history.EntityState, u *history.Update, f *facts.Shown) {
	if len(u.By.Kept) == 0 {
		return
	}
	update := st.State.Kinds.Of(x.Kind).Behaviour.Update
	before, after := u.Before.Members(), f.Object.Row.Members()
	r := promise(st, "update", x.Kind)
	r.Excuses = []history.Excuse{history.NewExcuse("changed", x.Entity, u.Shown, st.Exchange)}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		was, is := before[name], after[name]
		if !slices.Contains(u.By.Kept, name) || isHidden(is, f.Object.Row, name) {
			continue
		}
		switch {
		case update == "replace" && was == is && was != "null":
			r.Message = fmt.Sprintf("%s of %s is still %s after an update without it, which replaces the whole", name,
				st.Text(x.Entity), was)
		case update != "replace" && was != is:
			r.Message = fmt.Sprintf("%s of %s was %s, and is %s after an update that does not name it", name, st.Text(x.Entity),
				was, cmp.Or(is, "absent"))
		default:
			continue
		}
		st.Judge(r, report.Fail, u.Shown, u.By)
		return
	}
	st.Judge(r, report.Pass)
}
