package coverage

import (
	"sync"

	"svc.example/understudy/specs"
)

// memo holds what is made of the operations of a document: once in a process, since it takes a while and never changes,
// and a test that asserts has a checker of its own.
type memo struct {
	catalogues sync.Map // *specs.Operation → *Catalogue
	extents    sync.Map // *specs.Operation → *Extent
}

var memos sync.Map // *specs.Document → *memo

func memoOf(d *specs.Document) *memo {
	if known, ok := memos.Load(d); ok {
		return known.(*memo)
	}
	m, _ := memos.LoadOrStore(d, &memo{})
	return m.(*memo)
}

func catalogueOf(op *specs.Operation) *Catalogue {
	m := memoOf(op.Document)
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

// ExtentOf returns the extent of an operation. It is kept, the catalogue that it needs is not: most operations are
// never asked for more.
func ExtentOf(op *specs.Operation) *Extent {
	m := memoOf(op.Document)
	if known, ok := m.extents.Load(op); ok {
		return known.(*Extent)
	}
	e, _ := m.extents.LoadOrStore(op, &Extent{Parts: newCatalogue(op).counts(), Responses: responses(op)})
	return e.(*Extent)
}
