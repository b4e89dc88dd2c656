package judge

import (
	"maps"
	"slices"
	"strconv"

	"github.com/getkin/kin-openapi/openapi3"
)

// locate finds the pointer of the keyword that a value broke. The engine reports the schema, the keyword and the place
// of the value, but not the way through the document, which is found by walking along. When that fails, the pointer
// leads as far as the walk came.
func locate(root *openapi3.Schema, pointer string, path []string, broken *openapi3.Schema, keyword string) string {
	w := &keywordSearch{broken: broken, keyword: keyword}
	if found, ok := w.find(root, pointer, path, 0); ok {
		return found
	}
	return pointer
}

type keywordSearch struct {
	broken  *openapi3.Schema
	keyword string
	visited int
}

// A walk is bounded for schemas that contain themselves, and for those whose parts multiply.
const (
	maxWalk  = 64     // schemas deep
	maxSteps = 10_000 // schemas in all
)

func (w *keywordSearch) find(schema *openapi3.Schema, pointer string, path []string, depth int) (string, bool) {
	if w.visited++; schema == nil || depth > maxWalk || w.visited > maxSteps {
		return "", false
	}
	if schema == w.broken && (len(path) == 0 || len(path) == 1 && w.keyword == "required") {
		if w.keyword == "" {
			return pointer, true
		}
		return join(pointer, keywordOf(w.keyword)), true
	}
	for _, one := range combinedSchemas(schema, pointer) {
		if found, ok := w.find(one.schema, one.pointer, path, depth+1); ok {
			return found, true
		}
	}
	if len(path) == 0 {
		return "", false
	}
	next := innerSchema(schema, pointer, path[0])
	return w.find(next.schema, next.pointer, path[1:], depth+1)
}

// keywordOf returns the document's keyword for the engine's name.
func keywordOf(field string) string {
	if field == "properties" {
		return "additionalProperties"
	}
	return field
}

// locatedSchema is a schema with its JSON pointer.
type locatedSchema struct {
	schema  *openapi3.Schema
	pointer string
}

// noPointer stands for the pointer of a schema, and of all inside it, when it is not needed.
const noPointer = ""

// inside writes a JSON pointer below another, unless that is noPointer.
func inside(pointer string, tokens ...string) string {
	if pointer == noPointer {
		return noPointer
	}
	return join(pointer, tokens...)
}

// combinedSchemas lists the schemas that a schema applies, or may apply, to the same value.
func combinedSchemas(schema *openapi3.Schema, pointer string) []locatedSchema {
	var schemas []locatedSchema
	for _, kind := range []struct {
		name string
		refs openapi3.SchemaRefs
	}{{"allOf", schema.AllOf}, {"anyOf", schema.AnyOf}, {"oneOf", schema.OneOf}} {
		for i, ref := range kind.refs {
			schemas = append(schemas, locatedSchema{ref.Value, inside(pointer, kind.name, strconv.Itoa(i))})
		}
	}
	for i, ref := range []*openapi3.SchemaRef{schema.If, schema.Then, schema.Else} {
		if ref != nil && ref.Value != nil {
			schemas = append(schemas, locatedSchema{ref.Value, inside(pointer, []string{"if", "then", "else"}[i])})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(schema.DependentSchemas)) {
		ref := schema.DependentSchemas[name]
		schemas = append(schemas, locatedSchema{ref.Value, inside(pointer, "dependentSchemas", name)})
	}
	return schemas
}

// innerSchema returns the schema of a member or an item of a value.
func innerSchema(schema *openapi3.Schema, pointer, token string) locatedSchema {
	if property := schema.Properties[token]; property != nil {
		return locatedSchema{property.Value, inside(pointer, "properties", token)}
	}
	if schema.Items != nil {
		if _, err := strconv.Atoi(token); err == nil {
			return locatedSchema{schema.Items.Value, inside(pointer, "items")}
		}
	}
	if additional := schema.AdditionalProperties.Schema; additional != nil {
		return locatedSchema{additional.Value, inside(pointer, "additionalProperties")}
	}
	return locatedSchema{}
}
