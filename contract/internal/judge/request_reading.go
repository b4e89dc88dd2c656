package judge

import (
	"cmp"
	"mime"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/contract/internal/body"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// A body may come as JSON, as a form, in the query, or in parts of these. All of them stand for one JSON object, and
// that is judged.

// reading is a request's body as the platform's framework reads it, where that differs from what was sent.
type reading struct {
	body      []byte // JSON
	fromQuery []string
	reason    string // why the body cannot be read
}

// readRequest reads the request as the platform's framework does. It replaces the owner's query by what was read.
func (r *Result) readRequest() {
	op := r.Operation()
	if op == nil || op.Reader.IsExact() {
		return
	}
	if r.Owner.Query == "" && r.Item.Request.Body == nil {
		if r.Item.RequestDoubt == "" {
			r.reading = r.documented.unsent
		}
		return
	}
	sent, reason := r.sent()
	r.sentType = sent.ContentType
	if query, err := r.Query(); err == nil { // otherwise there is a finding on the parameters
		sent.Query = query
	}
	read, err := op.Reader.Read(sent)
	switch {
	case err != nil:
		r.reading = &reading{reason: "the form cannot be parsed"}
	case reason != "" && op.Reader.Accepts(body.MediaType(sent.ContentType)):
		r.reading = &reading{reason: reason}
	case read.Changed.Body && r.isWorthReading(&read):
		r.reading = &reading{body: read.Body, fromQuery: read.FromQuery}
	}
	if read.Changed.Query {
		r.Owner.Query, r.query, r.queryErr = read.Query.Encode(), read.Query, nil
	}
}

// formType is the media type of forms.
const formType = "application/x-www-form-urlencoded"

// sent returns the body as it was sent, with content codings and charset undone, and with the media type by which the
// platform reads it. A form without one, as some clients send it, has that of forms, if the headers were recorded.
func (r *Result) sent() (sent specs.Sent, reason string) {
	request := &r.Item.Request
	sent.ContentType = r.Operation().Reader.ContentType(request.Headers.Value("Content-Type"))
	if request.Body == nil || r.Item.RequestDoubt != "" {
		return sent, ""
	}
	plain, reason := r.codings.Undo(request.Headers, request.Body)
	if _, parameters, err := mime.ParseMediaType(sent.ContentType); reason == "" && err == nil {
		plain, reason = body.ToUTF8(parameters["charset"], plain)
	}
	sent.Body = plain
	if sent.ContentType == "" && len(request.Headers) > 0 && takesUntypedForms(r.Operation()) &&
		specs.GuessType(plain) == formType {
		sent.ContentType = formType
	}
	return sent, reason
}

// takesUntypedForms reports whether an operation reads forms that are sent without a Content-Type.
func takesUntypedForms(op *specs.Operation) bool {
	return op.Document.Lenient.Bodies && op.Reader.Accepts(formType)
}

// readNothing reads a request without a body and a query, for which a recording may have left out the body.
func readNothing(op *specs.Operation) *reading {
	if op.Reader.IsExact() {
		return nil
	}
	read, err := op.Reader.Read(specs.Sent{})
	if err != nil || !read.Changed.Body || !needsMembers(op) {
		return nil
	}
	return &reading{body: read.Body}
}

// isWorthReading reports whether the body that was read can be judged. A recording without a body may have left it out.
func (r *Result) isWorthReading(read *specs.Read) bool {
	if r.Item.RequestDoubt != "" {
		return false
	}
	if body := r.Item.Request.Body; len(read.FromQuery) > 0 || body != nil && len(body.Bytes) > 0 {
		return true
	}
	return needsMembers(r.Operation())
}

// needsMembers reports whether the body of a request cannot be an object without members.
func needsMembers(op *specs.Operation) bool {
	schema := requestBodyOf(op).Content.Get(op.Reader.MediaType()).Schema
	return !takes(op.Document, schema.Value, map[string]any{})
}

// requestMessage returns the message that the client sent, as it is to be judged.
func (r *Result) requestMessage() message {
	op := r.Operation()
	kind := cmp.Or(r.sentType, r.Item.Request.Headers.Value("Content-Type"))
	m := message{
		op: op, side: request, kind: kind, reception: receptionOf(r.Status()), method: r.Item.Request.Method,
		headers: r.Item.Request.Headers, body: r.Item.Request.Body, doubt: r.Item.RequestDoubt,
		documentedBody: r.documented.request, sampled: r.sampled, codings: &r.codings,
	}
	if m.body == nil && m.doubt == "" && r.reading == nil && requestBodyOf(op) != nil &&
		m.headers.Value("Content-Length") == "0" {
		m.body = &recording.Body{} // there was none (RFC 9110, 8.6)
	}
	switch {
	case requestBodyOf(op) != nil && r.reading != nil:
		m.useReading(r.reading)
		return m
	case requestBodyOf(op) != nil:
	case op.Reader.Accepts(body.MediaType(kind)): // clients send forms with every POST
		m.body, m.doubt = nil, ""
	}
	m.form = m.documentedBody.form(kind)
	return m
}

// useReading replaces the sent body by what was read from it.
func (m *message) useReading(read *reading) {
	m.form = m.documentedBody.reading
	m.isReading, m.sentType, m.kind = true, m.kind, body.JSONType
	m.headers = recording.Headers{{"Content-Type", body.JSONType}}
	if read.reason != "" {
		m.doubt = read.reason
		return
	}
	m.bodiless = m.body == nil
	m.body, m.queryMembers = &recording.Body{Bytes: read.body}, read.fromQuery
}

func requestBodyOf(op *specs.Operation) *openapi3.RequestBody {
	if op.Spec.RequestBody == nil {
		return nil
	}
	return op.Spec.RequestBody.Value
}

// isInQuery reports whether the value at a path below the body came from the query.
func (m *message) isInQuery(path []string) bool {
	return len(path) > 0 && slices.ContainsFunc(m.queryMembers, func(name string) bool {
		name, _, _ = strings.Cut(name, "[")
		return name == path[0]
	})
}

// instance returns the pointer in the exchange to the value at a path below the body.
func (m *message) instance(base string, path []string) string {
	if m.isInQuery(path) {
		base = "/request/query"
	}
	return join(base, path...)
}
