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
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/validate"
	"svc.example/understudy/mockserver/internal/worlds"
)

// answer holds the answer that goes out, and what the journal and the log have of it.
type answer struct {
	validate.Answer
	chunks [][]byte // of the body, where they are sent one by one
	stream op.Stream
	notes  []string // for the journal
	reason string   // why the caller was refused; empty when it was not
	isCut  bool     // the body is only the beginning of what was sent
	isOff  bool     // the request or the answer does not match the document, and is served all the same
}

// encode turns a reply, or an error, into bytes and holds them against the document. A mock that would break the
// contract answers 500 instead.
func (x *exchange) encode(reply op.Reply, err error) (a answer) {
	if x.input.note != "" {
		a.notes, a.isOff = append(a.notes, x.input.note), true
	}
	if err != nil {
		reply, a.reason = x.refuse(err)
	}
	if x.ignored != "" {
		a.notes = append(a.notes, x.ignored)
	}
	a.notes = append(a.notes, reply.Notes...)
	if a.Answer, err = x.render(reply); err == nil {
		err = x.checkAnswer(&a)
	}
	if err == nil && x.r.Method == http.MethodHead && x.match.Operation != nil {
		a.Body = nil // of which the headers speak
		return a
	}
	if err == nil {
		a.chunks, a.stream = reply.Chunks, reply.Stream
		return a
	}
	x.server.fail("the response does not match the document", slog.String("operation", x.name()), slog.Any("error", err))
	a.Answer, _ = x.render(x.internalError("response does not match the document; see the log of the mock"))
	return a
}

// maxRefusals is the greatest number of mistakes in an answer; the rest are only counted.
const maxRefusals = 20

// refuse turns an error into an answer in the interface's own form, and says why the caller is refused. An error that
// is not the caller's fault goes to the log and the running test, not to the caller.
func (x *exchange) refuse(err error) (reply op.Reply, reason string) {
	var refusals op.Errors
	var fault error
	for _, part := range flatten(err) {
		if refusal := (*op.Error)(nil); errors.As(part, &refusal) {
			refusals = append(refusals, refusal.Short())
		} else {
			fault = part
		}
	}
	if len(refusals) == 0 {
		x.server.fail("serve", slog.String("operation", x.name()), slog.Any("error", fault))
		return x.internalError("the mock failed; see its log"), ""
	}
	if more := len(refusals) - maxRefusals; more > 0 {
		last := op.Error{Code: refusals[0].Code, Message: fmt.Sprintf("and %d more mistakes", more)}
		refusals = append(refusals[:maxRefusals], &last)
	}
	reply = x.errorReply(x.preferUnprocessable(refusals))
	for _, refusal := range refusals {
		reply.Header = append(reply.Header, refusal.Header...)
	}
	return reply, refusals.One().Error()
}

// preferUnprocessable lets an interface document 422 for what others answer with 400, operation by operation.
func (x *exchange) preferUnprocessable(refusals op.Errors) op.Errors {
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
	renamed := make(op.Errors, len(refusals))
	for i, refusal := range refusals {
		one := *refusal
		if one.Code == op.CodeInvalid {
			one.Code = op.CodeUnprocessable
		}
		renamed[i] = &one
	}
	return renamed
}

// internalError returns the answer to what is the mock's own fault.
func (x *exchange) internalError(message string) op.Reply {
	return x.errorReply(op.Errors{{Code: op.CodeInternal, Message: message}})
}

// errorReply returns an answer in the interface's own form.
func (x *exchange) errorReply(list op.Errors) op.Reply {
	path, _ := x.path()
	return x.rules.Error(op.Asked{Operation: x.brand.operation(x.match.Operation), Path: path, Now: x.visit.start}, list)
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

// name returns the operation's name for the log.
func (x *exchange) name() string {
	if x.match.Operation == nil {
		return string(x.Name)
	}
	return x.match.Operation.Name()
}

// checkAnswer holds an answer against the document of its interface, and makes it fit a user's own where it can. An
// answer that does not match is an error, or served with a note where the fault is that of a request.
func (x *exchange) checkAnswer(a *answer) error {
	if x.match.Operation == nil || x.target.service != nil || a.Status >= http.StatusInternalServerError ||
		x.fault.injects() {
		return nil
	}
	check := x.checks[x.match.Operation.ID]
	switch {
	case x.own != nil:
		var note string
		if a.Answer, note = x.conform(a.Answer); note != "" {
			a.notes = append(a.notes, note)
		}
		return nil
	case x.Name.IsOwn() && a.Status < http.StatusBadRequest && !check.Documents(a.Status):
		a.notes = append(a.notes,
			fmt.Sprintf("the status %d is not documented: the document has no status of success", a.Status))
		return nil
	case a.reason != "" && !check.Documents(a.Status):
		a.notes = append(a.notes,
			fmt.Sprintf("the status %d is not documented, because no client should send such a request", a.Status))
		return nil
	}
	err := check.Answer(a.Answer)
	if err != nil && x.server.validation != Strict { // what requests off the contract left is in the answers to others
		a.notes, a.isOff = append(a.notes, "response does not match the document: "+err.Error()), true
		return nil
	}
	return err
}

func (x *exchange) render(reply op.Reply) (a validate.Answer, err error) {
	if reply.ETag != "" && headerOf(x.r, "Range") != "" {
		reply = x.partOf(reply)
	}
	a = validate.Answer{Status: reply.Status, Type: reply.Type, Body: reply.Bytes, Fits: reply.Fits}
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
	if a.Status != http.StatusNoContent && reply.Chunks == nil && reply.Stream == nil {
		a.Header = append(a.Header, [2]string{"Content-Length", strconv.Itoa(len(a.Body))})
	}
	a.Header = append(a.Header, [2]string{"Date", x.server.dates.text(x.now())})
	if reply.ETag != "" {
		a.Header = append(a.Header, [2]string{"Etag", reply.ETag}, [2]string{"Accept-Ranges", "bytes"})
	}
	for _, line := range reply.Header {
		if x.body.isCut && line[0] == "Connection" {
			continue
		}
		a.Header = append(a.Header, [2]string{http.CanonicalHeaderKey(line[0]), line[1]})
	}
	if x.body.isCut { // what the client still sends is not read
		a.Header = append(a.Header, [2]string{"Connection", "close"})
	}
	a.Header = append(a.Header, x.forPages(a.Header)...)
	return a, err
}

// partOf answers a request for a range of an answer, in the words of net/http. More than one range at a time, and what
// net/http would answer otherwise than with a part of the whole, gets the whole.
func (x *exchange) partOf(reply op.Reply) op.Reply {
	if strings.Contains(headerOf(x.r, "Range"), ",") {
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
		reply = x.errorReply(op.Errors{{Code: op.CodeRange, Field: "Range", Message: fmt.Sprintf(
			"%q is not within the %d bytes of the content", headerOf(x.r, "Range"), len(reply.Bytes))}})
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

// now is the world's time, that of the handler's call if there was one, so that a frozen world gives the same bytes
// again.
func (x *exchange) now() time.Time {
	switch {
	case !x.call.Now.IsZero():
		return x.call.Now
	case x.visit.world == nil:
		return x.server.worlds.Get(worlds.Default).Now()
	}
	return x.visit.world.Now()
}

// addHeaders adds the headers of an answer to those that a middleware has set.
func (a *answer) addHeaders(header http.Header) {
	for i := range a.Header {
		name, value := a.Header[i][0], a.Header[i][1:]
		if before := header[name]; before != nil {
			value = append(before, value...)
		}
		header[name] = value
	}
}

// dates writes times as the header Date has them. It remembers the last one: most answers of a second have the same.
type dates struct {
	last atomic.Pointer[date]
}

type date struct {
	second int64 // Unix time
	text   string
}

func (d *dates) text(t time.Time) string {
	if last := d.last.Load(); last != nil && last.second == t.Unix() {
		return last.text
	}
	made := &date{t.Unix(), t.UTC().Format(http.TimeFormat)}
	d.last.Store(made)
	return made.text
}
