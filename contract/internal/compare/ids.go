package compare

// ids hold which ids of the recording correspond to which of the subject.
//
// What an exchange teaches is kept in a layer of its own until it is certain that the exchange was replayed in its
// place.
type ids struct {
	below *ids // nil at the bottom
	to    map[id]string
	from  map[id]string
}

// id is an id, or a secret, of a kind.
type id struct{ kind, text string }

// keyOf returns the key of an id. One that is a UUID is the same thing wherever it stands.
func keyOf(kind, text string) id {
	if uuid.MatchString(text) {
		kind = uuids
	}
	return id{kind, text}
}

// Kinds that no document names.
const (
	uuids   = "uuid"
	secrets = "secret"
)

func newIDs(below *ids) *ids { return &ids{below: below, to: map[id]string{}, from: map[id]string{}} }

func (p *ids) lookup(table func(*ids) map[id]string, key id) (string, bool) {
	for ; p != nil; p = p.below {
		if other, known := table(p)[key]; known {
			return other, true
		}
	}
	return "", false
}

func recorded(p *ids) map[id]string { return p.to }
func answered(p *ids) map[id]string { return p.from }

// translate returns the subject's id for a recorded one, or the same if none is known.
func (p *ids) translate(kind, text string) string {
	if other, known := p.lookup(recorded, keyOf(kind, text)); known {
		return other
	}
	return text
}

// knows reports whether a recorded id has a counterpart.
func (p *ids) knows(kind, text string) bool {
	_, known := p.lookup(recorded, keyOf(kind, text))
	return known
}

// match reports whether two ids correspond. Ids that were not seen before do from now on.
func (p *ids) match(kind, was, is string) bool {
	other, known := p.lookup(recorded, keyOf(kind, was))
	if known {
		return other == is
	}
	if _, taken := p.lookup(answered, keyOf(kind, is)); taken {
		return false
	}
	p.to[keyOf(kind, was)], p.from[keyOf(kind, is)] = is, was
	return true
}
