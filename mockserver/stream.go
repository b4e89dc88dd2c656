package mockserver

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"svc.example/understudy/internal/routine"
	"svc.example/understudy/mockserver/internal/op"
)

// stoppingKey is the key of a value in the context of a server's requests: a context that ends as soon as the server
// is to stop, before that of the requests does.
type stoppingKey struct{}

// untilShutdown returns a context that ends with that of what the request waits for, or as soon as the server of its
// request is to stop.
func (x *exchange) untilShutdown() context.Context {
	ctx := x.waiting()
	if stopping, ok := ctx.Value(stoppingKey{}).(context.Context); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		forget, before := context.AfterFunc(stopping, cancel), x.endWait
		x.endWait = func() { forget(); cancel(); before() }
	}
	return ctx
}

// liftDeadlines lifts the deadlines of the connection that are for requests which are answered at once. Its request was
// read, and what is written has deadlines of its own.
func (x *exchange) liftDeadlines() {
	connection := http.NewResponseController(x.w)
	_ = connection.SetReadDeadline(time.Time{}) // writers within the process have none
	_ = connection.SetWriteDeadline(time.Time{})
}

// stream sends an answer whose parts come to be while it is sent.
func (x *exchange) stream(a answer) {
	connection := http.NewResponseController(x.w)
	x.extend(connection)
	x.w.WriteHeader(a.Status)
	isLive := connection.Flush() == nil
	err := run(a.stream, isLive, func(part []byte) error {
		x.extend(connection)
		err := x.send(connection, part)
		if err == nil && isLive {
			err = connection.Flush()
		}
		if err != nil {
			return &leftError{err}
		}
		_ = connection.SetWriteDeadline(time.Time{}) // the next part may take its time to come
		return nil
	})
	x.extend(connection) // for the end of the answer, which net/http sends
	if left := (*leftError)(nil); err != nil && !errors.As(err, &left) {
		x.server.fail("stream", slog.String("operation", x.name()), slog.Any("error", err))
	}
}

// leftError is the error of sending to a client that has left, or is too slow.
type leftError struct{ error }

// run runs a stream. A panic in it becomes an error.
func run(stream op.Stream, isLive bool, send func([]byte) error) (err error) {
	defer routine.Recover(&err)
	return stream(send, isLive)
}
