package judge

import (
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"svc.example/understudy/contract/internal/body"
	"svc.example/understudy/contract/internal/coverage"
	"svc.example/understudy/internal/accept"
	"svc.example/understudy/specs"
)

// documentedBody is the body of a request or of an answer, by its document.
type documentedBody struct {
	content  openapi3.Content
	pointer  string // JSON pointer of the documented request body or response
	required bool

	reading   *bodyForm     // of the JSON that other bodies are read as
	untouched *coverage.Set // what a message without a documented body touches
	forms     memo[string, *bodyForm]
	addType   func(s *coverage.Set, media string) // adds what a media type touches
	op        *specs.Operation
	side      side
}

// bodyForm holds what is documented of bodies with a Content-Type.
type bodyForm struct {
	media   *openapi3.MediaType // nil if the type is not documented
	format  *body.Format
	isJSON  bool          // and not lines of it
	touched *coverage.Set // by the type alone
	whole   *bodySchema   // nil if none is documented
	events  *bodySchema   // of the events of a stream, likewise
}

// bodySchema is the schema of a body, with what was made of it.
type bodySchema struct {
	media         *openapi3.MediaType // whose schema it is
	schemaPointer string
	tree          *accept.Tree       // nil if it has none
	compiled      *jsonschema.Schema // of a user's own document; nil of others, and where it cannot be compiled
	hidesAny      bool               // a part of it is readOnly or writeOnly
	fields        *describedValue
	envelope      envelopeForm
	expected      []string // members of its object that it does not require, but expects
}

func newRequestBody(op *specs.Operation) *documentedBody {
	d := &documentedBody{op: op, side: request, pointer: op.Pointer + "/requestBody", untouched: coverage.NewSet(op)}
	d.addType = func(s *coverage.Set, media string) { s.RequestBody(media) }
	if documented := requestBodyOf(op); documented != nil {
		d.content, d.required = documented.Content, documented.Required
		if !op.Reader.IsExact() {
			d.reading = d.newForm(body.JSONType, d.content[op.Reader.MediaType()])
		}
	}
	return d
}

// form returns what is documented for a Content-Type.
func (d *documentedBody) form(header string) *bodyForm {
	if known, ok := d.forms.get(header); ok {
		return known
	}
	header = strings.Clone(header) // and not all that it stands in
	return d.forms.put(header, d.newForm(header, mediaFor(d.content, header)))
}

func (d *documentedBody) newForm(header string, media *openapi3.MediaType) *bodyForm {
	f := &bodyForm{media: media, touched: coverage.NewSet(d.op)}
	d.addType(f.touched, documentedMedia(d.content, media))
	if media == nil {
		return f
	}
	f.isJSON = body.IsJSON(body.MediaType(header)) && !body.IsLined(media) // no lines are fine
	f.format = body.FormatOf(header, media, d.content.Get("*/*") == media)
	at := join(d.pointer+"/content", documentedMedia(d.content, media))
	f.whole = d.schemaOf(media, at+"/schema")
	if media.ItemSchema != nil { // 3.2, Media Type Object
		f.events = d.schemaOf(&openapi3.MediaType{Schema: media.ItemSchema}, at+"/itemSchema")
	}
	if event, pointer := body.EventSchema(d.op.Document, media); event != nil {
		f.events = d.schemaOf(&openapi3.MediaType{Schema: event}, pointer)
	}
	return f
}

func (d *documentedBody) schemaOf(media *openapi3.MediaType, pointer string) *bodySchema {
	if media.Schema == nil || media.Schema.Value == nil {
		return nil
	}
	schema := media.Schema.Value
	return &bodySchema{
		media: media, schemaPointer: pointer, tree: treeOf(d.op.Document, schema, d.side),
		compiled: compiled(d.op.Document, pointer, d.side), hidesAny: d.op.Document.IsUsers() && hidesAny(schema),
		fields: describe([]locatedSchema{{schema: schema}}), envelope: envelopeOf(schema),
		expected: expectedFields(schema),
	}
}

// expectedExtension lists, at the schema of a request, members that one public source of the document requires and that
// clients of another leave out: servers take a request without them.
const expectedExtension = "x-expected"

func expectedFields(schema *openapi3.Schema) (names []string) {
	list, _ := schema.Extensions[expectedExtension].([]any)
	for _, item := range list {
		if name, ok := item.(string); ok {
			names = append(names, name)
		}
	}
	return names
}

// documentedMedia returns the name under which a media type is documented.
func documentedMedia(content openapi3.Content, media *openapi3.MediaType) string {
	for name, m := range content {
		if m == media {
			return name
		}
	}
	return ""
}

// schema returns the schema of a body, or of the events that its lines are.
func (f *bodyForm) schema(decoded *body.Body) *bodySchema {
	if f.events != nil && decoded.Lines {
		return f.events
	}
	return f.whole
}
