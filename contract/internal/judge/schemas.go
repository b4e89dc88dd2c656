package judge

import "github.com/getkin/kin-openapi/openapi3"

// partsOf lists the schemas of a property.
func partsOf(schemas []*openapi3.Schema, name string) []*openapi3.Schema {
	return gather(schemas, func(s *openapi3.Schema) *openapi3.SchemaRef {
		if property := s.Properties[name]; property != nil {
			return property
		}
		return s.AdditionalProperties.Schema
	})
}

// gather lists one part of each schema that has it.
func gather(schemas []*openapi3.Schema, part func(*openapi3.Schema) *openapi3.SchemaRef) []*openapi3.Schema {
	var list []*openapi3.Schema
	for _, schema := range schemas {
		if ref := part(schema); ref != nil {
			list = append(list, ref.Value)
		}
	}
	return list
}
