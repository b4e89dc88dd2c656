package manual

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
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
	return Value{Type: typeOf(schema), Enum: schema.Enum, Limits: limitsOf(schema), Default: schema.Default}
}

// typeOf names the type of a value: "integer", "array of string", "string (date-time) or null".
func typeOf(schema *openapi3.Schema) string {
	name := nameOf(schema, 0)
	if schema.Nullable && name != "any" {
		name += " or null"
	}
	return name
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
