package coverage

import (
	"sync"

	"svc.example/understudy/specs"
)

// documentCache holds the catalogues and extents of a document. They are made once in a process: making them takes a
// while, and tests make many checkers.
type documentCache struct {
	catalogues sync.Map // *specs.Operation → *Catalogue
	extents    sync.Map // *specs.Operation → *Extent
}

var documentCaches sync.Map // *specs.Document → *documentCache

func cacheOf(d *specs.Document) *documentCache {
	if known, ok := documentCaches.Load(d); ok {
		return known.(*documentCache)
	}
	m, _ := documentCaches.LoadOrStore(d, &documentCache{})
	return m.(*documentCache)
}

func catalogueOf(op *specs.Operation) *Catalogue {
	m := cacheOf(op.Document)
	if known, ok := m.catalogues.Load(op); ok {
		return known.(*Catalogue)
	}
	c, _ := m.catalogues.LoadOrStore(op, newCatalogue(op))
	return c.(*Catalogue)
}

// Extent counts the parts of an operation that can be touched.
type Extent struct {
	Parts     [Aspects]int
	Responses []string // the documented ones, sorted
}

// ExtentOf returns the extent of an operation. It is kept, but not the catalogue that it is counted in: most
// operations need no other use of it.
func ExtentOf(op *specs.Operation) *Extent {
	m := cacheOf(op.Document)
	if known, ok := m.extents.Load(op); ok {
		return known.(*Extent)
	}
	e, _ := m.extents.LoadOrStore(op, &Extent{Parts: newCatalogue(op).counts(), Responses: responses(op)})
	return e.(*Extent)
}
