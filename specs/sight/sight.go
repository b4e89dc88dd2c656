// Package sight finds the entities that an exchange names and shows, as the document says of its operation
// (x-resource).
//
// A request names entities by its path and its query, which Names reads, and others in its body. An answer shows
// objects, which Answer yields: each with the resource that it is of and with the id of the entity, and behind it those
// that are embedded in it. What an operation does to them its actions say.
//
// Ids are as paths have them, part by part: that of a table is the name of its database, a slash, and its own name.
package sight

import (
	"cmp"
	"iter"
	"net/url"
	"slices"
	"strings"

	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/specs"
)

// Entity is one of a kind, which is the name of its resource.
type Entity struct{ Kind, ID string }

// Names reads what the address of a request names.
type Names struct {
	Match *specs.Match
	Query url.Values
}

// ID returns the values of path parameters, or nothing if one of them is empty. A document of a user's own may give
// them other names than ours.
func (n Names) ID(parameters []string) string {
	parts := make([]string, 0, 4) // on the stack
	for _, name := range parameters {
		part := cmp.Or(n.Match.Param(name), n.Match.Declared(name))
		if part == "" {
			return ""
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "/")
}

// Target returns the entity that a request names for an action, which has no id if there is none.
func (n Names) Target(a *specs.Action) Entity {
	if a.Query != "" {
		return Entity{a.Resource.Name, n.Query.Get(a.Query)}
	}
	return Entity{a.Resource.Name, n.ID(a.Path)}
}

// Parent returns the entity that a request names as what the one of an action is a part of, likewise.
func (n Names) Parent(a *specs.Action) Entity { return Entity{a.Resource.Parent(), n.ID(a.Within)} }

// Answer is the body of an answer, for one action of its operation.
type Answer struct {
	Document *specs.Document
	Action   *specs.Action
	Body     jsontree.Value
	Parent   Entity // that the request names

	lists int // that were met so far
}

// Shown is an object of an entity.
type Shown struct {
	Resource *specs.Resource
	ID       string
	Object   jsontree.Value
	Whole    jsontree.Value // the object that it is embedded in
	Items    int            // the number of the list that it stands in, from 1; 0 if it stands in none
	IsApart  bool           // its id is in places of this operation's own, and so may be all else
}

// Shows yields what stands at all places that the action has.
func (x *Answer) Shows(yield func(Shown) bool) {
	for _, places := range [2][]specs.Pointer{x.Action.At, x.Action.Also} {
		for _, at := range places {
			if !x.follow(Shown{Resource: x.Action.Resource}, at, yield) {
				return
			}
		}
	}
}

// At yields what stands at one place.
func (x *Answer) At(at specs.Pointer) iter.Seq[Shown] {
	return func(yield func(Shown) bool) { x.follow(Shown{Resource: x.Action.Resource}, at, yield) }
}

// follow yields what a pointer leads to, in the whole of s if that has one. What is embedded has to be an object: there
// may be a reference in its place.
func (x *Answer) follow(s Shown, at specs.Pointer, yield func(Shown) bool) bool {
	r, value, isEmbedded := s.Resource, s.Whole, s.Whole.Exists()
	if !isEmbedded {
		value = x.Body
	}
	if n := len(at) - 1; n >= 0 && at[n] == "*" {
		x.lists++
		s.Items = x.lists
	}
	for object := range Values(value, at) {
		if s.Object, s.Resource = object, r; len(r.Types) > 0 {
			s.Resource = x.Document.ResourceOfType(object.Get("type").Text())
		}
		if s.Resource == nil || isEmbedded && !object.IsObject() {
			continue
		}
		if x.identify(&s); s.ID != "" && !x.show(s, yield) {
			return false
		}
	}
	return true
}

// show yields one object, and those that are embedded in it.
func (x *Answer) show(s Shown, yield func(Shown) bool) bool {
	if !yield(s) {
		return false
	}
	for _, link := range s.Resource.Embeds {
		embedded := x.Document.Resource(link.Resource)
		if embedded != nil && !x.follow(Shown{Resource: embedded, Whole: s.Object}, link.At, yield) {
			return false
		}
	}
	return true
}

// identify finds the id of an object: all of it, or its last part, which stands behind the id of the parent that the
// request names.
func (x *Answer) identify(s *Shown) {
	s.ID, s.IsApart = "", x.Action.Identity != nil && s.Resource == x.Action.Resource
	if s.IsApart {
		parts := make([]string, 0, 4) // on the stack
		for _, at := range x.Action.Identity {
			part := Text(s.Object, at)
			if part == "" {
				return
			}
			parts = append(parts, part)
		}
		s.ID = strings.Join(parts, "/")
		return
	}
	key := Text(s.Object, s.Resource.Keys[0])
	switch parent := s.Resource.Parent(); {
	case parent == "" || key == "":
		s.ID = key
	case parent == x.Parent.Kind && x.Parent.ID != "":
		s.ID = x.Parent.ID + "/" + key
	}
}

// IsNamed reports whether an id in a path may be that of the entity, by any of its keys.
func (s *Shown) IsNamed(id string) bool {
	above := ""
	if s.Resource.Parent() != "" {
		above = s.ID[:strings.LastIndexByte(s.ID, '/')+1]
	}
	return s.ID == id || !s.IsApart && slices.ContainsFunc(s.Resource.Keys, func(key specs.Pointer) bool {
		return above+Text(s.Object, key) == id
	})
}

// Values yields what a pointer leads to in a value.
func Values(value jsontree.Value, at specs.Pointer) iter.Seq[jsontree.Value] {
	return func(yield func(jsontree.Value) bool) {
		if at != nil && value.Exists() {
			each(value, at, yield)
		}
	}
}

func each(value jsontree.Value, at specs.Pointer, yield func(jsontree.Value) bool) bool {
	for i, token := range at {
		inner := value.Get(token)
		switch {
		case inner.Exists():
			value = inner
		case token == "*" && value.IsArray():
			for item := range value.Each {
				if !each(item, at[i+1:], yield) {
					return false
				}
			}
			return true
		default:
			return true
		}
	}
	return yield(value)
}

// Text returns the text at a pointer that leads to one value, or nothing.
func Text(value jsontree.Value, at specs.Pointer) (found string) {
	for v := range Values(value, at) {
		found = v.Text()
	}
	return found
}
