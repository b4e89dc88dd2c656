package accept

import (
	"maps"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

// isEndless reports whether a schema consists of itself, so that kin-openapi would ask for ever whether it is empty.
func (c *compiler) isEndless(schema *openapi3.Schema, above []*openapi3.Schema) bool {
	if slices.Contains(above, schema) {
		return true
	}
	if c.finite[schema] || hasNewerParts(schema) || !withoutParts(schema).IsEmpty() {
		return false
	}
	above = append(slices.Clip(above), schema)
	endless := slices.ContainsFunc(partsOf(schema), func(ref *openapi3.SchemaRef) bool {
		return ref != nil && ref.Value != nil && c.isEndless(ref.Value, above)
	})
	c.finite[schema] = !endless
	return endless
}

// partsOf returns the schemas that one of OpenAPI 3.0 consists of.
func partsOf(schema *openapi3.Schema) []*openapi3.SchemaRef {
	parts := slices.Concat(schema.OneOf, schema.AnyOf, schema.AllOf)
	parts = append(parts, schema.Not, schema.Items, schema.AdditionalProperties.Schema)
	return slices.AppendSeq(parts, maps.Values(schema.Properties))
}

func withoutParts(schema *openapi3.Schema) *openapi3.Schema {
	alone := *schema
	alone.OneOf, alone.AnyOf, alone.AllOf, alone.Not, alone.Items = nil, nil, nil, nil, nil
	alone.AdditionalProperties.Schema, alone.Properties = nil, nil
	return &alone
}

// hasNewerParts reports whether a schema is false or true, or consists of schemas as those of OpenAPI 3.1 do.
func hasNewerParts(schema *openapi3.Schema) bool {
	for _, ref := range []*openapi3.SchemaRef{
		schema.Contains, schema.PropertyNames, schema.If, schema.Then, schema.Else, schema.ContentSchema,
		schema.UnevaluatedItems.Schema, schema.UnevaluatedProperties.Schema,
	} {
		if ref != nil {
			return true
		}
	}
	return schema.Always != nil || len(schema.PrefixItems)+len(schema.PatternProperties)+len(schema.DependentSchemas)+
		len(schema.Defs) > 0
}
