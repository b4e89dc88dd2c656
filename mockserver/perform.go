package mockserver

import (
	"context"
	"errors"
	"time"

	"svc.example/understudy/mockserver/internal/clock"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// perform applies the handler, and again when it has needed results of queries. These run outside of the world's lock,
// for as long as the client waits.
func (x *exchange) perform(route *op.Route, value *world.State) (op.Reply, error) {
	for {
		reply, err := x.attempt(route, value)
		needed := x.call.Queries.Needed()
		if needed == nil {
			return reply, err
		}
		if err := x.visit.world.Finish(x.waiting(), needed); err != nil {
			return reply, err
		}
		value = x.visit.world.Read()
		x.server.remember(&x.visit, value)
	}
}

var errNeeds = errors.New("the handler needs query results") // takes a transaction back

// attempt applies the handler: to a copy of the world as it is, or in a transaction.
func (x *exchange) attempt(route *op.Route, value *world.State) (reply op.Reply, err error) {
	if route.Pending != nil && value.Clock.Mode() == clock.Auto {
		if err := x.await(route); err != nil {
			return reply, err
		}
		value = x.visit.world.Read()
	}
	if route.Reads() {
		x.take(value)
		return route.Handle(&x.call)
	}
	err = x.visit.world.Write(len(x.body.bytes), func(tx *world.State) error {
		x.server.remember(&x.visit, x.visit.world.Peek()) // which the transaction begins with
		x.call.World, x.call.Now = tx, tx.Now()
		if reply, err = route.Handle(&x.call); x.call.Queries.Needs() {
			return errNeeds
		}
		return err
	})
	return reply, err
}

// take gives the call a copy of the world, so that a handler cannot change the world itself.
func (x *exchange) take(value *world.State) {
	if x.snapshot == nil {
		x.snapshot = x.server.used.newSnapshot()
	}
	*x.snapshot = *value
	x.call.World, x.call.Now = x.snapshot, x.snapshot.Now()
}

// await moves an auto clock on while what the call asks for is under way.
func (x *exchange) await(route *op.Route) error {
	defer x.call.Queries.Needed() // by worlds on the way
	return x.visit.world.Await(x.waiting(), func(value *world.State) (string, time.Time, bool) {
		x.take(value)
		return route.Pending(&x.call)
	})
}

// waiting returns the context of whatever the request waits for. It ends with the context of the request, and when the
// server is closed.
func (x *exchange) waiting() context.Context {
	if x.wait == nil {
		ctx, cancel := context.WithCancelCause(x.r.Context())
		forget := context.AfterFunc(x.server.stopping, func() { cancel(errClosed) })
		x.wait, x.endWait = ctx, func() { forget(); cancel(nil) }
	}
	return x.wait
}

// isAbandoned reports whether an error says that the client has left while the answer waited for something, or that the
// server was closed. The exchange then ends without an answer, and without a trace in the world.
func (x *exchange) isAbandoned(err error) bool {
	return err != nil && x.wait != nil && x.wait.Err() != nil &&
		(errors.Is(err, x.wait.Err()) || errors.Is(err, context.Cause(x.wait)))
}
