// Package wire holds the forms that all answers of the core data interface share: errors, times and lists. It also
// reads the parts that several of its requests share.
package wire

import (
	"bytes"
	"compress/gzip"
	"errors"
	"net/http"
	"sync"
	"time"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/resource"
)

// Dialect returns the form of this interface's answers for resources: creations and deletions are 200, with the
// resource, and lists are bare arrays unless a handler sets another form.
func Dialect() resource.Dialect {
	return resource.Dialect{
		Created: http.StatusOK,
		List:    func(_ *op.Call, list resource.List) any { return list.Items },
	}
}

type errorForm struct {
	Error      string         `json:"error"`
	Message    string         `json:"message"`
	Text       string         `json:"text"`
	Severity   string         `json:"severity"`
	StatusCode int            `json:"status_code"`
	Details    map[string]any `json:"details,omitempty"`
}

// statuses replaces the statuses that the document does not have.
var statuses = op.BadRequest(op.CodeTooLarge)

// ErrorReply returns an answer with the message three times, since clients look for it under different names (client).
func ErrorReply(_ op.Asked, list op.Errors) op.Reply {
	e := list.One()
	status := statuses.Of(e.Code)
	text := e.Error()
	return op.Reply{Status: status, Body: errorForm{
		Error: text, Message: text, Text: text, Severity: "error", StatusCode: status, Details: e.Details,
	}}
}

// DateTime returns a time as most of this interface writes it: 2026-01-15 09:30:00 UTC (public).
func DateTime(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }

// OffsetDateTime returns a time as the list of databases writes it: 2026-01-15 09:30:00 +0000 (documented).
func OffsetDateTime(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 -0700") }

// DateTimeOrEmpty returns the same as DateTime, but the empty text for the zero time (client).
func DateTimeOrEmpty(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return DateTime(t)
}

// MaxTime is the end of the year 9999 in unix seconds: no time on the wire is later.
const MaxTime = 253402300799

// Nullable is a member of a body in which null means something other than absence.
type Nullable[T any] struct {
	Sent  bool
	Value *T // nil: null
}

// UnmarshalJSON implements json.Unmarshaler.
func (g *Nullable[T]) UnmarshalJSON(data []byte) error {
	g.Sent = true
	return op.Unmarshal(data, &g.Value)
}

// Set stores a value that was sent.
func Set[T any](to *T, value *T) {
	if value != nil {
		*to = *value
	}
}

// Recode changes the code of a refusal, for operations whose documents lack the usual one.
func Recode(err error, from, to op.Code) error {
	refusal, ok := errors.AsType[*op.Error](err)
	if !ok || refusal.Code != from {
		return err
	}
	other := *refusal
	other.Code = to
	return &other
}

// compressors are pooled, since making one takes most of a megabyte.
var compressors = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}

// Gzip returns a stream in gzip, with a constant header: the same rows give the same bytes.
func Gzip(stream []byte) ([]byte, error) {
	var packed bytes.Buffer
	w := compressors.Get().(*gzip.Writer)
	defer compressors.Put(w)
	w.Reset(&packed)
	if _, err := w.Write(stream); err != nil {
		return nil, err
	}
	err := w.Close()
	return packed.Bytes(), err
}
