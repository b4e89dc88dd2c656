package compare

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
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
	done := make(chan any, 1) // what the handler panicked with
	writer := newAnswer()
	go func() {
		defer func() { done <- recover() }()
		r.subject.Handler.ServeHTTP(writer, request.WithContext(ctx))
	}()
	select {
	case panicked := <-done:
		switch {
		case request.Context().Err() != nil:
			return nil, "", context.Cause(request.Context())
		case errors.Is(context.Cause(ctx), errTimeout):
			return nil, fmt.Sprintf("it took longer than %v", timeout), nil
		case panicked == http.ErrAbortHandler: //nolint:errorlint // nothing wraps it
			return nil, "the connection was cut", nil
		case panicked != nil:
			return nil, fmt.Sprintf("the handler panicked: %v", panicked), nil
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
