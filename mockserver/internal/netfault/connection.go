package netfault

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"svc.example/understudy/fixtures"
)

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
		local.slowDown(rate, e)
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
