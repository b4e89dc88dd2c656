// Package accept compiles schemas of OpenAPI documents into trees that accept the JSON values that kin-openapi accepts,
// at a tenth of its cost. It has no messages: what a tree refuses, kin-openapi is asked about, which says why.
//
// The verdicts are those of kin-openapi's own visitor, which holds values against a document of version 3.0. A schema
// that says more than is compiled here has no tree.
package accept

import (
	"cmp"
	"slices"
	"unsafe"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/internal/jsontree"
)

// Direction is the side that a value comes from, on which it depends what readOnly and writeOnly mean.
type Direction int

// The directions.
const (
	Request Direction = iota
	Response
	// SentBack is a request that may hold what only answers show, as those of clients do who change what they have got.
	// OpenAPI says that it should not be sent, and not that it must not.
	SentBack
)

// Options returns the direction as options of kin-openapi, with errors whose texts are only their reasons: the engine
// writes the text of each error into those of all schemas around it, with the whole value if it is let. Dates and times
// are those of Times.
func (d Direction) Options() []openapi3.SchemaValidationOption {
	options := []openapi3.SchemaValidationOption{openapi3.WithStringFormatValidators(Times), BriefErrors()}
	switch d {
	case Response:
		return append(options, openapi3.VisitAsResponse())
	case SentBack:
		options = append(options, openapi3.DisableReadOnlyValidation())
	case Request:
	}
	return append(options, openapi3.VisitAsRequest())
}

// BriefErrors lets kin-openapi write no more into the text of an error than its reason.
func BriefErrors() openapi3.SchemaValidationOption {
	return openapi3.SetSchemaErrorMessageCustomizer(func(err *openapi3.SchemaError) string {
		return cmp.Or(err.Reason, err.SchemaField, "invalid")
	})
}

// hides reports whether a value that comes from this side must not have a property.
func (d Direction) hides(property *openapi3.Schema) bool {
	return d != SentBack && d.spares(property)
}

// spares reports whether a value may lack a property that its schema requires.
func (d Direction) spares(property *openapi3.Schema) bool {
	return d != Response && property.ReadOnly || d == Response && property.WriteOnly
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

// Formats are formats of strings that kin-openapi does not know, or that replace its own.
type Formats map[string]openapi3.StringFormatValidator

// Compile returns the tree of a schema, which must not change afterwards; nil if the schema has none.
func Compile(schema *openapi3.Schema, direction Direction) *Tree {
	return CompileWith(nil, schema, direction)
}

// CompileWith returns the tree of a schema as Compile does, with formats.
func CompileWith(formats Formats, schema *openapi3.Schema, direction Direction) *Tree {
	c := compiler{
		direction: direction, formats: formats, done: map[*openapi3.Schema]*Tree{}, shared: map[*openapi3.Schema]*Tree{},
		sparing: map[*openapi3.Schema]bool{}, empty: map[*openapi3.Schema]bool{}, finite: map[*openapi3.Schema]bool{},
	}
	tree := c.part(&openapi3.SchemaRef{Value: schema})
	if c.failed {
		return nil
	}
	return tree
}

// usual is the number of nodes of a text for which there is room without asking for memory.
const usual = 48

// AcceptsText reports whether a text is JSON, and kin-openapi accepts its value. It gives up on some valid texts, as
// jsontree.Read does, and reports false.
func (t *Tree) AcceptsText(text []byte) bool {
	same := unsafe.String(unsafe.SliceData(text), len(text)) // which nothing holds on to
	v := jsontree.Read(make(jsontree.Nodes, 0, usual), text, same)
	return v != nil && t.AcceptsFlat(v)
}

// Accepts reports whether kin-openapi accepts a decoded value, such as jsontree.Append takes.
func (t *Tree) Accepts(decoded any) bool {
	return t.AcceptsFlat(jsontree.Append(make(jsontree.Nodes, 0, usual), decoded))
}

// AcceptsFlat reports whether kin-openapi accepts a value.
func (t *Tree) AcceptsFlat(v jsontree.Nodes) bool { return t.Judge(v) == Accepted }

// Refuses reports whether kin-openapi refuses a decoded value. If not, it may do so all the same.
func (t *Tree) Refuses(decoded any) bool {
	return t.Judge(jsontree.Append(make(jsontree.Nodes, 0, usual), decoded)) == Refused
}

// Verdict holds what kin-openapi says of a value, as far as it is known.
type Verdict int

// The verdicts.
const (
	Unknown Verdict = iota
	Accepted
	Refused
)

// Judge returns the verdict on a value. It gives up on one that takes more than MaxSteps.
func (t *Tree) Judge(v jsontree.Nodes) Verdict {
	if t == nil {
		return Unknown
	}
	var r run
	is := t.accepts(&r, v)
	switch {
	case r.unsure:
		return Unknown
	case is:
		return Accepted
	case r.isOther:
		return Unknown
	}
	return Refused
}

// MaxSteps is the number of times that a schema is held against a value, or a part of it, before that is given up.
const MaxSteps = 4 << 20

// run is the judging of one value.
type run struct {
	steps   int
	unsure  bool           // the result may be wrong
	isOther bool           // so may a refusal
	known   map[place]bool // results, once there were so many steps that some may be taken again and again
}

// place is a value, and a schema that it is held against. Values are parts of one list of nodes, so that the capacity
// of one says where it begins; a pointer to its first node would move each value to the heap.
type place struct {
	tree *Tree
	rest int
}

const manySteps = 1000

// spend counts steps, and reports whether there may be as many.
func (r *run) spend(steps int) bool {
	r.steps += steps
	r.unsure = r.unsure || r.steps > MaxSteps
	return r.steps <= MaxSteps
}

func (t *Tree) accepts(r *run, v jsontree.Nodes) bool {
	switch {
	case !r.spend(1):
		return false
	case r.steps < manySteps:
		return t.fits(r, v)
	}
	here := place{t, cap(v)}
	is, known := r.known[here]
	if !known {
		is = t.fits(r, v)
		if r.known == nil {
			r.known = map[place]bool{}
		}
		r.known[here] = is
	}
	return is
}

func (t *Tree) fits(r *run, v jsontree.Nodes) bool {
	switch {
	case v.IsNull() && t.nullable:
		return true
	case !v.IsFinite():
		return false
	case t.empty:
		return !v.IsNull()
	case t.not != nil && t.not.accepts(r, v), !t.fitsCombined(r, v):
		return false
	case v.IsNull():
		return t.oneOf != nil || t.anyOf != nil || t.allOf != nil
	}
	return (t.enum == nil || t.enum.has(v) && r.spend(len(t.enum.numbers)/16)) && t.fitsKind(r, v)
}

// fitsCombined reports whether a value fits the schemas that a schema combines.
func (t *Tree) fitsCombined(r *run, v jsontree.Nodes) bool {
	if t.oneOf != nil && t.oneOf.count(r, v, 2) != 1 || t.anyOf != nil && t.anyOf.count(r, v, 1) != 1 {
		return false
	}
	for _, part := range t.allOf {
		if !part.accepts(r, v) {
			return false
		}
	}
	return true
}

// fitsKind reports whether a value has a type that a schema allows, and what the schema says of that type is true.
func (t *Tree) fitsKind(r *run, v jsontree.Nodes) bool {
	switch v[0].Kind {
	case jsontree.False, jsontree.True:
		return t.kinds.boolean
	case jsontree.Number:
		return t.kinds.number && t.number.accepts(v[0].Number)
	case jsontree.Text:
		return t.kinds.text && t.text.accepts(r, v[0].Text)
	case jsontree.List:
		return t.kinds.list && t.list.accepts(r, v)
	case jsontree.Object:
		return t.kinds.object && t.object.accepts(r, v)
	case jsontree.Other: // of which kin-openapi says something else
		r.isOther = true
	case jsontree.Null:
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
func (c *choice) count(r *run, v jsontree.Nodes, limit int) int {
	ref, ok := c.discriminator.ref(v)
	if !ok {
		return 0
	}
	n := 0
	for i := 0; i < len(c.options) && n < limit; i++ {
		if o := c.options[i]; (ref == "" || ref == o.ref) && o.accepts(r, v) {
			n++
		}
	}
	return n
}

// ref returns the reference of the only option that may accept a value; empty if all may. It reports false for an
// object that has no known value of the property.
func (d *discriminator) ref(v jsontree.Nodes) (ref string, ok bool) {
	if d == nil || v[0].Kind != jsontree.Object {
		return "", true
	}
	name := v.Member(d.property)
	ok = name != nil && name[0].Kind == jsontree.Text
	if ok && len(d.refs) > 0 {
		ref, ok = d.refs[name[0].Text]
	}
	return ref, ok
}

// enum holds the values of an enum. Null is not among them: what an enum says of it has no effect.
type enum struct {
	texts    map[string]bool
	numbers  []float64
	booleans [2]bool // whether false is among them, and true
}

func (e *enum) has(v jsontree.Nodes) bool {
	switch v[0].Kind {
	case jsontree.Text:
		return e.texts[v[0].Text]
	case jsontree.Number:
		return slices.Contains(e.numbers, v[0].Number)
	case jsontree.False:
		return e.booleans[0]
	case jsontree.True:
		return e.booleans[1]
	case jsontree.Other, jsontree.Null, jsontree.List, jsontree.Object:
	}
	return false
}
