package own

import (
	"bytes"
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/internal/accept"
	"svc.example/understudy/internal/sample"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/specs"
)

// success describes the answers of an operation that succeeds.
type success struct {
	operation *specs.Operation
	status    int
	response  *openapi3.Response
	described map[string]bool // the headers that the document has, in their canonical form
	required  []requiredHeader
	media     string               // of JSON; empty if the answer is none
	content   *openapi3.MediaType  // of the media type
	whole     func() *objectSchema // its schema
	isUnknown bool                 // the document has no success
}

func newSuccess(o *specs.Operation) *success {
	status, media, content := o.Success()
	s := &success{
		operation: o, status: http.StatusOK, media: media, content: content, isUnknown: status == "", // and so no form for it
	}
	s.whole = sync.OnceValue(func() *objectSchema { return newObjectSchema(s.schema()) })
	if n, err := strconv.Atoi(status); err == nil {
		s.status = n
	}
	if ref := o.Spec.Responses.Value(status); ref != nil && ref.Value != nil {
		s.describe(ref.Value)
	}
	return s
}

// describe takes what the document says of the answers.
func (s *success) describe(response *openapi3.Response) {
	s.response, s.described, s.required = response, map[string]bool{}, requiredHeaders(response)
	for name := range response.Headers {
		s.described[http.CanonicalHeaderKey(name)] = true
	}
}

func (s *success) schema() *openapi3.SchemaRef {
	if s.content == nil {
		return nil
	}
	return s.content.Schema
}

// instead returns the same answer with another status, if the document has it.
func (s *success) instead(status int) *success {
	ref := s.operation.Spec.Responses.Status(status)
	if ref == nil || ref.Value == nil {
		return s
	}
	other := *s
	other.status = status
	if other.describe(ref.Value); len(ref.Value.Content) == 0 {
		other.media, other.content = "", nil
	}
	return &other
}

// reply answers with a JSON body, or without one where the document has none.
func (s *success) reply(call *op.Call, body []byte) op.Reply {
	reply := op.Reply{Status: s.status, Header: s.headers(call)}
	if s.media != "" && s.status != http.StatusNoContent {
		reply.Bytes, reply.Type = body, s.media
	}
	return reply
}

// headers returns those that the document wants of the answer, with samples.
func (s *success) headers(call *op.Call) [][2]string {
	return sampleHeaders(s.required, s.operation.ID, call.World.Seed)
}

// requiredHeader is a header without which an answer does not fit its document.
type requiredHeader struct {
	name    string
	schema  *openapi3.SchemaRef
	example any
}

func requiredHeaders(response *openapi3.Response) (list []requiredHeader) {
	for _, name := range slices.Sorted(maps.Keys(response.Headers)) {
		h := response.Headers[name].Value
		if h == nil || !h.Required {
			continue
		}
		required := requiredHeader{name, cmp.Or(h.Schema, &openapi3.SchemaRef{Value: openapi3.NewStringSchema()}), h.Example}
		for _, media := range h.Content { // which has one entry (3.0.4, Header Object)
			required.schema, required.example = cmp.Or(media.Schema, required.schema), media.Example
		}
		list = append(list, required)
	}
	return list
}

func sampleHeaders(required []requiredHeader, operation string, seed uint64) (list [][2]string) {
	for _, h := range required {
		m := sample.Maker{Direction: accept.Response, Seed: seed, Place: operation + " header " + h.name}
		if h.example != nil {
			list = append(list, [2]string{h.name, headerText(h.example)})
		} else if value, err := m.Of(h.schema.Value); err == nil {
			list = append(list, [2]string{h.name, headerText(value)})
		}
	}
	return list
}

func headerText(value any) string {
	if text, isText := value.(string); isText {
		return strings.NewReplacer("\r", " ", "\n", " ").Replace(text)
	}
	text, _ := json.Marshal(value, json.Deterministic(true))
	return string(text)
}

// sample answers with what the document gives as an example, or else with a sample of the schema.
func (s *success) sample(call *op.Call) (op.Reply, error) {
	media, content := s.pick(call)
	if content == nil || s.status == http.StatusNoContent {
		return op.Reply{Status: s.status, Header: s.headers(call)}, nil
	}
	body, err := s.body(call, media, content)
	if err != nil {
		return op.Reply{}, &op.Error{Code: op.CodeNoHandler, Message: "the mock cannot make an answer: " + err.Error() +
			"; give the response an example"}
	}
	media = strings.Replace(media, "/*+", "/vnd.sample+", 1) // one of a range by suffix
	return op.Reply{Status: s.status, Bytes: body, Type: media, Header: s.headers(call)}, nil
}

// pick returns the media type of an answer: JSON, unless there is none or the client accepts only another one.
func (s *success) pick(call *op.Call) (string, *openapi3.MediaType) {
	if s.response == nil || len(s.response.Content) == 0 {
		return "", nil
	}
	accepted := call.Header("Accept")
	names := slices.Sorted(maps.Keys(s.response.Content))
	i := slices.IndexFunc(names, func(name string) bool {
		plain, _, _ := strings.Cut(name, ";")
		return strings.Contains(accepted, plain)
	})
	if s.media != "" && (i < 0 || strings.Contains(accepted, "*/*") || strings.Contains(accepted, "json")) {
		return s.media, s.content
	}
	name := names[max(0, i)]
	return concrete(name, s.response.Content[name]), s.response.Content[name]
}

// concrete returns a media type for a range of them.
func concrete(name string, content *openapi3.MediaType) string {
	schema := content.Schema
	switch {
	case name == "*/*" && schema != nil && schema.Value != nil && schema.Value.Type.Is(openapi3.TypeString) &&
		schema.Value.Format == "":
		return "text/plain"
	case name == "*/*", name == "application/*":
		return "application/octet-stream"
	case strings.HasSuffix(name, "/*"):
		return strings.TrimSuffix(name, "*") + "plain"
	}
	return name
}

func (s *success) body(call *op.Call, media string, content *openapi3.MediaType) ([]byte, error) {
	isJSON := media == s.media && s.media != ""
	schema := schemaOf(content.Schema)
	for _, example := range examplesOf(content) {
		if text, isText := example.(string); isText && !isJSON {
			return []byte(text), nil
		}
		if text, err := json.Marshal(example, json.Deterministic(true)); err == nil && isValid(schema, example) {
			return text, nil
		}
	}
	if !isJSON && !schema.Type.Is(openapi3.TypeObject) && !schema.Type.Is(openapi3.TypeArray) {
		if schema.Type.Is(openapi3.TypeString) && schema.Format != "binary" {
			value, err := s.maker(call).Of(schema)
			text, _ := value.(string)
			return []byte(text), err
		}
		return []byte("sample of " + s.operation.ID + "\n"), nil
	}
	value, err := s.maker(call).Of(schema)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(value, json.Deterministic(true))
	if err == nil && isJSON {
		text = s.echo(call, text, schema)
	}
	if strings.HasPrefix(media, "text/event-stream") {
		text = slices.Concat([]byte("data: "), text, []byte("\n\n"))
	}
	return text, err
}

func (s *success) maker(call *op.Call) *sample.Maker {
	place := strings.Join(append([]string{s.operation.ID}, paramsOf(call, s.operation.PathParameters())...), "/")
	return &sample.Maker{Direction: accept.Response, Seed: call.World.Seed, Place: place}
}

// echo lets an object show the values of the path parameters that have the names of its members.
func (s *success) echo(call *op.Call, text []byte, schema *openapi3.Schema) []byte {
	list := membersOf(text)
	if list == nil {
		return text
	}
	for _, name := range s.operation.PathParameters() {
		value := call.Match.Declared(name)
		for i := range list {
			if !strings.EqualFold(list[i].name, name) {
				continue
			}
			before := list[i].value
			if list[i].value = jsontext.Value(value); before.Kind() == '"' || !list[i].value.IsValid() {
				list[i].value, _ = jsontext.AppendQuote(nil, value)
			}
			if !fitsSchema(schema, join(list)) {
				list[i].value = before
			}
		}
	}
	return join(list)
}

// examplesOf lists what a document gives as examples of a body.
func examplesOf(content *openapi3.MediaType) (list []any) {
	if content.Example != nil {
		list = append(list, content.Example)
	}
	for _, name := range slices.Sorted(maps.Keys(content.Examples)) {
		if e := content.Examples[name]; e != nil && e.Value != nil && e.Value.Value != nil {
			list = append(list, e.Value.Value)
		}
	}
	if example := schemaOf(content.Schema).Example; example != nil {
		list = append(list, example)
	}
	return list
}

// envelope is the JSON around the object or the list of an answer.
type envelope struct{ before, after []byte }

// mark stands in an envelope where the object is to be.
const mark = "\x00here\x00"

// around returns the envelope of what stands at a pointer of an answer: a sample, made at the start.
func (s *success) around(at specs.Pointer) func() envelope { return s.aroundIn(s.schema(), at) }

// aroundIn does the same of a part of an answer, which has a schema. The status of one of several is that of success.
func (s *success) aroundIn(schema *openapi3.SchemaRef, at specs.Pointer) func() envelope {
	return sync.OnceValue(func() (e envelope) {
		if len(at) == 0 || schema == nil || schema.Value == nil {
			return e
		}
		m := sample.Maker{Direction: accept.Response, Place: s.operation.ID}
		value, err := m.Of(schema.Value)
		root, isObject := value.(map[string]any)
		if err != nil || !isObject {
			root = map[string]any{}
		}
		for name, part := range root { // a sample of objects that are not there
			switch part.(type) {
			case []any:
				if !isRequired(schema.Value, name) {
					delete(root, name)
				}
			case float64:
				if s.status == http.StatusMultiStatus && slices.Contains(statusNames, plain(name)) {
					root[name] = http.StatusCreated
				}
			}
		}
		node := root
		for _, token := range at[:len(at)-1] {
			child, isObject := node[token].(map[string]any)
			if !isObject {
				child = map[string]any{}
				node[token] = child
			}
			node = child
		}
		node[at[len(at)-1]] = mark
		text, err := json.Marshal(root, json.Deterministic(true))
		quoted, _ := jsontext.AppendQuote(nil, mark)
		if err == nil {
			e.before, e.after, _ = bytes.Cut(text, quoted)
		}
		return e
	})
}

func (e envelope) put(text []byte) []byte {
	if e.before == nil {
		return text
	}
	return slices.Concat(e.before, text, e.after)
}
