package mockserver

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"svc.example/understudy/fixtures"
)

// broken describes what a client in the same process sees of an answer to which a fault is applied.
type broken struct {
	err     error // in place of an answer
	bodyErr error // after the body that came
	rate    int   // bytes per second of the body; 0: all at once
}

// breakOff keeps the error that http.Client would return for a connection that ends without an answer.
func (w *responseWriter) breakOff(how fixtures.Network) {
	switch how {
	case fixtures.Reset:
		w.err = errReset()
	case fixtures.Garbage:
		_, err := http.ReadResponse(bufio.NewReader(strings.NewReader(garbage)), nil) //nolint:bodyclose // it has none
		w.err = fmt.Errorf("net/http: HTTP/1.x transport connection broken: %w", err)
	default:
		w.err = io.EOF
	}
}

// errReset returns the error of a connection that was reset.
func errReset() error {
	return &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
}

// deliver keeps an answer, and what is wrong with its body.
func (w *responseWriter) deliver(a answer, f *applied, end fixtures.Network) {
	w.WriteHeader(a.Status)
	w.body, w.rate = a.Body, f.plan.BytesPerSecond
	switch {
	case end == fixtures.ResetInBody:
		w.bodyErr = errReset()
	case f.cut:
		w.bodyErr = io.ErrUnexpectedEOF
	}
}

// brokenBody is the body of an answer to which a fault is applied.
type brokenBody struct {
	broken
	ctx  context.Context //nolint:containedctx // of the request, as a body on a connection has it
	rest []byte
}

// Read implements io.Reader.
func (b *brokenBody) Read(into []byte) (int, error) {
	if len(into) == 0 {
		return 0, nil
	}
	if len(b.rest) == 0 {
		if b.bodyErr != nil {
			return 0, b.bodyErr
		}
		return 0, io.EOF
	}
	var pause time.Duration
	if b.rate > 0 {
		var step int
		step, pause = paceOf(b.rate)
		into = into[:min(step, len(into))]
	}
	if !wait(b.ctx, pause) {
		return 0, b.ctx.Err()
	}
	n := copy(into, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

// Close implements io.Closer.
func (b *brokenBody) Close() error { return nil }

// announced returns the length of a body by its header, or -1 if that does not say it.
func announced(header http.Header) int64 {
	n, err := strconv.ParseInt(header.Get("Content-Length"), 10, 64)
	if err != nil {
		return -1
	}
	return n
}
