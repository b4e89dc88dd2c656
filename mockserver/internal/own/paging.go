package own

import (
	"slices"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/specs"
)

// Paging names the query parameters of a list by which clients go from page to page; what it lacks is empty.
type Paging struct{ Offset, Page, After string }

// PagingOf finds the parameters of an operation that its names give away.
func PagingOf(o *specs.Operation) (p Paging) {
	for _, ref := range o.Parameters {
		if ref.Value.In != openapi3.ParameterInQuery {
			continue
		}
		name := plain(ref.Value.Name)
		switch {
		case p.Offset == "" && slices.Contains(offsetNames, name):
			p.Offset = ref.Value.Name
		case p.Page == "" && slices.Contains(pageNames, name):
			p.Page = ref.Value.Name
		case p.After == "" && slices.Contains(afterNames, name):
			p.After = ref.Value.Name
		}
	}
	return p
}

// IsNext reports whether a member of an answer has the cursor of the next page, as its name says.
func IsNext(member string) bool { return slices.Contains(nextNames, plain(member)) }
