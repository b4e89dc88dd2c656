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

// Against lists where a shape that was kept, as Of gives it, does not fit a schema: fields that it does not document or
// now requires, types that it does not allow, and types that the document describes in other words, by another format
// or other values, so that the shape would be written differently. The schema may be nil, which nothing breaks.
func Against(kept any, schema *openapi3.Schema) []Break {
	a := &against{}
	if schema != nil {
		a.value("", kept, spread(schema, 0))
	}
	slices.SortStableFunc(a.breaks, func(x, y Break) int { return cmp.Compare(x.Path, y.Path) })
	return slices.Compact(a.breaks)
}

type against struct{ breaks []Break }

func (a *against) add(path, format string, args ...any) {
	a.breaks = append(a.breaks, Break{cmp.Or(path, "/"), fmt.Sprintf(format, args...)})
}

func (a *against) value(path string, kept any, schemas []*openapi3.Schema) {
	if len(schemas) == 0 {
		return // it is not described
	}
	switch v := kept.(type) {
	case string:
		for _, kind := range alternatives(v) {
			a.scalar(path, kind, schemas)
		}
	case []any:
		a.allowed(path, "array", schemas)
		for _, item := range v {
			a.value(path+"/*", item, each(schemas, func(s *openapi3.Schema) *openapi3.SchemaRef { return s.Items }))
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

// types that a shape names. Everything else in it stands for what is not JSON.
var types = []string{"string", "integer", "number", "boolean", "null"}

func (a *against) scalar(path, kept string, schemas []*openapi3.Schema) {
	kind, _, _ := strings.Cut(kept, "(")
	switch {
	case kind == "object":
		a.allowed(path, kind, schemas)
		return
	case !slices.Contains(types, kind):
		return
	case !a.allowed(path, kind, schemas):
		return
	}
	if now := described(kind, schemas); now != kept {
		a.add(path, "was %s, but is documented as %s", kept, now)
	}
}

// allowed reports whether a type is one that the document allows, and adds a break if not.
func (a *against) allowed(path, kind string, schemas []*openapi3.Schema) bool {
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
	a.add(path, "was %s, but is documented as %s", kind,
		strings.Join(slices.Compact(documented), ", "))
	return false
}

func (a *against) object(path string, kept map[string]any, schemas []*openapi3.Schema) {
	if !a.allowed(path, "object", schemas) {
		return
	}
	additional := each(schemas, func(s *openapi3.Schema) *openapi3.SchemaRef { return s.AdditionalProperties.Schema })
	isNamed := slices.ContainsFunc(schemas, func(s *openapi3.Schema) bool { return len(s.Properties) > 0 })
	sure := map[string]bool{}
	for _, key := range slices.Sorted(maps.Keys(kept)) {
		name := strings.TrimSuffix(key, "?")
		sure[name] = name == key
		parts := each(schemas, func(s *openapi3.Schema) *openapi3.SchemaRef { return s.Properties[name] })
		switch {
		case len(parts) > 0:
			a.value(path+"/"+name, kept[key], parts)
		case len(additional) > 0:
			a.value(path+"/"+name, kept[key], additional)
		case isNamed:
			a.add(path+"/"+name, "is not documented")
		}
	}
	for _, name := range required(schemas[0], 0) {
		if always, present := sure[name]; !present {
			a.add(path+"/"+name, "is required, but was never present")
		} else if !always {
			a.add(path+"/"+name, "is required, but was not always present")
		}
	}
}

// required lists what a schema and all that it is made of require. What only some of its branches require is left out.
func required(schema *openapi3.Schema, depth int) []string {
	const deepest = 16
	if schema == nil || depth > deepest {
		return nil
	}
	var list []string
	for _, name := range schema.Required {
		if p := schema.Properties[name]; p == nil || p.Value == nil || !p.Value.WriteOnly {
			list = append(list, name)
		}
	}
	for _, part := range schema.AllOf {
		list = append(list, required(part.Value, depth+1)...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}
