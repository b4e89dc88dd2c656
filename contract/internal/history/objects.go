package history

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"

	"svc.example/understudy/contract/internal/facts"
	"svc.example/understudy/specs"
)

// learnObject learns what an entity holds and refers to.
func (s *State) learnObject(e *facts.Exchange, x *EntityState, object *facts.Object) {
	for _, to := range x.Refers {
		if delete(s.referrers[to.Entity], x); len(s.referrers[to.Entity]) == 0 {
			delete(s.referrers, to.Entity)
		}
	}
	x.Object, x.shownBy = *object, e
	if x.updating != nil && x.updating.By != e {
		x.updating = nil
	}
	for _, held := range x.Holds {
		s.holders.put(holding{x.Kind, held}, x)
	}
	for _, to := range x.Refers {
		if to.OnDelete == "" { // what refers does not matter to its deletion
			continue
		}
		if s.referrers[to.Entity] == nil {
			s.referrers[to.Entity] = map[*EntityState]bool{}
		}
		if len(s.referrers[to.Entity]) < maxEntities {
			s.referrers[to.Entity][x] = true
		}
	}
}

// ReferringTo lists the entities that were last shown to refer to another one, in the order of their ids.
func (s *State) ReferringTo(t facts.Entity) []*EntityState {
	list := make([]*EntityState, 0, len(s.referrers[t]))
	for x := range s.referrers[t] {
		list = append(list, x)
	}
	slices.SortFunc(list, func(a, b *EntityState) int {
		return cmp.Or(strings.Compare(a.ID, b.ID), cmp.Compare(a.Kind, b.Kind))
	})
	return list
}

// Update is a change of an entity whose effect no answer has shown yet.
type Update struct {
	Before facts.Row
	Shown  *facts.Exchange // that showed it
	By     *facts.Exchange
}

// ShownBy returns the exchange that showed an entity as it is when the exchange in hand begins. It is nil if that was
// changed without being shown, or may have gone or been changed along with something else.
func (st *Step) ShownBy(x *EntityState) *facts.Exchange {
	shown := st.SameSince(x)
	if shown == nil || !x.WasShownUntil(st.Exchange) {
		return nil
	}
	return shown
}

// SameSince returns the exchange that last showed an entity, if it was neither deleted nor made anew since; else nil.
func (st *Step) SameSince(x *EntityState) *facts.Exchange {
	if x == nil || x.shownBy == nil || !st.Known(x.shownBy) || !st.IsUntouched(x) ||
		st.mayHaveFollowed(x.Entity, x.shownBy, MaxParents) {
		return nil
	}
	return x.shownBy
}

// ObjectBy returns the exchange that showed the object as it is known.
func (x *EntityState) ObjectBy() *facts.Exchange { return x.shownBy }

// WasShownUntil reports whether an entity had not changed since it was last shown when an exchange began.
func (x *EntityState) WasShownUntil(e *facts.Exchange) bool {
	return x.shownBy != nil && facts.Before(x.shownBy, e) && x.isAsIn(x.shownBy)
}

// isAsIn reports whether an entity has not changed since an exchange.
func (x *EntityState) isAsIn(e *facts.Exchange) bool {
	return x.changedBy == nil || x.changedBy == e || facts.Before(x.changedBy, e)
}

// learnSettings learns what an answer shows of what requests have set. What it does not show is as before, unless
// something may have changed it.
func (x *EntityState) learnSettings(e *facts.Exchange, shown []facts.Setting) {
	if x.setBy == nil || !x.isAsIn(x.setBy) {
		x.set = nil
	}
	x.setBy = e
	for _, s := range shown {
		if i := slices.IndexFunc(x.set, func(was facts.Setting) bool { return was.Member == s.Member }); i >= 0 {
			x.set[i] = s
		} else {
			x.set = append(x.set, s)
		}
	}
}

// Difference is an entity that an answer shows otherwise than it was last shown, and a member of it.
type Difference struct {
	*EntityState
	Member string
	Shown  *facts.Exchange // that showed it last
}

// Differences lists what the exchange in hand shows of what requests set, as none of the recording has set it. What may
// follow from another change is not among them in a user's own document: numbers and flags from any, texts from one of
// another kind.
func (st *Step) Differences() (list []Difference) {
	for i := range st.Shows {
		f := &st.Shows[i]
		x := st.State.LookUp(f.Entity)
		if len(f.Set) == 0 || x == nil || !st.Known(x.setBy) || !x.isAsIn(x.setBy) {
			continue
		}
		at := slices.IndexFunc(f.Set, func(s facts.Setting) bool {
			was := slices.IndexFunc(x.set, func(was facts.Setting) bool { return was.Member == s.Member })
			return was >= 0 && x.set[was] != s && !st.mayFollow(x, s.IsText && x.set[was].IsText)
		})
		if at >= 0 && st.IsSettled(x) {
			list = append(list, Difference{x, f.Set[at].Member, x.setBy})
		}
	}
	return list
}

// mayFollow reports whether what is set of an entity may differ because something else was changed.
func (st *Step) mayFollow(x *EntityState, isText bool) bool {
	if !x.Kind.Interface().IsOwn() {
		return x.Kind == facts.PoolRules || x.Kind == facts.Pools && !isText // which ChangedUnseen looks at
	}
	isRelated := func(kind facts.Kind) bool { return !isText || kind != x.Kind }
	for kind, last := range st.State.lastWriteOf {
		if isRelated(kind) && last != x.setBy && !facts.Before(last, x.setBy) {
			return true
		}
	}
	return st.Contested(func(e *facts.Exchange) bool { return e.MayChange() && isRelated(e.Kind) })
}

// Updated returns the update that an entity was last changed by and that the exchange in hand shows first, or nil.
func (st *Step) Updated(x *EntityState) *Update {
	switch before := st.ShownBy(x); {
	case x == nil:
	case before != nil && st.Verb == facts.Changes && x.Entity == st.Target:
		return &Update{x.Row, before, st.Exchange}
	case x.updating != nil && x.updating.By == x.changedBy && st.IsUntouched(x) &&
		!st.mayHaveFollowed(x.Entity, x.updating.Shown, MaxParents):
		return x.updating
	}
	return nil
}

// AwaitEffect notes an update whose answer does not show what came of it.
func (st *Step) AwaitEffect(x *EntityState, u *Update) { x.updating = u }

// mayHaveFollowed reports whether an entity that another one is a part of, or refers to with an effect, may have been
// deleted since an exchange.
func (st *Step) mayHaveFollowed(t facts.Entity, since *facts.Exchange, depth int) bool {
	if depth == 0 {
		return false
	}
	mayBeGone := func(whole facts.Entity) bool {
		y := st.State.LookUp(whole)
		if y == nil {
			return false
		}
		return y.LastDeletedBy != nil && !facts.Before(y.LastDeletedBy, since) ||
			y.Unsure != nil && !facts.Before(y.Unsure, since) ||
			st.Contested(func(e *facts.Exchange) bool { return e.Verb == facts.Deletes && e.Target == whole }) ||
			st.mayHaveFollowed(whole, since, depth-1)
	}
	if i := strings.LastIndexByte(t.ID, '/'); i > 0 {
		above := facts.Entity{Kind: facts.Kind(st.State.Kinds.Of(t.Kind).Parent()), ID: t.ID[:i]}
		if !above.IsNone() && mayBeGone(above) {
			return true
		}
	}
	x := st.State.LookUp(t)
	return x != nil && (slices.ContainsFunc(x.parents, func(m membership) bool { return mayBeGone(m.Parent) }) ||
		slices.ContainsFunc(x.Refers, func(to facts.Reference) bool {
			return (to.OnDelete == specs.Cascade || to.OnDelete == specs.Clear) && mayBeGone(to.Entity)
		}))
}

// objectsUnseen looks for entities of a user's own document that went, or hold or refer to something else than before,
// without a request of the recording.
func (st *Step) objectsUnseen() {
	if x := st.State.LookUp(st.Target); st.Status == http.StatusNotFound {
		if shown := st.ShownBy(x); shown != nil && x.Row != "" {
			st.Sign("deleted", x.Entity, shown, time.Time{})
		}
	}
	if !st.OK() || st.Verb.Writes() {
		return
	}
	for i := range st.Shows {
		f := &st.Shows[i]
		if f.Object == nil || f.Object.Row == "" {
			continue
		}
		x := st.State.LookUp(f.Entity)
		switch shown := st.ShownBy(x); {
		case shown != nil && !(slices.Equal(x.Holds, f.Object.Holds) && slices.Equal(x.Refers, f.Object.Refers)):
			st.Sign("changed", x.Entity, shown, time.Time{})
		case x != nil && st.Known(x.MissedBy) && !st.MayBeThereSince(x.Entity, x, x.MissedBy):
			st.Sign("created", x.Entity, x.MissedBy, time.Time{})
		}
	}
}
