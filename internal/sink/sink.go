// Package sink writes lines to a writer that may be full, slow or stuck. Whoever has a line waits until it is written,
// but never for long: a line that was not taken in time is given up and counted.
package sink

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sync"
	"time"

	"svc.example/understudy/internal/routine"
)

// The default bounds of a sink.
const (
	DefaultWait  = time.Second
	DefaultLines = 4096
	DefaultBytes = 64 << 20
)

// ErrBusy is the reason for a line that the writer did not take in time.
var ErrBusy = errors.New("the writer is blocked")

// Limits bound what waits to be written. A line without room waits for it.
type Limits struct {
	Wait  time.Duration // for how long a line may wait, for room and until it is written
	Lines int
	Bytes int // a line that is larger goes alone
}

// Counts describes what became of the lines so far. A line that is given up while it is being written counts as lost
// until it is written after all.
type Counts struct {
	Written, Lost int64
	Err           error // the first reason for which a line was lost
}

// Sink hands lines to a writer, one at a time and in order. It is safe for concurrent use. It has a goroutine only
// while there is something to write.
type Sink struct {
	limits Limits
	used   sync.Pool // of lines that were written, since there is one for each request

	mu     sync.Mutex
	out    lineWriter
	writer routine.Group
	queue  []*line
	under  *line         // the one that is being written
	bytes  int           // of the queue and of the line that is being written
	busy   bool          // there is a goroutine that writes
	stuck  bool          // a line was given up while it was being written
	room   chan struct{} // closed when a line was written; nil while no writer waits for it
	counts Counts
}

// line is a line on its way.
type line struct {
	text    []byte
	written chan error
	patience
	begun bool // it is being written
	late  bool // it was given up while it was being written
}

// patience measures a wait in parts: a goroutine that was not scheduled for a while, as it happens in a busy process,
// has missed one of them, and not all. The writer may not have been scheduled either.
type patience struct {
	timer *time.Timer
	part  time.Duration
	left  int
}

// parts is the number of parts of a wait.
const parts = 10

func newPatience(wait time.Duration) patience {
	part := max(wait/parts, 1)
	return patience{time.NewTimer(part), part, parts}
}

// begin begins to wait.
func (p *patience) begin() {
	p.left = parts
	p.timer.Reset(p.part)
}

// isOver is called when the timer has fired. It reports whether that was the last part.
func (p *patience) isOver() bool {
	if p.left--; p.left == 0 {
		return true
	}
	p.timer.Reset(p.part)
	return false
}

// release returns the room of a line that was written.
func (s *Sink) release(l *line) {
	l.timer.Stop()
	l.text, l.begun = nil, false
	s.used.Put(l)
}

// New makes a sink. Limits that are zero are the defaults.
func New(w io.Writer, limits Limits) *Sink {
	if limits.Wait <= 0 {
		limits.Wait = DefaultWait
	}
	if limits.Lines <= 0 {
		limits.Lines = DefaultLines
	}
	if limits.Bytes <= 0 {
		limits.Bytes = DefaultBytes
	}
	s := &Sink{out: lineWriter{w: w}, limits: limits}
	s.used.New = func() any { return &line{written: make(chan error, 1), patience: newPatience(limits.Wait)} }
	return s
}

// Put writes a line, which ends with a newline, after those of earlier calls. It returns when the line is written, or
// the reason for which it is lost. When the line has its place in the order it calls queued, once.
func (s *Sink) Put(text []byte, queued func()) error {
	l := s.used.Get().(*line)
	l.text = text
	l.begin()
	err := s.enqueue(l)
	queued()
	if err != nil {
		return err
	}
	for {
		select {
		case err := <-l.written:
			s.release(l)
			return err
		case <-l.timer.C:
			if l.isOver() {
				return s.giveUp(l)
			}
		}
	}
}

// enqueue puts a line into the queue as soon as there is room.
func (s *Sink) enqueue(l *line) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for !s.stuck {
		if s.fits(l) {
			s.queue, s.bytes = append(s.queue, l), s.bytes+len(l.text)
			if !s.busy {
				s.busy = true
				s.startWriter()
			}
			return nil
		}
		room := s.roomSignal()
		s.mu.Unlock()
		select {
		case <-room:
			s.mu.Lock()
		case <-l.timer.C:
			s.mu.Lock()
			if l.isOver() {
				return s.lose(ErrBusy)
			}
		}
	}
	return s.lose(ErrBusy)
}

func (s *Sink) fits(l *line) bool {
	return s.bytes == 0 || len(s.queue) < s.limits.Lines && s.bytes+len(l.text) <= s.limits.Bytes
}

// Lose counts a line that could not be created as lost, and returns the reason.
func (s *Sink) Lose(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lose(err)
}

func (s *Sink) lose(err error) error {
	s.counts.Lost++
	if s.counts.Err == nil {
		s.counts.Err = err
	}
	return err
}

// giveUp removes a line from the queue whose writer has stopped waiting. A line that is being written cannot be
// removed.
func (s *Sink) giveUp(l *line) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case err := <-l.written:
		return err
	default:
	}
	if l.begun {
		l.late, s.stuck = true, true
	} else {
		s.queue = slices.DeleteFunc(s.queue, func(other *line) bool { return other == l })
		s.bytes -= len(l.text)
	}
	s.wakeWaiting()
	return s.lose(ErrBusy)
}

// wakeWaiting wakes the writers that wait for room.
func (s *Sink) wakeWaiting() {
	if s.room != nil {
		close(s.room)
		s.room = nil
	}
}

// roomSignal returns a channel that is closed once there is less to be written.
func (s *Sink) roomSignal() <-chan struct{} {
	if s.room == nil {
		s.room = make(chan struct{})
	}
	return s.room
}

// startWriter writes until nothing is left to write. A writer that ends the goroutine, as one that calls FailNow of a
// test does, loses its line, and another goroutine goes on.
func (s *Sink) startWriter() {
	s.writer.GoThen(func() error {
		for l := s.next(); l != nil; l = s.next() {
			err := routine.Try(func() error { return s.out.write(l.text) })
			if _, ok := errors.AsType[*routine.PanicError](err); ok {
				err = fmt.Errorf("the writer failed: %s", routine.Brief(err))
			}
			s.endLine(l, err)
		}
		return nil
	}, func(err error) {
		if err != nil {
			s.endLine(s.under, err)
			s.startWriter()
		}
	})
}

func (s *Sink) next() *line {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) == 0 {
		s.busy, s.queue = false, nil
		return nil
	}
	l := s.queue[0]
	s.queue, s.under, l.begun = s.queue[1:], l, true
	return l
}

// endLine counts a line that was written, or was not, and makes its room free.
func (s *Sink) endLine(l *line, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err == nil && l.late:
		s.counts.Lost--
		s.counts.Written++
	case err == nil:
		s.counts.Written++
	case !l.late:
		_ = s.lose(err)
	}
	s.bytes -= len(l.text)
	s.stuck = false
	s.wakeWaiting()
	l.written <- err // from here on it is its owner's
}

// Counts returns what became of the lines so far.
func (s *Sink) Counts() Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts
}

// Close waits, no longer than a line would, until everything is written. Its error says how many lines were lost.
func (s *Sink) Close() error {
	p := newPatience(s.limits.Wait)
	defer p.timer.Stop()
	for room := s.pending(); room != nil; room = s.pending() {
		select {
		case <-room:
		case <-p.timer.C:
			if p.isOver() {
				return s.Counts().err()
			}
		}
	}
	return s.Counts().err()
}

// pending returns what is closed when there is less to be written, or nil when nothing is left.
func (s *Sink) pending() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bytes == 0 {
		return nil
	}
	return s.roomSignal()
}

func (c Counts) err() error {
	if c.Lost == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d exchanges were not recorded: %w", c.Lost, c.Lost+c.Written, c.Err)
}

// file is an output that can be truncated.
type file interface {
	io.Seeker
	Truncate(size int64) error
	Stat() (fs.FileInfo, error)
}

// lineWriter writes complete lines. If a line could be written only in part, it removes that part, so that the next
// line stands alone.
type lineWriter struct {
	w    io.Writer
	torn int64 // how many bytes of a broken line are at the end
}

func (w *lineWriter) write(text []byte) (err error) {
	if w.torn > 0 {
		if err := w.endBrokenLine(); err != nil {
			return err
		}
	}
	n, err := w.w.Write(text)
	if n = min(max(n, 0), len(text)); n == len(text) {
		return nil // every byte of it is there
	}
	if err == nil {
		err = io.ErrShortWrite
	}
	if w.torn = int64(n); n > 0 {
		_ = w.removeBrokenLine() // or before the next line
	}
	return err
}

// endBrokenLine removes the part of a line, or ends it with a newline if the output cannot be truncated: then only that
// line is unreadable.
func (w *lineWriter) endBrokenLine() error {
	if w.removeBrokenLine() == nil {
		return nil
	}
	n, err := w.w.Write([]byte("\n"))
	if n == 1 {
		w.torn = 0
		return nil
	}
	return errors.Join(err, io.ErrShortWrite)
}

func (w *lineWriter) removeBrokenLine() error {
	f, ok := w.w.(file)
	if !ok {
		return errors.ErrUnsupported
	}
	end, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || info.Size() != end || end < w.torn {
		return errors.ErrUnsupported
	}
	if err := f.Truncate(end - w.torn); err != nil {
		return err
	}
	w.torn = 0
	_, err = f.Seek(0, io.SeekEnd)
	return err
}
