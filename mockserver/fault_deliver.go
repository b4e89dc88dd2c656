package mockserver

import (
	"context"
	"net/http"
	"slices"
	"strconv"

	"svc.example/understudy/mockserver/internal/netfault"
)

// respondFaulty takes the steps of respond for an exchange to which a fault is applied. The journal has what the client
// sees of the answer, which may be nothing at all.
func (x *exchange) respondFaulty(a answer) {
	x.takeTime()
	ctx := x.waiting()
	isGone := !netfault.Wait(ctx, x.fault.delay)
	body, excess, end := netfault.Apply(&x.fault.plan, a.Status, a.Body)
	if isGone || !end.IsSeen {
		x.fault.Injected = true
		a = answer{notes: a.notes}
		x.server.requests.write(x, a, x.commit(a))
		if isGone {
			netfault.Abort(x.w, x.r, context.Cause(ctx))
		} else {
			end.Break(ctx, x.w, x.r)
		}
		return
	}
	if a.Body, x.fault.cut = body, end.IsCut; excess > 0 {
		a.announce(len(body) + excess)
	}
	x.server.requests.write(x, a, x.commit(a))
	x.writeFaulty(a, end)
}

// announce sets the Content-Length of an answer, whatever its body has.
func (a *answer) announce(length int) {
	line := [2]string{"Content-Length", strconv.Itoa(length)}
	a.Header = slices.DeleteFunc(slices.Clone(a.Header), func(l [2]string) bool { return l[0] == line[0] })
	a.Header = append(a.Header, line)
}

// writeFaulty sends an answer as the fault says.
func (x *exchange) writeFaulty(a answer, end netfault.End) {
	x.server.sending.Add(1)
	defer x.server.sending.Add(-1)
	connection := http.NewResponseController(x.w)
	x.extend(connection)
	x.w.WriteHeader(a.Status)
	end.Send(x.waiting(), x.w, x.r, x.fault.plan.BytesPerSecond, a.Body, func(b []byte) error {
		x.extend(connection)
		return x.send(connection, b)
	})
}
