package judge

import (
	"sync"

	"svc.example/understudy/contract/engine"
	"svc.example/understudy/specs"
)

// book is what judges make of a document: once in a process, since it takes a while and never changes, and a test that
// asserts has a judge of its own.
type book struct {
	schemas sync.Map // loaded → func() (engine.Schemas, error)
}

var books sync.Map // *specs.Document → *book

func bookOf(d *specs.Document) *book {
	if known, ok := books.Load(d); ok {
		return known.(*book)
	}
	b, _ := books.LoadOrStore(d, &book{})
	return b.(*book)
}

// loaded is an operation that a second engine has loaded.
type loaded struct {
	engine engine.Engine
	op     *specs.Operation
}

func schemasOf(e engine.Engine, op *specs.Operation) (engine.Schemas, error) {
	b, key := bookOf(op.Document), loaded{e, op}
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
