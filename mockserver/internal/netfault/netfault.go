// Package netfault breaks answers on their way to the client, as networks do: they come slowly, in part, or not at all.
// It breaks connections, and shows a client in the same process the errors that it would get from one.
package netfault

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"svc.example/understudy/fixtures"
)

// End says how an exchange ends for the client.
type End struct {
	IsSeen bool // there is an answer, or the beginning of one
	IsCut  bool // it has not all bytes of the body that it announces

	how fixtures.Network
}

// closed means that the connection is closed before the answer.
const closed fixtures.Network = "closed"

// defaultExcess is by how many bytes a wrong Content-Length is too large.
const defaultExcess = 16

// Apply returns what a client sees of the body of an answer to which a fault is applied, and by how many bytes the
// answer announces more than its body has.
func Apply(f *fixtures.Fault, status int, body []byte) (seen []byte, excess int, end End) {
	end = End{IsSeen: true, how: f.Network}
	switch n := f.Network; n {
	case fixtures.NoAnswer, fixtures.Reset, fixtures.Garbage:
		return nil, 0, End{how: n}
	case fixtures.WrongLength:
		if status == http.StatusNoContent || status == http.StatusNotModified { // which announce no body
			return nil, 0, End{how: closed}
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
		return nil, 0, End{how: closed}
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
