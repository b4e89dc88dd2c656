package history

import (
	"slices"

	"svc.example/understudy/contract/internal/facts"
	"svc.example/understudy/specs"
)

// Deletion returns the exchange that deleted an entity, if that is certain, was over when the exchange in hand began,
// and nothing may have made it anew since.
func (st *Step) Deletion(x *EntityState) *facts.Exchange {
	if x == nil || x.DeletedBy == nil || x.Unsure != nil || !st.Known(x.DeletedBy) || x.DeletedBy.Verb != facts.Deletes {
		return nil
	}
	isTable := x.Kind == facts.Tables || x.Kind == facts.Databases
	if isTable && st.State.recoveredUnknown != nil && !facts.Before(st.State.recoveredUnknown, x.DeletedBy) {
		return nil
	}
	mayCreate := func(e *facts.Exchange) bool { return slices.Contains(e.MayCreate, x.Kind) }
	isAnew := st.State.mayHaveMade(x, x.DeletedBy) != nil || st.Contested(mayCreate)
	if isAnew && !st.showsSame(x) { // what is made anew is another one
		return nil
	}
	if st.Contested(func(e *facts.Exchange) bool {
		return e.MayMake(x.Entity) && !mayCreate(e) || isTable && st.State.mayRecover(e, x.Entity)
	}) {
		return nil
	}
	return x.DeletedBy
}

// OutlivedDatabase returns the database of a table that was deleted and made anew since the table was last seen, so
// that the table is gone, and whether it is shown as the one that it was. It is nil if that is not certain.
func (st *Step) OutlivedDatabase(t facts.Entity) (in *EntityState, isSame bool) {
	x, in := st.State.LookUp(t), st.State.LookUp(facts.DatabaseOf(t))
	if x == nil || in == nil || in.LastDeletedBy == nil || in.CreatedBy == nil || x.Proof == nil {
		return nil, false
	}
	deletion, recovered := in.LastDeletedBy, st.State.recoveredUnknown
	isGone := facts.Before(x.Proof, deletion) && facts.Before(deletion, in.CreatedBy) && st.Known(in.CreatedBy)
	if !isGone || x.DeletedBy != nil || in.DeletedBy != nil || x.Unsure != nil || in.Unsure != nil ||
		recovered != nil && !facts.Before(recovered, deletion) || st.State.mayHaveMade(x, deletion) != nil ||
		st.Contested(func(e *facts.Exchange) bool { return e.MayMake(t) || e.Recovered != nil }) {
		return nil, false
	}
	return in, slices.ContainsFunc(st.Shows, func(f facts.Shown) bool {
		return f.Entity == t && (x.Ident != "" && f.Ident == x.Ident || !deletion.Date.IsZero() && f.IsOlderThan(deletion))
	})
}

// mayHaveMade returns an exchange that may have made an entity, along with others or with a record, and not before
// another one.
func (s *State) mayHaveMade(x *EntityState, since *facts.Exchange) *facts.Exchange {
	for _, maker := range []*facts.Exchange{s.MayHaveCreated[x.Kind], x.IngestedBy} {
		if maker != nil && !facts.Before(maker, since) {
			return maker
		}
	}
	return nil
}

// showsSame reports whether an answer shows an entity as the one that it was, by its id, or as older than its deletion.
func (st *Step) showsSame(x *EntityState) bool {
	return slices.ContainsFunc(st.Shows, func(f facts.Shown) bool {
		return f.Entity == x.Entity &&
			(x.Ident != "" && f.Ident == x.Ident || !x.LastDeletedBy.Date.IsZero() && f.IsOlderThan(x.LastDeletedBy))
	})
}

// Recreated reports whether the answer shows another entity under the name of one that was deleted: a caller outside
// of the recording created it.
func (x *EntityState) Recreated(f *facts.Shown) bool {
	switch {
	case f.Ident != "" && x.Ident != "":
		return f.Ident != x.Ident
	case f.Born.IsZero():
		return false
	case !x.born.IsZero():
		return !f.Born.Equal(x.born)
	}
	return f.Born.After(x.DeletedBy.EndedAt())
}

// DeletionEvidence returns the exchanges that show that an entity was there, and is gone.
func (x *EntityState) DeletionEvidence() []*facts.Exchange {
	return append(append([]*facts.Exchange{x.CreatedBy, x.aliasedBy}, x.reasons...), x.DeletedBy)
}

// membership is a part's membership of a whole, with the exchange that shows it.
type membership struct {
	facts.Membership
	shownBy *facts.Exchange
}

// replaces reports whether another membership of the same part does not hold any more: of each kind it has one whole.
func (m membership) replaces(other membership) bool { return other.Parent.Kind == m.Parent.Kind }

// learnMemberships learns what is a part of what, also from the answer to a deletion, which shows what was deleted.
func (s *State) learnMemberships(e *facts.Exchange) {
	for _, b := range e.Memberships {
		x := s.entity(b.Part)
		part := membership{b, e}
		x.parents = append(slices.DeleteFunc(slices.Clone(x.parents), part.replaces), part)
		s.entity(b.Parent).ChildSeenBy = e
	}
}

// MaxParents bounds how many steps a part may be away from what it is gone with.
const MaxParents = 3

// ParentDeletion is a deletion of something that an entity was a part of.
type ParentDeletion struct {
	Parent *EntityState
	Proofs []*facts.Exchange // that it was
	Sure   specs.Provenance
}

// DeletedParent looks for an entity that was deleted and that another one is a part of.
func (st *Step) DeletedParent(t facts.Entity, depth int) *ParentDeletion {
	if depth == 0 {
		return nil
	}
	for _, b := range st.parentsOf(t) {
		if b.shownBy != st.Exchange && !st.Known(b.shownBy) {
			continue
		}
		l := &ParentDeletion{Parent: st.State.LookUp(b.Parent), Sure: b.Sure}
		if st.Deletion(l.Parent) == nil {
			l = st.DeletedParent(b.Parent, depth-1)
		}
		if l != nil {
			l.Proofs = append(l.Proofs, b.shownBy)
			return l
		}
	}
	return nil
}

// parentsOf returns the entities that an entity is a part of, as the answer in hand shows them, else as they were shown
// before.
func (st *Step) parentsOf(t facts.Entity) []membership {
	var list []membership
	for _, b := range st.Memberships {
		if b.Part == t {
			list = append(list, membership{b, st.Exchange})
		}
	}
	x := st.State.LookUp(t)
	if x == nil {
		return list
	}
	for _, b := range x.parents {
		if !slices.ContainsFunc(list, b.replaces) {
			list = append(list, b)
		}
	}
	return list
}
