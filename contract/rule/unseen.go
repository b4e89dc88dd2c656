package rule

import (
	"fmt"
	"net/http"
	"slices"
	"time"
)

// sign shows that somebody did something that the recording does not show.
type sign struct {
	did       string // "made", "changed" or "deleted"
	thing     thing
	after, by *Event // when: by shows it
	born      time.Time
}

func (s *sign) String() string {
	return fmt.Sprintf("exchange %d shows that %s %s was %s", s.by.Number, s.thing.kind.noun, s.thing.id, s.did)
}

// supports reports whether a sign makes an excuse likely: it shows that this was done, or that somebody whom the recording
// does not show deals with such things at the time.
func (s *sign) supports(x excuse, judged *Event) bool {
	if !before(s.after, x.before) || s.by == judged && s.thing == x.thing {
		return false
	}
	switch {
	case s.did == recovered: // to be there again is a violation of its own
		return x.did == recovered && s.thing == x.thing
	case s.thing != x.thing:
		return s.thing.kind == x.kind
	case !s.born.IsZero():
		return !s.born.Add(time.Second).After(x.before.Start)
	}
	return x.after == nil || !before(s.by, x.after)
}

// recovered is what a deleted table is that is there again as it was.
const recovered = "recovered"

// unseen is what a history shows of requests that it lacks.
type unseen struct {
	signs []sign
	held  []ruling // violations that have an excuse
	lists *bounded[viewKey, *view]
}

// viewKey is a whole list, as a caller sees it.
type viewKey struct {
	kind   *kind
	within thing
	caller uint64
}

type view struct {
	event *Event
	ids   map[string]bool
}

const (
	maxSigns = 1000
	maxViews = 500
)

func newUnseen() unseen { return unseen{lists: newBounded[viewKey, *view](maxViews, nil)} }

// isOpen reports whether things of a kind are made, changed and deleted by requests alone, so that what happens to one
// without a request shows that the recording lacks it.
func (k *kind) isOpen() bool {
	return slices.Contains([]*kind{
		pools, poolRules, databases, tables, connections, schedules, secrets, policies, policyGroups,
	}, k)
}

func (st *step) sign(did string, t thing, after *Event, born time.Time) {
	if len(st.s.signs) < maxSigns && after != nil {
		st.s.signs = append(st.s.signs, sign{did, t, after, st.Event, born})
	}
}

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

// bornUnseen notes that a thing is there that was deleted, and by its id or its birth was made anew, or that was absent.
func (st *step) bornUnseen(f *shown) {
	t := f.Thing
	if !t.kind.isOpen() || st.contested(func(e *Event) bool { return e.mayMake(t) }) {
		return
	}
	x := st.s.lookUp(t)
	switch {
	case st.deletion(x) != nil && x.reborn(f):
		st.sign("made", t, x.gone, f.Born)
	case st.deletion(x) != nil && t.kind == tables:
		st.sign(recovered, t, x.gone, time.Time{})
	case x != nil && x.missing != nil && x.missing.Caller == st.Caller && !st.mayBeThereSince(t, x, x.missing):
		st.sign("made", t, x.missing, f.Born)
	case x != nil && x.gone == nil && x.ident != "" && f.Ident != "" && x.ident != f.Ident && st.known(x.proof):
		st.sign("changed", t, x.proof, f.Born)
	case f.Ident != "" && t.kind == tables:
		st.movedUnseen(f)
	}
}

// recoveredUnseen notes that a table cannot be recovered that was among the deleted ones.
func (st *step) recoveredUnseen() {
	if st.Recovered == nil {
		return
	}
	if was, known := st.s.places.get(st.Recovered.ID); known && len(was.proofs) > 0 {
		last := was.proofs[len(was.proofs)-1]
		if st.known(last) {
			st.sign("made", thing{tables, was.Database + "/" + was.Name}, last, time.Time{})
		}
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

// isUntouched reports whether all that the recording holds of a thing was over, and certain, when the exchange in hand began.
func (st *step) isUntouched(x *entity) bool {
	return st.known(x.proof) && x.gone == nil && x.unsure == nil &&
		!st.contested(func(e *Event) bool { return e.mayTouch(x.thing) })
}

// compareLists holds a whole list against the one that the same caller was given before.
func (st *step) compareLists() {
	key := viewKey{st.of, st.Within, st.Caller}
	now := &view{st.Event, map[string]bool{}}
	for _, f := range st.Shows {
		now.ids[f.Thing.id] = true
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
		if f := &st.Shows[i]; !was.ids[f.Thing.id] {
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
		st.sign("made", f.Thing, since, f.Born)
	}
}

// deletedUnseen notes that a table is among the deleted ones that nobody deleted.
func (st *step) deletedUnseen(f deletedFact) {
	t := thing{tables, f.Database + "/" + f.Name}
	x := st.s.lookUp(t)
	if x != nil && st.isUntouched(x) && (x.ident == "" || x.ident == f.ID) && x.proof.does != removes {
		if in := st.s.lookUp(databaseOf(t)); in == nil || !in.wentAfter(x.proof) {
			st.sign("deleted", t, x.proof, time.Time{})
		}
	}
}
