package history

import (
	"bufio"
	"cmp"
	"container/heap"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"

	"svc.example/understudy/contract/internal/facts"
)

// spool holds the exchanges of a recording until all of them are known, and yields them in the order in which they
// began. What is more than fits in memory waits in a file, in runs that are in order already.
type spool struct {
	limit     int // exchanges in memory
	exchanges []*facts.Exchange
	file      *os.File
	ends      []int64 // of the runs in the file
}

// maxInMemory is the number of exchanges that a spool holds in memory, some twenty megabytes.
const maxInMemory = 20_000

// byTime is the order in which exchanges began, and else that of the recording.
func byTime(a, b *facts.Exchange) int {
	return cmp.Or(a.Start.Compare(b.Start), cmp.Compare(a.Number, b.Number))
}

func (s *spool) put(e *facts.Exchange) error {
	s.exchanges = append(s.exchanges, e)
	if len(s.exchanges) < cmp.Or(s.limit, maxInMemory) {
		return nil
	}
	return s.spill()
}

// spill moves the exchanges in memory to the file.
func (s *spool) spill() (err error) {
	if s.file == nil {
		if s.file, err = os.CreateTemp("", "understudy-events-*"); err != nil {
			return fmt.Errorf("order the exchanges: %w", err)
		}
	}
	slices.SortFunc(s.exchanges, byTime)
	out := bufio.NewWriter(s.file)
	encoder := gob.NewEncoder(out)
	for _, e := range s.exchanges {
		if err := encoder.Encode(e); err != nil {
			return fmt.Errorf("order the exchanges: %w", err)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("order the exchanges: %w", err)
	}
	end, err := s.file.Seek(0, io.SeekCurrent)
	s.ends, s.exchanges = append(s.ends, end), s.exchanges[:0]
	return err
}

// close removes the file.
func (s *spool) close() error {
	if s.file == nil {
		return nil
	}
	return errors.Join(s.file.Close(), os.Remove(s.file.Name()))
}

// all yields the exchanges in order.
func (s *spool) all() iter.Seq2[*facts.Exchange, error] {
	return func(yield func(*facts.Exchange, error) bool) {
		slices.SortFunc(s.exchanges, byTime)
		rest := s.exchanges
		runs := &merge{{next: func() (*facts.Exchange, error) {
			if len(rest) == 0 {
				return nil, io.EOF
			}
			e := rest[0]
			rest = rest[1:]
			return e, nil
		}}}
		begin, texts := int64(0), sharedTexts{}
		for _, end := range s.ends {
			decoder := gob.NewDecoder(bufio.NewReader(io.NewSectionReader(s.file, begin, end-begin)))
			*runs = append(*runs, run{next: func() (*facts.Exchange, error) {
				e := &facts.Exchange{}
				err := decoder.Decode(e)
				texts.shareAll(e)
				return e, err
			}})
			begin = end
		}
		runs.yield(yield)
	}
}

// sharedTexts holds texts that many exchanges have, once: what is read from the file has its own copy of each.
type sharedTexts map[string]string

const maxSharedTexts = 10_000

func (s sharedTexts) shareAll(e *facts.Exchange) {
	for _, text := range []*string{
		&e.File, &e.World, &e.Address, &e.Operation, &e.Method, &e.Account, &e.Line.File, &e.Line.Method,
	} {
		*text = s.share(*text)
	}
}

func (s sharedTexts) share(text string) string {
	known, isKnown := s[text]
	if !isKnown {
		if len(s) >= maxSharedTexts {
			clear(s)
		}
		s[text], known = text, text
	}
	return known
}

// run is a sequence of exchanges in order, with the first that was not taken yet.
type run struct {
	head *facts.Exchange
	next func() (*facts.Exchange, error)
}

// merge is a heap of runs.
type merge []run

func (m merge) Len() int           { return len(m) }
func (m merge) Less(i, j int) bool { return byTime(m[i].head, m[j].head) < 0 }
func (m merge) Swap(i, j int)      { m[i], m[j] = m[j], m[i] }
func (m *merge) Push(x any)        { *m = append(*m, x.(run)) }
func (m *merge) Pop() any {
	last := (*m)[len(*m)-1]
	*m = (*m)[:len(*m)-1]
	return last
}

// yield takes the earliest head again and again.
func (m *merge) yield(yield func(*facts.Exchange, error) bool) {
	begun := (*m)[:0]
	for _, r := range *m {
		var err error
		if r.head, err = r.next(); err == nil {
			begun = append(begun, r)
		} else if !errors.Is(err, io.EOF) {
			yield(nil, err)
			return
		}
	}
	*m = begun
	heap.Init(m)
	for m.Len() > 0 {
		first := &(*m)[0]
		e := first.head
		var err error
		if first.head, err = first.next(); err == nil {
			heap.Fix(m, 0)
		} else {
			heap.Pop(m)
		}
		if err != nil && !errors.Is(err, io.EOF) {
			yield(nil, err)
			return
		}
		if !yield(e, nil) {
			return
		}
	}
}
