package netfault

import (
	"net"
	"net/http"
	"time"

	"svc.example/understudy/fixtures"
)

// garbage holds the bytes that come in place of an answer: no line of it is one of HTTP.
const garbage = "\x00\x01\x7fnot-HTTP\r\n\xff\xfe\r\n\r\n"

// Break ends an exchange of which the client sees no answer.
func (e End) Break(w http.ResponseWriter, r *http.Request) {
	if e.how == fixtures.NoAnswer {
		<-r.Context().Done()
		panic(http.ErrAbortHandler)
	}
	if local, ok := w.(localWriter); ok {
		local.writer().fail(e.how)
		return
	}
	connection := hijack(w)
	switch {
	case connection == nil: // of HTTP/2, whose streams are reset by this
		panic(http.ErrAbortHandler)
	case e.how == fixtures.Reset:
		reset(connection)
		return
	case e.how == fixtures.Garbage:
		_, _ = connection.Write([]byte(garbage))
	}
	_ = connection.Close()
}

// settleTime is the time that the first part of a body has to arrive before the connection is reset, which would
// overtake it.
const settleTime = 20 * time.Millisecond

// Send sends what the client sees of the body of an answer whose headers were written, at so many bytes per second, and
// ends the exchange. With 0 bytes per second it is sent all at once.
func (e End) Send(w http.ResponseWriter, r *http.Request, rate int, body []byte, send func([]byte) error) {
	if local, ok := w.(localWriter); ok {
		local.writer().slowDown(rate, e)
		_ = send(body)
		return
	}
	connection := http.NewResponseController(w)
	if err := sendSlowly(connection, r, rate, body, send); err != nil || !e.IsCut {
		return
	}
	_ = connection.Flush()
	switch {
	case e.how == fixtures.ResetInBody:
		Wait(r.Context(), settleTime)
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
	connection *http.ResponseController, r *http.Request, rate int, body []byte, send func([]byte) error,
) error {
	if rate == 0 {
		return send(body)
	}
	for step, pause := paceOf(rate); len(body) > 0; {
		if !Wait(r.Context(), pause) {
			return r.Context().Err()
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
