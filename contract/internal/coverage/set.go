package coverage

import (
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/internal/memo"
	"svc.example/understudy/specs"
)

// Set holds the parts of an operation that a message touches. It does not change once it is made, so that equal
// messages share it.
type Set struct {
	catalogue *Catalogue
	touched   bitset
}

// NewSet returns a set for messages of an operation, with nothing in it.
func NewSet(op *specs.Operation) *Set {
	c := catalogueOf(op)
	return &Set{c, c.empty()}
}

// Clone returns a copy, to which more may be added.
func (s *Set) Clone() *Set {
	clone := &struct {
		Set
		room [4]uint64 // mostly enough
	}{Set: Set{catalogue: s.catalogue}}
	clone.touched = append(clone.room[:0], s.touched...)
	return &clone.Set
}

// RequestBody adds a documented media type of a request.
func (s *Set) RequestBody(media string) { s.add(numberOf(s.catalogue.requests, media)) }

// Response adds a response by the status and the media type that are documented for it; the latter may be empty.
func (s *Set) Response(status, media string) {
	s.add(numberOf(s.catalogue.responses, responseName(status, media)))
}

// Parameters adds the parameters of a request. Values returns the texts that it gives to one, those of a list one by
// one, and whether it gives any.
func (s *Set) Parameters(values func(*openapi3.Parameter) (texts []string, isGiven bool)) {
	for i := range s.catalogue.parameters {
		p := &s.catalogue.parameters[i]
		texts, isGiven := values(p.Parameter)
		if !isGiven {
			continue
		}
		s.add(p.part)
		for _, text := range texts {
			if len(p.node.values) > 0 {
				s.add(numberOf(p.node.values, `"`+text))
				s.add(numberOf(p.node.values, literalOfText(text)))
			}
		}
	}
}

// RequestValue adds the properties and enumerated values in the body of a request, or in one of its lines.
func (s *Set) RequestValue(value jsontree.Nodes, isLine bool) {
	s.catalogue.request.root(isLine).visit(value, s)
}

// ResponseValue adds the properties and enumerated values in the body of a response, or in one of its lines, by its
// documented status.
func (s *Set) ResponseValue(status string, value jsontree.Nodes, isLine bool) {
	s.catalogue.answers[status].root(isLine).visit(value, s)
}

// root returns the place of a body, or that of its lines, which are a list.
func (n *node) root(isLine bool) *node {
	switch {
	case !isLine:
		return n
	case n == nil || !n.isList:
		return nil
	}
	return n.elements
}

func (s *Set) add(part int) {
	if part >= 0 {
		s.touched[part/64] |= 1 << (part % 64)
	}
}

// bitset is a set of the numbers of parts.
type bitset []uint64

func (b bitset) has(part int) bool { return b[part/64]&(1<<(part%64)) != 0 }

func (c *Catalogue) empty() bitset { return make(bitset, (len(c.parts)+63)/64) }

// into adds the parts to a set, which may be empty, and returns it.
func (b bitset) into(set bitset) bitset {
	if set == nil {
		set = make(bitset, len(b))
	}
	for i, word := range b {
		set[i] |= word
	}
	return set
}

// parts returns the documented parts by their names: those that were touched, and those that were not.
func (s *Set) parts() (parts [Aspects]report.Parts) {
	s.catalogue.eachPart(func(part int, name string) {
		p := &parts[s.catalogue.parts[part]]
		if s.touched.has(part) {
			p.Covered = append(p.Covered, name)
		} else {
			p.Uncovered = append(p.Uncovered, name)
		}
	})
	for i := range parts {
		slices.Sort(parts[i].Covered)
		slices.Sort(parts[i].Uncovered)
	}
	return parts
}

// Part is the number of a documented part of an operation.
type Part int

// Find lists the parts of an operation that have names such as a report gives them.
func Find(op *specs.Operation, aspect Aspect, is func(name string) bool) (found []Part) {
	c := catalogueOf(op)
	c.eachPart(func(part int, name string) {
		if c.parts[part] == aspect && is(name) {
			found = append(found, Part(part))
		}
	})
	return found
}

// Has reports whether the set has a part.
func (s *Set) Has(part Part) bool { return s.touched.has(int(part)) }

// eachPart yields all parts with their names.
func (c *Catalogue) eachPart(yield func(part int, name string)) {
	for name, part := range c.requests {
		yield(part, name)
	}
	for name, part := range c.responses {
		yield(part, name)
	}
	for _, p := range c.parameters {
		name := p.In + " " + p.Name
		yield(p.part, name)
		p.node.eachValue(name, yield)
	}
	c.request.eachPart("request ", yield)
	for status, root := range c.answers {
		root.eachPart(status+" ", yield)
	}
}

func (n *node) eachValue(name string, yield func(int, string)) {
	for value, part := range n.values {
		yield(part, name+"="+strings.TrimPrefix(value, `"`))
	}
}

func (n *node) eachPart(name string, yield func(int, string)) {
	if n == nil {
		return
	}
	if n.part >= 0 {
		yield(n.part, name)
	}
	n.eachValue(name, yield)
	for property, inner := range n.properties {
		inner.eachPart(name+"/"+specs.EscapePointer(property), yield)
	}
	n.elements.eachPart(name+"/*", yield)
}

// responses names the documented responses of an operation.
func responses(op *specs.Operation) []string {
	names := []string{}
	if op.Spec.Responses == nil {
		return names
	}
	for status, ref := range op.Spec.Responses.Map() {
		if ref.Value != nil {
			names = append(names, responseNames(status, ref.Value)...)
		}
	}
	slices.Sort(names)
	return names
}

// numberOf returns the number of a part, or -1.
func numberOf(parts map[string]int, name string) int {
	if part, ok := parts[name]; ok {
		return part
	}
	return -1
}

func (n *node) visit(value jsontree.Nodes, s *Set) {
	if n == nil {
		return
	}
	if len(n.values) > 0 {
		s.add(n.valueOf(value))
	}
	switch value[0].Kind {
	case jsontree.Object:
		for rest := value.Parts(); len(rest) > 0; {
			part := rest.Cut()
			n.member(part[0].Name).visitMember(part, s)
		}
	case jsontree.List:
		for rest := value.Parts(); n.isList && len(rest) > 0; {
			n.elements.visit(rest.Cut(), s)
		}
	default: // it has no parts
	}
}

func (n *node) member(name string) *node {
	if inner := n.properties[name]; inner != nil {
		return inner
	}
	if n.isMap {
		return n.elements
	}
	return nil
}

// visitMember adds a property, unless its value is null, and what its value touches.
func (n *node) visitMember(value jsontree.Nodes, s *Set) {
	if n != nil && !value.IsNull() {
		s.add(n.part)
	}
	n.visit(value, s)
}

// valueOf returns the number of an enumerated value, or -1.
func (n *node) valueOf(value jsontree.Nodes) int {
	var room [64]byte
	literal := room[:0]
	switch value[0].Kind {
	case jsontree.Null:
		literal = append(literal, "null"...)
	case jsontree.Text:
		literal = append(append(literal, '"'), value[0].Text...)
	case jsontree.False, jsontree.True:
		literal = strconv.AppendBool(literal, value[0].Kind == jsontree.True)
	case jsontree.Number:
		literal = strconv.AppendFloat(literal, value[0].Number, 'g', -1, 64)
	default:
		return -1
	}
	if part, ok := n.values[string(literal)]; ok {
		return part
	}
	return -1
}

// literal returns a value of an enumeration as text that differs between types. It is empty for lists and objects.
func literal(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case string:
		return `"` + v
	case bool:
		return strconv.FormatBool(v)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return ""
}

// literalOfText returns the literal of a number or a truth value that a parameter gives as text.
func literalOfText(text string) string {
	if number, err := strconv.ParseFloat(text, 64); err == nil {
		return strconv.FormatFloat(number, 'g', -1, 64)
	}
	return text
}

// Catalogues and extents are made once in a process: making them takes a while, and tests make many checkers.
var (
	catalogues memo.Map[*specs.Operation, *Catalogue]
	extents    memo.Map[*specs.Operation, *Extent]
)

func catalogueOf(op *specs.Operation) *Catalogue {
	return catalogues.Of(op, func() *Catalogue { return newCatalogue(op) })
}

// Extent counts the parts of an operation that can be touched.
type Extent struct {
	Parts     [Aspects]int
	Responses []string // the documented ones, sorted
}

// ExtentOf returns the extent of an operation. It is kept, but not the catalogue that it is counted in: most
// operations need no other use of it.
func ExtentOf(op *specs.Operation) *Extent {
	return extents.Of(op, func() *Extent {
		return &Extent{Parts: newCatalogue(op).counts(), Responses: responses(op)}
	})
}

// withCombined returns schemas and all schemas that they are combined of by allOf, anyOf and oneOf.
func withCombined(schemas []*openapi3.Schema) []*openapi3.Schema {
	if len(schemas) == 1 && schemas[0] != nil && len(schemas[0].AllOf)+len(schemas[0].AnyOf)+len(schemas[0].OneOf) == 0 {
		return schemas
	}
	var all []*openapi3.Schema
	queue := slices.Clone(schemas)
	for i := 0; i < len(queue) && len(all) < maxWalk; i++ {
		schema := queue[i]
		if schema == nil || slices.Contains(all, schema) {
			continue
		}
		all = append(all, schema)
		for _, refs := range []openapi3.SchemaRefs{schema.AllOf, schema.AnyOf, schema.OneOf} {
			for _, ref := range refs {
				queue = append(queue, ref.Value)
			}
		}
	}
	return all
}

// schemasOfProperty lists the schemas that schemas give to a property.
func schemasOfProperty(schemas []*openapi3.Schema, name string) []*openapi3.Schema {
	return schemasAt(schemas, func(s *openapi3.Schema) *openapi3.SchemaRef {
		if property := s.Properties[name]; property != nil {
			return property
		}
		return s.AdditionalProperties.Schema
	})
}

// schemasAt lists the inner schemas that at finds, one at most in each schema.
func schemasAt(schemas []*openapi3.Schema, at func(*openapi3.Schema) *openapi3.SchemaRef) []*openapi3.Schema {
	var list []*openapi3.Schema
	for _, schema := range schemas {
		if ref := at(schema); ref != nil {
			list = append(list, ref.Value)
		}
	}
	return list
}
