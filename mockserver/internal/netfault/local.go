package netfault

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"

	"svc.example/understudy/fixtures"
)

// Local is for embedding in the response writers of clients in the same process. It keeps what such a client sees of an
// answer that was broken.
type Local struct {
	err     error // in place of an answer
	bodyErr error // after the body that came
	rate    int   // bytes per second of the body; 0: all at once
}

// localWriter is implemented by response writers that embed a Local.
type localWriter interface{ writer() *Local }

func (l *Local) writer() *Local { return l }

// localOf returns what a response writer, or one beneath it, keeps for a client in the same process; nil if it is not
// for one.
func localOf(w http.ResponseWriter) *Local {
	for {
		switch of := w.(type) {
		case localWriter:
			return of.writer()
		case interface{ Unwrap() http.ResponseWriter }:
			w = of.Unwrap()
		default:
			return nil
		}
	}
}

// Err returns the error that http.Client would return in place of an answer; nil if there is an answer.
func (l *Local) Err() error { return l.err }

// fail keeps the error of a connection that ends without an answer.
func (l *Local) fail(how fixtures.Network) {
	switch how {
	case fixtures.Reset:
		l.err = errReset()
	case fixtures.Garbage:
		_, err := http.ReadResponse(bufio.NewReader(strings.NewReader(garbage)), nil) //nolint:bodyclose // it has none
		l.err = fmt.Errorf("net/http: HTTP/1.x transport connection broken: %w", err)
	default:
		l.err = io.EOF
	}
}

// slowDown keeps what is wrong with the body of an answer.
func (l *Local) slowDown(rate int, end End) {
	l.rate = rate
	switch {
	case end.how == fixtures.ResetInBody:
		l.bodyErr = errReset()
	case end.IsCut:
		l.bodyErr = io.ErrUnexpectedEOF
	}
}

// errReset returns the error of a connection that was reset.
func errReset() error {
	return &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
}

// Body returns the body of an answer for a client whose request has the context; nil if nothing is wrong with it.
func (l *Local) Body(ctx context.Context, content []byte) io.ReadCloser {
	if l.rate == 0 && l.bodyErr == nil {
		return nil
	}
	b := &body{Local: *l, request: ctx, rest: content}
	b.ctx, b.cancel = context.WithCancel(ctx)
	return b
}

// body is the body of an answer that was broken.
type body struct {
	Local
	request context.Context //nolint:containedctx // as a body on a connection has it
	ctx     context.Context //nolint:containedctx // ends when the body is closed, too
	cancel  context.CancelFunc
	rest    []byte
}

// Read implements io.Reader.
func (b *body) Read(into []byte) (int, error) {
	switch {
	case b.ctx.Err() != nil:
		return 0, b.endedErr()
	case len(into) == 0:
		return 0, nil
	case len(b.rest) == 0 && b.bodyErr != nil:
		return 0, b.bodyErr
	case len(b.rest) == 0:
		return 0, io.EOF
	}
	if b.rate > 0 {
		step, pause := paceOf(b.rate)
		if !Wait(b.ctx, pause) {
			return 0, b.endedErr()
		}
		into = into[:min(step, len(into))]
	}
	n := copy(into, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

// endedErr returns why nothing can be read any more.
func (b *body) endedErr() error {
	if err := b.request.Err(); err != nil {
		return err
	}
	return errors.New("http: read on closed response body")
}

// Close implements io.Closer.
func (b *body) Close() error {
	b.cancel()
	return nil
}
