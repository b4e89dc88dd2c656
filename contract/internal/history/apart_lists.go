package history

import (
	"iter"
	"slices"

	"svc.example/understudy/contract/internal/facts"
)

// isApart reports whether two lists are of different accounts: each lacks what the other one has.
func (l wholeList) isApart(other wholeList, isStirred func(id string) bool) bool {
	return l.lacks(other, isStirred) && other.lacks(l, isStirred)
}

// lacks reports whether a list lacks something that another one has, and that no recorded request made or removed.
func (l wholeList) lacks(other wholeList, isStirred func(id string) bool) bool {
	for id := range l.lacking(other) {
		if !isStirred(id) {
			return true
		}
	}
	return false
}

// lacking yields what a list lacks that another one has, and that was there when the list was given.
func (l wholeList) lacking(other wholeList) iter.Seq[string] {
	return func(yield func(string) bool) {
		for id, born := range other.born {
			if _, has := l.born[id]; !has && (l.at.IsZero() || born.Before(l.at)) && !yield(id) {
				return
			}
		}
	}
}

// partByLists parts the accounts of pairs that are known to be different by their lists. With many accounts at an
// instance that takes too long for all of them, so that it is done for those on which a verdict depends.
func (a *accounts) partByLists(pairs [][2]caller) {
	callers := map[caller][]member{}
	for _, pair := range pairs {
		callers[pair[0]], callers[pair[1]] = nil, nil
	}
	for i := range a.callers {
		account := a.of(caller(i))
		if list, isAsked := callers[account]; isAsked {
			callers[account] = append(list, a.callers[i].member)
		}
	}
	for _, pair := range pairs {
		if a.haveOtherLists(callers[pair[0]], callers[pair[1]]) {
			a.part(pair[0], pair[1])
		}
	}
}

// haveOtherLists reports whether lists of the same kind, of a caller of each account, each lack what the other has.
func (a *accounts) haveOtherLists(some, others []member) bool {
	return slices.ContainsFunc(listedKinds(), func(kind facts.Kind) bool {
		return slices.ContainsFunc(some, func(x member) bool {
			list, isKnown := a.lists.Get(viewer{listKey{x.at, kind}, x.caller})
			return isKnown && slices.ContainsFunc(others, func(y member) bool {
				other, isKnown := a.lists.Get(viewer{listKey{y.at, kind}, y.caller})
				return isKnown && list.isApart(other, a.stirredIn(listKey{x.at, kind}))
			})
		})
	})
}

// stirredIn returns whether someone made or removed an entity, so that lists may differ in it.
func (a *accounts) stirredIn(key listKey) func(id string) bool {
	return func(id string) bool {
		x, known := a.traces.Get(sightKey{key.at, facts.Entity{Kind: key.kind, ID: id}})
		return known && x.isStirred
	}
}
