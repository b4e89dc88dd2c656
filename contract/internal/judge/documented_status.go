package judge

import (
	"fmt"
	"maps"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/specs"
)

// documentedStatus describes the answers of an operation that have a status, by its document.
type documentedStatus struct {
	*openapi3.Response          // nil if the status is not documented
	key                string   // the key under which that stands, such as 2XX
	pointer            string   // the JSON pointer of it
	headers            []string // the names of its headers, sorted
}

// operationStatus is a status of answers of an operation.
type operationStatus struct {
	op     *specs.Operation
	status int
}

// documentedResponse returns what is documented for a status.
func documentedResponse(op *specs.Operation, status int) *documentedStatus {
	b, key := cacheOf(op.Document), operationStatus{op, status}
	known, ok := b.answers.Load(key)
	if !ok {
		known, _ = b.answers.LoadOrStore(key, newDocumentedStatus(op, status))
	}
	return known.(*documentedStatus)
}

// newDocumentedStatus finds what is documented for a status: itself, its class, or the default.
func newDocumentedStatus(op *specs.Operation, status int) *documentedStatus {
	if op.Spec.Responses == nil {
		return &documentedStatus{}
	}
	for _, key := range []string{fmt.Sprint(status), fmt.Sprintf("%dXX", status/100), "default"} {
		if ref := op.Spec.Responses.Value(key); ref != nil && ref.Value != nil {
			return &documentedStatus{
				Response: ref.Value, key: key, pointer: op.Pointer + "/responses/" + key,
				headers: slices.Sorted(maps.Keys(ref.Value.Headers)),
			}
		}
	}
	return &documentedStatus{}
}
