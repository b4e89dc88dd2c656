package history

import (
	"cmp"
	"encoding/binary"
	"iter"
)

// link is a statement that two callers at a site are of one account, with the first exchanges that show it, or that
// they are not.
type link struct {
	at      int32
	a, b    uint64 // callers, the lesser one first
	count   int8   // of the exchanges that show it; 0 for one against
	shownBy [2]shower
}

// shower is an exchange that shows something.
type shower struct {
	number int64
	frame
}

// linkOf returns the link of two callers without exchanges.
func linkOf(x, y member) link {
	return link{at: x.at, a: min(x.caller, y.caller), b: max(x.caller, y.caller)}
}

func (l *link) first() member  { return member{l.at, l.a} }
func (l *link) second() member { return member{l.at, l.b} }

func (l *link) isAgainst() bool { return l.count == 0 }

// exchanges returns those that show it.
func (l *link) exchanges() []shower { return l.shownBy[:l.count] }

func (l *link) isOfSamePair(other *link) bool {
	return l.at == other.at && l.a == other.a && l.b == other.b
}

// compare is the order of pairs, with links against first, and those that were shown first before others.
func (l *link) compare(other *link) int {
	return cmp.Or(cmp.Compare(l.at, other.at), cmp.Compare(l.a, other.a), cmp.Compare(l.b, other.b),
		cmp.Compare(min(l.count, 1), min(other.count, 1)),
		cmp.Compare(l.shownBy[0].number, other.shownBy[0].number),
		cmp.Compare(l.shownBy[1].number, other.shownBy[1].number))
}

func (l *link) append(b []byte) []byte {
	le := binary.LittleEndian
	b = append(b, byte(l.count))
	b = le.AppendUint64(le.AppendUint64(le.AppendUint32(b, uint32(l.at)), l.a), l.b)
	for _, x := range l.shownBy {
		b = le.AppendUint64(le.AppendUint64(b, uint64(x.number)), uint64(x.offset))
		b = le.AppendUint32(b, uint32(x.length))
	}
	return b
}

func (l *link) read(b []byte) {
	le := binary.LittleEndian
	*l = link{count: int8(b[0]), at: int32(le.Uint32(b[1:])), a: le.Uint64(b[5:]), b: le.Uint64(b[13:])}
	for i := range l.shownBy {
		x := b[21+20*i:]
		l.shownBy[i] = shower{int64(le.Uint64(x)), frame{int64(le.Uint64(x[8:])), int32(le.Uint32(x[16:]))}}
	}
}

// links holds the links of a recording, but for those that say no more than one that came shortly before.
type links struct {
	sorter[link, *link]
	recent map[linkKey]int64 // the lowest number of an exchange that shows it
}

type linkKey struct {
	at        int32
	a, b      uint64
	isAgainst bool
}

// put takes that exchanges, the last one first, show two callers to be of one account, or, without any, that they are
// not.
func (s *links) put(x, y member, shownBy ...shower) error {
	if x == y || x.caller == 0 || y.caller == 0 {
		return nil
	}
	l := linkOf(x, y)
	l.count = int8(copy(l.shownBy[:], shownBy))
	key := linkKey{l.at, l.a, l.b, l.isAgainst()}
	if number, isKnown := s.recent[key]; isKnown && number <= l.shownBy[0].number {
		return nil
	}
	if s.recent == nil || len(s.recent) >= maxRecent {
		s.recent = map[linkKey]int64{}
	}
	s.recent[key] = l.shownBy[0].number
	return s.sorter.put(l)
}

// pairs yields the first link of each pair, which is against if there is one.
func (s *links) pairs() iter.Seq2[*link, error] {
	return func(yield func(*link, error) bool) {
		var last link
		for l, err := range s.all() {
			if err == nil && l.isOfSamePair(&last) {
				continue
			}
			if !yield(l, err) || err != nil {
				return
			}
			last = *l
		}
	}
}

// showing returns the first link that shows two callers to be of one account, if there is one. The links must have been
// settled.
func (s *links) showing(x, y member) (link, bool, error) {
	wanted := linkOf(x, y)
	wanted.count = 1
	l, isFound, err := s.find(&wanted)
	return l, isFound && x.at == y.at && l.isOfSamePair(&wanted), err
}
