package own_test

import (
	"testing"

	"svc.example/understudy/mockserver/internal/own"
	"svc.example/understudy/specs"
)

// What the document says of its pages counts more than the names of parameters, which may suggest nothing, as from
// does.
func TestPagingIsWhatTheDocumentSays(t *testing.T) {
	t.Parallel()
	doc, err := specs.LoadFile("shop", "../../testdata/orders.yaml", specs.Neutral)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]own.Paging{}
	for _, o := range doc.Operations {
		if p := own.PagingOf(o); p != (own.Paging{}) {
			found[o.Method+" "+o.Path] = p
		}
	}
	if p := found["GET /orders"]; p != (own.Paging{After: "from"}) {
		t.Errorf("orders go on by %+v, want the cursor from; of all operations: %v", p, found)
	}
}
