package coverage

import (
	"maps"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/contract/internal/body"
	"svc.example/understudy/specs"
)

// A catalogue lists what of an operation traffic can touch: its parts, each with a number. It is at the same time the
// way to them: a value is walked along a tree of nodes, made once of all schemas that speak of it, so that what is
// touched is a set of numbers, and two such sets become one by or.

// Aspect is a kind of documented part.
type Aspect int

// Aspects of coverage.
const (
	RequestParts   Aspect = iota // media types
	ResponseParts                // status and media type
	ParameterParts               // parameters
	EnumParts                    // values of enumerations
	PropertyParts                // properties of bodies

	Aspects
)

const (
	maxParts = 20_000 // of one operation: documents whose schemas multiply are cut there
	maxNest  = 64     // how deep a catalogue follows schemas
	maxWalk  = 64     // how many schemas one is combined of
)

// Catalogue lists the parts of one operation that can be touched. It never changes.
type Catalogue struct {
	Operation *specs.Operation

	parts      []Aspect       // of each part, by its number
	requests   map[string]int // by media type
	responses  map[string]int // by the documented status and media type, such as 200 application/json
	parameters []given
	request    *node
	answers    map[string]*node // by the documented status
}

// given is a parameter, which an exchange may give.
type given struct {
	*openapi3.Parameter
	part int
	node *node
}

// node is a place in a body. Its part is that of the property which it is the value of, or -1.
type node struct {
	part       int
	values     map[string]int // of an enumeration, by literal
	properties map[string]*node
	star       *node // items of a list, values of a map
	list, dict bool  // which of them
}

func newCatalogue(op *specs.Operation) *Catalogue {
	b := &builder{c: &Catalogue{
		Operation: op, requests: map[string]int{}, responses: map[string]int{}, answers: map[string]*node{},
	}}
	for _, ref := range op.Parameters {
		if ref.Value != nil && !specs.IsCredential(ref.Value) {
			b.parameter(ref.Value)
		}
	}
	if ref := op.Spec.RequestBody; ref != nil && ref.Value != nil {
		for _, name := range slices.Sorted(maps.Keys(ref.Value.Content)) {
			b.c.requests[name] = b.add(RequestParts)
		}
		b.c.request = b.body(ref.Value.Content, isRequest)
	}
	if op.Spec.Responses != nil {
		for _, status := range slices.Sorted(maps.Keys(op.Spec.Responses.Map())) {
			b.response(status, op.Spec.Responses.Value(status).Value)
		}
	}
	return b.c
}

// counts returns how many parts there are of each aspect.
func (c *Catalogue) counts() (counts [Aspects]int) {
	for _, aspect := range c.parts {
		counts[aspect]++
	}
	return counts
}

// responseName returns the name of a response: its documented status, and its media type when it has one.
func responseName(status, media string) string {
	if media == "" {
		return status
	}
	return status + " " + media
}

// responseNames are the names of all that a response may be.
func responseNames(status string, r *openapi3.Response) []string {
	if len(r.Content) == 0 {
		return []string{responseName(status, "")}
	}
	var names []string
	for _, media := range slices.Sorted(maps.Keys(r.Content)) {
		names = append(names, responseName(status, media))
	}
	return names
}

// side describes which messages a body belongs to.
type side int

const (
	isRequest side = iota
	isResponse
)

type builder struct {
	c    *Catalogue
	side side
}

func (b *builder) add(aspect Aspect) int {
	b.c.parts = append(b.c.parts, aspect)
	return len(b.c.parts) - 1
}

func (b *builder) isFull() bool { return len(b.c.parts) >= maxParts }

// parameter adds a parameter, with the values that it, or each item of it, may have.
func (b *builder) parameter(p *openapi3.Parameter) {
	g := given{Parameter: p, part: b.add(ParameterParts), node: &node{part: -1}}
	if p.Schema != nil && p.Schema.Value != nil {
		whole := together([]*openapi3.Schema{p.Schema.Value})
		items := gather(whole, func(s *openapi3.Schema) *openapi3.SchemaRef { return s.Items })
		b.enum(g.node, slices.Concat(whole, together(items)))
	}
	b.c.parameters = append(b.c.parameters, g)
}

func (b *builder) response(status string, r *openapi3.Response) {
	if r == nil {
		return
	}
	for _, name := range responseNames(status, r) {
		b.c.responses[name] = b.add(ResponseParts)
	}
	if len(r.Content) > 0 {
		b.c.answers[status] = b.body(r.Content, isResponse)
	}
}

// body makes the tree of a body, of all media types together: that of lines and of events is a list.
func (b *builder) body(content openapi3.Content, side side) *node {
	b.side = side
	var roots []*openapi3.Schema
	for _, name := range slices.Sorted(maps.Keys(content)) {
		media := content[name]
		if media == nil {
			continue
		}
		schema := media.Schema
		event, _ := body.EventSchema(b.c.Operation.Document, media)
		isText := schema != nil && schema.Value != nil && schema.Value.Type.Is("string")
		switch {
		case event != nil:
			schema = &openapi3.SchemaRef{Value: &openapi3.Schema{Items: event}}
		case body.IsLined(media) && !isText, body.IsLines(name):
			schema = &openapi3.SchemaRef{Value: &openapi3.Schema{Items: schema}}
		}
		if schema != nil {
			roots = append(roots, schema.Value)
		}
	}
	return b.node(-1, roots, nil)
}

// lineage is the way from the root of a body to a place: the schemas of each place on it.
type lineage struct {
	schemas []*openapi3.Schema
	above   *lineage
	depth   int
}

// knows reports whether the same schemas speak of a place above, so that what follows would repeat itself for ever.
func (l *lineage) knows(schemas []*openapi3.Schema) bool {
	if l == nil {
		return false
	}
	isSame := len(l.schemas) == len(schemas) && !slices.ContainsFunc(schemas, func(s *openapi3.Schema) bool {
		return !slices.Contains(l.schemas, s)
	})
	return isSame || l.above.knows(schemas)
}

func (b *builder) node(part int, schemas []*openapi3.Schema, above *lineage) *node {
	n := &node{part: part}
	all := together(schemas)
	b.enum(n, all)
	if len(all) == 0 || b.isFull() || above.knows(all) || above != nil && above.depth >= maxNest {
		return n
	}
	here := &lineage{schemas: all, above: above}
	if above != nil {
		here.depth = above.depth + 1
	}
	for _, name := range b.names(all) {
		if b.isFull() {
			break
		}
		if n.properties == nil {
			n.properties = map[string]*node{}
		}
		n.properties[name] = b.node(b.add(PropertyParts), partsOf(all, name), here)
	}
	b.star(n, all, here)
	return n
}

// star adds the items of a list and the values of a map, which have one name.
func (b *builder) star(n *node, all []*openapi3.Schema, here *lineage) {
	items := gather(all, func(s *openapi3.Schema) *openapi3.SchemaRef { return s.Items })
	values := gather(all, func(s *openapi3.Schema) *openapi3.SchemaRef { return s.AdditionalProperties.Schema })
	n.list, n.dict = len(items) > 0, len(values) > 0
	if !n.list && !n.dict || b.isFull() {
		return
	}
	part := -1
	if n.dict {
		part = b.add(PropertyParts)
	}
	n.star = b.node(part, append(items, values...), here)
}

// names are the properties of an object that a message of this side may have, sorted.
func (b *builder) names(all []*openapi3.Schema) []string {
	var names []string
	for _, schema := range all {
		for name, ref := range schema.Properties {
			isForOther := ref.Value != nil &&
				(b.side == isRequest && ref.Value.ReadOnly || b.side == isResponse && ref.Value.WriteOnly)
			if !isForOther {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (b *builder) enum(n *node, all []*openapi3.Schema) {
	for _, schema := range all {
		for _, value := range schema.Enum {
			text := literal(value)
			if _, known := n.values[text]; known || text == "" || b.isFull() {
				continue
			}
			if n.values == nil {
				n.values = map[string]int{}
			}
			n.values[text] = b.add(EnumParts)
		}
	}
}

// together is schemas and all that they are combined of, but for what they exclude.
func together(schemas []*openapi3.Schema) []*openapi3.Schema {
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

// partsOf lists the schemas of a property.
func partsOf(schemas []*openapi3.Schema, name string) []*openapi3.Schema {
	return gather(schemas, func(s *openapi3.Schema) *openapi3.SchemaRef {
		if property := s.Properties[name]; property != nil {
			return property
		}
		return s.AdditionalProperties.Schema
	})
}

// gather lists one part of each schema that has it.
func gather(schemas []*openapi3.Schema, part func(*openapi3.Schema) *openapi3.SchemaRef) []*openapi3.Schema {
	var list []*openapi3.Schema
	for _, schema := range schemas {
		if ref := part(schema); ref != nil {
			list = append(list, ref.Value)
		}
	}
	return list
}
