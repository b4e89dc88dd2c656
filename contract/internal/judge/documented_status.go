package judge

import (
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/contract/internal/coverage"
	"svc.example/understudy/specs"
)

// documentedStatus describes the answers of an operation that have a status, by its document.
type documentedStatus struct {
	*openapi3.Response          // nil if the status is not documented
	key                string   // the key under which that stands, such as 2XX
	headers            []string // the names of its headers, sorted
	isOfSuccess        bool     // it says what a success is like, and the status is an error
	documentedBody
}

// newDocumentedStatus finds what is documented for a status: itself, its class, or the default.
func newDocumentedStatus(op *specs.Operation, status int) *documentedStatus {
	if op.Spec.Responses == nil {
		return &documentedStatus{}
	}
	for _, key := range []string{fmt.Sprint(status), fmt.Sprintf("%dXX", status/100), "default"} {
		if ref := op.Spec.Responses.Value(key); ref != nil && ref.Value != nil {
			return &documentedStatus{
				Response: ref.Value, key: key, headers: slices.Sorted(maps.Keys(ref.Value.Headers)),
				isOfSuccess: status >= http.StatusBadRequest && key == "default" && op.SucceedsByDefault(),
				documentedBody: documentedBody{
					op: op, side: response, content: ref.Value.Content, pointer: op.Pointer + "/responses/" + key,
					required: len(ref.Value.Content) > 0, untouched: coverage.NewSet(op),
					addType: func(s *coverage.Set, media string) { s.Response(key, media) },
				},
			}
		}
	}
	return &documentedStatus{}
}
