package history

import (
	"cmp"
	"encoding/binary"
	"time"

	"svc.example/understudy/contract/internal/facts"
)

// entry refers to an exchange in a store, with what it takes to put it in its place.
type entry struct {
	key    uint64 // by which exchanges are grouped; 0 where they are not
	second int64  // of its beginning
	nano   int32
	number int64
	at     int32 // its site
	file   int32
	caller uint64
	digest uint64
	forget bool

	frame
	isCopied bool // the frame is that of a copy, beside others of the same lane
}

// entries puts entries in order.
type entries = sorter[entry, *entry]

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

// compare is the order in which exchanges began, and else that of the recording, within each group.
func (e *entry) compare(other *entry) int {
	return cmp.Or(cmp.Compare(e.key, other.key), cmp.Compare(e.second, other.second), cmp.Compare(e.nano, other.nano),
		cmp.Compare(e.number, other.number))
}

func (e *entry) append(b []byte) []byte {
	le := binary.LittleEndian
	for _, n := range []uint64{e.key, uint64(e.second), uint64(e.number), e.caller, e.digest, uint64(e.offset)} {
		b = le.AppendUint64(b, n)
	}
	for _, n := range []int32{e.nano, e.at, e.file, e.length} {
		b = le.AppendUint32(b, uint32(n))
	}
	var flags byte
	if e.forget {
		flags |= 1
	}
	if e.isCopied {
		flags |= 2
	}
	return append(b, flags)
}

func (e *entry) read(b []byte) {
	le := binary.LittleEndian
	long := func(i int) uint64 { return le.Uint64(b[8*i:]) }
	short := func(i int) int32 { return int32(le.Uint32(b[48+4*i:])) }
	*e = entry{
		key: long(0), second: int64(long(1)), number: int64(long(2)), caller: long(3), digest: long(4),
		frame: frame{int64(long(5)), short(3)}, nano: short(0), at: short(1), file: short(2),
		forget: b[64]&1 != 0, isCopied: b[64]&2 != 0,
	}
}
