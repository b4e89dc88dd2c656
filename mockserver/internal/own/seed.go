package own

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/internal/accept"
	"svc.example/understudy/internal/sample"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/source"
)

// Seed makes the objects that a fixture has of the interface of a document. The error says of each object that cannot
// be what answers show why not, at its place in the fixture.
func Seed(w *world.State, doc *specs.Document, fixture fixtures.Fixture) error {
	s := &seeding{
		compiler: newCompiler(doc, nil), fixture: fixture, iface: string(doc.Interface), first: map[string][]any{},
		call: &op.Call{World: w, Now: w.Now(), Match: &specs.Match{}, Header: func(string) string { return "" }},
	}
	sections := fixture.Interfaces[s.iface]
	var lists []*seedList
	for _, name := range slices.Sorted(maps.Keys(sections)) {
		list, err := s.listOf(name)
		if err != nil {
			s.fail(err, name, name)
			continue
		}
		list.name, list.objects = name, sections[name]
		lists = append(lists, list)
	}
	for _, list := range lists { // so that no id is made which another object has
		for i, o := range list.objects.List {
			s.read(list, i, o)
		}
	}
	for _, list := range lists {
		for _, o := range list.read {
			s.keep(list, o)
		}
	}
	for _, list := range lists {
		if list.last > 0 {
			w.Reserve(list.resource.spec.Name, list.last)
		}
		s.checkReferences(list)
	}
	s.index(w)
	return errors.Join(s.errs...)
}

// Index makes the objects of a world that was read be found as the constraints of a document find them, so that its
// copies need not do so each.
func Index(w *world.State, doc *specs.Document) { newCompiler(doc, nil).index(w) }

func (c *compiler) index(w *world.State) {
	for _, r := range c.doc.Resources() {
		if words := c.behaviour(r).words; words.Key != "" {
			w.Own.Index(r.Name, words)
		}
	}
}

// seeding makes the objects of one interface.
type seeding struct {
	*compiler

	fixture fixtures.Fixture
	iface   string
	call    *op.Call
	first   map[string][]any // the place of each object, by resource and keys
	errs    []error
}

func (s *seeding) fail(err error, what string, path ...any) {
	s.errs = append(s.errs, fixtures.At(err, what, append([]any{"interfaces", s.iface}, path...)...))
}

// seedList is a list of a fixture: objects of one resource, or the only object of a path.
type seedList struct {
	name     string
	objects  fixtures.Objects
	resource *resource
	single   *kept
	keys     []string // of what the path names; of a single object, all
	isBelow  bool     // the path says of what the objects are parts
	needs    []need   // what must be there besides parents
	read     []*seedObject
	last     int64 // the largest number that a key is
}

// need names an object that must be there.
type need struct {
	resource *specs.Resource
	keys     []string
}

// seedObject is an object of a fixture with its members as they will be shown.
type seedObject struct {
	path    []any // within the interface
	members []member
	parents []string
	key     string // empty if it is to be made
	object  world.Object
}

// listOf finds what the name of a list stands for: a resource by its name or by the last word of its collection's path,
// or what a path names.
func (s *seeding) listOf(name string) (*seedList, error) {
	if strings.HasPrefix(name, "/") {
		return s.listAt(name)
	}
	var known []string
	byWord := map[string][]*specs.Resource{}
	for _, r := range s.doc.Resources() {
		short := strings.TrimPrefix(r.Name, s.iface+".")
		words := []string{short}
		if word := s.word(r); word != "" && word != short {
			words = append(words, word)
		}
		known = append(known, words[len(words)-1])
		for _, word := range words {
			byWord[word] = append(byWord[word], r)
		}
		if name == short {
			byWord[name] = []*specs.Resource{r}
			break
		}
	}
	switch found := byWord[name]; {
	case len(found) == 0:
		return nil, fmt.Errorf("unknown resource %q; want %s, or the path of a collection", name, source.OneOf(name, known))
	case len(found) > 1:
		var names []string
		for _, r := range found {
			names = append(names, strings.TrimPrefix(r.Name, s.iface+"."))
		}
		return nil, fmt.Errorf("%s may be several resources: want one of %s", name, strings.Join(names, ", "))
	default:
		if r := s.resourceOf(found[0]); r != nil {
			return &seedList{resource: r}, nil
		}
	}
	return nil, fmt.Errorf("%s cannot be remembered: its objects have no key, or no operation shows them", name)
}

// word returns the last word of the path of a resource's collection, such as products; empty if it has none.
func (s *seeding) word(r *specs.Resource) (word string) {
	for part := range strings.SplitSeq(s.pathOf(r, specs.Create, specs.List, specs.Get, specs.Update), "/") {
		if part != "" && !strings.HasPrefix(part, "{") {
			word = part
		}
	}
	return word
}

// pathOf returns the path of the operation that does the first of these to a resource, with the names of its
// parameters; empty if there is none. A search does not count.
func (s *seeding) pathOf(r *specs.Resource, verbs ...string) string {
	for _, verb := range verbs {
		for _, u := range s.uses[r] {
			if u.action.Verb == verb && (verb != specs.List || u.operation.Method == http.MethodGet) {
				return u.operation.Path
			}
		}
	}
	return ""
}

func (s *seeding) resourceOf(spec *specs.Resource) *resource {
	for _, verb := range []string{specs.Create, specs.Get, specs.List, specs.Update} {
		if u := s.find(spec, verb); u.operation != nil {
			if r := s.resource(u.operation, u.action); r != nil {
				return r
			}
		}
	}
	return nil
}

// listAt finds what a path stands for: the collection that an operation lists, or to which it adds, or else an object
// of which each path has one.
func (s *seeding) listAt(path string) (*seedList, error) {
	var other *specs.Operation
	for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodPut, http.MethodPatch} {
		match := s.doc.Find(method, path)
		o := match.Operation
		if o == nil {
			continue
		}
		call := &op.Call{Match: &match}
		for _, a := range o.Actions() {
			if a.Verb == specs.Create || a.Verb == specs.List {
				if r := s.resource(o, a); r != nil {
					return &seedList{resource: r, keys: paramsOf(call, r.within), isBelow: len(r.more) == 0}, nil
				}
			}
		}
		if one := s.singleOf(o); one != nil {
			list := &seedList{single: one, keys: one.keys(call)}
			for _, a := range o.Actions() {
				if r := s.resource(o, a); r != nil && a.Reads {
					list.needs = append(list.needs, need{r.spec, paramsOf(call, r.path)})
				}
			}
			return list, nil
		}
		other = o
	}
	if other != nil {
		return nil, fmt.Errorf("%s remembers no objects: want the path of a collection, or of an object that a PUT or "+
			"PATCH changes", other.Path)
	}
	return nil, fmt.Errorf("no operation has this path; the nearest one is %s", s.doc.Nearest(http.MethodGet, path))
}

// object returns the schema of the list's objects.
func (l *seedList) object() *objectSchema {
	if l.single != nil {
		return l.single.whole()
	}
	return l.resource.schema
}

// title returns the noun for an object, with its key if it has one.
func (l *seedList) title(o *seedObject) string {
	if l.single != nil {
		return l.name
	}
	return strings.TrimSpace(l.resource.spec.Title + " " + o.key)
}

// read checks an object as it is written, and finds out what it is called.
func (s *seeding) read(l *seedList, i int, written fixtures.Object) {
	o := &seedObject{path: []any{l.name, i}, members: membersOf(written.Text), parents: l.keys}
	schema := l.object()
	if written.IsText {
		for i, m := range o.members {
			o.members[i].value = typed(schema.members[m.name], m.value)
		}
	}
	before := len(s.errs)
	switch {
	case l.single != nil && (!l.objects.IsSingle || len(l.objects.List) > 1):
		s.fail(errors.New("each path has one such object: want it in place of a list"), l.name, o.path...)
		return
	case l.single == nil:
		if l.objects.IsSingle {
			s.fail(errors.New("want a list of objects, or {file: NAME}"), l.name, l.name)
			return
		}
		o.key, _ = textOf(valueAt(o.members, l.resource.key))
		s.findParents(l, o)
	}
	s.checkMembers(l, o)
	if o.key != "" {
		o.object.Keys = append(slices.Clip(o.parents), o.key)
		s.name(l, o)
	}
	if len(s.errs) == before {
		l.read = append(l.read, o)
	}
}

// typed returns the text of a CSV file as a value of a member.
func typed(member *openapi3.SchemaRef, quoted jsontext.Value) jsontext.Value {
	if member == nil || member.Value == nil || member.Value.Type.Includes(openapi3.TypeString) {
		return quoted
	}
	text, err := jsontext.AppendUnquote(nil, quoted)
	if value := jsontext.Value(text); err == nil && value.IsValid() {
		return value
	}
	return quoted
}

// name notes the keys of an object, which no other one may have.
func (s *seeding) name(l *seedList, o *seedObject) {
	name := l.resource.spec.Name + "\x00" + strings.Join(o.object.Keys, "\x00")
	if first, isTwice := s.first[name]; isTwice {
		at := append([]any{"interfaces", s.iface}, first...)
		twice := fmt.Errorf("is given twice, first in %s", s.fixture.Place(at...))
		s.fail(twice, l.title(o), append(o.path, l.resource.key[0])...)
		return
	}
	s.first[name] = o.path
	if n, err := strconv.ParseInt(o.key, 10, 64); err == nil && n <= maxNumber {
		l.last = max(l.last, n)
	}
}

// maxNumber is the largest number that every reader of JSON holds exactly.
const maxNumber = 1<<53 - 1

// findParents reads off an object of what it is a part, unless the path of the list says so.
func (s *seeding) findParents(l *seedList, o *seedObject) {
	r := l.resource
	if l.isBelow {
		return
	}
	for _, name := range slices.Concat(r.within, r.more) {
		i := slices.IndexFunc(o.members, func(m member) bool { return plain(m.name) == plain(name) })
		if i < 0 {
			s.fail(fmt.Errorf("the member %s is missing, which says of what it is a part: want it, or the path of the "+
				"collection, such as %s, in place of %s", name, cmp.Or(s.pathOf(r.spec, specs.Create, specs.List),
				"/"+strings.Join(r.within, "/…/")), l.name), l.title(o), o.path...)
			return
		}
		text, ok := textOf(o.members[i].value)
		if !ok {
			s.fail(fmt.Errorf("is %s: want the id of what it is a part of", o.members[i].value), l.title(o),
				append(o.path, o.members[i].name)...)
			return
		}
		o.parents = append(slices.Clip(o.parents), text)
		if r.schema.members[o.members[i].name] == nil {
			o.members = slices.Delete(o.members, i, i+1)
		}
	}
}

// checkMembers refuses members that answers do not show, and notes those that are missing.
func (s *seeding) checkMembers(l *seedList, o *seedObject) {
	schema := l.object()
	for _, m := range o.members {
		part := schema.members[m.name]
		at := append(slices.Clip(o.path), m.name)
		switch {
		case part != nil && part.Value != nil && part.Value.WriteOnly:
			s.fail(errors.New("is writeOnly: answers do not show it, so that it cannot be given"), l.title(o), at...)
		case part == nil && specs.HidesNames(schema.schema):
			s.fail(fmt.Errorf("unknown member %q; want %s", m.name,
				source.OneOf(m.name, slices.Sorted(maps.Keys(schema.members)))), l.title(o), at...)
		}
	}
	for _, f := range schema.fills {
		part := schema.members[f.name].Value
		isMade := f.standard != nil || f.clock != "" || part.ReadOnly ||
			l.single == nil && (f.name == l.resource.key[0] || slices.Contains(l.resource.within, f.name))
		if f.isRequired && !isMade && index(o.members, f.name) < 0 {
			s.fail(fmt.Errorf("the member %s is missing", f.name), l.title(o), o.path...)
		}
	}
}

// keep makes an object, if it fits the schema.
func (s *seeding) keep(l *seedList, o *seedObject) {
	w := s.call.World
	if l.single != nil {
		m := making{call: s.call, resource: l.single.name, keys: l.keys, isNew: true}
		if o.object.Text = s.complete(l, o, m, o.members); o.object.Text != nil {
			put(s.call, l.single.name, l.keys, o.object.Text)
		}
		return
	}
	r := l.resource
	id := w.NewObject(r.spec.Name)
	for ; o.object.Keys == nil; id++ {
		keys := append(slices.Clip(o.parents), r.newKey(s.call, id))
		if _, isTaken := s.first[r.spec.Name+"\x00"+strings.Join(keys, "\x00")]; isTaken {
			continue
		}
		if _, _, isTaken := w.Own.Find(r.spec.Name, keys); !isTaken {
			o.object.Keys = keys
			break
		}
	}
	list := r.begun(nil, o.object.Keys)
	for _, m := range o.members {
		list = set(list, m.name, m.value)
	}
	list = r.named(list, o.object.Keys)
	m := making{call: s.call, resource: r.spec.Name, keys: o.object.Keys, isNew: true}
	if o.object.Text = s.complete(l, o, m, list); o.object.Text != nil {
		w.Own.Keep(r.spec.Name, id, nil, o.object)
	}
}

// complete returns an object with what the mock makes of itself; nil if what the fixture gives does not fit the schema.
// One without a key is made as for a client. One with a key is what answers show, and lacks only what it must have.
func (s *seeding) complete(l *seedList, o *seedObject, m making, given []member) jsontext.Value {
	schema := l.object()
	list := schema.filled(m, given)
	if isNew := l.single == nil && o.key == ""; !isNew {
		list = slices.DeleteFunc(list, func(m member) bool {
			isFill := func(f fill) bool { return f.name == m.name && !f.isRequired }
			return index(given, m.name) < 0 && slices.ContainsFunc(schema.fills, isFill)
		})
	}
	text := join(list)
	if schema.fits(text) {
		return text
	}
	var value any
	err := json.Unmarshal(text, &value)
	if err == nil {
		err = sample.Check(schema.schema, value, accept.Response, openapi3.MultiErrors())
	}
	refused := schemaErrors(err)
	if len(refused) == 0 {
		s.fail(err, l.title(o), o.path...)
	}
	for _, one := range refused {
		at := slices.Clone(o.path)
		for _, token := range one.JSONPointer() {
			if n, err := strconv.Atoi(token); err == nil {
				at = append(at, n)
			} else {
				at = append(at, token)
			}
		}
		s.fail(errors.New(one.Reason), l.title(o), at...)
	}
	return nil
}

// schemaErrors returns the innermost errors of a validation.
func schemaErrors(err error) (list []*openapi3.SchemaError) {
	if several, ok := errors.AsType[openapi3.MultiError](err); ok {
		for _, err := range several {
			list = append(list, schemaErrors(err)...)
		}
	} else if one, ok := errors.AsType[*openapi3.SchemaError](err); ok {
		list = append(list, one)
	}
	return list
}

// checkReferences requires what the objects of a list are parts of, and what they refer to.
func (s *seeding) checkReferences(l *seedList) {
	for _, n := range l.needs {
		s.require(l, n, "it is a part of it", l.name)
	}
	if l.single != nil {
		return
	}
	spec := l.resource.spec
	parent := s.doc.Resource(spec.Parent())
	for _, o := range l.read {
		if n := 0; parent != nil && o.object.Keys != nil {
			n = min(len(parent.Path), len(o.parents))
			at := o.path
			if l.isBelow {
				at = []any{l.name}
			}
			s.require(l, need{parent, o.parents[:n]}, l.title(o)+" is a part of it", at...)
		}
		for _, link := range slices.Concat(spec.Refers, spec.Parents) {
			target := s.doc.Resource(link.Resource)
			if link.At == nil || target == nil || len(target.Path) != 1 || !strings.HasPrefix(target.Name, s.iface+".") {
				continue
			}
			for _, found := range valuesAt(o.object.Text, link.At, nil) {
				if key, isScalar := textOf(found.value); isScalar {
					at := append(slices.Clone(o.path), found.path...)
					s.require(l, need{target, []string{key}}, l.title(o)+" refers to it", at...)
				}
			}
		}
	}
}

// require notes that an object is not there.
func (s *seeding) require(l *seedList, n need, why string, at ...any) {
	if _, _, ok := s.call.World.Own.Find(n.resource.Name, n.keys); ok {
		return
	}
	var known []string
	objects, _ := s.call.World.Own.Objects.Get(n.resource.Name)
	for _, object := range table.All(&objects) {
		if known = append(known, strings.Join(object.Keys, "/")); len(known) == maxKnown {
			break
		}
	}
	hint := "want it as well"
	if len(known) > 0 {
		hint += ", or one of " + strings.Join(known, ", ")
	}
	if len(known) == maxKnown {
		hint += " and others"
	}
	missing := fmt.Errorf("%s %s is missing, but %s: %s", n.resource.Title, strings.Join(n.keys, "/"), why, hint)
	s.fail(missing, l.name, at...)
}

// maxKnown is the number of objects that a hint names.
const maxKnown = 10

// foundValue is a part of an object.
type foundValue struct {
	path  []any
	value jsontext.Value
}

// valuesAt returns the parts to which a pointer leads.
func valuesAt(text jsontext.Value, at specs.Pointer, path []any) (list []foundValue) {
	if len(at) == 0 {
		return []foundValue{{path, text}}
	}
	if at[0] == "*" {
		for i, item := range itemsOf(text) {
			list = append(list, valuesAt(item, at[1:], append(slices.Clip(path), i))...)
		}
		return list
	}
	members := membersOf(text)
	if i := index(members, at[0]); i >= 0 {
		return valuesAt(members[i].value, at[1:], append(slices.Clip(path), at[0]))
	}
	return nil
}
