// Package accept compiles schemas of OpenAPI documents into trees that accept the JSON values that kin-openapi accepts,
// at a tenth of its cost. It has no messages: what a tree refuses, kin-openapi is asked about, which says why.
//
// The verdicts are those of kin-openapi's own visitor, which holds values against a document of version 3.0. A schema
// that says more than is compiled here has no tree.
package accept

import (
	"encoding/json"
	"math"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

// Direction is the side that a value comes from, on which it depends what readOnly and writeOnly mean.
type Direction int

// The directions.
const (
	Request Direction = iota
	Response
)

// Option returns the direction as an option of kin-openapi.
func (d Direction) Option() openapi3.SchemaValidationOption {
	if d == Request {
		return openapi3.VisitAsRequest()
	}
	return openapi3.VisitAsResponse()
}

// hides reports whether a value that comes from this side must not have a property.
func (d Direction) hides(property *openapi3.Schema) bool {
	return d == Request && property.ReadOnly || d == Response && property.WriteOnly
}

// Tree is a compiled schema. It is safe for concurrent use.
type Tree struct {
	nullable, empty bool
	kinds           kinds
	not             *Tree
	oneOf, anyOf    *choice
	allOf           []*Tree
	enum            *enum
	text            text
	number          number
	list            list
	object          object
}

// kinds are the types that a schema allows.
type kinds struct{ boolean, number, text, list, object bool }

// Formats are formats of strings that kin-openapi does not know, or that replace its own. It takes them by
// openapi3.WithStringFormatValidators.
type Formats map[string]openapi3.StringFormatValidator

// Compile returns the tree of a schema, which must not change afterwards; nil if the schema has none.
func Compile(schema *openapi3.Schema, direction Direction) *Tree {
	return CompileWith(nil, schema, direction)
}

// CompileWith returns the tree of a schema as Compile does, with formats.
func CompileWith(formats Formats, schema *openapi3.Schema, direction Direction) *Tree {
	c := compiler{direction: direction, formats: formats, done: map[*openapi3.Schema]*Tree{}}
	tree := c.part(&openapi3.SchemaRef{Value: schema})
	if c.failed {
		return nil
	}
	return tree
}

// Accepts reports whether kin-openapi accepts a value: nil, a bool, a float64, a json.Number, a string, a []any or a
// map[string]any.
func (t *Tree) Accepts(value any) bool {
	number, isNumber := value.(float64)
	switch {
	case value == nil && t.nullable:
		return true
	case isNumber && (math.IsNaN(number) || math.IsInf(number, 0)):
		return false
	case t.empty:
		return value != nil
	case t.not != nil && t.not.Accepts(value), !t.acceptsCombined(value):
		return false
	case value == nil:
		return t.oneOf != nil || t.anyOf != nil || t.allOf != nil
	}
	return (t.enum == nil || t.enum.has(value)) && t.acceptsKind(value)
}

// acceptsCombined reports whether a value fits the schemas that a schema combines.
func (t *Tree) acceptsCombined(value any) bool {
	if t.oneOf != nil && t.oneOf.count(value, 2) != 1 || t.anyOf != nil && t.anyOf.count(value, 1) != 1 {
		return false
	}
	for _, part := range t.allOf {
		if !part.Accepts(value) {
			return false
		}
	}
	return true
}

// acceptsKind reports whether a value has a type that a schema allows, and what the schema says of that type is true.
func (t *Tree) acceptsKind(value any) bool {
	switch value := value.(type) {
	case bool:
		return t.kinds.boolean
	case float64:
		return t.kinds.number && t.number.accepts(value)
	case json.Number:
		number, err := value.Float64()
		return err == nil && t.kinds.number && t.number.accepts(number)
	case string:
		return t.kinds.text && t.text.accepts(value)
	case []any:
		return t.kinds.list && t.list.accepts(value)
	case map[string]any:
		return t.kinds.object && t.object.accepts(value)
	}
	return false
}

// choice is a oneOf or an anyOf.
type choice struct {
	discriminator *discriminator // nil without one
	options       []option
}

type option struct {
	ref string
	*Tree
}

type discriminator struct {
	property string
	refs     map[string]string // by the value of the property
}

// count returns how many options accept a value; it counts up to a limit.
func (c *choice) count(value any, limit int) int {
	ref, ok := c.discriminator.ref(value)
	if !ok {
		return 0
	}
	n := 0
	for i := 0; i < len(c.options) && n < limit; i++ {
		if o := c.options[i]; (ref == "" || ref == o.ref) && o.Accepts(value) {
			n++
		}
	}
	return n
}

// ref returns the reference of the only option that may accept a value; empty if all may. It reports false for an
// object that has no known value of the property.
func (d *discriminator) ref(value any) (ref string, ok bool) {
	object, isObject := value.(map[string]any)
	if d == nil || !isObject {
		return "", true
	}
	name, ok := object[d.property].(string)
	if ok && len(d.refs) > 0 {
		ref, ok = d.refs[name]
	}
	return ref, ok
}

// enum holds the values of an enum. Null is not among them: what an enum says of it has no effect.
type enum struct {
	texts    map[string]bool
	numbers  []float64
	booleans [2]bool // whether false is among them, and true
}

func (e *enum) has(value any) bool {
	switch value := value.(type) {
	case string:
		return e.texts[value]
	case float64:
		return slices.Contains(e.numbers, value)
	case json.Number:
		number, err := value.Float64()
		return err == nil && slices.Contains(e.numbers, number)
	case bool:
		return value && e.booleans[1] || !value && e.booleans[0]
	}
	return false
}
