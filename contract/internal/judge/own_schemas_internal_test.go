package judge

import (
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/specs"
)

// What our documents call nullable may be null by all rules of OpenAPI 3.0 (3.0.4, Schema Object, nullable): a type
// stands beside it, and neither enum nor allOf refuses null. What they refer to without that may not.
func TestNullableOfOurDocumentsMeansNull(t *testing.T) {
	t.Parallel()
	places := 0
	for _, name := range specs.Interfaces() {
		d, err := specs.Load(name, specs.Neutral)
		if err != nil {
			t.Fatal(err)
		}
		for _, side := range []side{request, response} {
			compiler := newSchemaCompiler(d, side)
			if compiler == nil {
				t.Fatalf("%s: its schemas cannot be compiled", name)
			}
			for schema, pointer := range schemasOfDocument(d) {
				if !schema.Nullable {
					continue
				}
				places++
				compiled := compiler.compile(pointer)
				if compiled == nil {
					t.Errorf("%s%s cannot be compiled", name, pointer)
				} else if err := compiled.Validate(nil); err != nil {
					t.Errorf("%s%s is nullable, and refuses null: %v", name, pointer, err)
				}
				if err := schema.VisitJSON(nil); err != nil {
					t.Errorf("%s%s is nullable, and kin-openapi refuses null: %v", name, pointer, err)
				}
			}
		}
	}
	if places == 0 {
		t.Error("no schema is nullable")
	}
}

// schemasOfDocument returns the schemas of the components and below, each with its place.
func schemasOfDocument(d *specs.Document) map[*openapi3.Schema]string {
	found := map[*openapi3.Schema]string{}
	var walk func(ref *openapi3.SchemaRef, pointer string)
	walk = func(ref *openapi3.SchemaRef, pointer string) {
		if ref == nil || ref.Ref != "" || ref.Value == nil {
			return
		}
		s := ref.Value
		found[s] = pointer
		for name, property := range s.Properties {
			walk(property, join(pointer, "properties", name))
		}
		walk(s.Items, pointer+"/items")
		walk(s.AdditionalProperties.Schema, pointer+"/additionalProperties")
		for keyword, list := range map[string]openapi3.SchemaRefs{"allOf": s.AllOf, "anyOf": s.AnyOf, "oneOf": s.OneOf} {
			for i, part := range list {
				walk(part, join(pointer, keyword, string(rune('0'+i))))
			}
		}
	}
	for name, ref := range d.T.Components.Schemas {
		walk(ref, join("/components/schemas", name))
	}
	return found
}
