package coverage

import (
	"maps"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/contract/internal/body"
	"svc.example/understudy/specs"
)

// newCatalogue lists the parts of an operation.
func newCatalogue(op *specs.Operation) *Catalogue {
	b := &builder{c: &Catalogue{
		Operation: op, requests: map[string]int{}, responses: map[string]int{}, answers: map[string]*node{},
	}}
	for _, ref := range op.Parameters {
		if ref.Value != nil && !specs.IsCredential(ref.Value) {
			b.addParameter(ref.Value)
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
			b.addResponse(status, op.Spec.Responses.Value(status).Value)
		}
	}
	return b.c
}

// side describes which messages a body belongs to.
type side int

const (
	isRequest side = iota
	isResponse
)

// builder makes the catalogue of an operation.
type builder struct {
	c    *Catalogue
	side side
}

func (b *builder) add(aspect Aspect) int {
	b.c.parts = append(b.c.parts, aspect)
	return len(b.c.parts) - 1
}

func (b *builder) isFull() bool { return len(b.c.parts) >= maxParts }

// addParameter adds a parameter, with the enumerated values of it or of its items.
func (b *builder) addParameter(p *openapi3.Parameter) {
	g := documentedParameter{Parameter: p, part: b.add(ParameterParts), node: &node{part: -1}}
	if p.Schema != nil && p.Schema.Value != nil {
		whole := withCombined([]*openapi3.Schema{p.Schema.Value})
		items := schemasAt(whole, func(s *openapi3.Schema) *openapi3.SchemaRef { return s.Items })
		b.addEnum(g.node, slices.Concat(whole, withCombined(items)))
	}
	b.c.parameters = append(b.c.parameters, g)
}

func (b *builder) addResponse(status string, r *openapi3.Response) {
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

// ancestors is a place in a body and those above it, with the schemas of each.
type ancestors struct {
	schemas []*openapi3.Schema
	above   *ancestors
	depth   int
}

// repeats reports whether a place above has the same schemas, so that the tree would never end.
func (l *ancestors) repeats(schemas []*openapi3.Schema) bool {
	if l == nil {
		return false
	}
	isSame := len(l.schemas) == len(schemas) && !slices.ContainsFunc(schemas, func(s *openapi3.Schema) bool {
		return !slices.Contains(l.schemas, s)
	})
	return isSame || l.above.repeats(schemas)
}

func (b *builder) node(part int, schemas []*openapi3.Schema, above *ancestors) *node {
	n := &node{part: part}
	all := withCombined(schemas)
	b.addEnum(n, all)
	if len(all) == 0 || b.isFull() || above.repeats(all) || above != nil && above.depth >= maxNest {
		return n
	}
	here := &ancestors{schemas: all, above: above}
	if above != nil {
		here.depth = above.depth + 1
	}
	for _, name := range b.propertyNames(all) {
		if b.isFull() {
			break
		}
		if n.properties == nil {
			n.properties = map[string]*node{}
		}
		n.properties[name] = b.node(b.add(PropertyParts), schemasOfProperty(all, name), here)
	}
	b.addElements(n, all, here)
	return n
}

// addElements adds the items of a list and the values of a map, which share a name.
func (b *builder) addElements(n *node, all []*openapi3.Schema, here *ancestors) {
	items := schemasAt(all, func(s *openapi3.Schema) *openapi3.SchemaRef { return s.Items })
	values := schemasAt(all, func(s *openapi3.Schema) *openapi3.SchemaRef { return s.AdditionalProperties.Schema })
	n.isList, n.isMap = len(items) > 0, len(values) > 0
	if !n.isList && !n.isMap || b.isFull() {
		return
	}
	part := -1
	if n.isMap {
		part = b.add(PropertyParts)
	}
	n.elements = b.node(part, append(items, values...), here)
}

// propertyNames returns the properties of an object that a message of this side may have, sorted.
func (b *builder) propertyNames(all []*openapi3.Schema) []string {
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

func (b *builder) addEnum(n *node, all []*openapi3.Schema) {
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

// A catalogue numbers the parts of an operation that traffic can touch. Those in bodies form a tree of nodes, which is
// made once of all schemas of a body, and along which a value is walked. What a message touches is a set of numbers,
// and two such sets are united by or.

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
	parameters []documentedParameter
	request    *node
	answers    map[string]*node // by the documented status
}

// documentedParameter is a parameter with the number of its part.
type documentedParameter struct {
	*openapi3.Parameter
	part int
	node *node
}

// node is a place in a body. Its part is the number of the property whose value it is, or -1.
type node struct {
	part          int
	values        map[string]int // numbers of enumerated values, by literal
	properties    map[string]*node
	elements      *node // items of a list, values of a map
	isList, isMap bool  // what the elements belong to
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

// responseNames returns the names of a response, one for each media type.
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
