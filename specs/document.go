package specs

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
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
	Extras     *Document    // what clients call beside these; nil if there is none, or it is not wanted

	source  []byte
	byID    map[string]*Operation
	router  router
	written *router // for paths as the document writes them, if they begin elsewhere than ours
	index   func() (*index, error)
	isOwn   bool // a user's own

	resources func() (*resourceSet, error)   // what the document says of them
	tree      func() (map[string]any, error) // of the document without what only people read; not to be changed
}

// Operation is one operation of a document.
type Operation struct {
	Interface Interface
	ID        string
	// the path below the document's base path; with our names of parameters, if it is an operation of ours
	Method, Path string
	Template     string // the path as the document writes it: the key in its paths
	Pointer      string // JSON pointer of the operation object in its document
	Parameters   openapi3.Parameters
	Spec         *openapi3.Operation
	Document     *Document
	Reader       *Reader

	// Embedded is the operation of the embedded document with the same method and path. It is the operation itself in
	// an embedded document, and nil for an operation that only a user's own document has.
	Embedded *Operation

	names    []string // of the parameters in Path, in order
	declared []string // the same parameters as the document names them
}

// Name returns the operation's name everywhere: in reports, counts, filters and tests, such as workflow.deletePool.
func (o *Operation) Name() string { return string(o.Interface) + "." + o.ID }

type cacheKey struct {
	name  Interface
	brand Brand
	file  string   // of a user's own,
	sum   [32]byte // and what it holds
}

// What is parsed never changes, so each document is parsed once in a process, however many servers and transports
// a test binary makes.
var cache sync.Map // cacheKey → func() (*Document, error)

// Load returns the embedded document of an interface. It is parsed once in a process, and without the texts that only
// people read: T has no descriptions and no examples, Source has.
func Load(name Interface, brand Brand) (*Document, error) {
	load, _ := cache.LoadOrStore(cacheKey{name: name, brand: brand}, sync.OnceValues(func() (*Document, error) {
		return embedded(name, brand, compiled)
	}))
	return load.(func() (*Document, error))()
}

// Readable returns the embedded document of an interface with the texts and examples that people read.
func Readable(name Interface, brand Brand) (*Document, error) {
	return embedded(name, brand, func(_ Interface, source []byte, _ Brand) []byte { return source })
}

// embedded parses what read makes of the text of an embedded document, and of its extras.
func embedded(name Interface, brand Brand, read func(name Interface, source []byte, brand Brand) []byte) (*Document,
	error,
) {
	source, err := Source(name, brand)
	if err != nil {
		return nil, err
	}
	doc, err := parse(name, string(name)+".yaml", read(name, source, brand), brand, nil)
	if err != nil {
		return nil, err
	}
	doc.setSource(source)
	doc.Extras, err = extrasOf(name, brand, read)
	return doc, err
}

// LoadFile returns a document of the user's own in place of the embedded one, as Parse reads it, but without the texts
// that only people read and without components that no operation needs, which therefore may be wrong. It is parsed once
// in a process for as long as the file holds the same. Errors name the file.
func LoadFile(name Interface, file string, brand Brand) (*Document, error) {
	source, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("document of %s: %w", name, err)
	}
	key := cacheKey{name, brand, file, sha256.Sum256(source)}
	load, _ := cache.LoadOrStore(key,
		sync.OnceValues(func() (*Document, error) { return parseShort(name, file, source, brand) }))
	return load.(func() (*Document, error))()
}

func parseShort(name Interface, file string, source []byte, brand Brand) (*Document, error) {
	embedded, err := Load(name, brand)
	if err != nil {
		return nil, err
	}
	x, err := newIndex(source)
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", file, err)
	}
	short, ignored, err := x.short()
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", file, err)
	}
	d, err := parse(name, file, short, brand, embedded)
	if err != nil {
		return nil, err
	}
	d.source, d.index, d.Ignored = source, func() (*index, error) { return x, nil }, ignored
	d.Extras = embedded.Extras
	return d.checked()
}

// Parse reads a user's own document of an interface from its text. Operations that the embedded document has as well,
// by method and path, have our ids, paths and names of path parameters, whatever the document calls them. Errors name
// the file.
func Parse(name Interface, file string, source []byte, brand Brand) (*Document, error) {
	embedded, err := Load(name, brand)
	if err != nil {
		return nil, err
	}
	d, err := parse(name, file, source, brand, embedded)
	if err != nil {
		return nil, err
	}
	return d.checked()
}

// checked returns the document, unless what it says of resources is wrong.
func (d *Document) checked() (*Document, error) {
	if !d.describesResources() {
		return d, nil
	}
	if err := d.CheckResources(); err != nil {
		return nil, fmt.Errorf("load %s: invalid x-resources or x-resource:\n%w", d.File, err)
	}
	return d, nil
}

// parse reads a document; an embedded one if embedded is nil.
func parse(name Interface, file string, source []byte, brand Brand, embedded *Document) (*Document, error) {
	doc, err := load(source)
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", file, err)
	}
	if doc.Paths == nil || doc.Paths.Len() == 0 {
		return nil, fmt.Errorf("load %s: the document has no paths", file)
	}
	d := &Document{Interface: name, Brand: brand, File: file, T: doc, byID: map[string]*Operation{}}
	d.setSource(source)
	var fallback Lenient
	if embedded != nil {
		fallback = embedded.Lenient
	}
	if d.Lenient, err = lenientOf(doc, fallback); err != nil {
		return nil, fmt.Errorf("load %s: %w", file, err)
	}
	d.tree = sync.OnceValues(func() (map[string]any, error) { return shortTree(source) })
	d.addOperations()
	d.isOwn = embedded != nil
	d.describeResources()
	if embedded == nil {
		err = d.identify()
	} else {
		err = d.identifyBy(embedded)
	}
	if err == nil {
		d.sort()
		err = d.route()
	}
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", file, err)
	}
	return d, nil
}

func (d *Document) setSource(source []byte) {
	d.source = source
	d.index = sync.OnceValues(func() (*index, error) { return newIndex(source) })
}

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

// addOperations lists the operations with what the document says of them.
func (d *Document) addOperations() {
	for path, item := range d.T.Paths.Map() {
		operations := item.Operations()
		for _, method := range methods {
			if spec := operations[method]; spec != nil {
				d.Operations = append(d.Operations, d.operation(method, path, item, spec))
			}
		}
	}
	slices.SortFunc(d.Operations, func(a, b *Operation) int {
		return cmp.Or(cmp.Compare(a.Template, b.Template), compareMethods(a, b))
	})
}

func (d *Document) operation(method, path string, item *openapi3.PathItem, spec *openapi3.Operation) *Operation {
	op := &Operation{
		Interface: d.Interface, ID: spec.OperationID, Method: method, Path: path, Template: path, Spec: spec, Document: d,
		Pointer: "/paths/" + EscapePointer(path) + "/" + strings.ToLower(method),
	}
	op.Parameters = slices.Clone(spec.Parameters)
	for _, p := range item.Parameters {
		if spec.Parameters.GetByInAndName(p.Value.In, p.Value.Name) == nil {
			op.Parameters = append(op.Parameters, p)
		}
	}
	op.Reader = newReader(op)
	return op
}

// methods in the order in which the platform's documentation lists them.
var methods = []string{
	http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
	http.MethodHead, http.MethodOptions, http.MethodTrace,
}

// ParameterPointer returns the JSON pointer of the i-th parameter of an operation, which stands with the operation or
// with its path.
func (o *Operation) ParameterPointer(i int) string {
	if i < len(o.Spec.Parameters) {
		return o.Pointer + "/parameters/" + strconv.Itoa(i)
	}
	item := o.Document.T.Paths.Value(o.Template)
	at := slices.Index(item.Parameters, o.Parameters[i])
	return o.Pointer[:strings.LastIndexByte(o.Pointer, '/')] + "/parameters/" + strconv.Itoa(max(at, 0))
}

// Operation returns the operation with an id such as deletePool, be it one of the extras, or nil.
func (d *Document) Operation(id string) *Operation {
	if op := d.byID[id]; op != nil || d.Extras == nil {
		return op
	}
	return d.Extras.byID[id]
}

// Source returns the document's YAML text, branded.
func (d *Document) Source() []byte { return d.source }

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
