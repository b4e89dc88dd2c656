// Package mutation_test makes mutants of valid exchanges, each with exactly one fault, and holds the checker against
// them: it must notice the fault, or a table must say why it cannot.
//
// What is a fault is read off the documents here, place by place; the judge is not asked.
package mutation_test

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/contract/internal/capture"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// valid is an exchange without a fault, and what the documents say of it.
type valid struct {
	*recording.Exchange
	op       *specs.Operation
	match    specs.Match
	response *openapi3.Response
}

// corpus reads the exchanges that mutants are made of. RECORD=1 go test ./cmd/understudy -run RecordForMutations
// records them anew.
func corpus(t *testing.T) (list []*valid) {
	t.Helper()
	for item, err := range capture.Files("testdata/valid.ndjson").Items() {
		if err != nil {
			t.Fatal(err)
		}
		name, id, _ := strings.Cut(item.Operation, ".")
		document, err := specs.Load(specs.Interface(name), specs.Neutral)
		if err != nil {
			t.Fatal(err)
		}
		v := &valid{Exchange: item.Exchange, op: document.Operation(id)}
		if v.match = document.Find(v.Request.Method, pathOf(document, v.Request.URL)); v.match.Operation != v.op {
			t.Fatalf("#%d %s belongs to %v", v.Seq, v.Request.URL, v.match.Operation)
		}
		v.response = v.op.Spec.Responses.Status(v.Response.Status).Value
		list = append(list, v)
	}
	return list
}

// pathOf returns the path below the base of a document.
func pathOf(d *specs.Document, address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(u.EscapedPath(), d.BasePath)
}

// clone returns a copy that can be changed.
func (v *valid) clone() *recording.Exchange {
	e := *v.Exchange
	response := *v.Response
	e.Response = &response
	e.Request.Headers, response.Headers = slices.Clone(e.Request.Headers), slices.Clone(response.Headers)
	e.Request.Body, response.Body = copied(e.Request.Body), copied(v.Response.Body)
	return &e
}

func copied(b *recording.Body) *recording.Body {
	if b == nil {
		return nil
	}
	return &recording.Body{Bytes: bytes.Clone(b.Bytes)}
}

// side is one of the two messages of an exchange, with what the document says of its body.
type side struct {
	name    string // request or response
	headers func(*recording.Exchange) *recording.Headers
	body    func(*recording.Exchange) **recording.Body
}

var sides = []side{
	{
		"request",
		func(e *recording.Exchange) *recording.Headers { return &e.Request.Headers },
		func(e *recording.Exchange) **recording.Body { return &e.Request.Body },
	},
	{
		"response",
		func(e *recording.Exchange) *recording.Headers { return &e.Response.Headers },
		func(e *recording.Exchange) **recording.Body { return &e.Response.Body },
	},
}

// text returns the body of a side, nil if it has none.
func (s side) text(e *recording.Exchange) []byte {
	if body := *s.body(e); body != nil {
		return body.Bytes
	}
	return nil
}

// content returns the documented content of the bodies of a side.
func (s side) content(v *valid) openapi3.Content {
	if s.name == "response" {
		return v.response.Content
	}
	if v.op.Spec.RequestBody == nil {
		return nil
	}
	return v.op.Spec.RequestBody.Value.Content
}

// schema returns the schema of the JSON body of a side, nil if it is not JSON or nothing is documented.
func (s side) schema(v *valid) *openapi3.Schema {
	kind := s.headers(v.Exchange).Value("Content-Type")
	media := s.content(v).Get(kind)
	isJSON := strings.Contains(kind, "json") && !strings.Contains(kind, "jsonl") && !strings.Contains(kind, "ndjson")
	if !isJSON || media == nil || media.Schema == nil || media.Extensions["x-lines"] == true {
		return nil
	}
	return media.Schema.Value
}

// decoded returns a JSON body, with numbers as they are written.
func decoded(text []byte) (value any) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if d.Decode(&value) != nil || d.More() {
		return nil
	}
	return value
}

func encoded(value any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(value)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
