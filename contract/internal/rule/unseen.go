package rule

import (
	"net/http"
	"slices"
	"time"
)

// lookForUnseen looks at what an exchange shows to be there, gone or changed that no exchange before it explains.
func (st *step) lookForUnseen() {
	if st.Status == http.StatusNotFound {
		st.goneUnseen(st.Named, nil)
		st.recoveredUnseen()
	}
	if !st.OK() || st.Opaque {
		return
	}
	if !st.does.writes() {
		for i := range st.Shows {
			st.bornUnseen(&st.Shows[i])
		}
		for _, x := range st.changedUnseen() {
			st.sign("changed", x.thing, x.proof, time.Time{})
		}
	}
	st.backUnseen()
	if st.does == lists && st.Listed && !st.Partial && st.of.isOpen() {
		st.compareLists()
	}
	if st.Page != nil && st.s.pages != nil {
		for _, f := range st.Page.Tables {
			st.deletedUnseen(f)
		}
	}
}

// goneUnseen notes that a thing is gone, which was there before, by what an answer or a list shows.
func (st *step) goneUnseen(t thing, listed *view) {
	if t.isNone() || !t.kind.isOpen() || st.does == makes {
		return
	}
	x := st.s.lookUp(t)
	if x == nil || !st.known(x.proof) || x.gone != nil || x.unsure != nil || st.contested(func(e *Event) bool { return e.mayTouch(t) }) {
		return
	}
	if in := st.s.lookUp(databaseOf(t)); in != nil && (in.wentAfter(x.proof) || in.unsure != nil) {
		return
	}
	if listed == nil && x.proof.Caller != st.Caller {
		return
	}
	st.sign("deleted", t, x.proof, time.Time{})
}

// wentAfter reports whether a thing was deleted after an exchange, be it there again or not.
func (x *entity) wentAfter(e *Event) bool {
	return x.gone != nil || x.went != nil && !before(x.went, e)
}

// mayTouch reports whether an exchange may have made, changed or deleted a thing.
func (e *Event) mayTouch(t thing) bool {
	return e.does.writes() && (e.Named == t || e.Within == t || e.of == t.kind || e.showsThing(t)) || e.mayMake(t) ||
		t.kind == tables && e.Named == databaseOf(t)
}

// bornUnseen notes that a thing is there that was deleted, and by its id or its birth was made anew, or that was
// absent.
func (st *step) bornUnseen(f *shown) {
	t := f.Thing
	if !t.kind.isOpen() || st.contested(func(e *Event) bool { return e.mayMake(t) }) {
		return
	}
	x := st.s.lookUp(t)
	switch {
	case x.isUnknown() && st.s.stirred[t.kind] == nil && !f.Born.IsZero() && st.isSince(f.Born):
		st.sign("created", t, st.s.first, f.Born)
	case st.deletion(x) != nil && x.reborn(f):
		st.sign("created", t, x.gone, f.Born)
	case x != nil && st.known(x.gone) && t.kind == tables && (st.deletion(x) != nil || f.isOlderThan(x.gone)):
		st.sign(recovered, t, x.gone, time.Time{})
	case x != nil && x.missing != nil && x.missing.Caller == st.Caller && !st.mayBeThereSince(t, x, x.missing):
		st.sign("created", t, x.missing, f.Born)
	case x != nil && x.gone == nil && x.ident != "" && f.Ident != "" && x.ident != f.Ident && st.known(x.proof):
		st.sign("changed", t, x.proof, f.Born)
	case f.Ident != "" && t.kind == tables:
		st.movedUnseen(f)
	}
}

// backUnseen notes that tables and databases are there to stay that were deleted. To be there once is a violation of
// its own; if others find them, too, they were rather recovered.
func (st *step) backUnseen() {
	if st.Ingested != nil { // that may make them
		return
	}
	list := append(st.touched(), st.Within)
	for _, u := range st.Uses {
		list = append(list, u.Thing)
	}
	for _, t := range list {
		x := st.s.lookUp(t)
		isMade := st.does == makes && t == st.Named
		if x == nil || isMade || t.kind != tables && t.kind != databases || !st.known(x.back) {
			continue
		}
		isOld := func(f shown) bool { return f.Thing == t && f.isOlderThan(x.went) }
		if st.s.mayHaveMade(x, x.went) == nil || slices.ContainsFunc(st.Shows, isOld) {
			st.sign(recovered, t, x.went, time.Time{})
			x.back = nil
		}
	}
}

// isSince reports whether something was done when the recording had begun, by the clock of the platform.
func (st *step) isSince(at time.Time) bool {
	const skew = 2 * time.Second
	return st.s.first != nil && !st.s.first.Start.IsZero() && at.After(st.s.first.over().Add(skew))
}

// isUnknown reports whether the recording holds nothing of a thing so far.
func (x *entity) isUnknown() bool {
	return x == nil || x.proof == nil && x.fed == nil && x.unsure == nil
}

// recoveredUnseen notes that a table cannot be recovered that was among the deleted ones.
func (st *step) recoveredUnseen() {
	if st.Recovered == nil {
		return
	}
	was, known := st.s.places.get(st.Recovered.ID)
	if !known || len(was.proofs) == 0 {
		return
	}
	t, last := thing{tables, was.Database + "/" + was.Name}, was.proofs[len(was.proofs)-1]
	x := st.s.lookUp(t)
	isBack := x != nil && x.gone == nil && x.proof != nil && !before(x.proof, last)
	if st.known(last) && !isBack {
		st.sign("created", t, last, time.Time{})
	}
}

// movedUnseen notes that a table is there under another name than before.
func (st *step) movedUnseen(f *shown) {
	was, known := st.s.idents.get(f.Ident)
	if !known || was == f.Thing {
		return
	}
	if x := st.s.lookUp(was); x != nil && x.ident == f.Ident && st.known(x.proof) {
		st.sign("changed", was, x.proof, time.Time{})
	}
}

// changedUnseen lists pools and pool rules that are not what they were.
func (st *step) changedUnseen() (list []*entity) {
	for _, f := range st.Rules {
		r, known := st.s.rules.get(f.ID)
		if known && st.s.live[f.ID] == r && st.isUntouched(r.entity) && !r.fact.equals(f) {
			list = append(list, r.entity)
		}
	}
	for _, f := range st.Pools {
		p, known := st.s.pools.get(f.ID)
		if known && p.has && !f.IsDefault && st.isUntouched(p.entity) && p.fact.Limit != f.Limit {
			list = append(list, p.entity)
		}
	}
	return list
}

// isUntouched reports whether all that the recording holds of a thing was over, and certain, when the exchange in hand
// began.
func (st *step) isUntouched(x *entity) bool {
	return st.known(x.proof) && x.gone == nil && x.unsure == nil &&
		!st.contested(func(e *Event) bool { return e.mayTouch(x.thing) })
}

// compareLists holds a whole list against the one that the same caller was given before.
func (st *step) compareLists() {
	key := viewKey{st.of, st.Within, st.Caller}
	now := &view{st.Event, map[string]bool{}}
	for _, f := range st.Shows {
		if f.Thing.kind == st.of {
			now.ids[f.Thing.id] = true
		}
	}
	was, known := st.s.lists.get(key)
	if known && before(st.Event, was.event) {
		return
	}
	st.s.lists.put(key, now)
	if !known || !before(was.event, st.Event) {
		return
	}
	for id := range was.ids {
		if !now.ids[id] {
			st.goneUnseen(thing{st.of, id}, was)
		}
	}
	for i := range st.Shows {
		if f := &st.Shows[i]; f.Thing.kind == st.of && !was.ids[f.Thing.id] {
			st.madeUnseen(f, was.event)
		}
	}
}

// madeUnseen notes that a list shows a thing that was not there at the time of an earlier one.
func (st *step) madeUnseen(f *shown, since *Event) {
	x := st.s.lookUp(f.Thing)
	isNew := (x == nil || x.proof == nil || !before(since, x.proof)) && !slices.ContainsFunc(st.Pools, func(p poolFact) bool {
		return p.ID == f.Thing.id && p.IsDefault // made when it is first needed
	})
	stirred := st.s.stirred[f.Thing.kind]
	isStirred := stirred != nil && !before(stirred, since) || x != nil && (x.fed != nil || x.unsure != nil)
	if isNew && !isStirred && !st.contested(func(e *Event) bool { return e.mayMake(f.Thing) }) {
		st.sign("created", f.Thing, since, f.Born)
	}
}

// deletedUnseen notes that a table is among the deleted ones although no recorded request deleted it.
func (st *step) deletedUnseen(f deletedFact) {
	t := thing{tables, f.Database + "/" + f.Name}
	x, in := st.s.lookUp(t), st.s.lookUp(databaseOf(t))
	switch {
	case x.isUnknown() && (in == nil || in.went == nil && in.unsure == nil) && st.isSince(f.At):
		st.sign("deleted", t, st.s.first, f.At)
	case x == nil || !st.isUntouched(x) || x.proof.does == removes || in != nil && in.wentAfter(x.proof):
	case x.went != nil && f.At.Sub(x.went.over()).Abs() <= time.Second: // it was another one of this name
	case x.ident == f.ID, x.ident == "" && !f.At.Before(x.proof.over().Truncate(time.Second)):
		st.sign("deleted", t, x.proof, f.At)
	}
}
