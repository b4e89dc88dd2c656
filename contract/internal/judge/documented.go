package judge

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"svc.example/understudy/contract/engine"
	"svc.example/understudy/contract/internal/body"
	"svc.example/understudy/contract/internal/coverage"
	"svc.example/understudy/internal/accept"
	"svc.example/understudy/internal/memo"
	"svc.example/understudy/specs"
)

// documentedOperation holds what is read off the document of an operation once.
type documentedOperation struct {
	op                *specs.Operation
	schemes           []*openapi3.SecurityScheme // what it accepts as credentials
	bareKey           bool                       // the key may stand without a scheme
	takesPlatformKeys bool
	request           *documentedBody
	unsent            *reading        // of a request without a body and a query; nil if it is as it was sent
	parameters        *documentedBody // has their pointer alone
	answers           bounded[int, *documentedStatus]
	hasOtherDialects  func() bool
}

func documentedOf(op *specs.Operation) *documentedOperation {
	c := cacheOf(op.Document)
	return c.operations.Of(op, func() *documentedOperation {
		schemes := readSchemes(op)
		return &documentedOperation{
			op: op, schemes: schemes, bareKey: op.Document.BareKey(), takesPlatformKeys: takesPlatformKeys(op, schemes),
			request: newRequestBody(op), unsent: readNothing(op),
			parameters:       &documentedBody{pointer: op.Pointer + "/parameters"},
			hasOtherDialects: sync.OnceValue(op.HasOtherDialects),
		}
	})
}

// answer returns what is documented for a status.
func (d *documentedOperation) answer(status int) *documentedStatus {
	if known, ok := d.answers.get(status); ok {
		return known
	}
	return d.answers.put(status, newDocumentedStatus(d.op, status))
}

// documentedBody is the body of a request or of an answer, by its document.
type documentedBody struct {
	content  openapi3.Content
	pointer  string // JSON pointer of the documented request body or response
	required bool

	reading   *bodyForm     // of the JSON that other bodies are read as
	untouched *coverage.Set // what a message without a documented body touches
	forms     bounded[string, *bodyForm]
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
	if d.op.Document.T.IsOpenAPI31OrLater() {
		f.format = f.format.WithStyles()
	}
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
	schema, envelope := media.Schema.Value, noEnvelope
	if !d.op.Interface.IsOwn() { // the links and ids of a user's document may be anything
		envelope = envelopeOf(schema)
	}
	return &bodySchema{
		media: media, schemaPointer: pointer, tree: treeOf(d.op.Document, schema, d.side),
		compiled: compiled(d.op.Document, pointer, d.side), hidesAny: d.op.Document.IsUsers() && hidesAny(schema),
		fields: describe([]locatedSchema{{schema: schema}}), envelope: envelope,
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

// documentedStatus describes the answers of an operation that have a status, by its document.
type documentedStatus struct {
	*openapi3.Response          // nil if the status is not documented
	key                string   // the key under which that stands, such as 2XX
	headers            []string // the names of its headers, sorted
	isOfSuccess        bool     // it says what a success is like, and the status is an error
	documentedBody
}

// newDocumentedStatus finds what is documented for a status: itself, its class, or the default.
func newDocumentedStatus(op *specs.Operation, status int) *documentedStatus {
	if op.Spec.Responses == nil {
		return &documentedStatus{}
	}
	for _, key := range []string{fmt.Sprint(status), fmt.Sprintf("%dXX", status/100), "default"} {
		if ref := op.Spec.Responses.Value(key); ref != nil && ref.Value != nil {
			return &documentedStatus{
				Response: ref.Value, key: key, headers: slices.Sorted(maps.Keys(ref.Value.Headers)),
				isOfSuccess: status >= http.StatusBadRequest && key == "default" && op.SucceedsByDefault(),
				documentedBody: documentedBody{
					op: op, side: response, content: ref.Value.Content, pointer: op.Pointer + "/responses/" + key,
					required: len(ref.Value.Content) > 0, untouched: coverage.NewSet(op),
					addType: func(s *coverage.Set, media string) { s.Response(key, media) },
				},
			}
		}
	}
	return &documentedStatus{}
}

// documentCache holds what was made of the schemas of a document. It is made once in a process: that takes a while, and
// tests make many judges.
type documentCache struct {
	schemas memo.Map[loadedOperation, func() (engine.Schemas, error)] // of a second engine
	trees   [2]memo.Map[*openapi3.Schema, *accept.Tree]               // by side: accept what the first engine accepts
	work    accept.Work

	compilers [2]compilerOnce // by side, of a user's own document
	fields    fieldsMemo

	operations memo.Map[*specs.Operation, *documentedOperation]
}

var caches memo.Map[*specs.Document, *documentCache]

func cacheOf(d *specs.Document) *documentCache {
	return caches.Of(d, func() *documentCache { return &documentCache{} })
}

// loadedOperation is an operation that a second engine has loaded.
type loadedOperation struct {
	engine engine.Engine
	op     *specs.Operation
}

func schemasOf(e engine.Engine, op *specs.Operation) (engine.Schemas, error) {
	return cacheOf(op.Document).schemas.Of(loadedOperation{e, op}, func() func() (engine.Schemas, error) {
		return sync.OnceValues(func() (engine.Schemas, error) {
			if spreads(op) {
				return nil, errSpread
			}
			source, err := op.Document.Extract(op)
			if err != nil {
				return nil, err
			}
			return e.Load(engine.Operation{Method: op.Method, Template: op.Template, Source: source})
		})
	})()
}

// maxSpread is the number of schemas of a body or a parameter that a second engine loads: it writes out references.
const maxSpread = 100_000

var errSpread = errors.New("the schemas of the operation refer to too many others")

// spreads reports whether a schema of an operation has more than maxSpread schemas once references are written out.
func spreads(op *specs.Operation) bool {
	var contents []openapi3.Content
	if documented := requestBodyOf(op); documented != nil {
		contents = append(contents, documented.Content)
	}
	for _, response := range op.Spec.Responses.Map() {
		contents = append(contents, response.Value.Content)
	}
	var refs openapi3.SchemaRefs
	for _, content := range contents {
		for _, media := range content {
			refs = append(refs, media.Schema)
		}
	}
	for _, parameter := range op.Parameters {
		refs = append(refs, parameter.Value.Schema)
	}
	return slices.ContainsFunc(refs, func(ref *openapi3.SchemaRef) bool {
		return ref != nil && ref.Value != nil && accept.Spread(ref.Value) > maxSpread
	})
}

// treeOf returns the tree of a schema of a document, or nil if it has none.
func treeOf(d *specs.Document, schema *openapi3.Schema, side side) *accept.Tree {
	return cacheOf(d).trees[side].Of(schema, func() *accept.Tree {
		if d.T.IsOpenAPI31OrLater() { // whose schemas say more than trees do
			return nil
		}
		return accept.CompileWith(accept.Known, schema, directionOf(side))
	})
}

// isTooMuch reports whether engines would take too long to hold a decoded value against a schema of a document.
func isTooMuch(d *specs.Document, schema *openapi3.Schema, decoded any) bool {
	_, isBounded := cacheOf(d).work.Steps(schema, decoded)
	return !isBounded
}

// takes reports whether a decoded value is known to fit a schema of a document.
func takes(d *specs.Document, schema *openapi3.Schema, decoded any) bool {
	return cacheOf(d).work.Visit(schema, decoded, accept.BriefErrors()) == nil
}

func directionOf(side side) accept.Direction {
	if side == request {
		return accept.Request
	}
	return accept.Response
}
