package main_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/mockserver"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// wire is a request as it goes over the wire.
type wire struct {
	method, path string
	query        url.Values
	header       http.Header
	body         []byte
	unsized      bool // the body's length is not announced
}

// object returns the JSON object that a request carries.
func (r *wire) object() (object map[string]any, ok bool) {
	d := json.NewDecoder(bytes.NewReader(r.body))
	d.UseNumber()
	ok = r.header.Get("Content-Type") == jsonType && d.Decode(&object) == nil
	return object, ok
}

func (r *wire) change(edit func(map[string]any) bool) bool {
	object, ok := r.object()
	if !ok || !edit(object) {
		return false
	}
	r.body, _ = json.Marshal(object)
	return true
}

func (r *wire) setMultipart(fields url.Values) {
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for name, values := range fields {
		for _, value := range values {
			_ = w.WriteField(name, value)
		}
	}
	_ = w.Close()
	r.body = body.Bytes()
	r.header.Set("Content-Type", w.FormDataContentType())
}

func wireOf(t *testing.T, r *http.Request) *wire {
	t.Helper()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Error(err)
	}
	return &wire{method: r.Method, path: r.URL.EscapedPath(), query: r.URL.Query(), header: r.Header, body: body}
}

func (r *wire) clone() *wire {
	other := *r
	other.query, other.header = url.Values{}, r.header.Clone()
	maps.Copy(other.query, r.query)
	return &other
}

func (r *wire) request(t *testing.T) *http.Request {
	t.Helper()
	address := "http://127.0.0.1:4010" + r.path
	if len(r.query) > 0 {
		address += "?" + r.query.Encode()
	}
	request := httptest.NewRequestWithContext(t.Context(), r.method, address, bytes.NewReader(r.body))
	request.Header = r.header.Clone()
	if r.unsized {
		request.ContentLength, request.TransferEncoding = -1, []string{"chunked"}
	}
	return request
}

// in sends a request into a copy of the world, and returns the status and the body of the answer.
func (r *wire) in(t *testing.T, mock *mockserver.Server, recorded *[]*recording.Exchange) string {
	t.Helper()
	world := mock.World("").Fork()
	request := r.request(t)
	request.Header.Set("X-Understudy-World", world.ID())
	answer := httptest.NewRecorder()
	mock.ServeHTTP(answer, request)
	journal, err := world.Journal()
	if err != nil {
		t.Fatal(err)
	}
	for i := range journal {
		*recorded = append(*recorded, &journal[i])
	}
	return fmt.Sprintf("%d %s", answer.Code, answer.Body)
}

// formOf writes the body of a request as a form, as clients of core do.
func formOf(op *specs.Operation, r *wire) (url.Values, bool) {
	object, ok := r.object()
	if !ok || op.Interface != specs.Core {
		return nil, false
	}
	fields := url.Values{}
	for name, value := range object {
		switch v := value.(type) {
		case nil:
		case []any, map[string]any:
			text, _ := json.Marshal(v)
			fields.Set(name, string(text))
		default:
			fields.Set(name, fmt.Sprint(v))
		}
	}
	return fields, true
}

// membersOf lists the members of an object, those of its parts included.
func membersOf(schema *openapi3.Schema) openapi3.Schemas {
	members := openapi3.Schemas{}
	if schema != nil {
		maps.Copy(members, schema.Properties)
		for _, part := range schema.AllOf {
			maps.Copy(members, membersOf(part.Value))
		}
	}
	return members
}

func withBooleans(yes, no string) func(*specs.Operation, *wire) bool {
	return func(op *specs.Operation, r *wire) (changed bool) {
		for _, p := range queryParameters(op) {
			if isLenient(op) && p.Schema.Value.Type.Is("boolean") {
				r.query.Set(p.Name, map[string]string{"true": yes, "false": no}[r.query.Get(p.Name)])
				changed = true
			}
		}
		return changed
	}
}

func queryParameters(op *specs.Operation) (list []*openapi3.Parameter) {
	for _, ref := range op.Parameters {
		if ref.Value.In == openapi3.ParameterInQuery {
			list = append(list, ref.Value)
		}
	}
	return list
}
