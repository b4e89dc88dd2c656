package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/replay/proxy"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/internal/checkflags"
)

// liveCheck is a check of a recording that is being written.
type liveCheck struct {
	flags   *checkFlags
	c       *cobra.Command
	spool   *spoolFile
	outcome outcome
	done    chan struct{} // closed when all is judged
	close   func()
}

// startCheck begins to judge what a proxy records. It follows a copy of the recording on disk, so that a check that
// lags behind holds nothing up and needs no memory.
func (f *proxyFlags) startCheck(c *cobra.Command, lines io.Writer, config *proxy.Config) (*liveCheck, error) {
	live := &liveCheck{flags: &f.checkFlags, c: c, done: make(chan struct{})}
	stopping, lasting := c.Context(), context.WithoutCancel(c.Context())
	c.SetContext(lasting) // a signal ends the proxy; its report comes all the same
	err := live.prepare(f, lines, config)
	c.SetContext(stopping)
	if err != nil {
		return nil, err
	}
	if live.spool, err = newSpoolFile(); err != nil {
		live.close()
		return nil, err
	}
	live.outcome.Source = contract.Files(live.spool.file.Name())
	followed := contract.ReadLines(f.copyRecording(config, live.spool), live.spool.follow())
	go func() {
		defer close(live.done)
		live.outcome.Report, live.outcome.err = live.outcome.Checker.Check(lasting, followed)
	}()
	return live, nil
}

// prepare makes the checker, which writes violations as lines of the log.
func (l *liveCheck) prepare(f *proxyFlags, lines io.Writer, config *proxy.Config) (err error) {
	f.Guess = false
	written, read := f.files(nil)
	if f.record != "" {
		read = append(read, checkflags.File{Path: f.record, As: "--record " + f.record})
	}
	if err := checkflags.CheckOverwrites(written, read); err != nil {
		return err
	}
	opts := []contract.Option{contract.WithViolations(func(found *contract.Finding, shown []report.ExchangeLine) {
		fmt.Fprint(lines, violation(found, shown))
	})}
	for _, name := range f.names() {
		base, err := config.Base(name)
		if err != nil {
			return err
		}
		opts = append(opts, contract.WithBaseURL(name, base))
	}
	l.outcome.Checker, l.outcome.note, l.close, err = f.checker(l.c, opts...)
	return err
}

// copyRecording makes the proxy record to a spool as well, and returns the name of the recording in the report.
func (f *proxyFlags) copyRecording(config *proxy.Config, spool *spoolFile) string {
	const live = "live"
	file, ok := config.Recording.(recordingFile)
	switch {
	case config.Recording == nil:
		config.Recording = spool
		return live
	case !ok:
		config.Recording = io.MultiWriter(config.Recording, spool)
		return live
	}
	config.Recording = copiedFile{file, spool}
	if info, err := file.Stat(); err == nil && info.Size() == 0 { // lines have the same numbers
		return f.record
	}
	return live
}

// copiedFile is a recording on disk, whose complete lines are copied.
type copiedFile struct {
	recordingFile
	copy io.Writer
}

// Write implements io.Writer.
func (f copiedFile) Write(line []byte) (int, error) {
	n, err := f.recordingFile.Write(line)
	if n == len(line) {
		_, err = f.copy.Write(line)
	}
	return n, err
}

// violation returns a finding as a line of the log.
func violation(f *contract.Finding, shown []report.ExchangeLine) string {
	var text strings.Builder
	fmt.Fprintf(&text, "violation: %s  %s  %s\n", f.Rule, f.Operation, f.Message)
	for _, line := range shown {
		fmt.Fprintf(&text, "  %v\n", line)
	}
	return text.String()
}

// end waits until all is judged, and writes the report. It returns the error of the proxy if there is one, or else that
// of the check.
func (l *liveCheck) end(served error, hasCommand bool) error {
	defer l.close()
	l.spool.finish()
	<-l.done
	defer l.spool.remove()
	if hasCommand {
		l.c.SetOut(l.c.ErrOrStderr())
	}
	l.c.SetContext(context.WithoutCancel(l.c.Context()))
	err := l.flags.finish(l.c, l.outcome)
	if exit, ok := errors.AsType[*exitError](err); ok && hasCommand && l.flags.Output == "" {
		err = &exitError{exit.code, nil} // the report has said it
	}
	if served == nil {
		return err
	}
	if exit, ok := errors.AsType[*exitError](served); ok {
		return &exitError{exit.code, errors.Join(exit.err, err)}
	}
	return errors.Join(served, err)
}

// spoolFile is a temporary recording that is read while it is written.
type spoolFile struct {
	file  *os.File
	grown chan struct{}
	over  chan struct{}
}

func newSpoolFile() (*spoolFile, error) {
	file, err := os.CreateTemp("", "understudy-*.ndjson")
	if err != nil {
		return nil, fmt.Errorf("make a temporary recording for --check: %w", err)
	}
	return &spoolFile{file: file, grown: make(chan struct{}, 1), over: make(chan struct{})}, nil
}

// Write implements io.Writer.
func (s *spoolFile) Write(line []byte) (int, error) {
	n, err := s.file.Write(line)
	select {
	case s.grown <- struct{}{}:
	default:
	}
	return n, err
}

// finish lets those who follow come to an end.
func (s *spoolFile) finish() { close(s.over) }

func (s *spoolFile) remove() {
	_ = s.file.Close()
	_ = os.Remove(s.file.Name())
}

// follow returns a reader that waits for what is still to be written.
func (s *spoolFile) follow() io.Reader { return &follower{spool: s} }

type follower struct {
	spool *spoolFile
	at    int64
}

// Read implements io.Reader.
func (f *follower) Read(p []byte) (int, error) {
	for {
		isOver := false
		select {
		case <-f.spool.over:
			isOver = true
		default:
		}
		n, err := f.spool.file.ReadAt(p, f.at)
		if f.at += int64(n); n > 0 {
			return n, nil
		}
		if isOver || !errors.Is(err, io.EOF) {
			return 0, err
		}
		select {
		case <-f.spool.grown:
		case <-f.spool.over:
		}
	}
}
