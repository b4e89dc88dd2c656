package check

import (
	"bytes"
	"fmt"
	"maps"
	"net/url"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/specs"
)

// Form is the media type of a form.
const Form = "application/x-www-form-urlencoded"

func newBody(spec *specs.Operation, request *openapi3.RequestBody) body {
	b := body{
		declared: true, required: request.Required, query: specs.AlsoInQuery(request),
		media: newMedia(request.Content), schema: spec.JSONBody(),
	}
	if m, ok := b.media.find(Form); ok && b.schema == nil {
		b.schema = m.schema // it is a form and nothing else
	}
	return b
}

// Body is the request's body as rules read it. A form becomes the JSON object that it stands for, and where a document
// says that members of the body may stand in the query, those become members that the body itself does not have.
func (o *Operation) Body(r Request) ([]byte, error) {
	if !o.body.declared || o.body.schema == nil {
		return r.Body, nil
	}
	form := o.mediaOf(r) == Form
	extra := o.inQuery(r)
	if !form && len(extra) == 0 && (len(r.Body) > 0 || !o.body.query) {
		return r.Body, nil
	}
	members := specs.FormObject(o.body.schema, extra)
	switch {
	case form:
		values, err := url.ParseQuery(string(r.Body))
		if err != nil {
			return nil, op.Invalid("", "the request body is no form: %v", err)
		}
		maps.Copy(members, specs.FormObject(o.body.schema, values))
	case len(bytes.TrimSpace(r.Body)) > 0:
		own, ok := objectOf(r.Body)
		if !ok {
			return r.Body, nil // for the validation to refuse
		}
		for name, value := range own {
			members[name] = value
		}
	}
	return json.Marshal(members, json.Deterministic(true))
}

// objectOf is the members of a JSON object as they are written: numbers keep all their digits.
func objectOf(body []byte) (map[string]jsontext.Value, bool) {
	own := map[string]jsontext.Value{}
	return own, json.Unmarshal(body, &own) == nil
}

// inQuery is what of the query belongs into the body.
func (o *Operation) inQuery(r Request) url.Values {
	if !o.body.query || len(r.Query) == 0 {
		return nil
	}
	extra := url.Values{}
	for name, values := range r.Query {
		if specs.BodyMember(o.body.schema, name) != nil && !o.hasParameter(name) {
			extra[name] = values
		}
	}
	return extra
}

func (o *Operation) hasParameter(name string) bool {
	for _, p := range o.parameters {
		if p.In == openapi3.ParameterInQuery && p.Name == name {
			return true
		}
	}
	return false
}

// mediaOf is the media type of a request's body. One without a type is taken for what it looks like.
func (o *Operation) mediaOf(r Request) string {
	name := MediaType(r.Header.Get("Content-Type"))
	if name != "" {
		return name
	}
	if len(o.body.media) == 1 {
		return o.body.media[0].name
	}
	if text := bytes.TrimSpace(r.Body); len(text) > 0 && text[0] != '{' && text[0] != '[' {
		return Form
	}
	return "application/json"
}

// requestBody reports in what the body, as Body gives it, is off the document.
func (o *Operation) requestBody(r Request) error {
	if !o.body.declared {
		return nil // a body that nobody asked for is ignored, as by the platform
	}
	if len(r.Body) == 0 {
		if o.body.required {
			return op.Invalid("", "the request has no body; want %s", o.body.media.names())
		}
		return nil
	}
	name := o.mediaOf(r)
	m, ok := o.body.media.find(name)
	if empty := len(bytes.Trim(r.Body, "{} ")) == 0; !ok && empty && o.body.query {
		m, ok = o.body.media.find("application/json") // there was no body, so it had no type either
	}
	if !ok {
		return &op.Error{
			Code: op.CodeMediaType, Field: "Content-Type",
			Message: fmt.Sprintf("%q is not accepted; want %s", name, o.body.media.names()),
		}
	}
	if !m.json && name != "application/json" && name != Form || m.schema == nil {
		return nil
	}
	value, err := decodeJSON(r.Body)
	if err != nil {
		return op.Invalid("", "the request body is no JSON: %v", strings.TrimPrefix(err.Error(), "jsontext: "))
	}
	return visit("", m.schema, value, openapi3.VisitAsRequest())
}
