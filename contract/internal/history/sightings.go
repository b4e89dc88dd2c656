package history

import (
	"slices"

	"svc.example/understudy/contract/internal/facts"
)

// sightings hold the lists that callers were shown. Those whose whole lists each lack what the other has are not of one
// account.
type sightings struct {
	lists *bounded[listKey, []wholeList]
	stirs *bounded[sightKey, bool] // the things that were made or removed, so that lists may differ in them
}

func newSightings() sightings {
	return sightings{
		lists: newBounded[listKey, []wholeList](maxSights/20, nil), stirs: newBounded[sightKey, bool](maxSights, nil),
	}
}

// listedKinds are those whose whole lists show what an account has.
func listedKinds() []facts.Kind {
	return []facts.Kind{facts.Pools, facts.PoolRules, facts.SubUsers, facts.Policies}
}

// showsWholeList reports whether an answer is the whole list of one of these kinds.
func showsWholeList(e *facts.Exchange) bool {
	isWhole := e.Verb == facts.Lists && e.Listed && !e.Partial && !e.Opaque
	return isWhole && slices.Contains(listedKinds(), e.Kind)
}

// idsListed returns the ids in a whole list.
func idsListed(e *facts.Exchange) map[string]bool {
	ids := map[string]bool{}
	for _, f := range e.Shows {
		if f.Thing.Kind == e.Kind {
			ids[f.Thing.ID] = true
		}
	}
	return ids
}

type sightKey struct {
	at    int32
	thing facts.Thing
}

type listKey struct {
	at   int32
	kind facts.Kind
}

// wholeList is the last whole list of a kind that a caller was given.
type wholeList struct {
	caller uint64
	ids    map[string]bool
}

// sight takes what an exchange shows to its caller, and where it is kept.
func (a *accounts) sight(m member, e *facts.Exchange, x *entry) error {
	for _, c := range a.cluesIn(e) {
		c.frame = x.frame
		if err := a.clues.put(c); err != nil {
			return err
		}
	}
	a.sightList(m, e)
	if e.Verb == facts.Creates || e.Verb == facts.Deletes {
		for _, t := range e.Touched() {
			a.stirs.put(sightKey{m.at, t}, true)
		}
	}
	return nil
}

// sightList holds a whole list against those that others were given.
func (a *accounts) sightList(m member, e *facts.Exchange) {
	if !showsWholeList(e) {
		return
	}
	now := wholeList{m.caller, idsListed(e)}
	key := listKey{m.at, e.Kind}
	list, _ := a.lists.Get(key)
	own := -1
	for i, other := range list {
		isOther := a.lacks(key, other, now) && a.lacks(key, now, other)
		switch {
		case other.caller == m.caller:
			if own = i; isOther {
				a.contradict(m)
			}
		case isOther && len(a.apart) < maxLinks:
			a.apart[linkKeyOf(m, member{m.at, other.caller})] = true
		}
	}
	switch {
	case own >= 0:
		list[own] = now
	case len(list) < maxViewers:
		a.lists.put(key, append(list, now))
	}
}

// lacks reports whether a list lacks something that another one has, and that no recorded request made or removed.
func (s *sightings) lacks(key listKey, list, other wholeList) bool {
	for id := range other.ids {
		if isStirred, _ := s.stirs.Get(sightKey{key.at, facts.Thing{Kind: key.kind, ID: id}}); !list.ids[id] && !isStirred {
			return true
		}
	}
	return false
}
