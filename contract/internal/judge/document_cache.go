package judge

import (
	"sync"

	"svc.example/understudy/contract/engine"
	"svc.example/understudy/specs"
)

// documentCache holds the schemas that a second engine made of a document. They are made once in a process: that takes
// a while, and tests make many judges.
type documentCache struct {
	schemas sync.Map // loaded → func() (engine.Schemas, error)
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
			source, err := op.Document.Extract(op)
			if err != nil {
				return nil, err
			}
			return e.Load(engine.Operation{Method: op.Method, Template: op.Template, Source: source})
		}))
	}
	return known.(func() (engine.Schemas, error))()
}
