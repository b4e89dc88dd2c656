// Package netfault breaks answers on their way to the client, as networks do: they come slowly, in part, or not at all.
// It breaks connections, and shows a client in the same process the errors that it would get from one.
package netfault

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"time"

	"svc.example/understudy/fixtures"
)

// End says how an exchange ends for the client.
type End struct {
	IsSeen bool // there is an answer, or the beginning of one
	IsCut  bool // it has not all bytes of the body that it announces

	how fixtures.Network
}

// defaultExcess is by how many bytes a wrong Content-Length is too large.
const defaultExcess = 16

// Apply returns what a client sees of the body of an answer to which a fault is applied, and by how many bytes the
// answer announces more than its body has.
func Apply(f *fixtures.Fault, status int, body []byte) (seen []byte, excess int, end End) {
	end = End{IsSeen: true, how: f.Network}
	switch n := f.Network; n {
	case fixtures.NoAnswer, fixtures.Reset, fixtures.Closed, fixtures.Garbage:
		return nil, 0, End{how: n}
	case fixtures.WrongLength:
		if status == http.StatusNoContent || status == http.StatusNotModified { // which announce no body
			return nil, 0, End{how: fixtures.Closed}
		}
		end.IsCut = true
		return body, cmp.Or(f.Bytes, defaultExcess), end
	case fixtures.ResetInBody, fixtures.Truncated:
		if len(body) > 0 {
			at := len(body) / 2
			if f.At != nil {
				at = min(*f.At, len(body)-1)
			}
			end.IsCut = true
			return body[:at:at], 0, end
		}
		if n == fixtures.ResetInBody {
			return nil, 0, End{how: fixtures.Reset}
		}
		return nil, 0, End{how: fixtures.Closed}
	}
	return body, 0, end
}

// Wait waits in real time, and reports whether the client was there to the end.
func Wait(ctx context.Context, length time.Duration) bool {
	if length <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(length)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// paceOf returns how many bytes are sent at a time, and the pause before each time: ten times a second, or less often
// if it is a byte then.
func paceOf(bytesPerSecond int) (step int, pause time.Duration) {
	step = max(1, bytesPerSecond/10)
	return step, time.Duration(float64(step) / float64(bytesPerSecond) * float64(time.Second))
}

// garbage holds the bytes that come in place of an answer: no line of it is one of HTTP.
const garbage = "\x00\x01\x7fnot-HTTP\r\n\xff\xfe\r\n\r\n"

// Break ends an exchange of which the client sees no answer. The context is that for which the request may wait.
func (e End) Break(ctx context.Context, w http.ResponseWriter, r *http.Request) {
	if e.how == fixtures.NoAnswer {
		<-ctx.Done()
		Abort(w, r, context.Cause(ctx))
		return
	}
	local := localOf(w)
	if local != nil {
		local.fail(e.how)
		return
	}
	connection := hijack(w)
	switch {
	case connection == nil:
		Abort(w, r, fmt.Errorf("the fault %s is applied", e.how))
		return
	case e.how == fixtures.Reset:
		reset(connection)
		return
	case e.how == fixtures.Garbage:
		_, _ = connection.Write([]byte(garbage))
	}
	_ = connection.Close()
}

// Abort ends an exchange without an answer, for a reason. A server of net/http cuts the connection, or resets the
// stream of HTTP/2. A client in the same process has the reason as its error. Any other writer, such as a
// httptest.ResponseRecorder, has no connection, and what calls the handler recovers from no panic: it has a status
// that the mock does not use otherwise, and the reason.
func Abort(w http.ResponseWriter, r *http.Request, why error) {
	if local := localOf(w); local != nil {
		local.err = why
		return
	}
	if r.Context().Value(http.ServerContextKey) != nil {
		panic(http.ErrAbortHandler)
	}
	http.Error(w, fmt.Sprintf("understudy: the request is not answered: %v. This ResponseWriter has no connection that "+
		"could be cut; use a server, such as that of mockserver.Start, or mockserver.NewTransport", why),
		http.StatusBadGateway)
}

// settleTime is the time that the first part of a body has to arrive before the connection is reset, which would
// overtake it.
const settleTime = 20 * time.Millisecond

// Send sends what the client sees of the body of an answer whose headers were written, at so many bytes per second, and
// ends the exchange. With 0 bytes per second it is sent all at once.
func (e End) Send(
	ctx context.Context, w http.ResponseWriter, r *http.Request, rate int, body []byte, send func([]byte) error,
) {
	if local := localOf(w); local != nil {
		local.rate = rate
		switch {
		case e.how == fixtures.ResetInBody:
			local.bodyErr = errReset()
		case e.IsCut:
			local.bodyErr = io.ErrUnexpectedEOF
		}
		_ = send(body)
		return
	}
	connection := http.NewResponseController(w)
	if err := sendSlowly(ctx, connection, rate, body, send); err != nil || !e.IsCut {
		return
	}
	if r.Context().Value(http.ServerContextKey) == nil {
		return // there is no connection, and what is missing is missing
	}
	_ = connection.Flush()
	switch {
	case e.how == fixtures.ResetInBody:
		Wait(ctx, settleTime)
		if c := hijack(w); c != nil {
			reset(c)
			return
		}
		panic(http.ErrAbortHandler)
	case w.Header().Get("Content-Length") == "": // the end of the chunks must not come
		panic(http.ErrAbortHandler)
	} // otherwise net/http sees that bytes are missing, and closes the connection
}

func sendSlowly(
	ctx context.Context, connection *http.ResponseController, rate int, body []byte, send func([]byte) error,
) error {
	if rate == 0 {
		return send(body)
	}
	for step, pause := paceOf(rate); len(body) > 0; {
		if !Wait(ctx, pause) {
			return context.Cause(ctx)
		}
		n := min(step, len(body))
		if err := send(body[:n]); err != nil {
			return err
		}
		_ = connection.Flush() // a writer that cannot flush has what was written all the same
		body = body[n:]
	}
	return nil
}

// hijack takes the connection from the server; nil if it is not the request's alone.
func hijack(w http.ResponseWriter) net.Conn {
	connection, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return nil
	}
	return connection
}

// reset closes a connection with RST.
func reset(connection net.Conn) {
	if secure, ok := connection.(interface{ NetConn() net.Conn }); ok {
		connection = secure.NetConn()
	}
	if tcp, ok := connection.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = connection.Close()
}

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
