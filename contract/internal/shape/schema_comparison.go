package shape

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

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
