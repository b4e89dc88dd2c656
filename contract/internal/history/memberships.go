package history

import (
	"slices"

	"svc.example/understudy/contract/internal/facts"
	"svc.example/understudy/specs"
)

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

// ParentDeletion is a deletion of something that a thing was a part of.
type ParentDeletion struct {
	Parent *Entity
	Proofs []*facts.Exchange // that it was
	Sure   specs.Provenance
}

// DeletedParent looks for a thing that was deleted and that another one is a part of.
func (st *Step) DeletedParent(t facts.Thing, depth int) *ParentDeletion {
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

// parentsOf returns the things that a thing is a part of, as the answer in hand shows them, else as they were shown
// before.
func (st *Step) parentsOf(t facts.Thing) []membership {
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
