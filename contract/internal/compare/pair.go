package compare

import (
	"slices"
)

// pairing pairs the items of two lists of things.
type pairing struct {
	*comparison
	place   *place
	was, is []any
	pairs   []int // by recorded item, the other one, or -1
	taken   []bool
}

// pair returns for each item the one that corresponds to it, or -1, and whether they are in another order. Things
// correspond by their ids, then by their names, and then by their places. Items that are not things are taken in order.
func (c *comparison) pair(p *place, was, is []any) (pairs []int, isMoved bool) {
	x := &pairing{comparison: c, place: p, was: was, is: is, pairs: make([]int, len(was)), taken: make([]bool, len(is))}
	for i := range x.pairs {
		x.pairs[i] = -1
	}
	if len(was) > 0 && p.resource(c.sites, was[0]) != nil {
		x.match(x.haveSameID)
		x.match(x.haveSameName)
	}
	x.match(x.mayBeSame)
	last := -1
	for _, j := range x.pairs {
		isMoved = isMoved || j >= 0 && j < last
		last = max(last, j)
	}
	return x.pairs, isMoved
}

// match pairs what fits and has no counterpart yet: at the same place if possible, and else the first one.
func (x *pairing) match(fits func(was, is any) bool) {
	for i := range x.was {
		if x.pairs[i] >= 0 {
			continue
		}
		for _, j := range append([]int{i}, sequence(len(x.is))...) {
			if j < len(x.is) && !x.taken[j] && fits(x.was[i], x.is[j]) {
				x.pairs[i], x.taken[j] = j, true
				break
			}
		}
	}
}

func sequence(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// idOf returns the id of a thing, and the kind of it: the empty text if the thing is known by its name.
func (x *pairing) idOf(object any) (kind, text string) {
	r := x.place.resource(x.sites, object)
	if r == nil {
		return "", ""
	}
	at := r.Keys[0]
	if r.IsNamed() {
		at = r.ID
	}
	if at == nil {
		return "", ""
	}
	text, _ = textOf(valueAt(object, at))
	return r.Name, text
}

func (x *pairing) haveSameID(was, is any) bool {
	kind, id := x.idOf(was)
	_, other := x.idOf(is)
	return id != "" && x.ids.knows(kind, id) && x.ids.translate(kind, id) == other
}

func (x *pairing) haveSameName(was, is any) bool {
	r := x.place.resource(x.sites, was)
	if r == nil || r != x.place.resource(x.sites, is) {
		return false
	}
	for _, at := range append(slices.Clone(r.Keys), r.NamedAt) {
		if at == nil || slices.Equal(at, r.ID) || !r.IsNamed() && slices.Equal(at, r.Keys[0]) {
			continue
		}
		if name, _ := textOf(valueAt(was, at)); name != "" {
			other, _ := textOf(valueAt(is, at))
			return name == other && x.mayBeSame(was, is)
		}
	}
	return false
}

// mayBeSame reports whether nothing is known that speaks against two items being the same: neither has another
// counterpart.
func (x *pairing) mayBeSame(was, is any) bool {
	kind, id := x.idOf(was)
	_, other := x.idOf(is)
	if id == "" || other == "" {
		return true
	}
	if known, isKnown := x.ids.lookup(recorded, keyOf(kind, id)); isKnown {
		return known == other
	}
	_, taken := x.ids.lookup(answered, keyOf(kind, other))
	return !taken
}
