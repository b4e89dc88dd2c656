package sink_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/internal/sink"
)

func nothing() {}

// disk is a file on a disk that has room for so many bytes more.
type disk struct {
	*os.File
	room int
}

func (d *disk) Write(b []byte) (int, error) {
	n, err := d.File.Write(b[:min(len(b), d.room)])
	if d.room -= n; err == nil && n < len(b) {
		err = syscall.ENOSPC
	}
	return n, err
}

func newDisk(t *testing.T, flags int) *disk {
	t.Helper()
	file, err := os.OpenFile(filepath.Join(t.TempDir(), "lines"), os.O_RDWR|os.O_CREATE|flags, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	return &disk{file, 0}
}

func TestFullDisk(t *testing.T) {
	t.Parallel()
	for name, flags := range map[string]int{"appended to": os.O_APPEND, "written to": 0} {
		t.Run("half a line is cut off a file that is "+name, func(t *testing.T) {
			t.Parallel()
			d := newDisk(t, flags)
			d.room = len("one\ntwo\nth")
			s := sink.New(d, sink.Limits{})
			var failed []string
			for _, line := range []string{"one\n", "two\n", "three\n", "four\n"} {
				if err := s.Put([]byte(line), nothing); errors.Is(err, syscall.ENOSPC) {
					failed = append(failed, line)
				}
			}
			d.room = 100
			if err := s.Put([]byte("five\n"), nothing); err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff([]string{"three\n", "four\n"}, failed); diff != "" {
				t.Errorf("lines that failed (-want +got):\n%s", diff)
			}
			got, err := os.ReadFile(d.Name())
			if diff := cmp.Diff("one\ntwo\nfive\n", string(got)); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
			if err := s.Close(); !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "2 of 5 exchanges") {
				t.Errorf("the end says %v", err)
			}
		})
	}
	t.Run("half a line is ended where nothing can be cut off", func(t *testing.T) {
		t.Parallel()
		d := newDisk(t, os.O_APPEND)
		d.room = len("one\ntw")
		s := sink.New(struct{ io.Writer }{d}, sink.Limits{})
		for _, line := range []string{"one\n", "two\n", "three\n"} {
			_ = s.Put([]byte(line), nothing)
		}
		d.room = 100
		if err := s.Put([]byte("four\n"), nothing); err != nil {
			t.Error(err)
		}
		got, err := os.ReadFile(d.Name())
		if diff := cmp.Diff("one\ntw\nfour\n", string(got)); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	})
	t.Run("a write that is short without an error is an error", func(t *testing.T) {
		t.Parallel()
		s := sink.New(short{}, sink.Limits{})
		if err := s.Put([]byte("one\n"), nothing); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a writer that panics loses its line only", func(t *testing.T) {
		t.Parallel()
		s := sink.New(panicking{}, sink.Limits{})
		if err := s.Put([]byte("one\n"), nothing); err == nil || !strings.Contains(err.Error(), "the writer failed: panic") {
			t.Errorf("got %v", err)
		}
	})
}

type short struct{}

func (short) Write(b []byte) (int, error) { return len(b) / 2, nil }

type panicking struct{}

func (panicking) Write([]byte) (int, error) { panic("at the disk") }

// gate is a writer that takes nothing until it is opened.
type gate struct {
	open    chan struct{}
	mu      sync.Mutex
	written bytes.Buffer
}

func (g *gate) Write(b []byte) (int, error) {
	<-g.open
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.written.Write(b)
}

func (g *gate) String() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.written.String()
}

func TestStuckWriter(t *testing.T) {
	t.Parallel()
	t.Run("a line is given up in time, and those after it at once", func(t *testing.T) {
		t.Parallel()
		g := &gate{open: make(chan struct{})}
		s := sink.New(g, sink.Limits{Wait: 50 * time.Millisecond})
		for i := range 100_000 { // which would wait for more than an hour, one after the other
			if err := s.Put(fmt.Appendf(nil, "%d\n", i), nothing); !errors.Is(err, sink.ErrBusy) {
				t.Fatalf("line %d: %v", i, err)
			}
		}
		if diff := cmp.Diff(int64(100_000), s.Counts().Lost); diff != "" {
			t.Errorf("lost (-want +got):\n%s", diff)
		}
		close(g.open)
		for s.Counts().Written == 0 {
			time.Sleep(time.Millisecond)
		}
		if err := s.Put([]byte("last\n"), nothing); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff("0\nlast\n", g.String()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if got := s.Counts(); got.Lost != 99_999 || got.Written != 2 {
			t.Errorf("%d lost, %d written: the first line was written after all", got.Lost, got.Written)
		}
	})
	t.Run("what waits is bounded", func(t *testing.T) {
		t.Parallel()
		for name, limits := range map[string]sink.Limits{
			"by lines": {Wait: 50 * time.Millisecond, Lines: 3},
			"by bytes": {Wait: 50 * time.Millisecond, Bytes: 9},
		} {
			g := &gate{open: make(chan struct{})}
			s := sink.New(g, limits)
			var wg sync.WaitGroup
			for range 50 {
				wg.Go(func() { _ = s.Put([]byte("ab\n"), nothing) })
			}
			wg.Wait()
			close(g.open)
			_ = s.Close()
			if got := s.Counts(); got.Lost != 49 || got.Written != 1 || g.String() != "ab\n" {
				t.Errorf("%s: %d lost, %d written: %q", name, got.Lost, got.Written, g)
			}
		}
	})
	t.Run("the end waits for what is still written, but not for ever", func(t *testing.T) {
		t.Parallel()
		g := &gate{open: make(chan struct{})}
		defer close(g.open)
		s := sink.New(g, sink.Limits{Wait: 50 * time.Millisecond})
		_ = s.Put([]byte("one\n"), nothing)
		if err := s.Close(); !errors.Is(err, sink.ErrBusy) {
			t.Errorf("the end says %v", err)
		}
	})
}

func TestSlowWriter(t *testing.T) {
	t.Parallel()
	t.Run("waits for room, and loses nothing that is taken in time", func(t *testing.T) {
		t.Parallel()
		var g gate
		g.open = make(chan struct{})
		close(g.open)
		s := sink.New(&g, sink.Limits{Wait: time.Minute, Lines: 2, Bytes: 8})
		var wg sync.WaitGroup
		for range 200 {
			wg.Go(func() {
				if err := s.Put([]byte("abc\n"), nothing); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if diff := cmp.Diff(strings.Repeat("abc\n", 200), g.String()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// exiting ends the goroutine that writes, as a writer that fails a test does.
type exiting struct{ lines *bytes.Buffer }

func (e exiting) Write(b []byte) (int, error) {
	if strings.HasPrefix(string(b), "bad") {
		runtime.Goexit()
	}
	return e.lines.Write(b)
}

func TestAWriterThatEndsItsGoroutineLosesItsLineOnly(t *testing.T) {
	t.Parallel()
	var lines bytes.Buffer
	s := sink.New(exiting{&lines}, sink.Limits{})
	for _, line := range []string{"one\n", "bad\n", "two\n"} {
		if err := s.Put([]byte(line), nothing); (err != nil) != (line == "bad\n") {
			t.Errorf("%q: %v", line, err)
		}
	}
	if got := lines.String(); got != "one\ntwo\n" {
		t.Errorf("written %q", got)
	}
}

// A process that is busy, as one under the race detector is, may schedule neither whoever waits nor the writer for a
// while. Nothing is blocked then.
func TestALineIsNotLostWhileNobodyWasScheduled(t *testing.T) { //nolint:paralleltest // it takes the processors
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var lines bytes.Buffer
	s := sink.New(&lines, sink.Limits{Wait: time.Millisecond})
	for range 20 {
		err := s.Put([]byte("one\n"), func() {
			for begin := time.Now(); time.Since(begin) < 3*time.Millisecond; { //nolint:forbidigo // no world has this time
				continue // as a processor that does something else
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
