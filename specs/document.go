package specs

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
)

// Document is one interface's OpenAPI document, loaded, checked, and indexed by operation. It is immutable and safe
// for concurrent use.
type Document struct {
	Interface  string
	Brand      Brand
	File       string // name for reports: workflow.yaml, or the path of a user's own document
	BasePath   string // path of the first server, without a trailing slash: /v3 for core, else empty
	Lenient    Lenient
	T          *openapi3.T
	Operations []*Operation // in the order of the document

	source []byte
	byID   map[string]*Operation
	router router
	index  func() (*index, error)
}

// Operation is one operation of a document.
type Operation struct {
	Interface, ID string
	Method, Path  string
	Pointer       string // JSON pointer of the operation object in its document
	Parameters    openapi3.Parameters
	Spec          *openapi3.Operation
	Document      *Document
	Reader        *Reader
}

// Name is the operation's name everywhere: in reports, counts, filters and tests, such as workflow.deletePool.
func (o *Operation) Name() string { return o.Interface + "." + o.ID }

type cacheKey struct {
	name  string
	brand Brand
	file  string   // of a user's own,
	sum   [32]byte // and what it holds
}

// What is parsed never changes, so each document is parsed once in a process, however many servers and transports
// a test binary makes.
var cache sync.Map // cacheKey → func() (*Document, error)

// Load returns the embedded document of an interface. It is parsed once in a process, and without the texts that only
// people read: T has no descriptions and no examples, Source has.
func Load(name string, brand Brand) (*Document, error) {
	load, _ := cache.LoadOrStore(cacheKey{name: name, brand: brand}, sync.OnceValues(func() (*Document, error) {
		source, err := Source(name, brand)
		if err != nil {
			return nil, err
		}
		doc, err := Parse(name, name+".yaml", compiled(name, source, brand), brand)
		if err != nil {
			return nil, err
		}
		doc.setSource(source)
		return doc, nil
	}))
	return load.(func() (*Document, error))()
}

// LoadFile returns a document of the user's own in place of the embedded one. It is parsed once in a process for as long
// as the file holds the same. Errors name the file.
func LoadFile(name, file string, brand Brand) (*Document, error) {
	source, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("document of %s: %w", name, err)
	}
	key := cacheKey{name, brand, file, sha256.Sum256(source)}
	load, _ := cache.LoadOrStore(key, sync.OnceValues(func() (*Document, error) {
		embedded, err := Load(name, brand)
		if err != nil {
			return nil, err
		}
		return parse(name, file, source, brand, embedded.Lenient)
	}))
	return load.(func() (*Document, error))()
}

// Parse loads a document from its text: an embedded one, or a user's own. Errors name the file.
func Parse(name, file string, source []byte, brand Brand) (*Document, error) {
	return parse(name, file, source, brand, Lenient{})
}

func parse(name, file string, source []byte, brand Brand, lenient Lenient) (*Document, error) {
	loader := openapi3.NewLoader()
	doc, err := loader.LoadFromData(source)
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", file, err)
	}
	if doc.Paths == nil || doc.Paths.Len() == 0 {
		return nil, fmt.Errorf("load %s: the document has no paths", file)
	}
	d := &Document{Interface: name, Brand: brand, File: file, T: doc, byID: map[string]*Operation{}}
	d.setSource(source)
	d.BasePath = basePath(doc)
	if d.Lenient, err = lenientOf(doc, lenient); err != nil {
		return nil, fmt.Errorf("load %s: %w", file, err)
	}
	if err := d.addOperations(); err != nil {
		return nil, fmt.Errorf("load %s: %w", file, err)
	}
	if d.router, err = newRouter(d.Operations); err != nil {
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

// KeyHeader is the header beside Authorization that may carry an API key, by the document's security schemes, or the
// empty string.
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

func basePath(doc *openapi3.T) string {
	path, err := doc.Servers.BasePath() // that of the first one, with the defaults of its variables
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(path, "/")
}

// addOperations lists the operations in the order of the platform's documentation, then those it does not know, by
// path.
func (d *Document) addOperations() error {
	var errs []error
	for path, item := range d.T.Paths.Map() {
		operations := item.Operations()
		for _, method := range methods {
			if spec := operations[method]; spec != nil {
				errs = append(errs, d.add(method, path, item, spec))
			}
		}
	}
	const catalogueSize = 229 // so that a known operation ranks below zero, and an unknown one at zero
	rank := map[string]int{}
	for i, entry := range Catalogue() {
		if entry.Interface == d.Interface {
			rank[entry.Method+" "+entry.Path] = i - catalogueSize
		}
	}
	slices.SortFunc(d.Operations, func(a, b *Operation) int {
		return cmp.Or(
			cmp.Compare(rank[a.Method+" "+a.Path], rank[b.Method+" "+b.Path]),
			cmp.Compare(a.Path, b.Path),
			cmp.Compare(slices.Index(methods, a.Method), slices.Index(methods, b.Method)),
		)
	})
	return errors.Join(errs...)
}

// methods in the order in which the platform's documentation lists them.
var methods = []string{
	http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
	http.MethodHead, http.MethodOptions, http.MethodTrace,
}

func (d *Document) add(method, path string, item *openapi3.PathItem, spec *openapi3.Operation) error {
	op := &Operation{
		Interface: d.Interface, ID: spec.OperationID, Method: method, Path: path, Spec: spec, Document: d,
		Pointer: "/paths/" + EscapePointer(path) + "/" + strings.ToLower(method),
	}
	if op.ID == "" {
		return fmt.Errorf("%s %s has no operationId", method, path)
	}
	if before := d.byID[op.ID]; before != nil {
		return fmt.Errorf("%s %s and %s %s share the operationId %s", before.Method, before.Path, method, path, op.ID)
	}
	op.Parameters = slices.Clone(spec.Parameters)
	for _, p := range item.Parameters {
		if spec.Parameters.GetByInAndName(p.Value.In, p.Value.Name) == nil {
			op.Parameters = append(op.Parameters, p)
		}
	}
	op.Reader = newReader(op)
	d.byID[op.ID] = op
	d.Operations = append(d.Operations, op)
	return nil
}

// Operation returns the operation with an id such as deletePool, or nil.
func (d *Document) Operation(id string) *Operation { return d.byID[id] }

// Source is the document's YAML text, branded.
func (d *Document) Source() []byte { return d.source }

// Compare reports how a user's own document differs from ours: the operations that it lacks and those that it adds,
// each as "METHOD path".
func (d *Document) Compare(own *Document) (missing, extra []string) {
	return absent(d, own), absent(own, d)
}

func absent(of, in *Document) []string {
	var list []string
	for _, op := range of.Operations {
		if !slices.ContainsFunc(in.Operations, func(o *Operation) bool {
			return o.Method == op.Method && template(o.Path) == template(op.Path)
		}) {
			list = append(list, op.Method+" "+op.Path)
		}
	}
	return list
}
