// Package shape reduces a JSON value to its shape: which fields it has, of which types, and which of them are not in
// every item of a list. Values are left out, so that a shape changes only if a field comes, goes or changes its type.
//
// Types, and whether a field is always there, are taken from the data; formats and enumerations from the document.
//
//	{"pools": [{"concurrencyLimit": "integer(int32)", "default": "boolean", "id": "string", "note?": "string|null"}]}
package shape

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// Of returns the shape of a decoded value: maps, slices, strings, json.Number, booleans and nil. The schema may be nil.
func Of(value any, schema *openapi3.Schema) any {
	var u Union
	u.Add(value, schema)
	return u.Shape()
}

// Union is the shape that several values have in common. A field that is not in all of them is marked like one that is
// not in every item of a list. The zero value is ready for use.
type Union struct{ shape shape }

// Add adds a decoded value, as Of takes it.
func (u *Union) Add(value any, schema *openapi3.Schema) {
	u.shape.add(value, withCombined(nil, schema))
}

// AddOther adds something other than JSON, such as a media type.
func (u *Union) AddOther(name string) {
	if u.shape.scalars == nil {
		u.shape.scalars = map[string]bool{}
	}
	u.shape.scalars[name] = true
}

// Shape returns the shape of all values that were added.
func (u *Union) Shape() any { return u.shape.render() }

// shape holds what the values at one place have in common.
type shape struct {
	scalars       map[string]bool
	objects       int // how many of the values were objects
	fields        map[string]*field
	values        *shape // values of an object that is a map
	isUndescribed bool   // there were objects that the document does not describe
	arrays        int
	items         *shape
}

type field struct {
	shape
	count int
}

func (s *shape) add(value any, schemas []*openapi3.Schema) {
	switch v := value.(type) {
	case map[string]any:
		s.object(v, schemas)
	case []any:
		s.arrays++
		if s.items == nil {
			s.items = &shape{}
		}
		parts := innerSchemas(schemas, func(schema *openapi3.Schema) *openapi3.SchemaRef { return schema.Items })
		for _, item := range v {
			s.items.add(item, parts)
		}
	default:
		if s.scalars == nil {
			s.scalars = map[string]bool{}
		}
		s.scalars[scalar(v, schemas)] = true
	}
}

func (s *shape) object(object map[string]any, schemas []*openapi3.Schema) {
	s.objects++
	named := slices.ContainsFunc(schemas, func(s *openapi3.Schema) bool { return len(s.Properties) > 0 })
	mapped := innerSchemas(schemas, func(s *openapi3.Schema) *openapi3.SchemaRef { return s.AdditionalProperties.Schema })
	switch {
	case !named && len(mapped) > 0:
		if s.values == nil {
			s.values = &shape{}
		}
		for _, value := range object {
			s.values.add(value, mapped)
		}
		return
	case !named && len(schemas) > 0:
		s.isUndescribed = true
		return
	}
	if s.fields == nil {
		s.fields = map[string]*field{}
	}
	for name, value := range object {
		f := s.fields[name]
		if f == nil {
			f = &field{}
			s.fields[name] = f
		}
		f.count++
		parts := innerSchemas(schemas, func(s *openapi3.Schema) *openapi3.SchemaRef { return s.Properties[name] })
		f.add(value, parts)
	}
}

// scalar returns the type of a value, with its documented format or values.
func scalar(value any, schemas []*openapi3.Schema) string {
	kind := "null"
	switch v := value.(type) {
	case string:
		kind = "string"
	case bool:
		kind = "boolean"
	case json.Number:
		kind = "integer"
		isNumber := func(s *openapi3.Schema) bool { return s.Type.Is("number") }
		if strings.ContainsAny(v.String(), ".eE") || slices.ContainsFunc(schemas, isNumber) {
			kind = "number"
		}
	}
	return typeInWords(kind, schemas)
}

// typeInWords returns a type with its documented format or values.
func typeInWords(kind string, schemas []*openapi3.Schema) string {
	for _, schema := range schemas {
		if !schema.Type.Is(kind) && (schema.Type != nil || kind == "null") {
			continue
		}
		if len(schema.Enum) > 0 {
			return kind + "(" + strings.Join(enumTexts(schema.Enum), ", ") + ")"
		}
		if schema.Format != "" {
			return kind + "(" + schema.Format + ")"
		}
	}
	return kind
}

func enumTexts(values []any) []string {
	var list []string
	for _, value := range values {
		if value != nil {
			list = append(list, fmt.Sprint(value))
		}
	}
	return list
}

func (s *shape) render() any {
	var kinds []any
	if len(s.scalars) > 0 {
		kinds = append(kinds, strings.Join(slices.Sorted(maps.Keys(s.scalars)), "|"))
	}
	if s.isUndescribed {
		kinds = append(kinds, "object")
	}
	if s.values != nil {
		kinds = append(kinds, map[string]any{"*": s.values.render()})
	}
	if s.fields != nil {
		object := map[string]any{}
		for name, f := range s.fields {
			if f.count < s.objects {
				name += "?"
			}
			object[name] = f.render()
		}
		kinds = append(kinds, object)
	}
	if s.arrays > 0 {
		kinds = append(kinds, s.items.renderItems())
	}
	switch len(kinds) {
	case 0:
		return "nothing"
	case 1:
		return kinds[0]
	}
	return map[string]any{"anyOf": kinds}
}

func (s *shape) renderItems() any {
	if s.scalars == nil && s.objects == 0 && s.arrays == 0 {
		return []any{}
	}
	return []any{s.render()}
}

// innerSchemas lists the schemas that next finds in schemas, with those that they are combined of.
func innerSchemas(schemas []*openapi3.Schema, next func(*openapi3.Schema) *openapi3.SchemaRef) []*openapi3.Schema {
	var list []*openapi3.Schema
	for _, schema := range schemas {
		if ref := next(schema); ref != nil {
			list = withCombined(list, ref.Value)
		}
	}
	return list
}

// withCombined adds a schema to a list, and the schemas that it is combined of, each once.
func withCombined(list []*openapi3.Schema, schema *openapi3.Schema) []*openapi3.Schema {
	if schema == nil || slices.Contains(list, schema) {
		return list
	}
	list = append(list, schema)
	for _, part := range slices.Concat(schema.AllOf, schema.AnyOf, schema.OneOf) {
		list = withCombined(list, part.Value)
	}
	return list
}
