package judge

import (
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
	v3 "github.com/pb33f/libopenapi/datamodel/high/v3"
)

// judged returns what the second engine reads of an operation, without the headers that are not judged.
func (p *parameters) judged(item *v3.PathItem) *v3.PathItem {
	if !slices.ContainsFunc(p.op.Parameters, func(ref *openapi3.ParameterRef) bool { return p.isIgnored(ref.Value) }) {
		return item
	}
	lean := *item
	lean.Parameters = p.withoutIgnored(item.Parameters)
	for _, operation := range []**v3.Operation{
		&lean.Get, &lean.Put, &lean.Post, &lean.Delete, &lean.Options, &lean.Head, &lean.Patch, &lean.Trace,
	} {
		if *operation != nil {
			copied := **operation
			copied.Parameters = p.withoutIgnored(copied.Parameters)
			*operation = &copied
		}
	}
	return &lean
}

func (p *parameters) withoutIgnored(list []*v3.Parameter) []*v3.Parameter {
	return slices.DeleteFunc(slices.Clone(list), func(parameter *v3.Parameter) bool {
		return parameter.In == openapi3.ParameterInHeader && p.ignores(parameter.Name)
	})
}
