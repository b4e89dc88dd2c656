package history

import (
	"errors"
	"strconv"

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

type sightKey struct {
	at    int32
	thing facts.Thing
}

type listKey struct {
	at   int32
	kind facts.Kind
}

// sight takes what an exchange shows to its caller, and where it is kept.
func (a *accounts) sight(m member, e *facts.Exchange, x *entry) error {
	for _, c := range a.cluesIn(e) {
		c.frame = x.frame
		if err := a.clues.put(c); err != nil {
			return err
		}
	}
	for _, user := range e.Users {
		a.noteName(m, user.Name, true)
	}
	a.noteName(m, e.AsUser, false)
	if err := a.sightList(m, e, x); err != nil {
		return err
	}
	if e.Verb == facts.Creates || e.Verb == facts.Deletes {
		for _, t := range e.Touched() {
			a.stirs.put(sightKey{m.at, t}, true)
		}
	}
	return nil
}

// isLong reports whether the platform gave a thing an id that it gives no second time.
func (a *accounts) isLong(t facts.Thing) bool {
	const long = 5
	r := a.kinds.Of(t.Kind)
	return !r.IsNamed() && len(r.Path) == 1 && len(t.ID) >= long
}

// sightList holds a whole list against those that others were given.
func (a *accounts) sightList(m member, e *facts.Exchange, x *entry) (err error) {
	if !showsWholeList(e) {
		return nil
	}
	now := wholeListOf(e)
	key := listKey{m.at, e.Kind}
	isStirred := func(id string) bool {
		_, is := a.stirs.Get(sightKey{m.at, facts.Thing{Kind: e.Kind, ID: id}})
		return is
	}
	list, _ := a.lists.Get(key)
	own := -1
	for i, other := range list {
		isOther := other.isApart(now, isStirred)
		switch {
		case other.caller == m.caller:
			if own = i; isOther {
				a.contradict(m)
			}
		case isOther:
			err = errors.Join(err, a.clues.put(clue{
				key: keyOf(e.At, "apart", strconv.FormatUint(other.caller, 16)), kind: otherCaller, number: x.number,
				at: m.at, caller: m.caller, mark: other.caller,
			}))
		}
	}
	switch {
	case own >= 0:
		list[own] = now
	case len(list) < maxViewers:
		a.lists.put(key, append(list, now))
	}
	return err
}
