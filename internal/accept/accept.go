// Package accept compiles schemas of OpenAPI documents into trees that accept the JSON values that kin-openapi accepts,
// at a tenth of its cost. It has no messages: what a tree refuses, kin-openapi is asked about, which says why.
//
// The verdicts are those of kin-openapi's own visitor, which holds values against a document of version 3.0. A schema
// that says more than is compiled here has no tree.
package accept

import (
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
func (t *Tree) Accepts(decoded any) bool {
	nodes := make(value, 0, usual)
	if n := countNodes(decoded); n > usual {
		nodes = make(value, 0, n)
	}
	return t.accepts(appendDecoded(nodes, decoded))
}

// AcceptsText reports whether a text is JSON, and kin-openapi accepts its value. It gives up on some valid texts, and
// reports false: on long ones, deep ones, objects with many members, and numbers that are too large for a float64.
func (t *Tree) AcceptsText(text []byte) bool {
	if len(text) > maxText {
		return false
	}
	r := reader{text: string(text)}
	v := r.read(make(value, 0, usual))
	return v != nil && t.accepts(v)
}

func (t *Tree) accepts(v value) bool {
	switch {
	case v.isNull() && t.nullable:
		return true
	case !v.isFinite():
		return false
	case t.empty:
		return !v.isNull()
	case t.not != nil && t.not.accepts(v), !t.acceptsCombined(v):
		return false
	case v.isNull():
		return t.oneOf != nil || t.anyOf != nil || t.allOf != nil
	}
	return (t.enum == nil || t.enum.has(v)) && t.acceptsKind(v)
}

// acceptsCombined reports whether a value fits the schemas that a schema combines.
func (t *Tree) acceptsCombined(v value) bool {
	if t.oneOf != nil && t.oneOf.count(v, 2) != 1 || t.anyOf != nil && t.anyOf.count(v, 1) != 1 {
		return false
	}
	for _, part := range t.allOf {
		if !part.accepts(v) {
			return false
		}
	}
	return true
}

// acceptsKind reports whether a value has a type that a schema allows, and what the schema says of that type is true.
func (t *Tree) acceptsKind(v value) bool {
	switch v[0].kind {
	case kindFalse, kindTrue:
		return t.kinds.boolean
	case kindNumber:
		return t.kinds.number && t.number.accepts(v[0].number)
	case kindText:
		return t.kinds.text && t.text.accepts(v[0].text)
	case kindList:
		return t.kinds.list && t.list.accepts(v)
	case kindObject:
		return t.kinds.object && t.object.accepts(v)
	case kindOther, kindNull:
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
func (c *choice) count(v value, limit int) int {
	ref, ok := c.discriminator.ref(v)
	if !ok {
		return 0
	}
	n := 0
	for i := 0; i < len(c.options) && n < limit; i++ {
		if o := c.options[i]; (ref == "" || ref == o.ref) && o.accepts(v) {
			n++
		}
	}
	return n
}

// ref returns the reference of the only option that may accept a value; empty if all may. It reports false for an
// object that has no known value of the property.
func (d *discriminator) ref(v value) (ref string, ok bool) {
	if d == nil || v[0].kind != kindObject {
		return "", true
	}
	name := v.member(d.property)
	ok = name != nil && name[0].kind == kindText
	if ok && len(d.refs) > 0 {
		ref, ok = d.refs[name[0].text]
	}
	return ref, ok
}

// enum holds the values of an enum. Null is not among them: what an enum says of it has no effect.
type enum struct {
	texts    map[string]bool
	numbers  []float64
	booleans [2]bool // whether false is among them, and true
}

func (e *enum) has(v value) bool {
	switch v[0].kind {
	case kindText:
		return e.texts[v[0].text]
	case kindNumber:
		return slices.Contains(e.numbers, v[0].number)
	case kindFalse:
		return e.booleans[0]
	case kindTrue:
		return e.booleans[1]
	case kindOther, kindNull, kindList, kindObject:
	}
	return false
}
