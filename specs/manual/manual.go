// Package manual describes single operations of an interface, for people and for programs: what a request has, what
// answers have, where each fact is known from, and a call to try.
package manual

import (
	"maps"
	"slices"
	"strconv"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/specs"
)

// Operation describes an operation.
type Operation struct {
	Name        string           `json:"operation"` // such as workflow.deletePool
	Interface   specs.Interface  `json:"interface"`
	Summary     string           `json:"summary"`
	Description string           `json:"description,omitempty"`
	Method      string           `json:"method"`
	Path        string           `json:"path"` // with the base path
	Provenance  specs.Provenance `json:"provenance"`
	Resources   []Resource       `json:"resources,omitempty"` // first the one that it is about
	Parameters  []Parameter      `json:"parameters"`
	Required    bool             `json:"bodyRequired"`
	Bodies      []Body           `json:"bodies"`
	Responses   []Response       `json:"responses"`
	Example     Example          `json:"example"`
}

// Resource is a resource that an operation is about, or that its path names or its answer shows beside that.
type Resource struct {
	Name string `json:"resource"`
	Verb string `json:"verb,omitempty"`
}

// Parameter is a parameter of a request.
type Parameter struct {
	Name     string `json:"name"`
	In       string `json:"in"`
	Required bool   `json:"required"`
	Value
	Description string           `json:"description,omitempty"`
	Provenance  specs.Provenance `json:"provenance"`
}

// Body is the body of a request or a response, under one or several media types.
type Body struct {
	MediaTypes []string `json:"mediaTypes"`
	Value
	Fields []Field `json:"fields,omitempty"`
}

// Response is an answer.
type Response struct {
	Status      string           `json:"status"`
	Description string           `json:"description,omitempty"`
	Bodies      []Body           `json:"bodies,omitempty"`
	Provenance  specs.Provenance `json:"provenance"`
}

// Of describes an operation. Its document is one with texts and examples: see specs.Readable.
func Of(op *specs.Operation) (*Operation, error) {
	b := &builder{op: op}
	o := &Operation{
		Name: op.Name(), Interface: op.Interface, Summary: op.Spec.Summary, Description: op.Spec.Description,
		Method: op.Method, Path: op.Document.BasePath + op.Path, Provenance: b.provenance(op.Pointer),
		Parameters: []Parameter{}, Bodies: []Body{}, Responses: []Response{},
	}
	for _, a := range op.Actions() {
		o.Resources = append(o.Resources, Resource{a.Resource.Name, a.Verb})
	}
	for i, ref := range op.Parameters {
		o.Parameters = append(o.Parameters, b.parameter(ref.Value, op.ParameterPointer(i)))
	}
	if ref := op.Spec.RequestBody; ref != nil && ref.Value != nil {
		o.Required = ref.Value.Required
		o.Bodies = b.bodies(ref.Value.Content, op.Pointer+"/requestBody/content")
	}
	statuses := op.Spec.Responses.Map()
	for _, status := range slices.Sorted(maps.Keys(statuses)) {
		o.Responses = append(o.Responses, b.response(status, statuses[status].Value))
	}
	example, err := exampleOf(op)
	o.Example = example
	if b.err != nil {
		err = b.err
	}
	return o, err
}

type builder struct {
	op  *specs.Operation
	err error // of the first place that could not be looked up
}

func (b *builder) provenance(pointer string) specs.Provenance {
	place, err := b.op.Document.Place(pointer)
	if err != nil && b.err == nil {
		b.err = err
	}
	return place.Provenance
}

func (b *builder) parameter(p *openapi3.Parameter, pointer string) Parameter {
	one := Parameter{
		Name: p.Name, In: p.In, Required: p.Required, Description: p.Description, Provenance: b.provenance(pointer),
	}
	if p.Schema != nil {
		one.Value = valueOf(p.Schema.Value)
	}
	return one
}

func (b *builder) response(status string, r *openapi3.Response) Response {
	pointer := b.op.Pointer + "/responses/" + status
	one := Response{Status: status, Provenance: b.provenance(pointer), Bodies: b.bodies(r.Content, pointer+"/content")}
	if r.Description != nil {
		one.Description = *r.Description
	}
	return one
}

// bodies returns the contents of a message, those of one schema together.
func (b *builder) bodies(content openapi3.Content, pointer string) []Body {
	var list []Body
	var schemas []*openapi3.Schema
	for _, name := range slices.Sorted(maps.Keys(content)) {
		var schema *openapi3.Schema
		if ref := content[name].Schema; ref != nil {
			schema = ref.Value
		}
		if i := slices.Index(schemas, schema); i >= 0 {
			list[i].MediaTypes = append(list[i].MediaTypes, name)
			continue
		}
		f := fields{builder: b}
		f.of(schema, pointer+"/"+specs.EscapePointer(name)+"/schema", "")
		list, schemas = append(list, Body{MediaTypes: []string{name}, Value: valueOf(schema), Fields: f.list}),
			append(schemas, schema)
	}
	return list
}

// IsSuccess reports whether a status says that the request was served.
func (r *Response) IsSuccess() bool {
	code, err := strconv.Atoi(r.Status)
	return r.Status == "2XX" || err == nil && code < 300
}
