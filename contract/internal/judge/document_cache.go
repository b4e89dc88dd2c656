package judge

import (
	"errors"
	"slices"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/contract/engine"
	"svc.example/understudy/internal/accept"
	"svc.example/understudy/specs"
)

// documentCache holds what was made of the schemas of a document. It is made once in a process: that takes a while, and
// tests make many judges.
type documentCache struct {
	schemas sync.Map    // loadedOperation → func() (engine.Schemas, error), of a second engine
	trees   [2]sync.Map // by side: *openapi3.Schema → *accept.Tree, which accepts what the first engine accepts
	work    accept.Work

	compilers [2]compilerOnce // by side, of a user's own document
	fields    fieldsMemo

	operations sync.Map // *specs.Operation → *documentedOperation
}

var caches sync.Map // *specs.Document → *documentCache

func cacheOf(d *specs.Document) *documentCache {
	if known, ok := caches.Load(d); ok {
		return known.(*documentCache)
	}
	b, _ := caches.LoadOrStore(d, &documentCache{})
	return b.(*documentCache)
}

// loadedOperation is an operation that a second engine has loaded.
type loadedOperation struct {
	engine engine.Engine
	op     *specs.Operation
}

func schemasOf(e engine.Engine, op *specs.Operation) (engine.Schemas, error) {
	b, key := cacheOf(op.Document), loadedOperation{e, op}
	known, ok := b.schemas.Load(key)
	if !ok {
		known, _ = b.schemas.LoadOrStore(key, sync.OnceValues(func() (engine.Schemas, error) {
			if spreads(op) {
				return nil, errSpread
			}
			source, err := op.Document.Extract(op)
			if err != nil {
				return nil, err
			}
			return e.Load(engine.Operation{Method: op.Method, Template: op.Template, Source: source})
		}))
	}
	return known.(func() (engine.Schemas, error))()
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
	trees := &cacheOf(d).trees[side]
	known, ok := trees.Load(schema)
	if !ok {
		var tree *accept.Tree
		if !d.T.IsOpenAPI31OrLater() { // whose schemas say more than trees do
			tree = accept.CompileWith(accept.Known, schema, directionOf(side))
		}
		known, _ = trees.LoadOrStore(schema, tree)
	}
	return known.(*accept.Tree)
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
