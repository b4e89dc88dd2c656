package history

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"slices"
	"time"

	"svc.example/understudy/contract/internal/facts"
)

// store holds the exchanges of a recording until all of them are known: the first ones in memory, the others in a file,
// from which several readers can read each at any time.
type store struct {
	limit     int // exchanges in memory
	exchanges []*facts.Exchange
	rows      int // bytes of the objects in them
	file      *os.File
	out       *bufio.Writer
	size      int64
	room      []byte          // for one that is encoded
	unordered map[string]bool // files
	ahead     map[string]time.Duration
}

// maxInMemory is the number of exchanges that a store holds in memory, some five megabytes.
const maxInMemory = 5_000

// put stores an exchange, and returns where it is. It encodes the exchange if it is not given in that form.
func (s *store) put(e *facts.Exchange, encoded []byte) (at frame, err error) {
	const row = 1 << 10 // bytes that count as one exchange
	s.rows += e.LengthOfRows()
	if s.file == nil && len(s.exchanges)+s.rows/row < cmp.Or(s.limit, maxInMemory) {
		e.Shift(-s.ahead[e.File])
		s.exchanges = append(s.exchanges, e)
		return frame{offset: -int64(len(s.exchanges))}, nil
	}
	if s.file == nil {
		if s.file, err = createScratch("facts"); err != nil {
			return frame{}, err
		}
		s.out = bufio.NewWriterSize(s.file, 1<<16)
	}
	if encoded == nil {
		s.room = facts.Append(s.room[:0], e)
		encoded = s.room
	}
	at = frame{s.size, int32(len(encoded))}
	s.size += int64(at.length)
	_, err = s.out.Write(encoded)
	return at, err
}

// flush lets readers see all that was put.
func (s *store) flush() error {
	if s.out == nil {
		return nil
	}
	return s.out.Flush()
}

// close removes the file.
func (s *store) close() error { return removeScratch(s.file) }

// mark marks the exchanges of files that are not in order of time, and corrects times by how far their clocks are
// ahead.
func (s *store) mark(unordered map[string]bool, ahead map[string]time.Duration) {
	for _, e := range s.exchanges {
		e.Unordered = unordered[e.File]
		e.Shift(s.ahead[e.File] - ahead[e.File])
	}
	s.unordered, s.ahead = unordered, ahead
}

// reader reads exchanges of a store. It is used by one goroutine.
type reader struct {
	store   *store
	copies  *copies // where entries have copies
	room    []byte
	decoder *facts.Decoder
}

// reader returns a reader of the exchanges, with the copies that entries refer to, or nil.
func (s *store) reader(copies *copies) *reader {
	return &reader{store: s, copies: copies, decoder: facts.NewDecoder()}
}

// frame says where an exchange is in a store.
type frame struct {
	offset int64 // in the file; below 0 for the exchanges in memory
	length int32
}

// get returns an exchange.
func (r *reader) get(x *entry) (*facts.Exchange, error) {
	file := r.store.file
	if x.isCopied {
		file = r.copies.file
	}
	return r.read(file, x.frame, x.at)
}

// at returns an exchange without its site.
func (r *reader) at(x frame) (*facts.Exchange, error) { return r.read(r.store.file, x, 0) }

func (r *reader) read(file *os.File, x frame, at int32) (*facts.Exchange, error) {
	if x.offset < 0 {
		return r.store.exchanges[-x.offset-1], nil
	}
	text, err := r.text(file, x)
	if err != nil {
		return nil, err
	}
	e, err := r.decoder.Decode(text)
	if err != nil {
		return nil, fmt.Errorf("read the exchanges again: %w", err)
	}
	e.At, e.Unordered = int(at), r.store.unordered[e.File]
	e.Shift(-r.store.ahead[e.File])
	return e, nil
}

// text returns an exchange as it is encoded, until the next one is read.
func (r *reader) text(file *os.File, x frame) ([]byte, error) {
	if int(x.length) > cap(r.room) {
		r.room = make([]byte, max(int(x.length), 4<<10))
	}
	text := r.room[:x.length]
	if _, err := file.ReadAt(text, x.offset); err != nil {
		return nil, fmt.Errorf("read the exchanges again: %w", err)
	}
	return text, nil
}

// copies holds exchanges once more, those of a run of entries beside each other, so that whoever goes through runs side
// by side reads each place of the disk once.
type copies struct {
	in   *reader
	file *os.File
	size int64
}

// take copies the exchanges of entries, unless they are beside each other already, and has the entries refer to the
// copies.
func (c *copies) take(entries []entry) (err error) {
	if slices.IsSortedFunc(entries, func(a, b entry) int { return cmp.Compare(a.offset, b.offset) }) {
		return nil
	}
	if c.file == nil {
		if c.file, err = createScratch("lanes"); err != nil {
			return err
		}
	}
	out := bufio.NewWriterSize(c.file, 1<<16)
	for i := range entries {
		x := &entries[i]
		if x.offset < 0 {
			continue
		}
		text, err := c.in.text(c.in.store.file, x.frame)
		if err != nil {
			return err
		}
		_, _ = out.Write(text) // Flush returns its error
		x.offset, x.isCopied = c.size, true
		c.size += int64(x.length)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("keep the exchanges: %w", err)
	}
	return nil
}

// close removes the file.
func (c *copies) close() error { return removeScratch(c.file) }
