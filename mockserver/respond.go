package mockserver

import (
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/check"
	"svc.example/understudy/mockserver/internal/live"
	"svc.example/understudy/mockserver/internal/op"
)

// refuse turns an error into an answer in the interface's own form. An error that is not the caller's fault is told to
// the log and the running test, not to the caller.
func (x *exchange) refuse(err error) op.Reply {
	var refusals []*op.Error
	var fault error
	for _, part := range flatten(err) {
		if refusal := (*op.Error)(nil); errors.As(part, &refusal) {
			refusals = append(refusals, refusal)
		} else {
			fault = part
		}
	}
	if len(refusals) == 0 {
		x.server.fail("serve", slog.String("operation", x.name()), slog.Any("error", fault))
		return x.rules.Error(&op.Error{Code: op.CodeInternal, Message: "the mock failed; its log says why"})
	}
	first := *refusals[0]
	for _, more := range refusals[1:] {
		first.Message += "; " + more.Error()
	}
	return x.rules.Error(&first)
}

func flatten(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var flat []error
	for _, part := range joined.Unwrap() {
		flat = append(flat, flatten(part)...)
	}
	return flat
}

// name is the operation's name for the log.
func (x *exchange) name() string {
	if x.match.Operation == nil {
		return x.Name
	}
	return x.match.Operation.Name()
}

// encode turns a reply into bytes and holds them against the document. A mock that would break the contract answers
// 500 instead.
func (x *exchange) encode(reply op.Reply) check.Answer {
	a, err := x.render(reply)
	if err == nil && x.match.Operation != nil && a.Status < http.StatusInternalServerError {
		err = x.checks[x.match.Operation.ID].Answer(a)
	}
	if err == nil {
		return a
	}
	x.server.fail("the mock would break the contract", slog.String("operation", x.name()), slog.Any("error", err))
	a, _ = x.render(x.rules.Error(&op.Error{
		Code: op.CodeInternal, Message: "the mock would have answered off the contract; its log says why",
	}))
	return a
}

func (x *exchange) render(reply op.Reply) (a check.Answer, err error) {
	a = check.Answer{Status: reply.Status, Type: reply.Type, Body: reply.Bytes}
	if a.Status == 0 {
		a.Status = http.StatusOK
	}
	if reply.Body != nil {
		a.Type = "application/json"
		a.Body, err = json.Marshal(reply.Body, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	}
	a.Header = make([][2]string, 0, 3+len(reply.Header))
	if a.Type != "" {
		a.Header = append(a.Header, [2]string{"Content-Type", a.Type})
	}
	if a.Status != http.StatusNoContent {
		a.Header = append(a.Header, [2]string{"Content-Length", strconv.Itoa(len(a.Body))})
	}
	a.Header = append(a.Header, [2]string{"Date", x.now().Format(http.TimeFormat)})
	for _, line := range append(reply.Header, x.extra...) {
		a.Header = append(a.Header, [2]string{http.CanonicalHeaderKey(line[0]), line[1]})
	}
	return a, err
}

// now is the world's time, so that a frozen world gives the same bytes again.
func (x *exchange) now() time.Time {
	if x.world == nil {
		return x.server.worlds.Get(live.Default).Now()
	}
	return x.world.Now()
}
