package coverage

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

// Set is the parts of an operation that a message touches. Once it is made it never changes, so that messages which are
// the same share it.
type Set struct {
	catalogue *Catalogue
	touched   marks
}

// NewSet returns a set for messages of an operation, with nothing in it.
func NewSet(op *specs.Operation) *Set {
	c := catalogueOf(op)
	return &Set{c, c.empty()}
}

// RequestBody adds that a request has a body of a documented media type.
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
				s.add(numberOf(p.node.values, number64(text)))
			}
		}
	}
}

// RequestValue adds the properties and enumerated values in the body of a request.
func (s *Set) RequestValue(value any) { s.catalogue.request.visit(value, s) }

// ResponseValue adds those in the body of a response, by its documented status.
func (s *Set) ResponseValue(status string, value any) { s.catalogue.answers[status].visit(value, s) }

func (s *Set) add(part int) {
	if part >= 0 {
		s.touched[part/64] |= 1 << (part % 64)
	}
}

// marks is a set of the numbers of parts.
type marks []uint64

func (b marks) has(part int) bool { return b[part/64]&(1<<(part%64)) != 0 }

func (c *Catalogue) empty() marks { return make(marks, (len(c.parts)+63)/64) }

// Union adds another message of the same operation.
func (s *Set) Union(other *Set) {
	for i, word := range other.touched {
		s.touched[i] |= word
	}
}

// Parts returns the documented parts by their names: those that were touched, and those that were not.
func (s *Set) Parts() (parts [Aspects]report.Parts) {
	s.catalogue.each(func(part int, name string) {
		p := &parts[s.catalogue.parts[part]]
		if s.touched.has(part) {
			p.Seen = append(p.Seen, name)
		} else {
			p.Missed = append(p.Missed, name)
		}
	})
	for i := range parts {
		slices.Sort(parts[i].Seen)
		slices.Sort(parts[i].Missed)
	}
	return parts
}

// each names all parts.
func (c *Catalogue) each(yield func(part int, name string)) {
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
	c.request.each("request ", yield)
	for status, root := range c.answers {
		root.each(status+" ", yield)
	}
}

func (n *node) eachValue(name string, yield func(int, string)) {
	for value, part := range n.values {
		yield(part, name+"="+strings.TrimPrefix(value, `"`))
	}
}

func (n *node) each(name string, yield func(int, string)) {
	if n == nil {
		return
	}
	if n.part >= 0 {
		yield(n.part, name)
	}
	n.eachValue(name, yield)
	for property, inner := range n.properties {
		inner.each(name+"/"+specs.EscapePointer(property), yield)
	}
	n.star.each(name+"/*", yield)
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

func (n *node) visit(value any, s *Set) {
	if n == nil {
		return
	}
	if len(n.values) > 0 {
		s.add(numberOf(n.values, literal(value)))
	}
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			n.member(name).give(inner, s)
		}
	case []any:
		for _, inner := range v {
			if n.list {
				n.star.visit(inner, s)
			}
		}
	}
}

func (n *node) member(name string) *node {
	if inner := n.properties[name]; inner != nil {
		return inner
	}
	if n.dict {
		return n.star
	}
	return nil
}

// give adds a property that has a value. One that is null is not touched.
func (n *node) give(value any, s *Set) {
	if n != nil && value != nil {
		s.add(n.part)
	}
	n.visit(value, s)
}

// literal returns a value of an enumeration as text, those of different types apart. Lists and objects have none.
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
	case json.Number:
		if number, err := v.Float64(); err == nil {
			return strconv.FormatFloat(number, 'g', -1, 64)
		}
		return v.String()
	}
	return ""
}

// number64 returns a number or a truth value in the notation of literal.
func number64(text string) string {
	if number, err := strconv.ParseFloat(text, 64); err == nil {
		return strconv.FormatFloat(number, 'g', -1, 64)
	}
	return text
}
