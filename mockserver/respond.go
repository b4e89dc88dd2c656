package mockserver

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/validate"
	"svc.example/understudy/mockserver/internal/worlds"
)

// maxRefusals is the greatest number of mistakes in an answer; the rest are only counted.
const maxRefusals = 20

// refuse turns an error into an answer in the interface's own form. An error that is not the caller's fault goes to the
// log and the running test, not to the caller.
func (x *exchange) refuse(err error) op.Reply {
	var refusals op.Errors
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
		return x.faulty("the mock failed; see its log")
	}
	if more := len(refusals) - maxRefusals; more > 0 {
		last := op.Error{Code: refusals[0].Code, Message: fmt.Sprintf("and %d more mistakes", more)}
		refusals = append(refusals[:maxRefusals], &last)
	}
	x.reason = refusals.One().Error()
	return x.rules.Error(x.brand.operation(x.match.Operation), x.told(refusals))
}

// told lets an interface document 422 for what others answer with 400, operation by operation.
func (x *exchange) told(refusals op.Errors) op.Errors {
	if x.match.Operation == nil {
		return refusals
	}
	check := x.checks[x.match.Operation.ID]
	if x.own != nil && !check.Documents(http.StatusBadRequest) && !check.Documents(http.StatusUnprocessableEntity) {
		check = x.own.ours[x.match.Operation.ID]
	}
	if check == nil || check.Documents(http.StatusBadRequest) || !check.Documents(http.StatusUnprocessableEntity) {
		return refusals
	}
	told := make(op.Errors, len(refusals))
	for i, refusal := range refusals {
		one := *refusal
		if one.Code == op.CodeInvalid {
			one.Code = op.CodeUnprocessable
		}
		told[i] = &one
	}
	return told
}

// faulty is the answer to what is the mock's own fault.
func (x *exchange) faulty(message string) op.Reply {
	return x.rules.Error(x.brand.operation(x.match.Operation), op.Errors{{Code: op.CodeInternal, Message: message}})
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
func (x *exchange) encode(reply op.Reply) validate.Answer {
	a, err := x.render(reply)
	if err == nil && x.match.Operation != nil && a.Status < http.StatusInternalServerError {
		switch {
		case x.own != nil:
			a = x.conform(a)
		case x.reason != "" && !x.checks[x.match.Operation.ID].Documents(a.Status):
			x.notes = append(x.notes,
				fmt.Sprintf("the status %d is not documented, because no client should send such a request", a.Status))
		default:
			err = x.tolerate(x.checks[x.match.Operation.ID].Answer(a))
		}
	}
	if err == nil {
		x.parts = reply.Chunks
		return a
	}
	x.server.fail("the response does not match the document", slog.String("operation", x.name()), slog.Any("error", err))
	a, _ = x.render(x.faulty("response does not match the document; see the log of the mock"))
	return a
}

// tolerate lets an answer go that is off the contract where requests that are off it are served: what those have left
// behind is in the answers to others as well.
func (x *exchange) tolerate(err error) error {
	if err == nil || x.server.validation == Strict {
		return err
	}
	x.off, x.notes = true, append(x.notes, "response does not match the document: "+err.Error())
	return nil
}

func (x *exchange) render(reply op.Reply) (a validate.Answer, err error) {
	x.notes = append(x.notes, reply.Notes...)
	if reply.ETag != "" && x.r.Header.Get("Range") != "" {
		reply = x.slice(reply)
	}
	a = validate.Answer{Status: reply.Status, Type: reply.Type, Body: reply.Bytes}
	if reply.Chunks != nil {
		a.Body = slices.Concat(reply.Chunks...)
	}
	if a.Status == 0 {
		a.Status = http.StatusOK
	}
	if reply.Body != nil {
		a.Type = cmp.Or(reply.Type, x.rules.Media, "application/json")
		a.Body, err = json.Marshal(reply.Body, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
		a.Body = x.brand.members(a.Body)
	}
	a.Header = make([][2]string, 0, 5+len(reply.Header))
	if a.Type != "" {
		a.Header = append(a.Header, [2]string{"Content-Type", a.Type})
	}
	if a.Status != http.StatusNoContent && reply.Chunks == nil {
		a.Header = append(a.Header, [2]string{"Content-Length", strconv.Itoa(len(a.Body))})
	}
	a.Header = append(a.Header, [2]string{"Date", x.now().Format(http.TimeFormat)})
	if reply.ETag != "" {
		a.Header = append(a.Header, [2]string{"Etag", reply.ETag}, [2]string{"Accept-Ranges", "bytes"})
	}
	for _, line := range append(reply.Header, x.extra...) {
		if x.cut && line[0] == "Connection" {
			continue
		}
		a.Header = append(a.Header, [2]string{http.CanonicalHeaderKey(line[0]), line[1]})
	}
	if x.cut { // what the client still sends is not read
		a.Header = append(a.Header, [2]string{"Connection", "close"})
	}
	return a, err
}

// slice answers a request for a range of an answer, in the words of net/http. More than one range at a time, and what
// net/http would answer otherwise than with a part of the whole, gets the whole.
func (x *exchange) slice(reply op.Reply) op.Reply {
	if strings.Contains(x.r.Header.Get("Range"), ",") {
		return reply
	}
	r := &http.Request{Method: http.MethodGet, Header: http.Header{"Range": x.r.Header["Range"]}}
	if condition := x.r.Header["If-Range"]; condition != nil {
		r.Header["If-Range"] = condition
	}
	w := &rangeWriter{header: http.Header{"Etag": {reply.ETag}, "Content-Type": {reply.Type}}}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(reply.Bytes))
	switch w.status {
	case http.StatusPartialContent:
		reply.Status, reply.Bytes = w.status, w.of(reply.Bytes)
	case http.StatusRequestedRangeNotSatisfiable:
		reply = x.rules.Error(x.brand.operation(x.match.Operation),
			op.Errors{{Code: op.CodeRange, Field: "Range", Message: fmt.Sprintf(
				"%q is not within the %d bytes of the content", x.r.Header.Get("Range"), len(reply.Bytes))}})
	default:
		return reply
	}
	reply.Header = append(slices.Clip(reply.Header), [2]string{"Content-Range", w.header.Get("Content-Range")})
	return reply
}

// rangeWriter is the answer to a request for a range, but for its bytes.
type rangeWriter struct {
	header http.Header
	status int
}

func (p *rangeWriter) Header() http.Header         { return p.header }
func (p *rangeWriter) WriteHeader(status int)      { p.status = status }
func (p *rangeWriter) Write(b []byte) (int, error) { return len(b), nil }

// of returns the part's bytes, which a large part shares with the whole. A small one would keep the whole in the
// journal.
func (p *rangeWriter) of(whole []byte) []byte {
	var first, last int
	if _, err := fmt.Sscanf(p.header.Get("Content-Range"), "bytes %d-%d/", &first, &last); err != nil {
		return whole // cannot be: net/http has just written it
	}
	if some := whole[first : last+1 : last+1]; len(some) > len(whole)/2 {
		return some
	}
	return bytes.Clone(whole[first : last+1])
}

// now is the world's time, so that a frozen world gives the same bytes again.
func (x *exchange) now() time.Time {
	if x.world == nil {
		return x.server.worlds.Get(worlds.Default).Now()
	}
	return x.world.Now()
}
