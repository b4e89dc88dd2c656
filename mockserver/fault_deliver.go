package mockserver

import (
	"context"
	"maps"
	"net"
	"net/http"
	"slices"
	"strconv"
	"time"

	"svc.example/understudy/fixtures"
)

func sortedNames(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }

// respondFaulty takes the steps of respond for an exchange to which a fault is applied. The journal has what the client
// sees of the answer, which may be nothing at all.
func (x *exchange) respondFaulty(a answer) {
	gone := !wait(x.r.Context(), x.fault.delay)
	end := x.shape(&a)
	if gone || end == fixtures.NoAnswer || end == fixtures.Reset || end == fixtures.Garbage || end == closed {
		x.fault.Injected, x.fault.cut = true, false
		a = answer{notes: a.notes}
		x.server.requests.write(x, a, x.commit(a))
		x.breakOff(end, gone)
		return
	}
	x.server.requests.write(x, a, x.commit(a))
	if local, ok := x.w.(*responseWriter); ok {
		local.deliver(a, x.fault, end)
		return
	}
	x.writeFaulty(a, end)
}

// closed means that the connection is closed before the answer. Truncated becomes closed if the body is empty.
const closed fixtures.Network = "closed"

// defaultExcess is by how many bytes a wrong Content-Length is too large.
const defaultExcess = 16

// shape makes the answer what the client will see of it, and returns what happens on the connection.
func (x *exchange) shape(a *answer) fixtures.Network {
	f := &x.fault.plan
	switch f.Network { //nolint:exhaustive // the others leave the answer as it is
	case fixtures.ResetInBody, fixtures.Truncated:
		if len(a.Body) == 0 {
			if f.Network == fixtures.Truncated {
				return closed
			}
			return fixtures.Reset
		}
		at := len(a.Body) / 2
		if f.At != nil {
			at = min(*f.At, len(a.Body)-1)
		}
		a.Body, x.fault.cut = slices.Clip(a.Body[:at]), true
	case fixtures.WrongLength:
		excess := defaultExcess
		if f.Bytes > 0 {
			excess = f.Bytes
		}
		a.setLength(len(a.Body) + excess)
		x.fault.cut = true
	}
	return f.Network
}

// setLength sets the Content-Length of an answer, whatever its body has.
func (a *answer) setLength(n int) {
	line := [2]string{"Content-Length", strconv.Itoa(n)}
	a.chunks = nil
	if i := slices.IndexFunc(a.Header, func(l [2]string) bool { return l[0] == line[0] }); i >= 0 {
		a.Header = slices.Clone(a.Header) // which may be shared with other answers
		a.Header[i] = line
		return
	}
	a.Header = append(slices.Clip(a.Header), line)
}

// wait waits in real time, and reports whether the client was there to the end.
func wait(ctx context.Context, length time.Duration) bool {
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

// garbage holds the bytes that come in place of an answer: no line of it is one of HTTP.
const garbage = "\x00\x01\x7fnot-HTTP\r\n\xff\xfe\r\n\r\n"

// breakOff ends an exchange of which the client sees no part of an answer.
func (x *exchange) breakOff(how fixtures.Network, gone bool) {
	switch {
	case gone:
		panic(http.ErrAbortHandler)
	case how == fixtures.NoAnswer:
		<-x.r.Context().Done()
		panic(http.ErrAbortHandler)
	}
	if local, ok := x.w.(*responseWriter); ok {
		local.breakOff(how)
		return
	}
	connection := x.hijack()
	switch {
	case connection == nil: // of HTTP/2, whose streams are reset by this
		panic(http.ErrAbortHandler)
	case how == fixtures.Garbage:
		_, _ = connection.Write([]byte(garbage))
		_ = connection.Close()
	case how == fixtures.Reset:
		reset(connection)
	default:
		_ = connection.Close()
	}
}

// hijack takes the connection from the server; nil if it is not the request's alone.
func (x *exchange) hijack() net.Conn {
	connection, _, err := http.NewResponseController(x.w).Hijack()
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

// settleTime is the time that the first part of a body has to arrive before the connection is reset, which would
// overtake it.
const settleTime = 20 * time.Millisecond

// writeFaulty sends an answer as the fault says.
func (x *exchange) writeFaulty(a answer, end fixtures.Network) {
	x.server.sending.Add(1)
	defer x.server.sending.Add(-1)
	connection := http.NewResponseController(x.w)
	x.extend(connection)
	x.w.WriteHeader(a.Status)
	if err := x.sendSlowly(connection, a.Body); err != nil || !x.fault.cut {
		return
	}
	_ = connection.Flush()
	switch {
	case end == fixtures.ResetInBody:
		wait(x.r.Context(), settleTime)
		if c := x.hijack(); c != nil {
			reset(c)
			return
		}
		panic(http.ErrAbortHandler)
	case a.chunks != nil: // the end of the chunks must not come
		panic(http.ErrAbortHandler)
	} // otherwise net/http sees that bytes are missing, and closes the connection
}

// sendSlowly sends bytes at the rate of the fault, if it has one.
func (x *exchange) sendSlowly(connection *http.ResponseController, b []byte) error {
	rate := x.fault.plan.BytesPerSecond
	if rate == 0 {
		return x.send(connection, b)
	}
	step, pause := paceOf(rate)
	for len(b) > 0 {
		if !wait(x.r.Context(), pause) {
			return x.r.Context().Err()
		}
		n := min(step, len(b))
		x.extend(connection)
		if err := x.send(connection, b[:n]); err != nil {
			return err
		}
		_ = connection.Flush() // a writer that cannot flush has what was written all the same
		b = b[n:]
	}
	return nil
}

// paceOf returns how many bytes are sent at a time, and the pause before each time: ten times a second, or less often
// if it is a byte then.
func paceOf(bytesPerSecond int) (step int, pause time.Duration) {
	step = max(1, bytesPerSecond/10)
	return step, time.Duration(float64(step) / float64(bytesPerSecond) * float64(time.Second))
}
