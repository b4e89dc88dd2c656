package history

import (
	"cmp"
	"maps"
	"slices"
)

// links holds which callers at a site are of one account, or are not.
type links map[linkKey]link

// linkKey is two callers at a site, the lesser one first.
type linkKey struct {
	at   int32
	a, b uint64
}

// link is what shows two callers to be of one account or not.
type link struct {
	isAgainst bool
	shownBy   [2]shower // the first exchanges that show that they are of one account
	count     int8      // of these
}

// shower is an exchange that shows something.
type shower struct {
	number int64
	frame
}

// maxLinks bounds how many pairs of callers are known, some hundred megabytes.
const maxLinks = 1 << 20

func linkKeyOf(x, y member) linkKey {
	return linkKey{at: x.at, a: min(x.caller, y.caller), b: max(x.caller, y.caller)}
}

func (k *linkKey) first() member  { return member{k.at, k.a} }
func (k *linkKey) second() member { return member{k.at, k.b} }

// exchanges returns those that show two callers to be of one account.
func (l *link) exchanges() []shower { return l.shownBy[:l.count] }

// put takes that exchanges, the last one first, show two callers to be of one account, or, without any, that they are
// not.
func (s links) put(x, y member, shownBy ...shower) {
	if x == y || x.caller == 0 || y.caller == 0 {
		return
	}
	key := linkKeyOf(x, y)
	l, isKnown := s[key]
	if !isKnown && len(s) >= maxLinks {
		return
	}
	now := link{isAgainst: l.isAgainst || len(shownBy) == 0}
	now.count = int8(copy(now.shownBy[:], shownBy))
	if now.count == 0 || l.count > 0 && l.shownBy[0].number <= now.shownBy[0].number {
		now.shownBy, now.count = l.shownBy, l.count
	}
	s[key] = now
}

// pairs returns the pairs of callers in an order that does not depend on that in which they were put.
func (s links) pairs() []linkKey {
	return slices.SortedFunc(maps.Keys(s), func(x, y linkKey) int {
		return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b))
	})
}
