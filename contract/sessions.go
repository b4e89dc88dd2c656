package contract

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"

	"github.com/vmihailenco/msgpack/v5"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/compare"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/internal/spill"
	"svc.example/understudy/specs/recording"
)

// sessions holds the exchanges of a recording, by world and installation, until it is known in which order they began:
// the first ones in memory, the others on the disk.
type sessions struct {
	judge *judge.Judge // that knows whose they are
	order []*session
	first []*judge.Result // in memory
	size  int             // bytes of these, about
	disk  spill.File
	room  []byte
}

// maxSessionBytes bounds the exchanges in memory.
const maxSessionBytes = 8 << 20

// session holds the exchanges of one world at one installation.
type session struct {
	world, site string
	keys        compare.Keys
	count       int
	begun       spill.Sorter[beginning, *beginning]
}

func (s *sessions) put(r *judge.Result) (err error) {
	var to *session
	for _, known := range s.order {
		if known.world == r.Owner.World && known.site == r.Owner.Site {
			to = known
		}
	}
	if to == nil {
		to = &session{world: r.Owner.World, site: r.Owner.Site}
		s.order = append(s.order, to)
	}
	to.count++
	to.keys.See(r)
	at := beginning{second: r.Item.Start.Unix(), nano: int32(r.Item.Start.Nanosecond()), number: int64(r.Item.Number)}
	const bare = 2 << 10 // of an exchange without bodies
	if s.size += bare + lengthOf(r.Item.Request.Body); r.Item.Response != nil {
		s.size += lengthOf(r.Item.Response.Body)
	}
	if s.disk.IsEmpty() && s.size < maxSessionBytes {
		s.first = append(s.first, r)
		at.Offset = -int64(len(s.first))
		return to.begun.Put(at)
	}
	text, err := msgpack.Marshal(&r.Item)
	if err != nil {
		return fmt.Errorf("keep exchange %d on the disk: %w", r.Item.Number, err)
	}
	if at.Frame, err = s.disk.Append(text); err != nil {
		return err
	}
	return to.begun.Put(at)
}

// exchanges yields those of a session in the order in which they began.
func (s *sessions) exchanges(of *session) iter.Seq2[*judge.Result, error] {
	return func(yield func(*judge.Result, error) bool) {
		for at, err := range of.begun.All() {
			var r *judge.Result
			if err == nil {
				r, err = s.read(at)
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}

func (s *sessions) read(at *beginning) (r *judge.Result, err error) {
	if at.Offset < 0 {
		return s.first[-at.Offset-1], nil
	}
	if s.room, err = s.disk.Read(at.Frame, s.room); err != nil {
		return nil, err
	}
	var item record.Item
	if err := msgpack.Unmarshal(s.room, &item); err != nil {
		return nil, fmt.Errorf("read exchange %d again: %w", at.number, err)
	}
	item.Start, item.End = item.Start.UTC(), item.End.UTC()
	return s.judge.Match(item), nil
}

func (s *sessions) close() error {
	err := s.disk.Close()
	for _, one := range s.order {
		err = errors.Join(err, one.begun.Close())
	}
	return err
}

// beginning says when an exchange began, and where it is: below 0 for those in memory.
type beginning struct {
	second int64
	nano   int32
	number int64
	spill.Frame
}

// Compare is the order in which exchanges began, and else that of the recording.
func (b *beginning) Compare(other *beginning) int {
	return cmp.Or(cmp.Compare(b.second, other.second), cmp.Compare(b.nano, other.nano),
		cmp.Compare(b.number, other.number))
}

// Append writes the beginning as a row.
func (b *beginning) Append(to []byte) []byte {
	for _, n := range []int64{b.second, b.number, b.Offset} {
		to = binary.LittleEndian.AppendUint64(to, uint64(n))
	}
	return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(to, uint32(b.nano)), uint32(b.Length))
}

// Read reads what Append writes.
func (b *beginning) Read(from []byte) {
	le := binary.LittleEndian
	*b = beginning{
		second: int64(le.Uint64(from)), number: int64(le.Uint64(from[8:])), nano: int32(le.Uint32(from[24:])),
		Frame: spill.Frame{Offset: int64(le.Uint64(from[16:])), Length: int32(le.Uint32(from[28:]))},
	}
}

func lengthOf(b *recording.Body) int {
	if b == nil {
		return 0
	}
	return len(b.Bytes)
}
