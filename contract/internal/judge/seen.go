package judge

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"svc.example/understudy/contract/internal/body"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

// Seen is what a message shows of its operation. It never changes once it was made, so that all messages of which the
// same was said share it.
type Seen struct {
	Catalogue *Catalogue
	set       marks
}

// marks is a set of the numbers of parts.
type marks []uint64

func (b marks) has(part int) bool { return b[part/64]&(1<<(part%64)) != 0 }

func (c *Catalogue) empty() marks { return make(marks, (len(c.parts)+63)/64) }

func (s *Seen) mark(part int) {
	if part >= 0 {
		s.set[part/64] |= 1 << (part % 64)
	}
}

// Coverage adds up what was seen of one operation.
type Coverage struct {
	Catalogue *Catalogue
	set       marks
}

// NewCoverage begins with nothing.
func NewCoverage(c *Catalogue) *Coverage { return &Coverage{c, c.empty()} }

// Add adds what one message shows.
func (c *Coverage) Add(s *Seen) {
	for i, word := range s.set {
		c.set[i] |= word
	}
}

// Parts are the documented parts by their names: those that were seen, and those that were not.
func (c *Coverage) Parts() (parts [Aspects]report.Parts) {
	c.Catalogue.each(func(part int, name string) {
		p := &parts[c.Catalogue.parts[part]]
		if c.set.has(part) {
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

// seen is what a message shows before its body is read: that it is there, and of what kind it is.
func (j *Judge) seen(m *message) *Seen {
	c := CatalogueOf(m.op)
	s := &Seen{c, c.empty()}
	header := m.headers.Value("Content-Type")
	if m.side == request && m.joined {
		header = m.sent
	}
	media := m.content.Get(header)
	if m.joined && media == nil && header != "" {
		media = m.documentedMedia()
	}
	isThere := header != "" || m.body != nil && len(m.body.Bytes) > 0 && !m.bodiless
	switch name := documentedMedia(m.content, media); {
	case m.side == request && media != nil && isThere:
		s.mark(partOf(c.requests, name))
	case m.side == response && (len(m.content) == 0 || media != nil && isThere):
		s.mark(partOf(c.responses, responseName(m.documented, name)))
	}
	return s
}

func partOf(parts map[string]int, name string) int {
	if part, ok := parts[name]; ok {
		return part
	}
	return -1
}

// body adds what a body shows that could be read.
func (s *Seen) body(m *message, d *body.Decoded) {
	root := s.Catalogue.request
	if m.side == response {
		root = s.Catalogue.answers[m.documented]
	}
	switch {
	case d.Lines:
		root.see(d.Values, s)
	case len(d.Values) == 1:
		root.see(d.Values[0], s)
	}
}

func (n *node) see(value any, s *Seen) {
	if n == nil {
		return
	}
	if len(n.values) > 0 {
		s.mark(partOf(n.values, literal(value)))
	}
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			n.member(name).is(inner, s)
		}
	case []any:
		for _, inner := range v {
			if n.list {
				n.star.see(inner, s)
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

// is notes that a property has a value. One that is only ever null was not seen.
func (n *node) is(value any, s *Seen) {
	if n != nil && value != nil {
		s.mark(n.part)
	}
	n.see(value, s)
}

// literal is a value of an enumeration as text, those of different types apart. Lists and objects have none.
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
