// Package validate checks requests and answers against the document, with everything that can be prepared at start. The
// schemas are kin-openapi's; routing, media types and strictness are our own.
package validate

import (
	"cmp"
	"errors"
	"math"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/internal/accept"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/specs"
)

// Operation is an operation that is prepared for checks.
type Operation struct {
	spec       *specs.Operation
	parameters []parameter
	body       body
	answers    map[int]answer // by status: 200, 4 for 4XX, 0 for default
}

type parameter struct {
	*openapi3.Parameter
	schema *schema
}

type body struct {
	declared, required bool
	media              media
}

// media is a content map that is prepared for look-ups.
type media []mediaType

type mediaType struct {
	name   string // as the document has it
	plain  string // without parameters
	json   bool
	schema *schema
}

type answer struct {
	media   media
	headers []string // the required ones
	passed  *memo    // bodies that were found valid
}

// New prepares an operation.
func New(spec *specs.Operation) *Operation {
	o := &Operation{spec: spec, answers: map[int]answer{}}
	for _, ref := range spec.Parameters {
		if isOfTransport(ref.Value) {
			continue
		}
		p := parameter{Parameter: ref.Value}
		if ref.Value.Schema != nil {
			p.schema = newSchema(ref.Value.Schema, accept.Request)
			if spec.Interface.IsOwn() && p.In != openapi3.ParameterInPath { // an id of another form names nothing
				p.schema.formats = accept.Known
			}
		}
		o.parameters = append(o.parameters, p)
	}
	if request := spec.Spec.RequestBody; request != nil && request.Value != nil {
		o.body = body{declared: true, required: request.Value.Required}
		if spec.Interface.IsOwn() {
			o.body.media = newMedia(request.Value.Content, accept.SentBack, accept.Known)
		} else {
			o.body.media = newMedia(request.Value.Content, accept.Request, nil)
		}
	}
	for status, response := range spec.Spec.Responses.Map() {
		a := answer{media: newMedia(response.Value.Content, accept.Response, nil), passed: &memo{}}
		for name, h := range response.Value.Headers {
			if h.Value.Required {
				a.headers = append(a.headers, http.CanonicalHeaderKey(name))
			}
		}
		code, _ := strconv.Atoi(strings.TrimSuffix(status, "XX"))
		o.answers[code] = a
	}
	return o
}

// isOfTransport reports whether a parameter is a header that OpenAPI says is to be ignored: other parts of a document
// describe it (3.0.3, Parameter Object, name).
func isOfTransport(p *openapi3.Parameter) bool {
	return p.In == openapi3.ParameterInHeader && slices.Contains([]string{"Accept", "Content-Type", "Authorization"},
		http.CanonicalHeaderKey(p.Name))
}

func newMedia(content openapi3.Content, direction accept.Direction, formats accept.Formats) media {
	var list media
	for name, value := range content {
		lines, _ := value.Extensions[linesExtension].(bool)
		plain := MediaType(name)
		m := mediaType{name: name, plain: plain, json: isJSON(plain) && !lines}
		if value.Schema != nil && value.Schema.Value.Format != "binary" { // any bytes will do
			m.schema = newSchema(value.Schema, direction)
			m.schema.formats = formats
		}
		list = append(list, m)
	}
	// Specific media types are tried before ranges.
	slices.SortFunc(list, func(a, b mediaType) int {
		return cmp.Or(strings.Count(a.name, "*")-strings.Count(b.name, "*"), cmp.Compare(a.name, b.name))
	})
	return list
}

// linesExtension marks a media type whose content is one JSON value a line, and not JSON as a whole.
const linesExtension = "x-lines"

func isJSON(name string) bool {
	return name == "application/json" || strings.HasSuffix(name, "+json")
}

// find returns what is documented for a media type, which is that of a key or, without its parameters, of a header.
func (list media) find(name string) (mediaType, bool) {
	for _, m := range list {
		family, suffix, isRange := strings.Cut(m.plain, "/*") // text/*, or application/*+json
		isIn := isRange && strings.HasPrefix(name, family+"/") && strings.HasSuffix(name, suffix)
		if m.name == name || m.plain == name || m.plain == "*/*" || isIn {
			return m, true
		}
	}
	return mediaType{}, false
}

func (list media) names() string {
	names := make([]string, len(list))
	for i, m := range list {
		names[i] = m.name
	}
	return strings.Join(names, " or ")
}

// Request holds the parts of a request that the document describes.
type Request struct {
	Match    *specs.Match
	Query    url.Values
	Header   http.Header
	Body     []byte
	Received int // bytes of the body before they were unpacked, where it may be a whole world

	media string // the media type of the body as it was sent
	read  bool   // Body was converted to JSON from another form
}

// Request returns errors of package op for all deviations of a request, after Read, from the document.
func (o *Operation) Request(r *Request) error {
	var errs []error
	for i := range o.parameters {
		if err := o.parameter(&o.parameters[i], r); err != nil {
			errs = append(errs, err)
		}
	}
	if err := o.requestBody(r); err != nil {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func (o *Operation) parameter(p *parameter, r *Request) error {
	var values []string
	switch p.In {
	case openapi3.ParameterInPath:
		// An id that is not a number names no resource. The handler reports that, in the words of its resource.
		if p.schema != nil && p.schema.Type.Is("integer") {
			return nil
		}
		values = []string{r.Match.Declared(p.Name)}
	case openapi3.ParameterInQuery:
		values = r.Query[p.Name]
	case openapi3.ParameterInHeader:
		values = r.Header.Values(p.Name)
	default:
		return nil
	}
	if len(values) == 0 && p.Style == openapi3.SerializationDeepObject && p.schema != nil {
		if value, isSent := o.spec.Reader.Deep(p.Parameter, r.Query); isSent {
			return p.schema.check(p.Name, value)
		}
	}
	if len(values) == 0 {
		if p.Required {
			return op.Invalid(p.Name, "this %s parameter is required", p.In)
		}
		return nil
	}
	if p.schema == nil || len(values) == 1 && p.schema.Type.Is(openapi3.TypeString) && p.schema.acceptsString(values[0]) {
		return nil
	}
	value, err := decode(values, p)
	if err != nil {
		return err
	}
	err = p.schema.check(p.Name, value)
	if isText := p.schema.Pattern != ""; err != nil && !isText && p.schema.check(p.Name, scalars(value)) == nil {
		return nil
	}
	return err
}

// scalars returns a text as the number or the truth value that it stands for, which one of several schemas of a
// parameter may want, and a list with such items.
func scalars(value any) any {
	switch value := value.(type) {
	case string:
		var other any
		_ = json.Unmarshal([]byte(value), &other)
		switch other.(type) {
		case float64, bool:
			return other
		}
	case []any:
		list := make([]any, len(value))
		for i, item := range value {
			list[i] = scalars(item)
		}
		return list
	}
	return value
}

// decode returns a parameter in the type of its schema.
func decode(values []string, p *parameter) (any, error) {
	if !p.schema.Type.Is("array") {
		if len(values) > 1 {
			return nil, op.Invalid(p.Name, "is given %d times; want it once", len(values))
		}
		return primitive(p.Name, values[0], p.schema.Schema)
	}
	if p.Explode != nil && !*p.Explode {
		separator := specs.Separator(p.Style)
		values = strings.Split(strings.Join(values, separator), separator)
	}
	list := make([]any, 0, len(values))
	for _, text := range values {
		item, err := primitive(p.Name, text, items(p.schema.Schema))
		if err != nil {
			return nil, err
		}
		list = append(list, item)
	}
	return list, nil
}

// items returns the schema of a list's items, which a user's own document may leave out.
func items(schema *openapi3.Schema) *openapi3.Schema {
	if schema.Items == nil {
		return &openapi3.Schema{}
	}
	return schema.Items.Value
}

func primitive(name, text string, schema *openapi3.Schema) (any, error) {
	switch {
	case schema.Type.Is("integer"):
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, op.Invalid(name, "want an integer, not %q", text)
		}
		return float64(n), nil
	case schema.Type.Is("number"):
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, op.Invalid(name, "want a number, not %q", text)
		}
		return n, nil
	case schema.Type.Is("boolean"):
		if text != "true" && text != "false" {
			return nil, op.Invalid(name, "want true or false, not %q", text)
		}
		return text == "true", nil
	}
	return text, nil
}

// MediaType returns the media type in a Content-Type header, in lower case and without parameters.
func MediaType(contentType string) string {
	if contentType == "application/json" || contentType == "" {
		return contentType
	}
	name, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		name, _, _ = strings.Cut(contentType, ";")
		return strings.ToLower(strings.TrimSpace(name))
	}
	return name
}

// decodeJSON decodes JSON, and replaces numbers that are too large for a float64 by the largest ones, since JSON has no
// such limit.
func decodeJSON(data []byte) (value any, err error) {
	if err = json.Unmarshal(data, &value); err != nil {
		value = nil
		err = json.Unmarshal(data, &value, json.WithUnmarshalers(json.UnmarshalFromFunc(decodeNumber)))
	}
	return value, err
}

func decodeNumber(in *jsontext.Decoder, value *any) error {
	if in.PeekKind() != '0' {
		return errors.ErrUnsupported // for the usual decoding
	}
	number, err := in.ReadValue()
	if err != nil {
		return err
	}
	f, _ := strconv.ParseFloat(string(number), 64) // infinite if it is too large
	*value = max(-math.MaxFloat64, min(f, math.MaxFloat64))
	return nil
}
