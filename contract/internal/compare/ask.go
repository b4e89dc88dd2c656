package compare

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"svc.example/understudy/internal/routine"
)

// defaultTimeout is the time that a subject has for an answer.
const defaultTimeout = time.Minute

// errTimeout is the cause for which the context of a request ends that takes too long.
var errTimeout = errors.New("timeout")

// ask sends a request to the subject. If there is no answer, because the handler panicked or took too long, it returns
// why. A handler that does not return then either is left behind.
func (r *replay) ask(request *http.Request) (a *Answer, why string, err error) {
	timeout := r.Timeout
	if timeout == 0 {
		timeout = defaultTimeout
	}
	ctx, cancel := context.WithTimeoutCause(request.Context(), timeout, errTimeout)
	defer cancel()
	ctx = context.WithValue(ctx, http.ServerContextKey, &http.Server{}) // by which a handler may cut the connection
	done := make(chan error, 1)
	writer := &answerWriter{Answer: Answer{Header: http.Header{}}}
	new(routine.Group).GoThen(func() error {
		r.subject.Handler.ServeHTTP(writer, request.WithContext(ctx))
		return nil
	}, func(err error) { done <- err })
	select {
	case failed := <-done:
		switch {
		case request.Context().Err() != nil:
			return nil, "", context.Cause(request.Context())
		case errors.Is(context.Cause(ctx), errTimeout):
			return nil, fmt.Sprintf("it took longer than %v", timeout), nil
		case errors.Is(failed, http.ErrAbortHandler):
			return nil, "the connection was cut", nil
		case failed != nil:
			return nil, "the handler panicked: " + strings.TrimPrefix(routine.Brief(failed), "panic: "), nil
		}
		return writer.done(), "", nil
	case <-ctx.Done():
		if request.Context().Err() != nil {
			return nil, "", context.Cause(request.Context())
		}
		return nil, fmt.Sprintf("it took longer than %v", timeout), nil
	}
}

// unanswered notes that there is no answer.
func (c *comparison) unanswered(why string) {
	was := c.exchange.Item.Response.Status
	c.exchange.Answer = &Answer{Header: http.Header{}}
	c.list = append(c.list, found{Difference: Difference{
		Kind: Status, Pointer: "/response/status", Recorded: fmt.Sprint(was),
		Message: fmt.Sprintf("status %d was recorded, and the request is not answered: %s", was, why),
	}})
}
