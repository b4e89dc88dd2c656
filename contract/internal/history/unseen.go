package history

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"svc.example/understudy/contract/internal/facts"
)

// lookForUnseen looks at what an exchange shows to be there, gone or changed that no exchange before it explains.
func (st *Step) lookForUnseen() {
	st.objectsUnseen()
	st.acceptedUnseen()
	if st.Status == http.StatusNotFound {
		st.goneUnseen(st.Target, nil)
		st.recoveredUnseen()
	}
	if !st.OK() || st.Opaque {
		return
	}
	st.againUnseen()
	if !st.Verb.Writes() {
		for i := range st.Shows {
			st.bornUnseen(&st.Shows[i])
		}
		for _, x := range st.ChangedUnseen() {
			st.Sign("changed", x.Entity, x.Proof, time.Time{})
		}
		for _, x := range st.Differences() {
			st.Sign("changed", x.Entity, x.Shown, time.Time{})
		}
	}
	st.backUnseen()
	if st.Verb == facts.Lists && st.Listed && !st.Partial && st.Kind.IsOpen() {
		st.compareLists()
	}
	if st.Page != nil && st.State.Pages != nil {
		for _, f := range st.Page.Tables {
			st.deletedUnseen(f)
		}
		st.unlistedUnseen()
	}
}

// goneUnseen notes that an entity is gone, which was there before, by what an answer or a list shows.
func (st *Step) goneUnseen(t facts.Entity, listed *view) {
	if t.IsNone() || !t.Kind.IsOpen() || st.Verb == facts.Creates {
		return
	}
	x := st.State.LookUp(t)
	if x == nil || !st.Known(x.Proof) || x.DeletedBy != nil || x.Unsure != nil ||
		st.Contested(func(e *facts.Exchange) bool { return e.MayTouch(t) }) {
		return
	}
	if in := st.State.LookUp(facts.DatabaseOf(t)); in != nil && (in.WentAfter(x.Proof) || in.Unsure != nil) {
		return
	}
	if listed == nil && x.Proof.Caller != st.Caller {
		return
	}
	st.Sign("deleted", t, x.Proof, time.Time{})
}

// WentAfter reports whether an entity was deleted after an exchange, be it there again or not.
func (x *EntityState) WentAfter(e *facts.Exchange) bool {
	return x.DeletedBy != nil || x.LastDeletedBy != nil && !facts.Before(x.LastDeletedBy, e)
}

// bornUnseen notes that an entity is there that was deleted, and by its id or its birth was made anew, or that was
// absent.
func (st *Step) bornUnseen(f *facts.Shown) {
	t := f.Entity
	if !t.Kind.IsOpen() || st.Contested(func(e *facts.Exchange) bool { return e.MayMake(t) }) {
		return
	}
	x := st.State.LookUp(t)
	isBack := func(since *facts.Exchange) bool { // and no recorded recovery explains it
		known := st.State.recoveredUnknown
		return st.Known(since) && f.IsOlderThan(since) && (known == nil || facts.Before(known, since))
	}
	switch {
	case x.isUnknown() && st.State.MayHaveCreated[t.Kind] == nil && !f.Born.IsZero() && st.isSince(f.Born):
		st.Sign("created", t, st.State.first, f.Born)
	case st.Deletion(x) != nil && x.Recreated(f):
		st.Sign("created", t, x.DeletedBy, f.Born)
	case st.goneSinceDeletion(x) != nil:
		st.addSign(sign{did: Recovered, entity: t, after: st.goneSinceDeletion(x), by: st.Exchange, wasGone: true})
	case x != nil && t.Kind == facts.Tables && (st.Deletion(x) != nil || isBack(x.DeletedBy)):
		st.Sign(Recovered, t, x.DeletedBy, time.Time{})
	case x != nil && isBack(x.MissedBy) && x.MissedBy.Caller == st.Caller:
		st.Sign(Recovered, t, x.MissedBy, time.Time{})
	case x != nil && x.MissedBy != nil && x.MissedBy.Caller == st.Caller && !st.MayBeThereSince(t, x, x.MissedBy):
		st.Sign("created", t, x.MissedBy, f.Born)
	case x != nil && x.DeletedBy == nil && x.Ident != "" && f.Ident != "" && x.Ident != f.Ident && st.Known(x.Proof):
		st.Sign("changed", t, x.Proof, f.Born)
	case f.Ident != "" && t.Kind == facts.Tables:
		st.movedUnseen(f)
	}
}

// goneSinceDeletion returns an exchange like the one in hand that showed a deleted table or database to be gone, if
// there is one: the deletion had its effect, and only a recovery lets the same request find it again. A request of
// another kind, such as a list after a 404, may find what the platform forgot to delete there.
func (st *Step) goneSinceDeletion(x *EntityState) *facts.Exchange {
	deletion := st.Deletion(x)
	if deletion == nil {
		return nil
	}
	absences := []*facts.Exchange{x.MissedBy}
	for _, caller := range []uint64{deletion.Caller, st.Caller} {
		list, known := st.State.TargetLists.Get(TargetList{caller, facts.DatabaseOf(x.Entity).ID})
		if known && list.Proof.Lacks(x.Entity) {
			absences = append(absences, list.Proof)
		}
	}
	for _, e := range absences {
		// another caller may not be allowed to see it
		if st.Known(e) && facts.Before(deletion, e) && e.Operation == st.Operation &&
			(e.Caller == deletion.Caller || e.Caller == st.Caller) {
			return e
		}
	}
	return nil
}

// againUnseen notes that a table is deleted that was deleted before, or that the caller's last list lacks: it was there
// again.
func (st *Step) againUnseen() {
	t, x := st.Target, st.State.LookUp(st.Target)
	if st.Verb != facts.Deletes || t.Kind != facts.Tables {
		return
	}
	absence := st.Deletion(x)
	list, known := st.State.TargetLists.Get(TargetList{st.Caller, facts.DatabaseOf(t).ID})
	if absence == nil && known && st.Known(list.Proof) && !list.IDs[t.ID] && !st.MayBeThereSince(t, x, list.Proof) {
		absence = list.Proof
	}
	st.Sign(Recovered, t, absence, time.Time{})
}

// acceptedUnseen notes that an integration is made for tables for which the same was refused when they were deleted:
// they are there again.
func (st *Step) acceptedUnseen() {
	isRefused := st.Status == http.StatusBadRequest || st.Status == http.StatusNotFound
	if st.Targets == nil || !st.OK() && !isRefused {
		return
	}
	for _, table := range st.Targets.Tables {
		x := st.State.LookUp(facts.Entity{Kind: facts.Tables, ID: st.Targets.Database + "/" + table})
		switch {
		case x == nil || !st.Known(x.DeletedBy) || st.State.mayHaveMade(x, x.DeletedBy) != nil:
		case isRefused:
			x.refusedBy = st.Exchange
		case st.Known(x.refusedBy) && facts.Before(x.DeletedBy, x.refusedBy):
			st.addSign(sign{did: Recovered, entity: x.Entity, after: x.refusedBy, by: st.Exchange, wasGone: true})
		}
	}
}

// unlistedUnseen notes that tables that were deleted are not among the deleted ones.
func (st *Step) unlistedUnseen() {
	pages := st.State.Pages
	if st.Page.Database != "" || !pages.Whole || st.Contested(func(e *facts.Exchange) bool { return e.Recovered != nil }) {
		return
	}
	isListed := map[string]bool{}
	for _, f := range pages.Tables {
		isListed[f.Database+"/"+f.Name] = true
	}
	for _, id := range slices.Sorted(maps.Keys(st.State.deletedTables)) {
		x, recovery := st.State.deletedTables[id], st.State.recoveredUnknown
		switch deletion := x.DeletedBy; {
		case deletion == nil, recovery != nil && !facts.Before(recovery, deletion):
			delete(st.State.deletedTables, id)
		case facts.Before(deletion, pages.First) && !isListed[id]:
			delete(st.State.deletedTables, id)
			st.addSign(sign{did: Recovered, entity: x.Entity, after: deletion, by: st.Exchange, isUnlisted: true})
		}
	}
}

// backUnseen notes that tables and databases are there to stay that were deleted. To be there once is a violation of
// its own; if others find them, too, they were rather recovered.
func (st *Step) backUnseen() {
	if st.Ingested != nil { // that may make them
		return
	}
	for t := range st.Touched {
		st.againUnder(t)
	}
	st.againUnder(st.Parent)
	for _, u := range st.Uses {
		st.againUnder(u.Entity)
	}
}

// againUnder notes that an entity that was deleted is there again under its name.
func (st *Step) againUnder(t facts.Entity) {
	if t.Kind != facts.Tables && t.Kind != facts.Databases || st.Verb == facts.Creates && t == st.Target {
		return
	}
	x := st.State.LookUp(t)
	if x == nil || !st.Known(x.reappearedBy) {
		return
	}
	isOld := func(f facts.Shown) bool { return f.Entity == t && f.IsOlderThan(x.LastDeletedBy) }
	if st.State.mayHaveMade(x, x.LastDeletedBy) == nil || slices.ContainsFunc(st.Shows, isOld) {
		st.Sign(Recovered, t, x.LastDeletedBy, time.Time{})
		x.reappearedBy = nil
	}
}

// isSince reports whether something was done when the recording had begun, by the clock of the platform.
func (st *Step) isSince(at time.Time) bool {
	const skew = 2 * time.Second
	return st.State.first != nil && !st.State.first.Start.IsZero() && at.After(st.State.first.EndedAt().Add(skew))
}

// isUnknown reports whether the recording holds nothing of an entity so far.
func (x *EntityState) isUnknown() bool {
	return x == nil || x.Proof == nil && x.IngestedBy == nil && x.Unsure == nil
}

// recoveredUnseen notes that a table cannot be recovered that was among the deleted ones.
func (st *Step) recoveredUnseen() {
	if st.Recovered == nil {
		return
	}
	was, known := st.State.Places.Get(st.Recovered.ID)
	if !known || len(was.proofs) == 0 {
		return
	}
	t, last := facts.Entity{Kind: facts.Tables, ID: was.Database + "/" + was.Name}, was.proofs[len(was.proofs)-1]
	x := st.State.LookUp(t)
	isBack := x != nil && x.DeletedBy == nil && x.Proof != nil && !facts.Before(x.Proof, last)
	if st.Known(last) && !isBack {
		st.Sign("created", t, last, time.Time{})
	}
}

// movedUnseen notes that a table is there under another name than before.
func (st *Step) movedUnseen(f *facts.Shown) {
	was, known := st.State.idents.Get(f.Ident)
	if !known || was == f.Entity {
		return
	}
	if x := st.State.LookUp(was); x != nil && x.Ident == f.Ident && st.Known(x.Proof) {
		st.Sign("changed", was, x.Proof, time.Time{})
	}
}

// ChangedUnseen lists pools and pool rules that are not what they were.
func (st *Step) ChangedUnseen() (list []*EntityState) {
	for _, f := range st.Rules {
		r, known := st.State.rules.Get(f.ID)
		if known && st.State.Live[f.ID] == r && st.IsSettled(r.EntityState) && !r.Fact.Equals(f) {
			list = append(list, r.EntityState)
		}
	}
	for _, f := range st.Pools {
		p, known := st.State.Pools.Get(f.ID)
		if known && p.IsKnown && !f.IsDefault && st.IsSettled(p.EntityState) && p.Fact.Limit != f.Limit {
			list = append(list, p.EntityState)
		}
	}
	return list
}

// IsUntouched reports whether all that the recording holds of an entity was over, and certain, when the exchange in
// hand began.
func (st *Step) IsUntouched(x *EntityState) bool {
	return st.Known(x.Proof) && x.DeletedBy == nil && x.Unsure == nil &&
		!st.Contested(func(e *facts.Exchange) bool { return e.MayTouch(x.Entity) })
}

// compareLists holds a whole list against the one that the same caller was given before.
func (st *Step) compareLists() {
	key := viewKey{st.Kind, st.Parent, st.Caller}
	now := &view{st.Exchange, map[string]bool{}}
	for _, f := range st.Shows {
		if f.Entity.Kind == st.Kind {
			now.ids[f.Entity.ID] = true
		}
	}
	was, known := st.State.lists.Get(key)
	if known && facts.Before(st.Exchange, was.event) {
		return
	}
	st.State.lists.put(key, now)
	if !known || !facts.Before(was.event, st.Exchange) {
		return
	}
	for _, id := range slices.Sorted(maps.Keys(was.ids)) { // a report has the first of several signs
		if !now.ids[id] {
			st.goneUnseen(facts.Entity{Kind: st.Kind, ID: id}, was)
		}
	}
	for i := range st.Shows {
		if f := &st.Shows[i]; f.Entity.Kind == st.Kind && !was.ids[f.Entity.ID] {
			st.madeUnseen(f, was.event)
		}
	}
}

// madeUnseen notes that a list shows an entity that was not there at the time of an earlier one.
func (st *Step) madeUnseen(f *facts.Shown, since *facts.Exchange) {
	x := st.State.LookUp(f.Entity)
	isNew := (x == nil || x.Proof == nil || !facts.Before(since, x.Proof)) &&
		!slices.ContainsFunc(st.Pools, func(p facts.Pool) bool {
			return p.ID == f.Entity.ID && p.IsDefault // made when it is first needed
		})
	stirred := st.State.MayHaveCreated[f.Entity.Kind]
	isStirred := stirred != nil && !facts.Before(stirred, since) || x != nil && (x.IngestedBy != nil || x.Unsure != nil)
	if isNew && !isStirred && !st.Contested(func(e *facts.Exchange) bool { return e.MayMake(f.Entity) }) {
		st.Sign("created", f.Entity, since, f.Born)
	}
}

// deletedUnseen notes that a table is among the deleted ones although no recorded request deleted it.
func (st *Step) deletedUnseen(f facts.DeletedTable) {
	t := facts.Entity{Kind: facts.Tables, ID: f.Database + "/" + f.Name}
	x, in := st.State.LookUp(t), st.State.LookUp(facts.DatabaseOf(t))
	if st.isDeletedLater(f, x, in) {
		st.Sign(Recovered, in.Entity, in.DeletedBy, f.At)
	}
	switch {
	case st.Contested(func(e *facts.Exchange) bool { return e.MayTouch(t) }):
	case x.isUnknown() && (in == nil || in.LastDeletedBy == nil && in.Unsure == nil) && st.isSince(f.At):
		st.Sign("deleted", t, st.State.first, f.At)
	case x != nil && x.LastDeletedBy == nil && (in == nil || in.LastDeletedBy == nil) && st.isSince(f.At):
		st.Sign("deleted", t, st.State.first, f.At)
	case x == nil || !st.IsUntouched(x) || x.Proof.Verb == facts.Deletes || in != nil && in.WentAfter(x.Proof):
	// it was another one of this name
	case x.LastDeletedBy != nil && f.At.Sub(x.LastDeletedBy.EndedAt()).Abs() <= time.Second:
	case x.Ident == f.ID, x.Ident == "" && !f.At.Before(x.Proof.EndedAt().Truncate(time.Second)):
		st.Sign("deleted", t, x.Proof, f.At)
	}
}

// isDeletedLater reports whether a table was deleted, by no request of the recording, when its database was deleted
// already, so that this was there again.
func (st *Step) isDeletedLater(f facts.DeletedTable, x, in *EntityState) bool {
	const skew = 2 * time.Second
	deletion := st.Deletion(in)
	if deletion == nil || deletion.EndedAt().IsZero() || !f.At.After(deletion.EndedAt().Add(skew)) {
		return false
	}
	t := facts.Entity{Kind: facts.Tables, ID: f.Database + "/" + f.Name}
	isRecorded := x != nil && (x.LastDeletedBy != nil && facts.Before(deletion, x.LastDeletedBy) || x.Unsure != nil)
	return !isRecorded && !st.Contested(func(e *facts.Exchange) bool { return e.MayTouch(t) })
}

// MayBeThereSince reports whether something was shown, or may have been made, since it was not there.
func (st *Step) MayBeThereSince(t facts.Entity, x *EntityState, proof *facts.Exchange) bool {
	signs := []*facts.Exchange{st.State.MayHaveCreated[t.Kind]}
	if x != nil {
		signs = append(signs, x.Proof, x.Unsure, x.IngestedBy)
	}
	return slices.ContainsFunc(signs, func(e *facts.Exchange) bool { return e != nil && !facts.Before(e, proof) }) ||
		st.Contested(func(e *facts.Exchange) bool { return e.MayMake(t) })
}

// sign shows that something happened that the recording does not contain.
type sign struct {
	did       string // "created", "changed" or "deleted"
	entity    facts.Entity
	after, by *facts.Exchange // between which exchanges: by shows it
	at        time.Time
	wasGone   bool // after shows that the entity was gone, so that by does not show a deletion without effect

	isUnlisted bool // by is a list of deleted tables without the entity, which may be a violation of its own
}

// text says what the sign shows.
func (s *sign) text(c facts.Catalogue) string {
	return fmt.Sprintf("exchange %d shows that %s was %s", s.by.Number, c.Text(s.entity), s.did)
}

// supports reports whether a sign makes an excuse likely: it shows that this was done, or that a caller outside
// of the recording worked on such entities at the time.
func (s *sign) supports(x Excuse, judged *facts.Exchange) bool {
	if !facts.Before(s.after, x.Before) || s.by == judged && s.entity == x.entity && !s.wasGone {
		return false
	}
	switch {
	case s.did == Recovered:
		isGoneAgain := s.by.Verb == facts.Deletes && !facts.Before(x.Before, s.by)
		isItself := s.isUnlisted && judged.Page != nil
		return x.Did == Recovered && (s.entity == x.entity && !isGoneAgain && !isItself || s.wasGone)
	case s.entity.Kind != x.Kind && !(s.did == "created" && isTarget(s.entity.Kind) && isTarget(x.Kind)):
		return false
	case !s.at.IsZero() && s.at.Add(time.Second).After(x.Before.EndedAt()):
		return false
	}
	if s.entity != x.entity || x.After == nil {
		return true
	}
	return !facts.Before(s.by, x.After) && (s.at.IsZero() || !s.at.Add(time.Second).Before(x.After.EndedAt()))
}

// isTarget reports whether entities of a kind are tables or databases: who makes one of these unseen makes others.
func isTarget(k facts.Kind) bool { return k == facts.Tables || k == facts.Databases }

// Recovered marks a deleted table, or database, that is there again as it was.
const Recovered = "recovered"

// unseen holds what a history shows of requests that it lacks.
type unseen struct {
	signs []sign
	held  []Ruling // violations that have an excuse
	lists bounded[viewKey, *view]

	deletedTables map[string]*EntityState // by recorded requests, until a list of deleted tables lacks them
}

// viewKey is a whole list, as a caller sees it.
type viewKey struct {
	kind   facts.Kind
	within facts.Entity
	caller uint64
}

type view struct {
	event *facts.Exchange
	ids   map[string]bool
}

const (
	maxSigns = 1000
	maxViews = 500
)

// Sign notes that the exchange shows something that no exchange of the recording did.
func (st *Step) Sign(did string, t facts.Entity, after *facts.Exchange, at time.Time) {
	st.addSign(sign{did: did, entity: t, after: after, by: st.Exchange, at: at})
}

func (st *Step) addSign(s sign) {
	if len(st.State.signs) < maxSigns && s.after != nil {
		st.State.signs = append(st.State.signs, s)
	}
}
