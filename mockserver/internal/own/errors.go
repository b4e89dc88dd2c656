package own

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json"

	"svc.example/understudy/internal/accept"
	"svc.example/understudy/internal/sample"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/specs"
)

// errorForms writes errors in the form that a document shows for their status: that of the operation, or else that of
// another one. Where it shows none, they have that of RFC 9457.
type errorForms struct {
	shared map[string]*openapi3.Response // by status, the first that the document has
	stated map[string]specs.ErrorForm    // by code
	base   string                        // of paths
}

// anyError stands for the first status of an error that the document shows a form for.
const anyError = "error"

func newErrorForms(doc *specs.Document) *errorForms {
	f := &errorForms{shared: map[string]*openapi3.Response{}, stated: doc.Errors(), base: doc.BasePath}
	for _, o := range doc.Operations {
		responses := o.Spec.Responses.Map()
		for _, status := range slices.Sorted(maps.Keys(responses)) {
			ref := responses[status]
			if isError := status[0] == '4' || status[0] == '5' || status == "default" && !o.SucceedsByDefault(); isError &&
				ref.Value != nil && f.shared[status] == nil {
				f.shared[status] = ref.Value
				if f.shared[anyError] == nil && len(ref.Value.Content) > 0 {
					f.shared[anyError] = ref.Value
				}
			}
		}
	}
	return f
}

// isJSON reports whether a media type, which may have parameters, is one of JSON.
func isJSON(media string) bool { return strings.HasSuffix(specs.TypeOfPart(media), "json") }

// reply implements op.Interface.Error.
func (f *errorForms) reply(asked op.Asked, errs op.Errors) op.Reply {
	e := &failure{status: op.Statuses{}.Of(errs[0].Code), errs: errs, asked: asked, base: f.base}
	o, message := asked.Operation, errs.One().Error()
	form, isStated := f.stated[errs[0].Reason]
	if !isStated {
		form, isStated = f.stated[strings.ReplaceAll(string(errs[0].Code), " ", "-")]
	}
	if isStated {
		e.status = form.Status
	}
	status := e.status
	if form.Form != nil {
		value := e.filled(&openapi3.Schema{}, clone(form.Form), true)
		if body, err := json.Marshal(value, json.Deterministic(true)); err == nil {
			return op.Reply{Status: status, Bytes: body, Type: "application/json"}
		}
	}
	response := f.find(o, status)
	if response == nil {
		return problem(status, message)
	}
	reply := op.Reply{Status: status, Header: sampleHeaders(requiredHeaders(response), "error", 0)}
	media := ""
	for _, name := range slices.Sorted(maps.Keys(response.Content)) {
		if media == "" || isJSON(name) && !isJSON(media) {
			media = name
		}
	}
	content := response.Content[media]
	switch {
	case content == nil:
		return reply
	case !isJSON(media):
		if media == "text/*" {
			media = "text/plain"
		} else if strings.Contains(media, "*") {
			return problem(status, message)
		}
		reply.Bytes, reply.Type = []byte(message), media
		return reply
	}
	body, ok := e.body(content)
	if !ok {
		return problem(status, message)
	}
	reply.Bytes, reply.Type = body, media
	return reply
}

// find returns the response that shows the form of an error; nil if the document has none.
func (f *errorForms) find(o *specs.Operation, status int) *openapi3.Response {
	code := strconv.Itoa(status)
	class := code[:1] + "XX"
	if o != nil {
		for _, name := range []string{code, class, "default"} {
			ref := o.Spec.Responses.Value(name)
			if ref != nil && ref.Value != nil && (name != "default" || !o.SucceedsByDefault()) {
				return ref.Value
			}
		}
	}
	for _, name := range []string{code, class, "default", anyError} {
		if r := f.shared[name]; r != nil {
			return r
		}
	}
	return nil
}

// problem is the form of RFC 9457.
func problem(status int, message string) op.Reply {
	body, _ := json.Marshal(struct {
		Type   string `json:"type"`
		Title  string `json:"title"`
		Status int    `json:"status"`
		Detail string `json:"detail"`
	}{"about:blank", http.StatusText(status), status, message})
	return op.Reply{Status: status, Bytes: body, Type: "application/problem+json"}
}

// body returns an example or a sample of the form, with what is known of the failure in its place. Where the document
// only says that it is an object, or has no sample, it is an error of RFC 9457 if that fits.
func (f *failure) body(content *openapi3.MediaType) ([]byte, bool) {
	schema := schemaOf(content.Schema)
	var value any
	for _, example := range examplesOf(content) {
		if value == nil && isValid(schema, example) {
			value = clone(example)
		}
	}
	isExample := value != nil
	if value == nil {
		m := sample.Maker{Direction: accept.Response, Place: "error", Plain: true}
		var err error
		value, err = m.Of(schema)
		if members, isObject := value.(map[string]any); err != nil || isObject && len(members) == 0 {
			text := problem(f.status, f.errs.One().Error()).Bytes
			if fitsSchema(schema, text) {
				return text, true
			}
			if err != nil {
				return nil, false
			}
		}
	}
	body, err := json.Marshal(f.filled(schema, value, isExample), json.Deterministic(true))
	return body, err == nil
}

func clone(value any) (copied any) {
	text, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(text, &copied)
	}
	if err != nil {
		return value
	}
	return copied
}
