// Package op is what every handler speaks: a Call comes in, a Reply or an Error goes out. Headers, bytes and locks stay
// with the serving path.
package op

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
)

// Handler answers one operation. What it changes in Call.World takes effect only when it returns no error. A handler of
// a GET changes nothing.
type Handler func(*Call) (Reply, error)

// Call is one request, routed, authenticated and validated.
type Call struct {
	World     *world.State // the transaction's own copy
	Operation *specs.Operation
	Match     *specs.Match      // its operation is the one on the wire, in the brand's words
	Swapped   map[string]string // identifiers that the wire and handlers call by other names, from each name to the other
	Query     url.Values
	// JSON has been validated against the document, and made of a form or the query where those may stand in for it
	Body    []byte
	Raw     []byte // the body as it came, for signatures over it
	Header  func(name string) string
	Key     string // that was shown, known or not; empty when none was
	Caller  world.Caller
	Now     time.Time // one time for the whole call
	Base    string    // the interface's address as the client sees it, for links: https://workflow.svc.example
	Context context.Context
	Queries Queries // whose results the handler needs
}

// Param returns a path parameter.
func (c *Call) Param(name string) string { return c.Match.Param(name) }

// ID returns an integer path parameter. One that is not a positive integer names nothing, so the error is NotFound.
func (c *Call) ID(kind, name string) (int64, error) {
	id, err := strconv.ParseInt(c.Param(name), 10, 64)
	if err != nil || id <= 0 {
		return 0, NotFound(kind, "id", c.Param(name))
	}
	return id, nil
}

// Text returns a query parameter, or the empty string.
func (c *Call) Text(name string) string { return c.Query.Get(name) }

// Has reports whether a query parameter was sent.
func (c *Call) Has(name string) bool { return c.Query.Has(name) }

// Int returns an integer query parameter, or fallback if it was not sent.
func (c *Call) Int(name string, fallback int64) (int64, error) {
	text := c.Query.Get(name)
	if text == "" {
		return fallback, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, Invalid(name, "want an integer, not %q", text)
	}
	return n, nil
}

// Neutral returns a name on the wire in the neutral form that handlers use.
func (c *Call) Neutral(name string) string { return cmp.Or(c.Swapped[name], name) }

// Flag returns a boolean query parameter, or fallback if it was not sent.
func (c *Call) Flag(name string, fallback bool) (bool, error) {
	text := c.Query.Get(name)
	if text == "" {
		return fallback, nil
	}
	b, err := strconv.ParseBool(text)
	if err != nil {
		return false, Invalid(name, "want true or false, not %q", text)
	}
	return b, nil
}

// Decode reads the JSON body into a struct. Unknown members are ignored. An absent body leaves the struct as it is.
func (c *Call) Decode(into any) error {
	if len(c.Body) == 0 {
		return nil
	}
	if err := Unmarshal(c.Body, into); err != nil {
		return Invalid("", "request body: %v", err)
	}
	return nil
}

// Reply is an answer other than an error. Body is written as JSON; Bytes, with their media Type, as they are. A reply
// with none of them has no body.
type Reply struct {
	Status int // 0 means 200
	Body   any
	Bytes  []byte
	Type   string           // of Bytes; for a Body, empty means what the interface answers with
	Fits   *openapi3.Schema // that the handler has found Bytes to fit; nil if it has not looked
	Chunks [][]byte         // instead of Bytes: parts that are sent one by one, as soon as they are there
	Stream Stream           // instead of Bytes: sends parts while they come to be
	Header [][2]string
	ETag   string   // quoted; with it a client may ask for a range of Bytes
	Notes  []string // for the journal: what a test should know of this exchange and no client sees
}

// Stream sends an answer part by part until the context of the call ends. Send fails once the client has left. An
// answer is not live if the client gets nothing of it before its end: then it is to end, with what there is.
type Stream func(send func(part []byte) error, isLive bool) error

// OK returns a 200 with a JSON body.
func OK(body any) (Reply, error) { return Reply{Status: 200, Body: body}, nil }

// Created returns a 201 with a JSON body.
func Created(body any) (Reply, error) { return Reply{Status: 201, Body: body}, nil }

// None returns a 204 without a body.
func None() (Reply, error) { return Reply{Status: 204}, nil }

// Code classifies an Error; an interface's wire.go turns it into a status and an envelope.
type Code string

// The codes.
const (
	CodeInvalid       Code = "invalid"
	CodeUnauthorized  Code = "unauthorized"
	CodeForbidden     Code = "forbidden"
	CodeNotFound      Code = "not found"
	CodeMethod        Code = "method not allowed"
	CodeConflict      Code = "conflict"
	CodeRange         Code = "range not satisfiable"
	CodeNotAcceptable Code = "not acceptable"
	CodeUnprocessable Code = "unprocessable" // wrong in sense, not in form, where an interface distinguishes the two
	CodeTooLarge      Code = "too large"
	CodeMediaType     Code = "unsupported media type"
	CodeTooMany       Code = "too many requests"
	CodeInternal      Code = "internal"
	CodeNoHandler     Code = "not implemented" // an operation of a user's own document
)

// Error is the caller's fault, unless its code is CodeInternal. Field names the parameter or the body's member that
// is at fault, if one is.
type Error struct {
	Code    Code
	Message string
	Field   string
	Reason  string         // identifies the error to a program: the failed schema keyword, or a code of the interface
	Key     string         // the id or name that belongs to nothing, with CodeNotFound
	Details map[string]any // for interfaces whose errors carry more than a message
	Header  [][2]string    // of the answer, such as Allow

	cause error
}

// Errors is everything that is wrong with one request, at least one thing.
type Errors []*Error

// One returns the first error with the messages of all: for interfaces whose error form has room for one.
func (list Errors) One() *Error {
	first := *list[0]
	for _, more := range list[1:] {
		first.Message += "; " + more.Error()
	}
	return &first
}

func (e *Error) Error() string {
	if e.Field == "" {
		return e.Message
	}
	return e.Field + ": " + e.Message
}

// Unwrap returns the error that this one was made of by Because, or nil.
func (e *Error) Unwrap() error { return e.cause }

// NotFound returns the error for a missing resource of a kind with a key, such as an id or a name.
func NotFound(kind, key string, value any) error {
	return &Error{
		Code: CodeNotFound, Message: sentence("%s with %s %v not found", kind, key, value), Key: sentence("%v", value),
	}
}

// Invalid returns an error that says what is wrong with a field, and what would be right.
func Invalid(field, format string, args ...any) error {
	return &Error{Code: CodeInvalid, Field: field, Message: sentence(format, args...)}
}

// Because returns an error for what a caller chose and cannot have, with the text of its cause.
func Because(cause error) error {
	return &Error{Code: CodeInvalid, Message: cause.Error(), cause: cause}
}

// maxPattern is the number of bytes of a regular expression, which may cost a thousand times as many.
const maxPattern = 1000

// CheckPattern returns an error if a field is not a regular expression, or a long one.
func CheckPattern(field, pattern string) error {
	if len(pattern) > maxPattern {
		return Invalid(field, "want a regular expression of at most %d bytes, not %d", maxPattern, len(pattern))
	}
	if _, err := regexp.Compile(pattern); err != nil {
		return Invalid(field, "want a regular expression: %v", err)
	}
	return nil
}

// Unprocessable returns an error that says what of a field makes no sense, and what would.
func Unprocessable(field, format string, args ...any) error {
	return &Error{Code: CodeUnprocessable, Field: field, Message: sentence(format, args...)}
}

// Conflict returns an error that says what is in the way.
func Conflict(format string, args ...any) error {
	return &Error{Code: CodeConflict, Message: sentence(format, args...)}
}

// Forbidden returns an error that says which right is missing.
func Forbidden(format string, args ...any) error {
	return &Error{Code: CodeForbidden, Message: sentence(format, args...)}
}

// How many bytes a message repeats of a client's text, and how many it has.
const (
	maxQuoted  = 1000
	maxMessage = 4000
)

// sentence formats a message, with only the beginnings of long texts.
func sentence(format string, args ...any) string {
	for i, arg := range args {
		if text, ok := arg.(string); ok && len(text) > maxQuoted {
			args[i] = beginning(text, maxQuoted)
		}
	}
	return fmt.Sprintf(format, args...)
}

func beginning(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// Short returns the error with only the beginnings of long texts, as it may be answered.
func (e *Error) Short() *Error {
	short := *e
	short.Message, short.Field = beginning(e.Message, maxMessage), beginning(e.Field, maxQuoted)
	short.Key = beginning(e.Key, maxQuoted)
	return &short
}

// Unmarshal reads JSON that a client sent. A whole number is an integer there however it is written: 4.0 and 4e0
// are what JSON Schema calls integers, and what languages send that know one kind of number.
func Unmarshal(data []byte, into any) error {
	err := json.Unmarshal(data, into)
	if misfit := (*json.SemanticError)(nil); errors.As(err, &misfit) && misfit.JSONKind == '0' {
		return json.Unmarshal(data, into, json.WithUnmarshalers(json.JoinUnmarshalers(
			json.UnmarshalFromFunc(whole[int]), json.UnmarshalFromFunc(whole[int64]), json.UnmarshalFromFunc(whole[uint64]))))
	}
	return err
}

func whole[N int | int64 | uint64](d *jsontext.Decoder, into *N) error {
	if d.PeekKind() != '0' {
		return errors.ErrUnsupported // for what it is otherwise
	}
	number, err := d.ReadValue()
	if err != nil {
		return err
	}
	if json.Unmarshal(number, into) == nil {
		return nil
	}
	f, err := strconv.ParseFloat(string(number), 64)
	if *into = N(f); err != nil || math.Abs(f) > 1<<53 || float64(*into) != f {
		return errors.New("want an integer, not " + string(number))
	}
	return nil
}

// Member returns the path of the field within the resource that the body of a request has, such as rule, conditions, 0.
func (e *Error) Member() []any {
	var path []any
	field := strings.TrimPrefix(e.Field, "data.")
	for step := range strings.SplitSeq(field, ".") {
		if n, err := strconv.Atoi(step); err == nil {
			path = append(path, n)
		} else if step != "" {
			path = append(path, step)
		}
	}
	return path
}

// Queries are those that a call needs the results of. A handler names the ones that are still to be run, and goes on as
// it likes: its reply and its changes are dropped, the queries are run outside of the world's lock, and the handler is
// called again. The zero value is ready to use.
type Queries struct {
	asked  map[any]world.Query
	needed []world.DueEvent
	used   bool
}

// Need requests that the handler is called again after the query of an event has its result, and the event is settled.
// A query that no event waits for is that of an event with nothing else.
func (q *Queries) Need(e world.DueEvent) {
	q.needed, q.used = append(q.needed, e), true
}

// Needs reports whether a query was needed since Needed was called last.
func (q *Queries) Needs() bool { return q.needed != nil }

// Used reports whether the call has ever needed a query, or asked for one.
func (q *Queries) Used() bool { return q.used || q.asked != nil }

// Needed returns what was needed since it was asked last.
func (q *Queries) Needed() []world.DueEvent {
	needed := q.needed
	q.needed = nil
	return needed
}

// Ask returns the query with a key, the same one each time that the handler is called. It is made the first time.
func (q *Queries) Ask(key any, begin func() world.Query) world.Query {
	query, asked := q.asked[key]
	if !asked {
		query = begin()
		if q.asked == nil {
			q.asked = map[any]world.Query{}
		}
		q.asked[key] = query
	}
	return query
}
