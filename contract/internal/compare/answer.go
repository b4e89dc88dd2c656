package compare

import (
	"bytes"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/contract/internal/body"
	"svc.example/understudy/specs"
)

// answer is the http.ResponseWriter of a replayed request.
type answerWriter struct {
	Answer
	body bytes.Buffer
	sent http.Header // as it was when the status was written
}

// maxAnswer bounds the body of an answer that is kept.
const maxAnswer = 64 << 20

// Header implements http.ResponseWriter.
func (a *answerWriter) Header() http.Header { return a.Answer.Header }

// WriteHeader implements http.ResponseWriter.
func (a *answerWriter) WriteHeader(status int) {
	if a.Status == 0 && status >= http.StatusOK {
		a.Status, a.sent = status, a.Answer.Header.Clone()
	}
}

// Write implements http.ResponseWriter.
func (a *answerWriter) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	a.Size += int64(len(p))
	a.body.Write(p[:min(len(p), maxAnswer-a.body.Len())])
	return len(p), nil
}

// Flush implements http.Flusher: streams are answered as a whole.
func (a *answerWriter) Flush() { a.WriteHeader(http.StatusOK) }

// done returns what was answered.
func (a *answerWriter) done() *Answer {
	a.WriteHeader(http.StatusOK)
	return &Answer{Status: a.Status, Header: a.sent, Body: bytes.Clone(a.body.Bytes()), Size: a.Size}
}

// compare compares what was answered with what was recorded.
func (c *comparison) compare() {
	e := c.exchange
	was, is := e.Item.Response, e.Answer
	if was.Status != is.Status {
		c.list = append(c.list, found{Difference: Difference{
			Kind: Status, Pointer: "/response/status", Recorded: fmt.Sprint(was.Status), Answered: fmt.Sprint(is.Status),
			Message: fmt.Sprintf("status %d was recorded, and %d is answered%s", was.Status, is.Status, c.reason()),
		}})
		if was.Status/100 == 2 && is.Status/100 == 2 {
			c.learnIDs()
		}
		return
	}
	c.isError = was.Status >= http.StatusBadRequest
	if !c.headers() || e.Item.ResponseDoubt != "" || was.Body == nil || e.Item.Request.Method == http.MethodHead {
		return
	}
	c.bodies()
}

// learnIDs takes the ids of the bodies of two successes that are not compared.
func (c *comparison) learnIDs() {
	before, omitted := len(c.list), c.omitted
	if c.exchange.Item.Response.Body != nil {
		c.bodies()
	}
	c.list, c.omitted, c.alike = c.list[:before], omitted, nil
}

// headers compares the media type, and the headers that the document describes. It reports whether bodies of
// these media types can be compared.
func (c *comparison) headers() (canCompare bool) {
	e := c.exchange
	was, is := mediaType(e.Item.Response.Headers.Value("Content-Type")), mediaType(e.Answer.Header.Get("Content-Type"))
	canCompare = true
	if was != is && len(e.Answer.Body) > 0 && was != "" {
		c.header(Shape, "Content-Type", was, is)
		canCompare = body.IsJSON(was) == body.IsJSON(is)
	}
	response := e.Operation().Spec.Responses.Status(e.Answer.Status)
	if response == nil || response.Value == nil {
		return canCompare
	}
	for _, name := range slices.Sorted(maps.Keys(response.Value.Headers)) {
		was, is := e.Item.Response.Headers.Value(name), e.Answer.Header.Get(name)
		switch {
		case strings.EqualFold(name, "Content-Type"), strings.EqualFold(name, "Date"), isConnection(name):
		case (was == "") != (is == ""):
			c.header(Shape, name, was, is)
		case strings.EqualFold(name, "Link") && c.links(was, is):
		case !c.texts(was, is) && !c.masks.hides(e.Operation(), []string{"headers", name}, c.isError):
			c.header(Value, name, was, is)
		}
	}
	return canCompare
}

func isConnection(name string) bool {
	return strings.EqualFold(name, "Connection") || strings.EqualFold(name, "Transfer-Encoding") ||
		strings.EqualFold(name, "Content-Length")
}

func (c *comparison) header(kind Kind, name, was, is string) {
	d := Difference{Kind: kind, Pointer: "/response/headers/" + specs.EscapePointer(name)}
	if !c.IsBrief {
		was, is = c.Redactor.Header(name, was, c.exchange.Operation()), c.Redactor.Header(name, is, c.exchange.Operation())
		d.Recorded, d.Answered = shown(was), shown(is)
		d.Message = fmt.Sprintf("header %s: %q was recorded, and %q is answered", name, was, is)
	}
	c.list = append(c.list, found{Difference: d})
}

func mediaType(header string) string {
	kind, _, err := mime.ParseMediaType(header)
	if err != nil {
		return strings.ToLower(header)
	}
	return kind
}

// bodies compares the bodies: JSON value by value, and all others as a whole.
func (c *comparison) bodies() {
	e := c.exchange
	header := http.Header{}
	for _, name := range []string{"Content-Type", "Content-Encoding"} {
		header.Set(name, e.Item.Response.Headers.Value(name))
	}
	was, reason1 := c.decode(header, e.Item.Response.Body.Bytes)
	is, reason2 := c.decode(e.Answer.Header, e.Answer.Body)
	if e.Answer.Size > int64(len(e.Answer.Body)) {
		if size := int64(len(e.Item.Response.Body.Bytes)); size != e.Answer.Size {
			c.add(Value, nil, absent, absent, "the body is of %d bytes, and %d were recorded", e.Answer.Size, size)
		}
		return
	}
	root := place{nodes: []*node{c.nodes.answer(e.Operation())}}
	if media := c.media(header); media != nil {
		root.add(media.schema)
	}
	switch {
	case reason1 != "" && reason2 != "":
		if !bytes.Equal(e.Item.Response.Body.Bytes, e.Answer.Body) {
			c.add(Value, nil, absent, absent, "the bodies of %d and %d bytes differ, and cannot be decoded: %s",
				len(e.Item.Response.Body.Bytes), len(e.Answer.Body), reason1)
		}
	case reason1 != reason2:
		c.add(Shape, nil, absent, absent, "only one of the bodies can be decoded: %s%s", reason1, reason2)
	case len(was) == 1 && len(is) == 1:
		c.values(nil, &root, was[0], is[0])
	default:
		c.isList = true
		lines := place{nodes: []*node{{children: map[string]*node{items: root.nodes[0]}}}, schemas: nil}
		c.lists(nil, &lines, was, is)
	}
}

// decode returns the values of a body.
func (c *comparison) decode(header http.Header, coded []byte) (values []any, reason string) {
	plain, reason := body.Uncode(header.Get("Content-Encoding"), coded)
	if reason != "" {
		return nil, reason
	}
	if len(plain) == 0 {
		return nil, ""
	}
	media := c.media(header)
	kind := header.Get("Content-Type")
	if media == nil {
		if body.IsJSON(body.MediaType(kind)) {
			d, reason := body.JSON(plain)
			return d.Values, reason
		}
		return []any{string(plain)}, ""
	}
	d, reason := body.Decode(plain, kind, media.mediaType, false)
	return d.Values, reason
}

// documented holds the schema that a document has for a media type.
type documented struct {
	schema    *openapi3.SchemaRef
	mediaType *openapi3.MediaType
}

// media returns what the document says of the media type of the answer, or nil.
func (c *comparison) media(header http.Header) *documented {
	e := c.exchange
	response := e.Operation().Spec.Responses.Status(e.Answer.Status)
	if response == nil || response.Value == nil {
		return nil
	}
	media := response.Value.Content.Get(header.Get("Content-Type"))
	if media == nil {
		return nil
	}
	schema := media.Schema
	if event, _ := body.EventSchema(e.Owner.Document, media); event != nil {
		schema = event
	}
	return &documented{schema, media}
}

// Equal reports whether another answer has the same status and body.
func (a *Answer) Equal(other *Answer) bool {
	return a == other || a != nil && other != nil && a.Status == other.Status && bytes.Equal(a.Body, other.Body)
}
