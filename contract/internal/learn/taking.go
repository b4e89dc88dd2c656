package learn

import (
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"svc.example/understudy/specs"
)

// taking takes one action of an exchange.
type taking struct {
	*things
	*Exchange
	action  *specs.Action
	isFirst bool
}

// path returns the values of path parameters, or nothing if one of them is not there.
func (x *taking) path(names []string) string {
	parts := make([]string, len(names))
	for i, name := range names {
		if parts[i] = x.Owner.Match.Param(name); parts[i] == "" {
			return ""
		}
	}
	return strings.Join(parts, "/")
}

// target takes the thing that the path names.
func (x *taking) target() {
	a := x.action
	if in := x.path(a.Within); in != "" && a.Resource.Parent() != "" {
		x.use(x.get(a.Resource.Parent(), in))
	}
	id := x.path(a.Path)
	if a.Query != "" {
		id = queryOf(x.Exchange).Get(a.Query)
	}
	if id == "" || !x.ok() {
		return
	}
	switch kind := a.Resource.Name; {
	case a.Verb == specs.Create:
		if t := x.current[nameOf(kind, id)]; t == nil {
			x.get(kind, id).made = x.Exchange
		}
	case a.Verb == specs.Delete:
		t := x.get(kind, id)
		x.use(t)
		x.remove(t, x.Exchange)
	case moves[x.name()] != nil && x.current[nameOf(kind, id)] == nil: // the request has given it another id
	case a.Verb != "" || a.Reads || a.Changes:
		x.use(x.get(kind, id))
	}
}

func (x *taking) use(t *thing) {
	if t.used == nil && t.made == nil {
		t.used = x.Exchange
	}
}

// show takes an object of the answer.
func (x *taking) show(r *specs.Resource, object gjson.Result) {
	if len(r.Types) > 0 || object.Get("type").Type == gjson.String && len(x.action.Also) > 0 {
		if r = x.Operation().Document.ResourceOfType(object.Get("type").Str); r == nil {
			return
		}
	}
	id := x.idOf(r, object)
	if id == "" {
		return
	}
	isKnown := x.current[nameOf(r.Name, id)] != nil
	t := x.get(r.Name, id)
	born := bornOf(r, object)
	isNew := born.IsZero() || !born.Before(x.At.Add(-2*time.Second).Truncate(time.Second))
	switch {
	case isKnown && (len(t.sights) > 0 || t.made != nil):
	case x.isFirst && x.action.Verb == specs.Create && x.ok() && isNew:
		t.made = x.Exchange
	case x.action.Verb == "" && isWrite(x.Exchange) && x.ok() && isNew && !born.IsZero():
		t.made = x.Exchange // as a backfill and the run of an integration make attempts
	case born.After(x.begin), r.Name == tableKind && x.recovered[object.Get("id").String()]:
		t.late = true
	}
	changes := x.isFirst && (x.action.Verb == specs.Update || x.action.Changes) && x.ok()
	if changes {
		x.change(t)
	}
	var changed []string
	for name := range t.changed {
		changed = append(changed, name)
	}
	slices.Sort(changed)
	t.sights = append(t.sights, sight{x.Exchange, object, changed})
	for _, link := range r.Embeds {
		embedded := x.Operation().Document.Resource(link.Resource)
		each(object, link.At, func(inner gjson.Result) {
			if embedded != nil && inner.IsObject() {
				x.show(embedded, inner)
			}
		})
	}
}

// change notes the members that a request sets.
func (x *taking) change(t *thing) {
	body, ok := x.JSONRequest()
	if !ok {
		return
	}
	each(body, x.action.Request, func(object gjson.Result) {
		if attributes := object.Get("attributes"); attributes.IsObject() {
			object = attributes
		}
		object.ForEach(func(name, _ gjson.Result) bool {
			t.changed[name.Str] = true
			return true
		})
	})
}

// idOf returns the id of an object, with that of what the path names as its parent.
func (x *taking) idOf(r *specs.Resource, object gjson.Result) string {
	if x.action.Identity != nil && r == x.action.Resource {
		parts := make([]string, len(x.action.Identity))
		for i, at := range x.action.Identity {
			if parts[i] = textAt(object, at); parts[i] == "" {
				return ""
			}
		}
		return strings.Join(parts, "/")
	}
	key := textAt(object, r.Keys[0])
	if r.Parent() == "" || key == "" {
		return key
	}
	if in := x.path(x.action.Within); in != "" {
		return in + "/" + key
	}
	return ""
}

func bornOf(r *specs.Resource, object gjson.Result) (born time.Time) {
	for _, at := range r.Created {
		if t := instant(textAt(object, at)); !t.IsZero() {
			born = t
		}
	}
	return born
}

// each passes on whatever stands at a pointer.
func each(value gjson.Result, at specs.Pointer, do func(gjson.Result)) {
	if at == nil || !value.Exists() {
		return
	}
	for i, token := range at {
		if token == "*" {
			value.ForEach(func(_, item gjson.Result) bool {
				each(item, at[i+1:], do)
				return true
			})
			return
		}
		if value = value.Get(gjson.Escape(token)); !value.Exists() {
			return
		}
	}
	do(value)
}

// textAt returns the text at a pointer that leads to one value, or nothing.
func textAt(object gjson.Result, at specs.Pointer) (found string) {
	each(object, at, func(value gjson.Result) { found = value.String() })
	return found
}
