package spill

import (
	"bufio"
	"cmp"
	"container/heap"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"sort"
)

// Sorter puts rows in order. What is more than fits in memory waits in a file, in runs that are in order already.
type Sorter[T any, P row[T]] struct {
	Limit int // rows in memory, 50,000 if it is 0
	rows  []T
	file  *os.File
	runs  []int // rows of each in the file
}

// row is of a fixed size on disk.
type row[T any] interface {
	*T
	Append(b []byte) []byte
	Read(b []byte)
	Compare(other *T) int
}

// maxRows is the number of rows that a Sorter holds in memory, some four megabytes.
const maxRows = 50_000

// Put takes a row.
func (s *Sorter[T, P]) Put(one T) error {
	if len(s.rows) == cap(s.rows) { // by more than append grows, which would copy each row several times
		s.rows = slices.Grow(s.rows, 3*len(s.rows)+1)
	}
	s.rows = append(s.rows, one)
	if s.Limit = cmp.Or(s.Limit, maxRows); len(s.rows) < s.Limit {
		return nil
	}
	return s.spill()
}

// spill moves the rows in memory to the file.
func (s *Sorter[T, P]) spill() (err error) {
	if s.file == nil {
		if s.file, err = createScratch("order"); err != nil {
			return err
		}
	}
	s.sort()
	n, err := write[T, P](s.file, (&merge[T, P]{&memoryRun[T]{rest: s.rows}}).yield)
	s.runs, s.rows = append(s.runs, n), s.rows[:0]
	return err
}

// write writes rows at the end of a file, and returns how many they are.
func write[T any, P row[T]](file *os.File, rows iter.Seq2[*T, error]) (n int, err error) {
	out, room := bufio.NewWriterSize(file, 1<<16), []byte(nil)
	for one, err := range rows {
		if err != nil {
			return n, err
		}
		room = P(one).Append(room[:0])
		_, _ = out.Write(room) // Flush returns its error
		n++
	}
	if err := out.Flush(); err != nil {
		return n, fmt.Errorf("order the exchanges: %w", err)
	}
	return n, nil
}

// width returns the number of bytes of a row on disk.
func width[T any, P row[T]]() int { return len(P(new(T)).Append(nil)) }

func (s *Sorter[T, P]) sort() { sort.Sort(inPlace[T, P](s.rows)) }

// inPlace is rows that are compared where they are.
type inPlace[T any, P row[T]] []T

func (s inPlace[T, P]) Len() int           { return len(s) }
func (s inPlace[T, P]) Less(i, j int) bool { return P(&s[i]).Compare(&s[j]) < 0 }
func (s inPlace[T, P]) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }

// Close removes the file.
func (s *Sorter[T, P]) Close() error { return removeScratch(s.file) }

// All yields the rows in order. Each is valid until the next one is asked for.
func (s *Sorter[T, P]) All() iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		s.sort()
		merged := &merge[T, P]{&memoryRun[T]{rest: s.rows}}
		begin, width := int64(0), width[T, P]()
		for _, rows := range s.runs {
			size := int64(rows) * int64(width)
			in := bufio.NewReaderSize(io.NewSectionReader(s.file, begin, size), 1<<14)
			*merged = append(*merged, &diskRun[T, P]{in: in, room: make([]byte, width)})
			begin += size
		}
		merged.yield(yield)
	}
}

// run is a sequence of rows in order.
type run[T any] interface {
	head() *T    // the first one that was not taken yet
	next() error // goes on to the next one; io.EOF behind the last
}

type memoryRun[T any] struct {
	rest    []T
	isBegun bool
}

func (r *memoryRun[T]) head() *T { return &r.rest[0] }

func (r *memoryRun[T]) next() error {
	if r.isBegun {
		r.rest = r.rest[1:]
	}
	if r.isBegun = true; len(r.rest) == 0 {
		return io.EOF
	}
	return nil
}

type diskRun[T any, P row[T]] struct {
	in    *bufio.Reader
	first T
	room  []byte
}

func (r *diskRun[T, P]) head() *T { return &r.first }

func (r *diskRun[T, P]) next() error {
	if _, err := io.ReadFull(r.in, r.room); err != nil {
		return err
	}
	P(&r.first).Read(r.room)
	return nil
}

// merge is a heap of runs.
type merge[T any, P row[T]] []run[T]

func (m merge[T, P]) Len() int           { return len(m) }
func (m merge[T, P]) Less(i, j int) bool { return P(m[i].head()).Compare(m[j].head()) < 0 }
func (m merge[T, P]) Swap(i, j int)      { m[i], m[j] = m[j], m[i] }
func (m *merge[T, P]) Push(x any)        { *m = append(*m, x.(run[T])) }
func (m *merge[T, P]) Pop() any {
	last := (*m)[len(*m)-1]
	*m = (*m)[:len(*m)-1]
	return last
}

// yield takes the first head again and again. It is valid until the next one is taken.
func (m *merge[T, P]) yield(yield func(*T, error) bool) {
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
