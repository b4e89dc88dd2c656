package history

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"time"

	"svc.example/understudy/contract/internal/facts"
	"svc.example/understudy/contract/internal/spill"
)

// store holds the exchanges of a recording until all of them are known: the first ones in memory, the others in a file,
// from which several readers can read each at any time.
type store struct {
	limit     int // exchanges in memory
	exchanges []*facts.Exchange
	shifts    []time.Duration // by which the times of these were corrected
	rows      int             // bytes of the objects in them
	disk      spill.File
	room      []byte          // for one that is encoded
	unordered map[string]bool // files
	clock     corrections
}

// maxInMemory is the number of exchanges that a store holds in memory, some five megabytes.
const maxInMemory = 5_000

// put stores a copy of an exchange, and returns where it is. It encodes it if it is not given in that form.
func (s *store) put(e *facts.Exchange, encoded []byte) (at frame, err error) {
	const row = 1 << 10 // bytes that count as one exchange
	s.rows += e.LengthOfRows()
	if s.disk.IsEmpty() && len(s.exchanges)+s.rows/row < cmp.Or(s.limit, maxInMemory) {
		kept := *e
		by, doubt := s.clock.of(e)
		kept.Shift(-by)
		kept.Doubt = doubt
		s.exchanges, s.shifts = append(s.exchanges, &kept), append(s.shifts, by)
		return frame{Offset: -int64(len(s.exchanges))}, nil
	}
	if encoded == nil {
		s.room = facts.Append(s.room[:0], e)
		encoded = s.room
	}
	return s.disk.Append(encoded)
}

// mark marks the exchanges of files that are not in order of time, and corrects times.
func (s *store) mark(unordered map[string]bool, clock corrections) {
	for i, e := range s.exchanges {
		e.Unordered = unordered[e.File]
		e.Shift(s.shifts[i])
		s.shifts[i], e.Doubt = clock.of(e)
		e.Shift(-s.shifts[i])
	}
	s.unordered, s.clock = unordered, clock
}

// reader reads exchanges of a store. It is used by one goroutine.
type reader struct {
	store   *store
	room    []byte
	decoder *facts.Decoder
}

// reader returns a reader of the exchanges.
func (s *store) reader() *reader { return &reader{store: s, decoder: facts.NewDecoder()} }

// frame says where an exchange is in a store: below 0 for the exchanges in memory.
type frame = spill.Frame

// get returns an exchange.
func (r *reader) get(x *entry) (*facts.Exchange, error) { return r.read(x.frame, x.at) }

// at returns an exchange without its instance.
func (r *reader) at(x frame) (*facts.Exchange, error) { return r.read(x, 0) }

func (r *reader) read(x frame, at int32) (*facts.Exchange, error) {
	if x.Offset < 0 {
		return r.store.exchanges[-x.Offset-1], nil
	}
	text, err := r.store.disk.Read(x, r.room)
	if err != nil {
		return nil, err
	}
	r.room = text
	e, err := r.decoder.Decode(text)
	if err != nil {
		return nil, fmt.Errorf("read the exchanges again: %w", err)
	}
	e.At, e.Unordered = int(at), r.store.unordered[e.File]
	by, doubt := r.store.clock.of(e)
	e.Shift(-by)
	e.Doubt = doubt
	return e, nil
}

// entry refers to an exchange in a store, with what it takes to put it in its place.
type entry struct {
	key    uint64 // by which exchanges are grouped; 0 where they are not
	second int64  // of its beginning
	nano   int32
	number int64
	at     int32 // its instance
	file   int32
	caller uint64
	digest uint64
	forget bool

	frame
}

// entries puts entries in order.
type entries = spill.Sorter[entry, *entry]

func newEntry(e *facts.Exchange) entry {
	return entry{
		second: e.Start.Unix(), nano: int32(e.Start.Nanosecond()), number: int64(e.Number), at: int32(e.At),
		caller: e.Caller, digest: e.Digest, forget: e.Forget,
	}
}

// hasTime reports whether the recording shows when the exchange began.
func (e *entry) hasTime() bool { return e.second != time.Time{}.Unix() || e.nano != 0 }

// member returns the caller.
func (e *entry) member() member { return member{e.at, e.caller} }

// Compare is the order in which exchanges began, and else that of the recording, within each group.
func (e *entry) Compare(other *entry) int {
	return cmp.Or(cmp.Compare(e.key, other.key), cmp.Compare(e.second, other.second), cmp.Compare(e.nano, other.nano),
		cmp.Compare(e.number, other.number))
}

// Append writes the entry as a row.
func (e *entry) Append(b []byte) []byte {
	le := binary.LittleEndian
	for _, n := range []uint64{e.key, uint64(e.second), uint64(e.number), e.caller, e.digest, uint64(e.Offset)} {
		b = le.AppendUint64(b, n)
	}
	for _, n := range []int32{e.nano, e.at, e.file, e.Length} {
		b = le.AppendUint32(b, uint32(n))
	}
	if e.forget {
		return append(b, 1)
	}
	return append(b, 0)
}

// Read reads what Append writes.
func (e *entry) Read(b []byte) {
	le := binary.LittleEndian
	long := func(i int) uint64 { return le.Uint64(b[8*i:]) }
	short := func(i int) int32 { return int32(le.Uint32(b[48+4*i:])) }
	*e = entry{
		key: long(0), second: int64(long(1)), number: int64(long(2)), caller: long(3), digest: long(4),
		frame: frame{Offset: int64(long(5)), Length: short(3)}, nano: short(0), at: short(1), file: short(2),
		forget: b[64] != 0,
	}
}

// Shuffled brings exchanges that come in any order into that of the recording. Many of them wait on disk.
type Shuffled struct {
	store  store
	sorter entries
}

// Put takes an exchange.
func (s *Shuffled) Put(e *facts.Exchange) (err error) {
	x := entry{number: int64(e.Number)}
	if x.frame, err = s.store.put(e, nil); err != nil {
		return err
	}
	return s.sorter.Put(x)
}

// InOrder yields the exchanges in the order of the recording.
func (s *Shuffled) InOrder() iter.Seq2[*facts.Exchange, error] {
	return func(yield func(*facts.Exchange, error) bool) {
		if err := s.store.disk.Flush(); err != nil {
			yield(nil, err)
			return
		}
		in := s.store.reader()
		for x, err := range s.sorter.All() {
			var e *facts.Exchange
			if err == nil {
				e, err = in.get(x)
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// Close removes what waits on the disk.
func (s *Shuffled) Close() error { return errors.Join(s.store.disk.Close(), s.sorter.Close()) }
