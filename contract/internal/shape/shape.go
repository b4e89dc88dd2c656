// Package shape reduces a JSON value to its shape: which fields it has, of which types, and which of them are not in
// every item of a list. Values are left out, so that a shape changes only if a field comes, goes or changes its type.
//
// Types, and whether a field is always there, are taken from the data; formats and enumerations from the document.
//
//	{"pools": [{"concurrencyLimit": "integer(int32)", "default": "boolean", "id": "string", "note?": "string|null"}]}
package shape

import (
	"cmp"
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

// Break is a place at which a snapshot does not fit a document.
type Break struct {
	Path   string `json:"path"` // such as /pools/*/note
	Reason string `json:"reason"`
}

// Against lists where a kept shape, as returned by Of, does not match a schema: fields that it does not document or now
// requires, types that it does not allow, and types with another format or other values, so that the shape would be
// written differently. Every shape matches a nil schema.
func Against(kept any, schema *openapi3.Schema) []Break {
	a := &comparison{}
	if schema != nil {
		a.value("", kept, withCombined(nil, schema))
	}
	slices.SortStableFunc(a.breaks, func(x, y Break) int { return cmp.Compare(x.Path, y.Path) })
	return slices.Compact(a.breaks)
}

type comparison struct{ breaks []Break }

func (a *comparison) addBreak(path, format string, args ...any) {
	a.breaks = append(a.breaks, Break{cmp.Or(path, "/"), fmt.Sprintf(format, args...)})
}

func (a *comparison) value(path string, kept any, schemas []*openapi3.Schema) {
	if len(schemas) == 0 {
		return // it is not described
	}
	switch v := kept.(type) {
	case string:
		for _, kind := range alternatives(v) {
			a.scalar(path, kind, schemas)
		}
	case []any:
		a.checkType(path, "array", schemas)
		for _, item := range v {
			a.value(path+"/*", item, innerSchemas(schemas, func(s *openapi3.Schema) *openapi3.SchemaRef { return s.Items }))
		}
	case map[string]any:
		if list, ok := v["anyOf"].([]any); ok && len(v) == 1 {
			for _, one := range list {
				a.value(path, one, schemas)
			}
			return
		}
		a.object(path, v, schemas)
	}
}

// alternatives splits the types of a place, string(a, b)|null, but not what is in brackets.
func alternatives(text string) []string {
	var list []string
	depth, begin := 0, 0
	for i, c := range text {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		case '|':
			if depth == 0 {
				list = append(list, text[begin:i])
				begin = i + 1
			}
		}
	}
	return append(list, text[begin:])
}

// jsonTypes lists the types in shapes. Other words there stand for bodies that are not JSON.
var jsonTypes = []string{"string", "integer", "number", "boolean", "null"}

func (a *comparison) scalar(path, kept string, schemas []*openapi3.Schema) {
	kind, _, _ := strings.Cut(kept, "(")
	switch {
	case kind == "object":
		a.checkType(path, kind, schemas)
		return
	case !slices.Contains(jsonTypes, kind):
		return
	case !a.checkType(path, kind, schemas):
		return
	}
	if now := typeInWords(kind, schemas); now != kept {
		a.addBreak(path, "was %s, but is documented as %s", kept, now)
	}
}

// checkType reports whether the document allows a type, and adds a break if not.
func (a *comparison) checkType(path, kind string, schemas []*openapi3.Schema) bool {
	var documented []string
	for _, s := range schemas {
		isNull := kind == "null" && (s.Nullable || s.Type.Includes("null"))
		isNumber := kind == "integer" && s.Type.Includes("number")
		if isNull || isNumber || s.Type.Includes(kind) {
			return true
		}
		documented = append(documented, s.Type.Slice()...)
	}
	if len(documented) == 0 {
		return true
	}
	slices.Sort(documented)
	a.addBreak(path, "was %s, but is documented as %s", kind,
		strings.Join(slices.Compact(documented), ", "))
	return false
}

func (a *comparison) object(path string, kept map[string]any, schemas []*openapi3.Schema) {
	if !a.checkType(path, "object", schemas) {
		return
	}
	additional := innerSchemas(schemas,
		func(s *openapi3.Schema) *openapi3.SchemaRef { return s.AdditionalProperties.Schema })
	isNamed := slices.ContainsFunc(schemas, func(s *openapi3.Schema) bool { return len(s.Properties) > 0 })
	sure := map[string]bool{}
	for _, key := range slices.Sorted(maps.Keys(kept)) {
		name := strings.TrimSuffix(key, "?")
		sure[name] = name == key
		parts := innerSchemas(schemas, func(s *openapi3.Schema) *openapi3.SchemaRef { return s.Properties[name] })
		switch {
		case len(parts) > 0:
			a.value(path+"/"+name, kept[key], parts)
		case len(additional) > 0:
			a.value(path+"/"+name, kept[key], additional)
		case isNamed:
			a.addBreak(path+"/"+name, "is not documented")
		}
	}
	for _, name := range required(schemas[0], map[*openapi3.Schema]bool{}) {
		if always, present := sure[name]; !present {
			a.addBreak(path+"/"+name, "is required, but was never present")
		} else if !always {
			a.addBreak(path+"/"+name, "is required, but was not always present")
		}
	}
}

// required lists the members that a schema and its allOf schemas require, but not those that only some alternatives do.
func required(schema *openapi3.Schema, seen map[*openapi3.Schema]bool) []string {
	if schema == nil || seen[schema] {
		return nil
	}
	seen[schema] = true
	var list []string
	for _, name := range schema.Required {
		if p := schema.Properties[name]; p == nil || p.Value == nil || !p.Value.WriteOnly {
			list = append(list, name)
		}
	}
	for _, part := range schema.AllOf {
		list = append(list, required(part.Value, seen)...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}
