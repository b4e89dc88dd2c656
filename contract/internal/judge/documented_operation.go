package judge

import (
	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/specs"
)

// documentedOperation holds what is read off the document of an operation once.
type documentedOperation struct {
	op                *specs.Operation
	schemes           []*openapi3.SecurityScheme // what it accepts as credentials
	bareKey           bool                       // the key may stand without a scheme
	takesPlatformKeys bool
	request           *documentedBody
	unsent            *reading        // of a request without a body and a query; nil if it is as it was sent
	parameters        *documentedBody // has their pointer alone
	answers           memo[int, *documentedStatus]
}

func documentedOf(op *specs.Operation) *documentedOperation {
	c := cacheOf(op.Document)
	known, ok := c.operations.Load(op)
	if !ok {
		schemes := readSchemes(op)
		known, _ = c.operations.LoadOrStore(op, &documentedOperation{
			op: op, schemes: schemes, bareKey: op.Document.BareKey(), takesPlatformKeys: takesPlatformKeys(op, schemes),
			request: newRequestBody(op), unsent: readNothing(op),
			parameters: &documentedBody{pointer: op.Pointer + "/parameters"},
		})
	}
	return known.(*documentedOperation)
}

// answer returns what is documented for a status.
func (d *documentedOperation) answer(status int) *documentedStatus {
	if known, ok := d.answers.get(status); ok {
		return known
	}
	return d.answers.put(status, newDocumentedStatus(d.op, status))
}
