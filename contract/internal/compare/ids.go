package compare

import (
	"maps"
	"strings"
)

// ids hold which ids of the recording correspond to which of the subject.
//
// What an exchange teaches is kept in a layer of its own until it is certain that the exchange was replayed in its
// place.
type ids struct {
	below *ids // nil at the bottom
	to    map[id]string
	from  map[id]string

	read map[reading]counterpart // from below; nil if nothing needs to know
}

// id is an id, or a secret, of a kind.
type id struct{ kind, text string }

// keyOf returns the key of an id. One that is a UUID is the same entity wherever it stands.
func keyOf(kind, text string) id {
	if isUUID(text) {
		kind = uuids
	}
	return id{kind, text}
}

// Kinds that no document names.
const (
	uuids   = "uuid"
	secrets = "secret"
)

// reading is a look at what corresponds to an id of one side. Counterpart is what was found.
type reading struct {
	of side
	id
}

type counterpart struct {
	text    string
	isKnown bool
}

func newIDs(below *ids) *ids { return &ids{below: below, to: map[id]string{}, from: map[id]string{}} }

// lookup returns what corresponds to an id of one side.
func (p *ids) lookup(of side, key id) (text string, isKnown bool) {
	table := p.to
	if of == answeredSide {
		table = p.from
	}
	if text, isKnown = table[key]; isKnown || p.below == nil {
		return text, isKnown
	}
	text, isKnown = p.below.lookup(of, key)
	if p.read != nil {
		key.text = strings.Clone(key.text) // not all of the body that it is a part of
		p.read[reading{of, key}] = counterpart{text, isKnown}
	}
	return text, isKnown
}

// holds reports whether ids correspond as they were read before.
func (p *ids) holds(read map[reading]counterpart) bool {
	for at, was := range read {
		if text, isKnown := p.lookup(at.of, at.id); text != was.text || isKnown != was.isKnown {
			return false
		}
	}
	return true
}

// addAll adds what a layer above has.
func (p *ids) addAll(layer *ids) {
	maps.Copy(p.to, layer.to)
	maps.Copy(p.from, layer.from)
}

// translate returns the subject's id for a recorded one, or the same if none is known.
func (p *ids) translate(kind, text string) string {
	if other, known := p.lookup(recordedSide, keyOf(kind, text)); known {
		return other
	}
	return text
}

// knows reports whether a recorded id has a counterpart.
func (p *ids) knows(kind, text string) bool {
	_, known := p.lookup(recordedSide, keyOf(kind, text))
	return known
}

// match reports whether two ids correspond. Ids that were not seen before do from now on.
func (p *ids) match(kind, was, is string) bool {
	other, known := p.lookup(recordedSide, keyOf(kind, was))
	if known {
		return other == is
	}
	if _, taken := p.lookup(answeredSide, keyOf(kind, is)); taken {
		return false
	}
	was, is = strings.Clone(was), strings.Clone(is) // not all of the bodies that they are parts of
	p.to[keyOf(kind, was)], p.from[keyOf(kind, is)] = is, was
	return true
}
