// Package own answers the operations of a user's own document, for which there are no handlers in Go. Each operation is
// compiled at the start into what its handler needs: the status and the media type of its answer, where in it an object
// stands, and which of its members come from where.
//
// What x-resource says of an operation, written or inferred, decides how it is answered. A resource's objects are
// remembered as answers show them: what a POST sends, a GET shows. An operation of no resource whose path has a GET
// beside a PUT or a PATCH has one object for each such path. Every other one is answered with an example of the
// document, or with a sample of its schema.
package own

import (
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
)

// Rules check changes of objects, by the names of resources.
type Rules map[string]func(*op.Call, Change) error

// Interface returns the interface that a document describes, with rules for its resources.
func Interface(doc *specs.Document, rules Rules) op.Interface {
	c := newCompiler(doc, rules)
	i := op.Interface{Name: doc.Interface, Error: c.errors.reply, Authenticate: authenticate}
	for _, o := range doc.Operations {
		if o.Path != "" { // as of one that is below no server
			i.Routes = append(i.Routes, op.Route{
				Path: o.Method + " " + o.Path, Handle: c.whenCalled(o), For: op.Anyone, Pure: isPure(o),
			})
		}
	}
	return i
}

// isPure reports whether the handler of an operation changes nothing. A document may say that a GET does.
func isPure(o *specs.Operation) bool {
	return o.Method == http.MethodGet && !slices.ContainsFunc(o.Actions(), func(a *specs.Action) bool {
		return a.Verb != specs.Get && a.Verb != specs.List
	})
}

func newCompiler(doc *specs.Document, rules Rules) *compiler {
	c := &compiler{
		doc: doc, uses: map[*specs.Resource][]use{}, paths: map[string]map[string]*specs.Operation{},
		parts: map[string][]*specs.Resource{}, single: map[string]*kept{}, objects: map[string]*objectSchema{},
		errors: newErrorForms(doc), rules: rules, behaviours: map[string]*behaviour{}, below: map[string][]string{},
	}
	for _, o := range doc.Operations {
		for _, a := range o.Actions() {
			c.uses[a.Resource] = append(c.uses[a.Resource], use{o, a})
			if kept := keptAt(o); a.Reads && !slices.Contains(c.below[a.Resource.Name], kept) {
				c.below[a.Resource.Name] = append(c.below[a.Resource.Name], kept)
			}
		}
		if c.paths[o.Path] == nil {
			c.paths[o.Path] = map[string]*specs.Operation{}
		}
		c.paths[o.Path][o.Method] = o
	}
	for _, r := range doc.Resources() {
		if parent := r.Parent(); parent != "" {
			c.parts[parent] = append(c.parts[parent], r)
		}
	}
	return c
}

// compiler makes the handlers of a document.
type compiler struct {
	mu      sync.Mutex // of one that compiles at a time
	doc     *specs.Document
	uses    map[*specs.Resource][]use
	paths   map[string]map[string]*specs.Operation // by path and method
	parts   map[string][]*specs.Resource           // of resources, by their names
	single  map[string]*kept                       // by path
	below   map[string][]string                    // what is kept at paths of resources, by their names
	objects map[string]*objectSchema               // by resource
	errors  *errorForms
	rules   Rules

	behaviours map[string]*behaviour // by resource; complete before anything is deleted
}

// whenCalled returns the handler of an operation, which is compiled when it is called first: of a large document, a
// process calls few.
func (c *compiler) whenCalled(o *specs.Operation) op.Handler {
	compiled := sync.OnceValue(func() op.Handler {
		c.mu.Lock()
		defer c.mu.Unlock()
		return repeatable(o, c.handler(o))
	})
	return func(call *op.Call) (op.Reply, error) { return compiled()(call) }
}

func (c *compiler) handler(o *specs.Operation) op.Handler {
	s := newSuccess(o)
	actions := o.Actions()
	for i, action := range actions {
		if handle := c.act(o, action, s); handle != nil {
			return c.beginning(o, actions[i+1:], s, c.within(action, handle))
		}
	}
	if handle := c.kept(o, s); handle != nil {
		return handle
	}
	return s.sample
}

// beginning wraps a handler so that it also makes the job, or other resource, that its answer shows in place of the one
// that the operation is about. Where an answer shows none, it returns the handler as it is.
func (c *compiler) beginning(o *specs.Operation, others []*specs.Action, s *success, handle op.Handler) op.Handler {
	i := slices.IndexFunc(others, func(a *specs.Action) bool { return a.Verb == specs.Create && len(a.At) > 0 })
	if i < 0 {
		return handle
	}
	begin := c.act(o, others[i], s)
	if begin == nil {
		return handle
	}
	return func(call *op.Call) (op.Reply, error) {
		if _, err := handle(call); err != nil {
			return op.Reply{}, err
		}
		return begin(call)
	}
}

// act returns the handler of what an operation does to a resource; nil if it does nothing that is remembered.
func (c *compiler) act(o *specs.Operation, a *specs.Action, s *success) op.Handler {
	r := c.resource(o, a)
	switch {
	case r == nil:
		return nil
	case a.Verb == specs.List:
		return newList(r, o, a, s).handle
	case a.Verb == specs.Get, a.Reads && len(a.At) > 0 && o.Method == http.MethodGet:
		return newGetter(newShower(r, s, r.at)).handle
	case a.Verb == specs.Create:
		gets := c.find(r.spec, specs.Get).operation
		return creator{shower: newShower(r, s, r.at), location: gets, standards: r.standardsOf(o)}.handle
	case a.Verb == specs.Update || a.Changes:
		return updater{
			shower: newShower(r, s, r.at), verb: a.Verb, replaces: o.Method == http.MethodPut,
			namesKey: a.Verb == specs.Update && slices.ContainsFunc(r.sentBy(o), func(s *openapi3.SchemaRef) bool {
				return specs.SchemaAt(s, r.key) != nil
			}),
			states: specs.Entered(&openapi3.SchemaRef{Value: r.schema.schema}, a.Verb),
			makes: c.isMaking(o) && a.Verb == specs.Update && (c.find(r.spec, specs.Create).operation == nil ||
				r.behaviour.id == "path" ||
				o.Method == http.MethodPut && s.status != http.StatusCreated && o.Spec.Responses.Status(http.StatusCreated) != nil),
		}.as(r.spec.Behaviour.Update).handle
	case a.Verb == specs.Delete:
		for _, other := range c.doc.Resources() { // deletions go from one to the other
			c.behaviour(other)
		}
		if len(a.Path) == 0 {
			return clearer{newList(r, o, a, s), c}.handle
		}
		return deleter{newShower(r, s, r.at), c}.handle
	case a.Keeps == specs.Mark:
		return r.reading(kept{s, keptAt(o)}.mark)
	case a.Reads:
		if handle := c.kept(o, s); handle != nil {
			return r.reading(handle)
		}
		return r.reading(s.sample)
	}
	return nil
}

// isMaking reports whether an operation may make the object that its path names: a PUT, or a POST of a document without
// x-resources.
func (c *compiler) isMaking(o *specs.Operation) bool {
	return o.Method == http.MethodPut || o.Method == http.MethodPost && c.doc.Inferred
}

// reading returns the handler of an operation that needs an object that is there, and shows something else.
func (r *resource) reading(answer op.Handler) op.Handler {
	return func(call *op.Call) (op.Reply, error) {
		if _, _, err := r.find(call); err != nil {
			return op.Reply{}, err
		}
		return answer(call)
	}
}

// within returns a handler that needs the parent of what the path names.
func (c *compiler) within(a *specs.Action, handle op.Handler) op.Handler {
	parent := c.doc.Resource(a.Resource.Parent())
	if parent == nil || len(a.Within) == 0 {
		return handle
	}
	names := a.Within
	return func(call *op.Call) (op.Reply, error) {
		keys := paramsOf(call, names)
		if _, _, ok := call.World.Own.Find(parent.Name, keys); !ok {
			return op.Reply{}, op.NotFound(parent.Title, names[len(names)-1], keys[len(keys)-1])
		}
		return handle(call)
	}
}

// use describes what an operation does to a resource.
type use struct {
	operation *specs.Operation
	action    *specs.Action
}

// find returns the first operation that does something to a resource, or the zero value.
func (c *compiler) find(r *specs.Resource, verb string) (found use) {
	for _, u := range c.uses[r] {
		if u.action.Verb == verb {
			return u
		}
	}
	return found
}

// object returns the schema of a resource's objects: that of what an operation shows which gets one, or else one that
// makes, changes or lists them.
func (c *compiler) object(r *specs.Resource) *objectSchema {
	if known := c.objects[r.Name]; known != nil {
		return known
	}
	c.objects[r.Name] = newObjectSchema(c.doc.ObjectSchema(r))
	return c.objects[r.Name]
}

func paramsOf(call *op.Call, names []string) []string {
	return appendParams(make([]string, 0, len(names)), call, names)
}

func appendParams(keys []string, call *op.Call, names []string) []string {
	for _, name := range names {
		keys = append(keys, call.Match.Declared(name))
	}
	return keys
}

// resource is a resource as one operation deals with it.
type resource struct {
	spec    *specs.Resource
	path    []string // the parameters that name one; none if the body does
	within  []string // those that name its parent
	more    []string // those that the path lacks: members of the body that have their names
	at      specs.Pointer
	request specs.Pointer
	key     specs.Pointer    // to what names one within its parent
	param   *openapi3.Schema // of the parameter that names one where it is shown; nil if the document does not say
	keySays *openapi3.Schema // of the key
	schema  *objectSchema

	behaviour *behaviour
}

// isKey reports whether a member is the key.
func (r *resource) isKey(name string) bool { return len(r.key) == 1 && r.key[0] == name }

// keyName returns the name of the key for messages, such as metadata.name.
func (r *resource) keyName() string { return strings.Join(r.key, ".") }

// resource returns nil if objects of the resource cannot be told apart by one of their members, or the operation's path
// does not say of what a new one is a part.
func (c *compiler) resource(o *specs.Operation, a *specs.Action) *resource {
	if len(a.Resource.Keys) == 0 || len(a.Resource.Keys[0]) == 0 || len(a.Resource.Path) == 0 {
		return nil
	}
	r := &resource{
		spec: a.Resource, path: a.Path, request: a.Request, key: a.Resource.Keys[0], schema: c.object(a.Resource),
		behaviour: c.behaviour(a.Resource),
	}
	r.keySays = schemaOf(specs.SchemaAt(c.doc.ObjectSchema(a.Resource), r.key))
	names, n := o.PathParameters(), len(a.Resource.Path)-1
	r.within = names[:min(n, len(names))]
	r.more = a.Resource.Path[len(r.within):n]
	isMissing := func(name string) bool { return r.schema.members[name] == nil }
	if (a.Verb == specs.Create || a.Verb == specs.Update) && slices.ContainsFunc(r.more, isMissing) {
		return nil
	}
	if len(a.At) > 0 {
		r.at = a.At[0]
	}
	if get := c.find(a.Resource, specs.Get).operation; get != nil && len(get.PathParameters()) > 0 {
		names := get.PathParameters()
		if p := get.Parameters.GetByInAndName(openapi3.ParameterInPath, names[len(names)-1]); p != nil && p.Schema != nil {
			r.param = p.Schema.Value
		}
	}
	return r
}

// parents returns the keys of what a new object is in, from the path and what the request gives it.
func (r *resource) parents(call *op.Call, given []member) ([]string, error) {
	keys := paramsOf(call, r.within)
	for _, name := range r.more {
		key, isThere := textOf(valueAt(given, specs.Pointer{name}))
		if !isThere {
			return nil, r.behaviour.refusal("invalid", name, "want the %s of the %s", name, r.spec.Title)
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// find returns the object that the path names, or the request's body.
func (r *resource) find(call *op.Call) (int64, world.Object, error) {
	var room [4]string // on the stack
	return r.findKeys(call, appendParams(room[:0], call, r.path))
}

func (r *resource) findKeys(call *op.Call, keys []string) (int64, world.Object, error) {
	id, object, ok := call.World.Own.Find(r.spec.Name, keys)
	if !ok {
		return 0, object, r.notFound(keys)
	}
	return id, object, nil
}

func (r *resource) notFound(keys []string) error {
	last := ""
	if len(keys) > 0 {
		last = keys[len(keys)-1]
	}
	return op.NotFound(r.spec.Title, r.keyName(), last)
}
