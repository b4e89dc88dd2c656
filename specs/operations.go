package specs

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
)

// Operation is one operation of a document.
type Operation struct {
	Interface Interface
	ID        string
	// the path below the document's base path; with our names of parameters, if it is an operation of ours
	Method, Path string
	Template     string // the path as the document writes it: the key in its paths
	Pointer      string // JSON pointer of the operation object in its document
	Parameters   openapi3.Parameters
	Spec         *openapi3.Operation
	Document     *Document
	Reader       *Reader

	// Embedded is the operation of the embedded document with the same method and path. It is the operation itself in
	// an embedded document, and nil for an operation that only a user's own document has.
	Embedded *Operation

	name     string   // once the document is loaded
	names    []string // of the parameters in Path, in order
	declared []string // the same parameters as the document names them
	security func() [][]*openapi3.SecurityScheme
}

// Name is the operation's name everywhere: in reports, counts, filters and tests, such as workflow.deletePool.
func (o *Operation) Name() string {
	if o.name != "" {
		return o.name
	}
	return string(o.Interface) + "." + o.ID
}

// Security lists the alternatives of credentials that the operation wants: one without schemes wants none. Schemes that
// the document lacks are left out. The list must not be changed.
func (o *Operation) Security() [][]*openapi3.SecurityScheme { return o.security() }

func (o *Operation) findSecurity() [][]*openapi3.SecurityScheme {
	requirements := o.Document.T.Security
	if o.Spec.Security != nil {
		requirements = *o.Spec.Security
	}
	alternatives := make([][]*openapi3.SecurityScheme, len(requirements))
	for i, requirement := range requirements {
		if o.Document.T.Components == nil {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(requirement)) {
			if ref := o.Document.T.Components.SecuritySchemes[name]; ref != nil && ref.Value != nil {
				alternatives[i] = append(alternatives[i], ref.Value)
			}
		}
	}
	return alternatives
}

// PathParameters lists the parameters of the path, in order, as the document names them.
func (o *Operation) PathParameters() []string { return o.declared }

// addOperations lists the operations with what the document says of them.
func (d *Document) addOperations() {
	for path, item := range d.T.Paths.Map() {
		operations := item.Operations()
		for method, spec := range operations {
			d.Operations = append(d.Operations, d.operation(method, path, item, spec))
		}
	}
	slices.SortFunc(d.Operations, func(a, b *Operation) int {
		return cmp.Or(cmp.Compare(a.Template, b.Template), compareMethods(a, b))
	})
}

func (d *Document) operation(method, path string, item *openapi3.PathItem, spec *openapi3.Operation) *Operation {
	op := &Operation{
		Interface: d.Interface, ID: spec.OperationID, Method: method, Path: path, Template: path, Spec: spec, Document: d,
		Pointer: "/paths/" + EscapePointer(path) + "/" + strings.ToLower(method),
	}
	if item.AdditionalOperations[method] == spec {
		op.Pointer = "/paths/" + EscapePointer(path) + "/additionalOperations/" + EscapePointer(method)
	}
	op.Parameters = slices.Clone(spec.Parameters)
	for _, p := range item.Parameters {
		if spec.Parameters.GetByInAndName(p.Value.In, p.Value.Name) == nil {
			op.Parameters = append(op.Parameters, p)
		}
	}
	op.Reader, op.security = newReader(op), sync.OnceValue(op.findSecurity)
	return op
}

// methods in the order in which the platform's documentation lists them.
var methods = []string{
	http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
	http.MethodHead, http.MethodOptions, http.MethodTrace, openapi3.MethodQuery, // of OpenAPI 3.2
}

// ParameterPointer returns the JSON pointer of the i-th parameter of an operation, which stands with the operation or
// with its path.
func (o *Operation) ParameterPointer(i int) string {
	if i < len(o.Spec.Parameters) {
		return o.Pointer + "/parameters/" + strconv.Itoa(i)
	}
	item := o.Document.T.Paths.Value(o.Template)
	at := slices.Index(item.Parameters, o.Parameters[i])
	return "/paths/" + EscapePointer(o.Template) + "/parameters/" + strconv.Itoa(max(at, 0))
}

// Operation returns the operation with an id such as deletePool, be it one of the extras, or nil.
func (d *Document) Operation(id string) *Operation {
	if op := d.byID[id]; op != nil || d.Extras == nil {
		return op
	}
	return d.Extras.byID[id]
}
