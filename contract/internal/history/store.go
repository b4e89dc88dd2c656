package history

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"time"

	"svc.example/understudy/contract/internal/facts"
)

// store holds the exchanges of a recording until all of them are known: the first ones in memory, the others in a file,
// from which several readers can read each at any time.
type store struct {
	limit     int // exchanges in memory
	exchanges []*facts.Exchange
	shifts    []time.Duration // by which the times of these were corrected
	rows      int             // bytes of the objects in them
	file      *os.File
	out       *bufio.Writer
	size      int64
	room      []byte          // for one that is encoded
	unordered map[string]bool // files
	clock     corrections
}

// maxInMemory is the number of exchanges that a store holds in memory, some five megabytes.
const maxInMemory = 5_000

// put stores an exchange, and returns where it is. It encodes the exchange if it is not given in that form.
func (s *store) put(e *facts.Exchange, encoded []byte) (at frame, err error) {
	const row = 1 << 10 // bytes that count as one exchange
	s.rows += e.LengthOfRows()
	if s.file == nil && len(s.exchanges)+s.rows/row < cmp.Or(s.limit, maxInMemory) {
		by := s.clock.of(e)
		e.Shift(-by)
		s.exchanges, s.shifts = append(s.exchanges, e), append(s.shifts, by)
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

// mark marks the exchanges of files that are not in order of time, and corrects times.
func (s *store) mark(unordered map[string]bool, clock corrections) {
	for i, e := range s.exchanges {
		e.Unordered = unordered[e.File]
		e.Shift(s.shifts[i])
		s.shifts[i] = clock.of(e)
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

// frame says where an exchange is in a store.
type frame struct {
	offset int64 // in the file; below 0 for the exchanges in memory
	length int32
}

// get returns an exchange.
func (r *reader) get(x *entry) (*facts.Exchange, error) { return r.read(x.frame, x.at) }

// at returns an exchange without its site.
func (r *reader) at(x frame) (*facts.Exchange, error) { return r.read(x, 0) }

func (r *reader) read(x frame, at int32) (*facts.Exchange, error) {
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
	e.At, e.Unordered = int(at), r.store.unordered[e.File]
	e.Shift(-r.store.clock.of(e))
	return e, nil
}

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
		frame: frame{int64(long(5)), short(3)}, nano: short(0), at: short(1), file: short(2),
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
	return s.sorter.put(x)
}

// InOrder yields the exchanges in the order of the recording.
func (s *Shuffled) InOrder() iter.Seq2[*facts.Exchange, error] {
	return func(yield func(*facts.Exchange, error) bool) {
		if err := s.store.flush(); err != nil {
			yield(nil, err)
			return
		}
		in := s.store.reader()
		for x, err := range s.sorter.all() {
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
func (s *Shuffled) Close() error { return errors.Join(s.store.close(), s.sorter.close()) }

// createScratch makes a temporary file. Where the system lets it, the file has no name from the beginning, so that
// nothing of it stays behind whatever ends the process.
func createScratch(purpose string) (*os.File, error) {
	file, err := os.CreateTemp("", "understudy-"+purpose+"-*")
	if err != nil {
		return nil, fmt.Errorf("keep the %s of exchanges on the disk: %w", purpose, err)
	}
	_ = os.Remove(file.Name()) // on Windows, removeScratch does it
	return file, nil
}

func removeScratch(file *os.File) error {
	if file == nil {
		return nil
	}
	err := file.Close()
	if gone := os.Remove(file.Name()); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	return err
}
