package specs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"go.yaml.in/yaml/v4"
)

// Document is one interface's OpenAPI document, loaded, checked, and indexed by operation. It is immutable and safe
// for concurrent use.
type Document struct {
	Interface  Interface
	Brand      Brand
	File       string // name for reports: workflow.yaml, or the path of a user's own document
	BasePath   string // what stands before all paths, without a trailing slash: /v3 for core, else empty
	Lenient    Lenient
	T          *openapi3.T
	Operations []*Operation // in the order of the document
	Ignored    []Ignored    // parts of a user's own document that are not understood, and so are not there
	Inferred   bool         // what it says of resources was inferred
	Extras     *Document    // what clients call beside these; nil if there is none, or it is not wanted

	source   []byte
	overlays []overlayText // that changed it
	byID     map[string]*Operation
	router   router
	unread   func() router
	written  *router // for paths as the document writes them, if they begin elsewhere than ours
	index    func() (*index, error)
	others   *sync.Map // name → otherFile
	isOwn    bool      // a user's own

	recordTime string // see RecordTime

	isForeign, hasServersBelow bool

	resources func() (*resourceSet, error)   // what the document says of them
	tree      func() (map[string]any, error) // of the document without what only people read; not to be changed
	keys      []*openapi3.SecurityScheme     // of keys by themselves
}

// RecordTime returns the field of an event that says when it happened, in the brand of the document.
func (d *Document) RecordTime() string { return d.recordTime }

func (d *Document) setSource(source []byte) {
	d.source = source
	d.index = sync.OnceValues(func() (*index, error) { return newIndex(source) })
}

// IsUsers reports whether the document is a user's own, be it of an interface of the platform or not.
func (d *Document) IsUsers() bool {
	return len(d.Operations) > 0 && d.Operations[0].Embedded != d.Operations[0]
}

// IsForeign reports whether the document is a user's own, and has no operation of the platform.
func (d *Document) IsForeign() bool { return d.isForeign && d.IsUsers() }

// HasServersBelow reports whether operations or paths of a foreign document have servers of their own.
func (d *Document) HasServersBelow() bool { return d.hasServersBelow }

// Validate checks the document against the OpenAPI specification, with its examples unless an option says otherwise. It
// is what a test asks for, or a user with a document of their own; serving does not need it.
func (d *Document) Validate(ctx context.Context, opts ...openapi3.ValidationOption) error {
	if err := d.T.Validate(ctx, opts...); err != nil {
		return fmt.Errorf("validate %s: %w", d.File, err)
	}
	return nil
}

// KeyHeader returns the header beside Authorization that may carry an API key, by the document's security schemes, or
// the empty string.
func (d *Document) KeyHeader() string {
	if d.T.Components == nil {
		return ""
	}
	for _, scheme := range d.T.Components.SecuritySchemes {
		if s := scheme.Value; s != nil && s.Type == "apiKey" && s.In == "header" && s.Name != "Authorization" {
			return s.Name
		}
	}
	return ""
}

// BareKey reports whether the API key may stand in Authorization without the scheme's word before it: the document's
// security scheme then has x-bare-key.
func (d *Document) BareKey() bool {
	if d.T.Components == nil {
		return false
	}
	for _, scheme := range d.T.Components.SecuritySchemes {
		if s := scheme.Value; s != nil && s.Extensions["x-bare-key"] == true {
			return true
		}
	}
	return false
}

// Source is the document's YAML text, branded, as it is without overlays.
func (d *Document) Source() []byte { return d.source }

// otherFile is a file beside a document, which refers to it.
type otherFile struct {
	root *yaml.Node // nil if it cannot be read
	text []byte
}

// beside reads a file beside the document again, to find places in it.
func (d *Document) beside(name string) (other otherFile) {
	if known, ok := d.others.Load(name); ok {
		return known.(otherFile)
	}
	if root, err := os.OpenRoot(filepath.Dir(d.File)); err == nil {
		other.text, err = root.ReadFile(name)
		if err = errors.Join(err, root.Close()); err == nil {
			other.root, _ = nodesOf(other.text) // nil if it has changed
		}
	}
	d.others.Store(name, other)
	return other
}

func (d *Document) pathOf(name string) string { return filepath.Join(filepath.Dir(d.File), name) }

// SourceOf returns the text of a file that the document was made of: its own, that of an overlay, or one that it refers
// to, once Place has led there; nil for others.
func (d *Document) SourceOf(file string) []byte {
	for _, o := range d.overlays {
		if o.file == file {
			return o.text
		}
	}
	if file == d.File {
		return d.source
	}
	var text []byte
	d.others.Range(func(name, other any) bool {
		if d.pathOf(name.(string)) == file {
			text = other.(otherFile).text
		}
		return text == nil
	})
	return text
}

// Text returns the document as it is with its overlays, in YAML.
func (d *Document) Text() ([]byte, error) {
	if len(d.overlays) == 0 {
		return d.source, nil
	}
	x, err := d.index()
	if err != nil {
		return nil, err
	}
	return yaml.Marshal(x.root)
}

// Compare reports how a user's own document differs from ours: the operations that it lacks and those that it adds,
// each as "METHOD path".
func (d *Document) Compare(own *Document) (missing, extra []string) {
	for _, op := range d.Operations {
		if found := own.byID[op.ID]; found == nil || found.Embedded == nil {
			missing = append(missing, op.Method+" "+op.Path)
		}
	}
	for _, op := range own.Operations {
		if op.Embedded == nil {
			extra = append(extra, op.Method+" "+op.Path)
		}
	}
	return missing, extra
}

// withoutNulls makes something of what a document leaves null and kin-openapi loads all the same: a media type without
// a value says nothing of its bodies, one without a name is any, and all else is as if it were not there.
func withoutNulls(doc *openapi3.T) {
	doc.Servers = serversThatAre(doc.Servers)
	for _, item := range doc.Paths.Map() {
		if item == nil {
			continue
		}
		item.Servers = serversThatAre(item.Servers)
		for _, op := range item.Operations() {
			if op.Servers != nil {
				*op.Servers = serversThatAre(*op.Servers)
			}
			if op.RequestBody != nil && op.RequestBody.Value != nil {
				mediaTypesThatAre(op.RequestBody.Value.Content, doc.Components)
			}
			for _, ref := range slices.Concat(item.Parameters, op.Parameters) {
				if ref != nil && ref.Value != nil {
					mediaTypesThatAre(ref.Value.Content, doc.Components)
				}
			}
			for _, ref := range op.Responses.Map() {
				if ref != nil && ref.Value != nil {
					mediaTypesThatAre(ref.Value.Content, doc.Components)
				}
			}
		}
	}
}

func serversThatAre(servers openapi3.Servers) openapi3.Servers {
	for _, server := range servers {
		if server != nil {
			maps.DeleteFunc(server.Variables, func(_ string, v *openapi3.ServerVariable) bool { return v == nil })
		}
	}
	return slices.DeleteFunc(servers, func(server *openapi3.Server) bool { return server == nil })
}

func mediaTypesThatAre(content openapi3.Content, parts *openapi3.Components) {
	if media, isNameless := content[""]; isNameless {
		delete(content, "")
		if content["*/*"] == nil {
			content["*/*"] = media
		}
	}
	for kind, media := range content {
		if media == nil {
			content[kind] = &openapi3.MediaType{}
			continue
		}
		maps.DeleteFunc(media.Encoding, func(_ string, e *openapi3.Encoding) bool { return e == nil })
		for _, encoding := range media.Encoding {
			resolveHeaders(encoding.Headers, parts)
			maps.DeleteFunc(encoding.Headers, func(_ string, h *openapi3.HeaderRef) bool { return h == nil || h.Value == nil })
		}
	}
}

// resolveHeaders follows the references of the headers of an encoding, which kin-openapi leaves as they are.
func resolveHeaders(headers openapi3.Headers, parts *openapi3.Components) {
	if parts == nil {
		return
	}
	for name, ref := range headers {
		if ref != nil && ref.Value == nil {
			ref = parts.Headers[strings.TrimPrefix(ref.Ref, "#/components/headers/")]
		}
		headers[name] = ref
		if ref != nil && ref.Value != nil && ref.Value.Schema != nil && ref.Value.Schema.Value == nil {
			ref.Value.Schema = parts.Schemas[strings.TrimPrefix(ref.Value.Schema.Ref, "#/components/schemas/")]
		}
	}
}

// maxBare is the number of schemas that an engine may look at to find out that a schema says nothing.
const maxBare = 1000

// boundEmptiness lets the empty schemas of a document take null, and those that refuse it not be nullable. It makes all
// of them such that engines soon know whether one is empty: kin-openapi asks that of each schema without keywords of
// its own by asking all that it consists of, level by level, which takes a power of the levels, and for ever if the
// schema consists of itself. Such a schema gets a keyword that says nothing.
func (d *Document) boundEmptiness() {
	b := bare{
		known: map[*openapi3.Schema]int{}, isOpen: map[*openapi3.Schema]bool{},
		refusesNull: map[*openapi3.Schema]bool{}, is30: !d.T.IsOpenAPI31OrLater(),
	}
	if d.T.Components != nil {
		for _, ref := range d.T.Components.Schemas {
			b.steps(ref)
		}
	}
	for _, op := range d.Operations {
		for _, ref := range op.Parameters {
			b.steps(ref.Value.Schema)
			b.content(ref.Value.Content)
		}
		if body := op.Spec.RequestBody; body != nil && body.Value != nil {
			b.content(body.Value.Content)
		}
		if op.Spec.Responses == nil {
			continue
		}
		for _, ref := range op.Spec.Responses.Map() {
			if ref.Value == nil {
				continue
			}
			b.content(ref.Value.Content)
			for _, header := range ref.Value.Headers {
				if header.Value != nil {
					b.steps(header.Value.Schema)
				}
			}
		}
	}
}

type bare struct {
	known  map[*openapi3.Schema]int
	isOpen map[*openapi3.Schema]bool // whether its parts are being looked at

	refusesNull map[*openapi3.Schema]bool // of those whose parts have been looked at
	is30        bool
}

func (b *bare) content(content openapi3.Content) {
	for _, media := range content {
		b.steps(media.Schema)
	}
}

// steps returns how many schemas below one are looked at to find out whether it is empty.
func (b *bare) steps(ref *openapi3.SchemaRef) int {
	if ref == nil || ref.Value == nil {
		return 0
	}
	s := ref.Value
	if b.isOpen[s] && isBare(s) {
		s.AllowEmptyValue = true
	}
	if steps, isKnown := b.known[s]; isKnown {
		return steps
	}
	b.known[s], b.isOpen[s] = 0, true
	sum, parts := 0, slices.DeleteFunc(schemaParts(s), func(part *openapi3.SchemaRef) bool { return part == nil })
	if len(parts) == 0 && isBare(s) {
		s.Nullable = true // which an empty schema is to kin-openapi only if it says so
	}
	for _, part := range parts {
		sum = min(sum+1+b.steps(part), maxBare+1)
	}
	b.isOpen[s] = false
	if b.refusesNull[s] = b.isWithoutNull(s); b.is30 && b.refusesNull[s] {
		s.Nullable = false
	}
	switch {
	case !isBare(s):
		sum = 0
	case sum > maxBare:
		s.AllowEmptyValue, sum = true, 0
	}
	b.known[s] = sum
	return sum
}

// isWithoutNull reports whether a schema refuses null. In version 3.0 nullable adds it to the type alone: an enum
// without null, and the parts of a combination, go on refusing it (3.0.4, Schema Object), while kin-openapi takes it at
// once.
func (b *bare) isWithoutNull(s *openapi3.Schema) bool {
	refuses := func(ref *openapi3.SchemaRef) bool { return ref != nil && b.refusesNull[ref.Value] }
	takes := func(ref *openapi3.SchemaRef) bool { return !refuses(ref) }
	return s.Type != nil && !s.PermitsNull() ||
		len(s.Enum) > 0 && !slices.Contains(s.Enum, nil) ||
		slices.ContainsFunc(s.AllOf, refuses) ||
		len(s.OneOf) > 0 && !slices.ContainsFunc(s.OneOf, takes) ||
		len(s.AnyOf) > 0 && !slices.ContainsFunc(s.AnyOf, takes)
}

// isBare reports whether a schema has no keyword of its own beside the schemas that it consists of.
func isBare(s *openapi3.Schema) bool {
	alone := *s
	alone.OneOf, alone.AnyOf, alone.AllOf, alone.PrefixItems = nil, nil, nil, nil
	alone.Properties, alone.PatternProperties, alone.DependentSchemas = nil, nil, nil
	alone.Not, alone.Items, alone.Contains, alone.PropertyNames = nil, nil, nil, nil
	alone.AdditionalProperties.Schema = nil
	alone.UnevaluatedItems.Schema, alone.UnevaluatedProperties.Schema = nil, nil
	return alone.IsEmpty()
}

// schemaParts returns the schemas that one consists of.
func schemaParts(s *openapi3.Schema) []*openapi3.SchemaRef {
	parts := slices.Concat(s.OneOf, s.AnyOf, s.AllOf, s.PrefixItems)
	parts = append(parts, s.Not, s.Items, s.Contains, s.PropertyNames, s.If, s.Then, s.Else, s.AdditionalProperties.Schema,
		s.UnevaluatedItems.Schema, s.UnevaluatedProperties.Schema)
	for _, members := range []openapi3.Schemas{s.Properties, s.PatternProperties, s.DependentSchemas} {
		parts = slices.AppendSeq(parts, maps.Values(members))
	}
	return parts
}

// lenientExtension lists, at the top of a document, what the framework behind its interface reads leniently.
const lenientExtension = "x-lenient"

const lenientWords = "query, bodies, vendor-types"

// Lenient describes what the framework behind an interface reads beyond what its document's schemas allow, as the
// document's x-lenient lists it. Three of ours have one, by the code of public clients.
type Lenient struct {
	// Query makes an empty query parameter absent, and a boolean one true when it is true or 1 in any case, and false
	// otherwise.
	Query bool

	// Bodies lets a JSON object come as a form, as multipart/form-data, in the query, or in parts of these, whatever the
	// document lists. In each of them a text may stand for a number, a boolean, a list or an object, an empty value that
	// the schema refuses is absent, and so is a null. A form may hold the parameters of the query.
	Bodies bool

	// VendorTypes lets JSON come with the versioned media type of a vendor, such as application/vnd.svc.v1+json or
	// application/vnd.svc.v1.js+json.
	VendorTypes bool
}

// lenientOf reads the extension.
func lenientOf(doc *openapi3.T) (lenient Lenient, err error) {
	value, found := doc.Extensions[lenientExtension]
	if !found {
		return lenient, nil
	}
	words, isList := value.([]any)
	if !isList {
		return lenient, fmt.Errorf("%s: want a list of %s", lenientExtension, lenientWords)
	}
	for _, word := range words {
		switch word {
		case "query":
			lenient.Query = true
		case "bodies":
			lenient.Bodies = true
		case "vendor-types":
			lenient.VendorTypes = true
		default:
			return lenient, fmt.Errorf("%s: want a list of %s, not %v", lenientExtension, lenientWords, word)
		}
	}
	return lenient, nil
}

// The extras of an interface are what nearly every client calls around the operations of the catalogue: a version
// check, imports of tables, users and their keys, lists of events. They stand in a document of their
// own beside that of the interface,
// marked with x-extra, and are never counted among the operations of the platform.
const extrasFolder = "extras/"

// extraExtension marks a document of extras.
const extraExtension = "x-extra"

// Extras lists the names under which Source and Load know the documents of extras.
func Extras() []Interface {
	return []Interface{extrasFolder + Ingestion, extrasFolder + Core, extrasFolder + Workflow}
}

// extrasOf returns the extras of an interface, or nil if it has none. The text to parse is what read makes of the
// source.
func extrasOf(iface Interface, brand Brand, read readSource) (*Document, error) {
	name := extrasFolder + iface
	if !slices.Contains(Extras(), name) {
		return nil, nil
	}
	source, err := Source(name, brand)
	if err != nil {
		return nil, err
	}
	doc, err := parse(iface, string(name)+".yaml", read(name, source, brand), brand, nil)
	if err != nil {
		return nil, err
	}
	doc.setSource(source)
	if doc.T.Extensions[extraExtension] != true {
		return nil, fmt.Errorf("load %s: want %s: true at the top", doc.File, extraExtension)
	}
	return doc, nil
}

// WithoutExtras returns the same document with no extras beside it.
func (d *Document) WithoutExtras() *Document {
	if d.Extras == nil {
		return d
	}
	own := *d
	own.Extras = nil
	return &own
}

// All lists the operations of the document, and then those of its extras.
func (d *Document) All() []*Operation {
	if d.Extras == nil {
		return d.Operations
	}
	return slices.Concat(d.Operations, d.Extras.Operations)
}

// IsExtra reports whether the operation is one of the extras.
func (o *Operation) IsExtra() bool { return o.Document.T.Extensions[extraExtension] == true }

// Find returns the operation of a request: one of the document, or else one of its extras. The path is the escaped one,
// below the document's base path; empty segments and a trailing slash make no difference. A parameter
// that is empty or holds a broken
// escape fits nothing.
func (d *Document) Find(method, escapedPath string) Match {
	m := d.router.find(method, escapedPath)
	if m.Operation == nil && d.Extras != nil {
		if extra := d.Extras.router.find(method, escapedPath); extra.Operation != nil || m.Allow == "" {
			return extra
		}
	}
	return m
}
