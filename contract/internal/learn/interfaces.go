package learn

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/internal/accept"
	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/internal/sample"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/sight"
)

// interfaces returns the objects of interfaces of the user's own that were there at the beginning.
func (l *learner) interfaces() *mapping {
	all := newMapping()
	for _, d := range l.Documents {
		if d.Interface.IsOwn() {
			o := &objects{learner: l, document: d, lists: newMapping(), byList: map[string]*sequence{}}
			o.learn()
			all.set(string(d.Interface), o.lists)
		}
	}
	return all
}

// objects learns the objects of one interface.
type objects struct {
	*learner
	document *specs.Document
	lists    *mapping
	byList   map[string]*sequence
}

func (o *objects) learn() {
	o.need()
	for _, r := range o.document.Resources() {
		if len(r.Keys) == 0 || len(r.Keys[0]) == 0 || len(r.Path) == 0 {
			continue // the mock does not remember it either
		}
		schema := o.document.ObjectSchema(r)
		for _, t := range o.entities.of(r.Name) {
			if list := o.listOf(r, t); list != "" {
				o.add(r, t, schema, list)
			}
		}
	}
	o.singles()
	for _, name := range slices.Sorted(maps.Keys(o.byList)) {
		o.lists.set(name, o.byList[name])
	}
}

// need adds what objects are parts of, and what they refer to, where no answer shows it.
func (o *objects) need() {
	for i := 0; i < len(o.entities.list); i++ { // which grows
		t := o.entities.list[i]
		r := o.document.Resource(t.kind)
		if r == nil || !t.wasThere() || !strings.HasPrefix(t.kind, string(o.document.Interface)+".") {
			continue
		}
		keys := strings.Split(t.id, "/")
		if parent := o.document.Resource(r.Parent()); parent != nil && len(keys) > len(parent.Path) {
			o.entities.get(parent.Name, strings.Join(keys[:len(parent.Path)], "/"))
		}
		for _, link := range slices.Concat(r.Refers, r.Parents) {
			target := o.document.Resource(link.Resource)
			if link.At == nil || target == nil || len(target.Path) != 1 {
				continue
			}
			for value := range sight.Values(t.first(), link.At) {
				if value.IsString() || value.IsNumber() {
					o.entities.get(target.Name, value.Text())
				}
			}
		}
	}
}

// listOf returns the list that an entity stands in: the name of its resource, or the path of its collection if the
// entity is a part of another one. It is empty if its collection has no path.
func (o *objects) listOf(r *specs.Resource, t *entity) string {
	keys := strings.Split(t.id, "/")
	if len(keys) != len(r.Path) {
		o.notes = append(o.notes, fmt.Sprintf("%s %s was left out: it does not say of what it is a part", r.Title, t.id))
		return ""
	}
	if len(keys) == 1 {
		return strings.TrimPrefix(r.Name, string(o.document.Interface)+".")
	}
	for _, operation := range o.document.Operations {
		for _, a := range operation.Actions() {
			isCollection := a.Verb == specs.Create || a.Verb == specs.List && operation.Method == "GET"
			names := operation.PathParameters()
			if a.Resource == r && isCollection && len(names) == len(keys)-1 {
				return fill(operation.Path, names, keys)
			}
		}
	}
	o.notes = append(o.notes, fmt.Sprintf("%s %s was left out: no operation makes or lists such", r.Title, t.id))
	return ""
}

// fill returns a path with values in the place of its parameters.
func fill(path string, names, values []string) string {
	for i, name := range names {
		path = strings.Replace(path, "{"+name+"}", url.PathEscape(values[i]), 1)
	}
	return path
}

// add adds an entity as it was at the beginning.
func (o *objects) add(r *specs.Resource, t *entity, schema *openapi3.SchemaRef, list string) {
	m, key := newMapping(), r.Keys[0][0]
	members := specs.Members(schema)
	for _, s := range t.sights {
		for member := range s.object.Each {
			name := member.Name()
			value, isChanged := t.value(name)
			if m.has(name) || members[name] == nil && schema != nil && specs.HidesNames(schema.Value) {
				continue
			}
			m.guess(name, jsonNode(value), when(isChanged, "a request had set it before it was shown"))
		}
	}
	if !m.has(key) {
		node := scalar(t.key())
		if part := specs.SchemaAt(schema, r.Keys[0]); part != nil && part.Value != nil &&
			!part.Value.Type.Includes(openapi3.TypeString) {
			node = jsonNode(jsontree.Parse(t.key()))
		}
		for _, token := range slices.Backward(r.Keys[0][1:]) {
			node = mappingOf(token, node).node
		}
		m.guess(key, node, "no answer shows the object")
	}
	if err := o.fit(m, schema, key); err != nil {
		note := fmt.Sprintf("%s %s was left out, since it does not fit the document: %v", r.Title, t.id, err)
		o.notes = append(o.notes, note)
		return
	}
	if o.byList[list] == nil {
		o.byList[list] = newSequence()
	}
	o.byList[list].add(m)
}

// singles adds the objects of which each path has one.
func (o *objects) singles() {
	seen := map[string]bool{}
	for _, e := range o.exchanges {
		operation := e.Operation()
		if operation.Document != o.document || !e.ok() || !o.isSingle(operation) {
			continue
		}
		names := operation.PathParameters()
		values := make([]string, len(names))
		for i, name := range names {
			values[i] = e.Owner.Match.Declared(name)
		}
		path := fill(operation.Path, names, values)
		if seen[path] {
			continue
		}
		seen[path] = true
		body := e.answer()
		_, _, media := operation.Success()
		if operation.Method == http.MethodGet && body.IsObject() && media != nil {
			m := &mapping{jsonNode(body)}
			if err := o.fit(m, media.Schema, ""); err != nil {
				o.notes = append(o.notes, fmt.Sprintf("%s was left out, since it does not fit the document: %v", path, err))
				continue
			}
			o.lists.set(path, m)
		}
	}
}

// isSingle reports whether the path of an operation has an object of its own: one that a GET shows and a PUT or a PATCH
// changes, and no resource has.
func (o *objects) isSingle(operation *specs.Operation) bool {
	var shows, changes bool
	for _, other := range o.document.Operations {
		if other.Path != operation.Path {
			continue
		}
		shows = shows || other.Method == http.MethodGet
		changes = changes || other.Method == http.MethodPut || other.Method == http.MethodPatch
		for _, a := range other.Actions() {
			isVerb := slices.Contains([]string{specs.List, specs.Get, specs.Create, specs.Update, specs.Delete}, a.Verb)
			if isVerb || a.Changes {
				return false
			}
		}
	}
	return shows && changes
}

// fit makes an object fit its schema: optional members that do not are dropped, and those that are missing are guessed.
// The error says why it cannot be done.
func (o *objects) fit(m *mapping, schema *openapi3.SchemaRef, key string) error {
	if schema == nil || schema.Value == nil {
		return nil
	}
	members := specs.Members(schema)
	for i := 0; i+1 < len(m.node.Content); i += 2 {
		name := m.node.Content[i].Value
		part := members[name]
		isHidden := part == nil && specs.HidesNames(schema.Value) || part != nil && part.Value != nil && part.Value.WriteOnly
		if isHidden {
			m.drop(name)
			i -= 2
		}
	}
	maker := sample.Maker{Direction: accept.Response, Plain: true}
	isFilled := false
	var last error
	for range 2*len(members) + 2 {
		var value map[string]any
		if err := m.node.Load(&value); err != nil {
			return err
		}
		text, err := json.Marshal(value)
		if err = errors.Join(err, json.Unmarshal(text, &value)); err != nil {
			return err
		}
		refused, is := errors.AsType[*openapi3.SchemaError](sample.Check(schema.Value, any(value), accept.Response))
		if !is {
			return nil
		}
		name := ""
		if at := refused.JSONPointer(); len(at) > 0 {
			name = at[0]
		}
		last = errors.New(cmp.Or(refused.Reason, refused.SchemaField))
		switch part := members[name]; {
		case name == "" && !isFilled:
			whole, err := maker.Of(schema.Value)
			object, isObject := whole.(map[string]any)
			if err != nil || !isObject {
				return last
			}
			if err := m.fill(object); err != nil {
				return err
			}
			isFilled = true
		case name == "" || name == key:
			return last
		case m.has(name):
			m.drop(name)
		case part != nil && part.Value != nil:
			value, err := maker.Of(part.Value)
			if err = errors.Join(err, m.fill(map[string]any{name: value})); err != nil {
				return err
			}
		default:
			return last
		}
	}
	return last
}

// fill guesses the members that a mapping does not have.
func (m *mapping) fill(members map[string]any) error {
	for _, name := range slices.Sorted(maps.Keys(members)) {
		text, err := json.Marshal(members[name])
		if err != nil {
			return err
		}
		if !m.has(name) {
			m.guess(name, jsonNode(jsontree.Parse(string(text))), "no answer shows it")
		}
	}
	return nil
}
