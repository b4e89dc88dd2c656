package compare

import (
	"encoding/json"
	"slices"
)

// pairing pairs the items of two lists of entities.
type pairing struct {
	*comparison
	place   *place
	was, is []any
	pairs   []int // by recorded item, the other one, or -1
	taken   []bool
}

// pair returns for each item the one that corresponds to it, or -1, and whether they are in another order. Entities
// correspond by their ids, then by their names, by what else they have, and then by their places. Items that are not
// entities are taken in order.
func (c *comparison) pair(p *place, was, is []any) (pairs []int, isMoved bool) {
	x := &pairing{comparison: c, place: p, was: was, is: is, pairs: make([]int, len(was)), taken: make([]bool, len(is))}
	for i := range x.pairs {
		x.pairs[i] = -1
	}
	if len(was) > 0 && p.resource(c.nodes, was[0]) != nil {
		x.match(x.counterpart, x.ownID)
		x.match(x.name, x.name)
		x.match(x.content, x.content)
	}
	x.matchRest()
	last := -1
	for _, j := range x.pairs {
		isMoved = isMoved || j >= 0 && j < last
		last = max(last, j)
	}
	return x.pairs, isMoved
}

// match pairs items that have the same text, which is not empty, and of which neither has another counterpart: those at
// the same place if possible, and else the first ones.
func (x *pairing) match(textOfWas, textOfIs func(any) string) {
	free := map[string][]int{} // by text, of the other list
	for j, item := range x.is {
		if text := textOfIs(item); text != "" && !x.taken[j] {
			free[text] = append(free[text], j)
		}
	}
	for i, item := range x.was {
		text := ""
		if x.pairs[i] < 0 {
			text = textOfWas(item)
		}
		list := free[text]
		if text == "" || len(list) == 0 {
			continue
		}
		at := max(0, slices.Index(list[:min(len(list), maxSameText)], i))
		if j := list[at]; x.mayBeSame(item, x.is[j]) {
			x.pairs[i], x.taken[j] = j, true
			free[text] = slices.Delete(list, at, at+1)
		}
	}
}

// maxSameText bounds the search among items that have the same name.
const maxSameText = 100

// matchRest pairs what is left: items at the same place, and then the first ones in their order.
func (x *pairing) matchRest() {
	for i := range min(len(x.was), len(x.is)) {
		if x.pairs[i] < 0 && !x.taken[i] && x.mayBeSame(x.was[i], x.is[i]) {
			x.pairs[i], x.taken[i] = i, true
		}
	}
	j := 0
	for i := range x.was {
		for x.pairs[i] < 0 && j < len(x.is) && (x.taken[j] || !x.mayBeNew(x.is[j])) {
			j++
		}
		if x.pairs[i] < 0 && j < len(x.is) && x.mayBeSame(x.was[i], x.is[j]) {
			x.pairs[i], x.taken[j] = j, true
		}
	}
}

// mayBeNew reports whether an item of the answer has no counterpart yet.
func (x *pairing) mayBeNew(is any) bool {
	kind, id := x.idOf(is)
	_, taken := x.ids.lookup(answeredSide, keyOf(kind, id))
	return id == "" || !taken
}

// idOf returns the id of an entity, and the kind of it: the empty text if the entity is known by its name.
func (x *pairing) idOf(object any) (kind, text string) {
	r := x.place.resource(x.nodes, object)
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
	text, _ = textOf(at.FirstIn(object))
	return r.Name, text
}

// counterpart returns the id of the subject's that a recorded item corresponds to, or the empty text.
func (x *pairing) counterpart(was any) string {
	kind, id := x.idOf(was)
	if id == "" || !x.ids.knows(kind, id) {
		return ""
	}
	return x.ids.translate(kind, id)
}

func (x *pairing) ownID(is any) string {
	_, id := x.idOf(is)
	return id
}

// name returns the name by which people know an entity, with its resource, or the empty text.
func (x *pairing) name(object any) string {
	r := x.place.resource(x.nodes, object)
	if r == nil {
		return ""
	}
	for _, at := range append(slices.Clone(r.Keys), r.NamedAt) {
		if at == nil || slices.Equal(at, r.ID) || !r.IsNamed() && slices.Equal(at, r.Keys[0]) {
			continue
		}
		if name, _ := textOf(at.FirstIn(object)); name != "" {
			return r.Name + " " + name
		}
	}
	return ""
}

// content returns what an entity has but for ids and times, which differ from server to server.
func (x *pairing) content(object any) string {
	text, err := json.Marshal(x.lasting(x.place, object))
	if err != nil {
		return ""
	}
	return string(text)
}

func (x *pairing) lasting(p *place, value any) any {
	switch value := value.(type) {
	case map[string]any:
		kept := map[string]any{}
		for name, member := range value {
			if next := p.below(x.nodes, value, name); next.id(x.nodes) == "" {
				kept[name] = x.lasting(&next, member)
			}
		}
		return kept
	case []any:
		item, kept := p.below(x.nodes, value, items), make([]any, len(value))
		for i := range value {
			kept[i] = x.lasting(&item, value[i])
		}
		return kept
	case string:
		if _, isTime := instant(value); isTime != "" || isUUID(value) {
			return nil
		}
	}
	return value
}

// mayBeSame reports whether nothing is known that speaks against two items being the same: neither has another
// counterpart.
func (x *pairing) mayBeSame(was, is any) bool {
	kind, id := x.idOf(was)
	_, other := x.idOf(is)
	if id == "" || other == "" {
		return true
	}
	if known, isKnown := x.ids.lookup(recordedSide, keyOf(kind, id)); isKnown {
		return known == other
	}
	_, taken := x.ids.lookup(answeredSide, keyOf(kind, other))
	return !taken
}
