package history

import (
	"bufio"
	"cmp"
	"fmt"
	"os"

	"svc.example/understudy/contract/internal/facts"
)

// store holds the exchanges of a recording until all of them are known: the first ones in memory, the others in a file,
// from which several readers can read each at any time.
type store struct {
	limit     int // exchanges in memory
	exchanges []*facts.Exchange
	file      *os.File
	out       *bufio.Writer
	size      int64
	encoder   *facts.Encoder
	unordered map[string]bool // files
}

// maxInMemory is the number of exchanges that a store holds in memory, some five megabytes.
const maxInMemory = 5_000

// put stores an exchange, and returns where it is.
func (s *store) put(e *facts.Exchange) (offset int64, length int32, err error) {
	if s.file == nil && len(s.exchanges) < cmp.Or(s.limit, maxInMemory) {
		s.exchanges = append(s.exchanges, e)
		return -int64(len(s.exchanges)), 0, nil
	}
	if s.file == nil {
		if s.file, err = createScratch("facts"); err != nil {
			return 0, 0, err
		}
		s.out, s.encoder = bufio.NewWriterSize(s.file, 1<<16), facts.NewEncoder()
	}
	text, err := s.encoder.Encode(e)
	if err != nil {
		return 0, 0, fmt.Errorf("keep the exchanges: %w", err)
	}
	offset, length = s.size, int32(len(text))
	s.size += int64(length)
	_, err = s.out.Write(text)
	return offset, length, err
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

// markUnordered marks the exchanges of files that are not in order of time.
func (s *store) markUnordered(files map[string]bool) {
	s.unordered = files
	for _, e := range s.exchanges {
		e.Unordered = files[e.File]
	}
}

// reader reads exchanges of a store. It is used by one goroutine.
type reader struct {
	store   *store
	room    []byte
	decoder *facts.Decoder
}

func (s *store) reader() *reader { return &reader{store: s, decoder: facts.NewDecoder()} }

// frame says where an exchange is in a store.
type frame struct {
	offset int64 // in the file; below 0 for the exchanges in memory
	length int32
}

// get returns an exchange.
func (r *reader) get(x *entry) (*facts.Exchange, error) { return r.at(frame{x.offset, x.length}) }

func (r *reader) at(x frame) (*facts.Exchange, error) {
	if x.offset < 0 {
		return r.store.exchanges[-x.offset-1], nil
	}
	if int(x.length) > cap(r.room) {
		r.room = make([]byte, max(int(x.length), 4<<10))
	}
	text := r.room[:x.length]
	if _, err := r.store.file.ReadAt(text, x.offset); err != nil {
		return nil, fmt.Errorf("read the exchanges again: %w", err)
	}
	e, err := r.decoder.Decode(text)
	if err != nil {
		return nil, fmt.Errorf("read the exchanges again: %w", err)
	}
	e.Unordered = r.store.unordered[e.File]
	return e, nil
}
