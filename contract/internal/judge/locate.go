package judge

import (
	"strconv"

	"github.com/getkin/kin-openapi/openapi3"
)

// locate finds the pointer of the keyword that a value broke. The engine reports the schema, the keyword and the place
// of the value, but not the way through the document, which is found by walking along. When that fails, the pointer
// leads as far as the walk came.
func locate(root *openapi3.Schema, pointer string, path []string, broken *openapi3.Schema, keyword string) string {
	w := &walk{broken: broken, keyword: keyword}
	if found, ok := w.find(root, pointer, path, 0); ok {
		return found
	}
	return pointer
}

type walk struct {
	broken  *openapi3.Schema
	keyword string
	steps   int
}

// A walk is bounded for schemas that contain themselves, and for those whose parts multiply.
const (
	maxWalk  = 64     // schemas deep
	maxSteps = 10_000 // schemas in all
)

func (w *walk) find(schema *openapi3.Schema, pointer string, path []string, depth int) (string, bool) {
	if w.steps++; schema == nil || depth > maxWalk || w.steps > maxSteps {
		return "", false
	}
	if schema == w.broken && (len(path) == 0 || len(path) == 1 && w.keyword == "required") {
		if w.keyword == "" {
			return pointer, true
		}
		return join(pointer, keywordOf(w.keyword)), true
	}
	for _, way := range branches(schema, pointer) {
		if found, ok := w.find(way.schema, way.pointer, path, depth+1); ok {
			return found, true
		}
	}
	if len(path) == 0 {
		return "", false
	}
	next := step(schema, pointer, path[0])
	return w.find(next.schema, next.pointer, path[1:], depth+1)
}

// keywordOf returns the document's keyword for the engine's name.
func keywordOf(field string) string {
	if field == "properties" {
		return "additionalProperties"
	}
	return field
}

// way is a schema and where it stands.
type way struct {
	schema  *openapi3.Schema
	pointer string
}

// branches are the schemas that say more of the same value.
func branches(schema *openapi3.Schema, pointer string) []way {
	var ways []way
	for _, kind := range []struct {
		name string
		refs openapi3.SchemaRefs
	}{{"allOf", schema.AllOf}, {"anyOf", schema.AnyOf}, {"oneOf", schema.OneOf}} {
		for i, ref := range kind.refs {
			ways = append(ways, way{ref.Value, join(pointer, kind.name, strconv.Itoa(i))})
		}
	}
	return ways
}

// step goes from a value's schema to that of one of its parts.
func step(schema *openapi3.Schema, pointer, token string) way {
	if property := schema.Properties[token]; property != nil {
		return way{property.Value, join(pointer, "properties", token)}
	}
	if schema.Items != nil {
		if _, err := strconv.Atoi(token); err == nil {
			return way{schema.Items.Value, pointer + "/items"}
		}
	}
	if additional := schema.AdditionalProperties.Schema; additional != nil {
		return way{additional.Value, pointer + "/additionalProperties"}
	}
	return way{}
}
