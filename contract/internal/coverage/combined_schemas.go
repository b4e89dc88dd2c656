package coverage

import (
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

// withCombined returns schemas and all schemas that they are combined of by allOf, anyOf and oneOf.
func withCombined(schemas []*openapi3.Schema) []*openapi3.Schema {
	if len(schemas) == 1 && schemas[0] != nil && len(schemas[0].AllOf)+len(schemas[0].AnyOf)+len(schemas[0].OneOf) == 0 {
		return schemas
	}
	var all []*openapi3.Schema
	queue := slices.Clone(schemas)
	for i := 0; i < len(queue) && len(all) < maxWalk; i++ {
		schema := queue[i]
		if schema == nil || slices.Contains(all, schema) {
			continue
		}
		all = append(all, schema)
		for _, refs := range []openapi3.SchemaRefs{schema.AllOf, schema.AnyOf, schema.OneOf} {
			for _, ref := range refs {
				queue = append(queue, ref.Value)
			}
		}
	}
	return all
}

// schemasOfProperty lists the schemas that schemas give to a property.
func schemasOfProperty(schemas []*openapi3.Schema, name string) []*openapi3.Schema {
	return schemasAt(schemas, func(s *openapi3.Schema) *openapi3.SchemaRef {
		if property := s.Properties[name]; property != nil {
			return property
		}
		return s.AdditionalProperties.Schema
	})
}

// schemasAt lists the inner schemas that at finds, one at most in each schema.
func schemasAt(schemas []*openapi3.Schema, at func(*openapi3.Schema) *openapi3.SchemaRef) []*openapi3.Schema {
	var list []*openapi3.Schema
	for _, schema := range schemas {
		if ref := at(schema); ref != nil {
			list = append(list, ref.Value)
		}
	}
	return list
}
