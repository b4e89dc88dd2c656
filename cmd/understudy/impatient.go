package main

import (
	"bytes"
	"fmt"
	"io"
	"sync/atomic"
	"time"
)

// How many log lines wait to be written, and how long the end waits for them.
const (
	waitingLines = 4096
	logEnd       = time.Second
)

// impatient writes log lines in the background, so that no request waits for a terminal or an unread pipe. Lines for
// which there is no room are left out and counted.
type impatient struct {
	lines chan []byte
	lost  atomic.Int64
	done  chan struct{}
}

func newImpatient(w io.Writer) *impatient {
	l := &impatient{lines: make(chan []byte, waitingLines), done: make(chan struct{})}
	go l.drain(w)
	return l
}

// Write implements io.Writer. It never fails.
func (l *impatient) Write(line []byte) (int, error) {
	select {
	case l.lines <- bytes.Clone(line):
	default:
		l.lost.Add(1)
	}
	return len(line), nil
}

func (l *impatient) drain(w io.Writer) {
	defer close(l.done)
	for line := range l.lines {
		if line == nil {
			return
		}
		_, _ = w.Write(line)
		if lost := l.lost.Swap(0); lost > 0 {
			fmt.Fprintf(w, "understudy: %d log lines were dropped because standard error was blocked\n", lost)
		}
	}
}

// close waits, but not for long, until everything is written.
func (l *impatient) close() {
	end := time.After(logEnd)
	select {
	case l.lines <- nil:
	case <-end:
		return
	}
	select {
	case <-l.done:
	case <-end:
	}
}
