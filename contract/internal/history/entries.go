package history

import (
	"bufio"
	"cmp"
	"container/heap"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
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

	offset int64 // in the file; below 0 for the exchanges in memory
	length int32
}

// entrySize is the number of bytes of an entry on disk.
const entrySize = 65

func newEntry(e *facts.Exchange) entry {
	return entry{
		second: e.Start.Unix(), nano: int32(e.Start.Nanosecond()), number: int64(e.Number), at: int32(e.At),
		caller: e.Caller, digest: e.Digest, forget: e.Forget,
	}
}

// hasTime reports whether the recording shows when the exchange began.
func (e *entry) hasTime() bool { return e.second != time.Time{}.Unix() || e.nano != 0 }

// member returns the caller.
func (e *entry) member() member { return member{int(e.at), e.caller} }

// compareEntries is the order in which exchanges began, and else that of the recording, within each group.
func compareEntries(a, b *entry) int {
	return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.second, b.second), cmp.Compare(a.nano, b.nano),
		cmp.Compare(a.number, b.number))
}

func (e *entry) append(b []byte) []byte {
	le := binary.LittleEndian
	for _, n := range []uint64{e.key, uint64(e.second), uint64(e.number), e.caller, e.digest, uint64(e.offset)} {
		b = le.AppendUint64(b, n)
	}
	for _, n := range []int32{e.nano, e.at, e.file, e.length} {
		b = le.AppendUint32(b, uint32(n))
	}
	if e.forget {
		return append(b, 1)
	}
	return append(b, 0)
}

func (e *entry) read(b []byte) {
	le := binary.LittleEndian
	long := func(i int) uint64 { return le.Uint64(b[8*i:]) }
	short := func(i int) int32 { return int32(le.Uint32(b[48+4*i:])) }
	*e = entry{
		key: long(0), second: int64(long(1)), number: int64(long(2)), caller: long(3), digest: long(4),
		offset: int64(long(5)), nano: short(0), at: short(1), file: short(2), length: short(3), forget: b[64] != 0,
	}
}

// sorter puts entries in order. What is more than fits in memory waits in a file, in runs that are in order already.
type sorter struct {
	limit   int // entries in memory
	entries []entry
	file    *os.File
	runs    int // in the file, of limit entries each
}

// maxEntries is the number of entries that a sorter holds in memory, some twenty megabytes.
const maxEntries = 250_000

func (s *sorter) put(e entry) error {
	s.entries = append(s.entries, e)
	if s.limit = cmp.Or(s.limit, maxEntries); len(s.entries) < s.limit {
		return nil
	}
	return s.spill()
}

// spill moves the entries in memory to the file.
func (s *sorter) spill() (err error) {
	if s.file == nil {
		if s.file, err = os.CreateTemp("", "understudy-order-*"); err != nil {
			return fmt.Errorf("order the exchanges: %w", err)
		}
	}
	s.sort()
	out, room := bufio.NewWriterSize(s.file, 1<<16), make([]byte, 0, entrySize)
	for i := range s.entries {
		_, _ = out.Write(s.entries[i].append(room)) // Flush returns its error
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("order the exchanges: %w", err)
	}
	s.runs++
	s.entries = s.entries[:0]
	return nil
}

func (s *sorter) sort() {
	slices.SortFunc(s.entries, func(a, b entry) int { return compareEntries(&a, &b) })
}

// close removes the file.
func (s *sorter) close() error { return remove(s.file) }

func remove(file *os.File) error {
	if file == nil {
		return nil
	}
	return errors.Join(file.Close(), os.Remove(file.Name()))
}

// all yields the entries in order.
func (s *sorter) all() iter.Seq2[*entry, error] {
	return func(yield func(*entry, error) bool) {
		s.sort()
		merged := &merge{&memoryRun{rest: s.entries}}
		size := int64(s.limit) * entrySize
		for i := range s.runs {
			in := bufio.NewReaderSize(io.NewSectionReader(s.file, int64(i)*size, size), 1<<15)
			*merged = append(*merged, &diskRun{in: in})
		}
		merged.yield(yield)
	}
}

// run is a sequence of entries in order.
type run interface {
	head() *entry // the first one that was not taken yet
	next() error  // goes on to the next one; io.EOF behind the last
}

type memoryRun struct {
	rest    []entry
	isBegun bool
}

func (r *memoryRun) head() *entry { return &r.rest[0] }

func (r *memoryRun) next() error {
	if r.isBegun {
		r.rest = r.rest[1:]
	}
	if r.isBegun = true; len(r.rest) == 0 {
		return io.EOF
	}
	return nil
}

type diskRun struct {
	in    *bufio.Reader
	first entry
	room  [entrySize]byte
}

func (r *diskRun) head() *entry { return &r.first }

func (r *diskRun) next() error {
	if _, err := io.ReadFull(r.in, r.room[:]); err != nil {
		return err
	}
	r.first.read(r.room[:])
	return nil
}

// merge is a heap of runs.
type merge []run

func (m merge) Len() int           { return len(m) }
func (m merge) Less(i, j int) bool { return compareEntries(m[i].head(), m[j].head()) < 0 }
func (m merge) Swap(i, j int)      { m[i], m[j] = m[j], m[i] }
func (m *merge) Push(x any)        { *m = append(*m, x.(run)) }
func (m *merge) Pop() any {
	last := (*m)[len(*m)-1]
	*m = (*m)[:len(*m)-1]
	return last
}

// yield takes the first head again and again. It is valid until the next one is taken.
func (m *merge) yield(yield func(*entry, error) bool) {
	begun := (*m)[:0]
	for _, r := range *m {
		err := r.next()
		if err == nil {
			begun = append(begun, r)
		} else if !errors.Is(err, io.EOF) {
			yield(nil, err)
			return
		}
	}
	*m = begun
	heap.Init(m)
	for m.Len() > 0 {
		first := (*m)[0]
		if !yield(first.head(), nil) {
			return
		}
		switch err := first.next(); {
		case err == nil:
			heap.Fix(m, 0)
		case errors.Is(err, io.EOF):
			heap.Pop(m)
		default:
			yield(nil, err)
			return
		}
	}
}
