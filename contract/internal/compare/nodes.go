package compare

import (
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/specs"
)

// node says what stands at a place of a body: an id, or an object of a resource.
type node struct {
	id       string // the kind that the value is an id of
	resource *specs.Resource
	isTyped  bool // the object says by its type which resource it is of
	children map[string]*node
}

func (s *node) at(p specs.Pointer) *node {
	for _, token := range p {
		next := s.children[token]
		if next == nil {
			next = &node{}
			if s.children == nil {
				s.children = map[string]*node{}
			}
			s.children[token] = next
		}
		s = next
	}
	return s
}

// nodes know the places of all operations of a document.
type nodes struct {
	document   *specs.Document
	answers    map[*specs.Operation]*node
	requests   map[*specs.Operation]*node
	ofResource map[*specs.Resource]*node
}

func newNodes(d *specs.Document) *nodes {
	return &nodes{
		document: d, answers: map[*specs.Operation]*node{}, requests: map[*specs.Operation]*node{},
		ofResource: map[*specs.Resource]*node{},
	}
}

// answer returns the places of an operation's answers.
func (s *nodes) answer(op *specs.Operation) *node {
	root := s.answers[op]
	if root != nil {
		return root
	}
	root = &node{}
	for _, a := range op.Actions() {
		for _, at := range a.At {
			one := root.at(at)
			one.resource, one.isTyped = a.Resource, len(a.Resource.Types) > 0
			s.identify(one, a)
		}
		for _, at := range a.Also {
			root.at(at).isTyped = true
		}
	}
	s.answers[op] = root
	return root
}

// identify adds the parts of the identity that an object shows in places of this operation's own.
func (s *nodes) identify(one *node, a *specs.Action) {
	kinds := s.kindsOf(a.Resource)
	for i, at := range a.Identity {
		if len(a.Identity) == len(kinds) && kinds[i] != "" {
			one.at(at).id = kinds[i]
		}
	}
}

// request returns the places of an operation's requests.
func (s *nodes) request(op *specs.Operation) *node {
	root := s.requests[op]
	if root != nil {
		return root
	}
	root = &node{}
	for _, a := range op.Actions() {
		if a.Request != nil {
			one := root.at(a.Request)
			one.resource, one.isTyped = a.Resource, len(a.Resource.Types) > 0
		}
	}
	s.requests[op] = root
	return root
}

// within returns the places of an object of a resource.
func (s *nodes) within(r *specs.Resource) *node {
	one := s.ofResource[r]
	if one != nil {
		return one
	}
	one = &node{}
	s.ofResource[r] = one
	if !r.IsNamed() {
		one.at(r.Keys[0]).id = r.Name
	}
	if r.ID != nil {
		one.at(r.ID).id = r.Name
	}
	for _, link := range slices.Concat(r.Parents, r.Parts, r.Refers) {
		if link.At != nil && (s.document.Resource(link.Resource) == nil || !s.document.Resource(link.Resource).IsNamed()) {
			one.at(link.At).id = link.Resource
		}
	}
	for _, link := range r.Embeds {
		if link.At != nil {
			one.at(link.At).resource = s.document.Resource(link.Resource)
		}
	}
	return one
}

// kindsOf returns the kinds of the path parameters that name a resource; empty for names.
func (s *nodes) kindsOf(r *specs.Resource) []string {
	kinds := make([]string, len(r.Path))
	for i := len(kinds) - 1; i >= 0 && r != nil; i-- {
		if !r.IsNamed() || r.ID != nil {
			kinds[i] = r.Name
		}
		r = s.document.Resource(r.Parent())
	}
	return kinds
}

// parameters returns the kinds of the ids that path and query parameters of an operation hold.
func (s *nodes) parameters(op *specs.Operation) (path, query map[string]string) {
	path, query = map[string]string{}, map[string]string{}
	for _, a := range op.Actions() {
		kinds := s.kindsOf(a.Resource)
		if len(a.Path) == len(kinds) {
			for i, name := range a.Path {
				path[name] = kinds[i]
			}
		}
		if len(a.Within) > 0 && len(a.Within) < len(kinds) {
			for i, name := range a.Within {
				path[name] = kinds[i]
			}
		}
		if a.Query != "" {
			query[a.Query] = a.Resource.Name
		}
	}
	for _, ref := range op.Parameters {
		kinds := path
		if ref.Value.In == openapi3.ParameterInQuery {
			kinds = query
		}
		if ref.Value.Schema != nil {
			switch kind := s.stated(ref.Value.Schema.Value); {
			case strings.HasSuffix(kind, listed) && len(op.Actions()) > 0:
				kinds[ref.Value.Name] = op.Actions()[0].Resource.Name
			case kind != "":
				kinds[ref.Value.Name] = kind
			}
		}
	}
	return path, query
}

// idExtension names, at a schema, the resource that a value is an id of.
const idExtension = "x-id-of"

// listed stands for the resource that an operation lists.
const listed = ".listed"

// stated returns the kind that a schema says its values are ids of, or the empty string.
func (s *nodes) stated(schema *openapi3.Schema) string {
	name, _ := schema.Extensions[idExtension].(string)
	if name == "" || strings.Contains(name, ".") {
		return name
	}
	return string(s.document.Interface) + "." + name
}

// place holds the nodes and the schemas that apply to one value.
type place struct {
	nodes   []*node
	schemas []*openapi3.Schema
}

// add adds a schema, with those that it is made of.
func (p *place) add(ref *openapi3.SchemaRef) {
	if ref == nil || ref.Value == nil || slices.Contains(p.schemas, ref.Value) {
		return
	}
	p.schemas = append(p.schemas, ref.Value)
	for _, part := range slices.Concat(ref.Value.AllOf, ref.Value.OneOf, ref.Value.AnyOf) {
		p.add(part)
	}
}

// items stands for any item of a list.
const items = "*"

// below returns the place of a member of a value, or of its items.
func (p *place) below(s *nodes, value any, token string) (next place) {
	for _, one := range p.nodes {
		if child := one.children[token]; child != nil {
			next.nodes = append(next.nodes, child)
		}
		if r := one.resourceOf(s, value); r != nil {
			if child := s.within(r).children[token]; child != nil {
				next.nodes = append(next.nodes, child)
			}
		}
	}
	for _, schema := range p.schemas {
		switch child := schema.Properties[token]; {
		case token == items:
			next.add(schema.Items)
		case child != nil:
			next.add(child)
		default:
			next.add(schema.AdditionalProperties.Schema)
		}
	}
	return next
}

// resourceOf returns the resource that an object is of, or nil.
func (s *node) resourceOf(all *nodes, value any) *specs.Resource {
	object, ok := value.(map[string]any)
	if !ok {
		return nil
	}
	if s.isTyped {
		name, _ := object["type"].(string)
		return all.document.ResourceOfType(name)
	}
	return s.resource
}

// id returns the kind that a value is an id of, or the empty string.
func (p *place) id(s *nodes) string {
	for _, one := range p.nodes {
		if one.id != "" {
			return one.id
		}
	}
	for _, schema := range p.schemas {
		if kind := s.stated(schema); kind != "" {
			return kind
		}
	}
	return ""
}

// resource returns the resource of an object, or nil.
func (p *place) resource(s *nodes, value any) *specs.Resource {
	for _, one := range p.nodes {
		if r := one.resourceOf(s, value); r != nil {
			return r
		}
	}
	return nil
}
