package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// How many log lines wait to be written, and how long the end waits for them.
const (
	waitingLines = 4096
	logEnd       = time.Second
)

// droppingWriter writes log lines in the background, so that no request waits for a terminal or an unread pipe. When
// its queue is full, it drops lines and counts them.
type droppingWriter struct {
	lines chan []byte
	lost  atomic.Int64
	done  chan struct{}
}

// newDroppingWriter returns one that writes to w. From then on this process survives whoever reads its standard error
// or output: writes fail instead.
func newDroppingWriter(w io.Writer) *droppingWriter {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // to ignore it would make commands ignore it as well
	l := &droppingWriter{lines: make(chan []byte, waitingLines), done: make(chan struct{})}
	go l.drain(w)
	return l
}

// Write implements io.Writer. It never fails.
func (l *droppingWriter) Write(line []byte) (int, error) {
	select {
	case l.lines <- bytes.Clone(line):
	default:
		l.lost.Add(1)
	}
	return len(line), nil
}

func (l *droppingWriter) drain(w io.Writer) {
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
func (l *droppingWriter) close() {
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
