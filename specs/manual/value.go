package manual

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/specs"
)

// Value describes what a value may be.
type Value struct {
	Type    string   `json:"type,omitempty"`
	Enum    []any    `json:"enum,omitempty"`
	Limits  []string `json:"limits,omitempty"`
	Default any      `json:"default,omitempty"`
}

func valueOf(schema *openapi3.Schema) Value {
	if schema == nil {
		return Value{}
	}
	name := nameOf(schema, 0) // such as "integer", "array of string" or "string (date-time)"
	if schema.Nullable && name != "any" {
		name += " or null"
	}
	return Value{Type: name, Enum: schema.Enum, Limits: limitsOf(schema), Default: schema.Default}
}

// nameOf returns the name of a type. The depth ends the names of schemas that contain themselves.
func nameOf(schema *openapi3.Schema, depth int) string {
	switch alternatives := slices.Concat(schema.OneOf, schema.AnyOf); {
	case depth == maxDepth:
		return "any"
	case len(alternatives) > 0:
		return alternativesOf(alternatives, depth+1)
	case schema.Type.Is(openapi3.TypeArray) && schema.Items != nil && schema.Items.Value != nil:
		return "array of " + nameOf(schema.Items.Value, depth+1)
	case len(schema.Type.Slice()) > 0 && schema.Format != "" && schema.Format != "int32" && schema.Format != "int64":
		return strings.Join(schema.Type.Slice(), " or ") + " (" + schema.Format + ")"
	case len(schema.Type.Slice()) > 0:
		return strings.Join(schema.Type.Slice(), " or ")
	}
	for _, part := range schema.AllOf {
		if name := nameOf(part.Value, depth+1); name != "any" {
			return name
		}
	}
	if len(schema.Properties) > 0 {
		return openapi3.TypeObject
	}
	return "any"
}

// alternativesOf names what a value may be one of, each type once.
func alternativesOf(alternatives openapi3.SchemaRefs, depth int) string {
	var names []string
	seen := map[string]int{}
	for _, one := range alternatives {
		name := nameOf(one.Value, depth)
		if seen[name]++; seen[name] == 1 {
			names = append(names, name)
		}
	}
	for i, name := range names {
		if seen[name] > 1 {
			names[i] = fmt.Sprintf("%s (one of %d forms)", name, seen[name])
		}
	}
	return strings.Join(names, " or ")
}

// limitsOf lists what else must hold of a value.
func limitsOf(schema *openapi3.Schema) []string {
	var list []string
	add := func(limit, of string) {
		if limit != "" {
			list = append(list, strings.TrimSpace(limit+" "+of))
		}
	}
	switch {
	case schema.Min != nil && schema.Max != nil:
		add(number(*schema.Min)+" to "+number(*schema.Max), "")
	case schema.Min != nil:
		add(number(*schema.Min)+" or more", "")
	case schema.Max != nil:
		add("at most "+number(*schema.Max), "")
	}
	add(amountText(schema.MinLength, schema.MaxLength), "characters")
	add(amountText(schema.MinItems, schema.MaxItems), "items")
	if schema.Pattern != "" {
		add("matches "+schema.Pattern, "")
	}
	return list
}

// amountText returns how many of something there may be, or the empty string.
func amountText(least uint64, most *uint64) string {
	switch {
	case most == nil && least == 0:
		return ""
	case most == nil:
		return fmt.Sprintf("%d or more", least)
	case least == 0:
		return fmt.Sprintf("at most %d", *most)
	}
	return fmt.Sprintf("%d to %d", least, *most)
}

func number(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// Field is a member of a body, at any depth.
type Field struct {
	Name     string `json:"name"` // with the way to it, such as pools[].id
	Required bool   `json:"required"`
	Value
	Description string           `json:"description,omitempty"`
	Provenance  specs.Provenance `json:"provenance"`
}

const (
	maxDepth  = 6   // of the fields that are listed
	maxFields = 200 // of one body
	maxForms  = 4   // that a value may have, for the fields of all of them to be listed
)

// fields lists the fields of a body.
type fields struct {
	*builder
	list  []Field
	depth int
	on    []*openapi3.Schema // the way to the current place
}

// part is a schema that describes a value, and where it stands.
type part struct {
	schema  *openapi3.Schema
	pointer string
}

// partsOf returns a schema and all that it is combined of.
func partsOf(schema *openapi3.Schema, pointer string) []part {
	list := []part{{schema, pointer}}
	for i := 0; i < len(list); i++ {
		s := list[i].schema
		for _, kind := range []struct {
			name string
			refs openapi3.SchemaRefs
		}{{"allOf", s.AllOf}, {"oneOf", s.OneOf}, {"anyOf", s.AnyOf}} {
			for n, ref := range kind.refs {
				isKnown := func(p part) bool { return p.schema == ref.Value }
				if len(kind.refs) <= maxForms && !slices.ContainsFunc(list, isKnown) {
					list = append(list, part{ref.Value, list[i].pointer + "/" + kind.name + "/" + strconv.Itoa(n)})
				}
			}
		}
	}
	return list
}

// of adds the fields of the value at a place.
func (f *fields) of(schema *openapi3.Schema, pointer, at string) {
	if schema == nil || f.depth == maxDepth || slices.Contains(f.on, schema) {
		return
	}
	f.depth++
	f.on = append(f.on, schema)
	defer func() { f.depth, f.on = f.depth-1, f.on[:len(f.on)-1] }()
	stated := map[string]bool{}
	for _, p := range partsOf(schema, pointer) {
		for _, name := range f.names(p.schema) {
			if ref := p.schema.Properties[name]; !stated[name] && len(f.list) < maxFields {
				stated[name] = true
				f.add(ref.Value, p.pointer+"/properties/"+specs.EscapePointer(name), join(at, name), isRequired(schema, name, 0))
			}
		}
		if p.schema.Items != nil {
			f.of(p.schema.Items.Value, p.pointer+"/items", at+"[]")
		}
		if additional := p.schema.AdditionalProperties.Schema; additional != nil {
			f.of(additional.Value, p.pointer+"/additionalProperties", join(at, "*"))
		}
	}
}

func (f *fields) add(schema *openapi3.Schema, pointer, name string, required bool) {
	f.list = append(f.list, Field{
		Name: name, Required: required, Value: valueOf(schema), Description: schema.Description,
		Provenance: f.provenance(pointer),
	})
	f.of(schema, pointer, name)
}

// names returns the properties of an object: those that are required first.
func (f *fields) names(schema *openapi3.Schema) []string {
	rank := func(name string) int {
		if i := slices.Index(schema.Required, name); i >= 0 {
			return i
		}
		return len(schema.Required)
	}
	return slices.SortedFunc(maps.Keys(schema.Properties), func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
	})
}

// isRequired reports whether a value that a schema speaks of has a member in each of its forms.
func isRequired(schema *openapi3.Schema, name string, depth int) bool {
	if slices.Contains(schema.Required, name) || depth == maxDepth {
		return depth < maxDepth
	}
	isThere := func(ref *openapi3.SchemaRef) bool { return isRequired(ref.Value, name, depth+1) }
	all := func(refs openapi3.SchemaRefs) bool {
		return len(refs) > 0 && !slices.ContainsFunc(refs, func(ref *openapi3.SchemaRef) bool { return !isThere(ref) })
	}
	return slices.ContainsFunc(schema.AllOf, isThere) || all(schema.OneOf) || all(schema.AnyOf)
}

func join(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}
