package facts

import (
	"slices"
	"strconv"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/internal/memo"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/sight"
)

// Setting is the value of a member that stays as a request has set it.
type Setting struct {
	Member string
	Value  uint64 // the same for the same value
	IsText bool
}

// settable holds the members of a resource's objects that requests set and that nothing else is likely to change.
type settable struct {
	within  specs.Pointer     // where they stand in an object: at its top, or in its attributes, as JSON:API has them
	members map[string]string // their names
}

var settables memo.Map[*specs.Resource, *settable]

// settableOf returns those members. Texts of which the document lists the values are not among them: the platform may
// go from one to the next.
func settableOf(d *specs.Document, r *specs.Resource) *settable {
	return settables.Of(r, func() *settable { return newSettable(d, r) })
}

func newSettable(d *specs.Document, r *specs.Resource) *settable {
	s := &settable{within: specs.Pointer{}, members: map[string]string{}}
	shown := specs.Members(d.ObjectSchema(r))
	if inner := specs.Members(shown["attributes"]); len(inner) > 0 {
		s.within, shown = specs.Pointer{"attributes"}, inner
	}
	for _, op := range d.Operations {
		actions := op.Actions()
		if len(actions) == 0 || actions[0].Resource != r || actions[0].Request == nil {
			continue
		}
		if a := actions[0]; a.Verb == specs.Create || a.Verb == specs.Update {
			at := a.Request.Join(s.within)
			for name := range specs.Members(specs.SchemaAt(&openapi3.SchemaRef{Value: op.JSONBody()}, at)) {
				if stays(r, s.within.Join(specs.Pointer{name}), shown[name]) {
					s.members[name] = name
				}
			}
		}
	}
	return s
}

// stays reports whether a member of a resource has one value that stays until a request changes it.
func stays(r *specs.Resource, at specs.Pointer, ref *openapi3.SchemaRef) bool {
	isKey := func(key specs.Pointer) bool { return slices.Equal(key, at) }
	if ref == nil || ref.Value == nil || slices.ContainsFunc(r.Keys, isKey) {
		return false
	}
	s, b, text := ref.Value, r.Behaviour, at.String()
	_, begins := b.Make.Begin[text]
	isMade := begins || slices.Contains(b.Make.Now, text) || slices.Contains(b.Touch.Now, text)
	isScalar := s.Type.Is("string") || s.Type.Is("boolean") || s.Type.Is("number") || s.Type.Is("integer")
	isListed := len(s.Enum) > 0 || slices.Contains([]string{"status", "state", "phase"}, at[len(at)-1])
	isMoment := s.Format == "date" || s.Format == "date-time"
	return isScalar && !isListed && !isMoment && !isMade && !s.ReadOnly && !s.WriteOnly
}

// settings returns what an object has of the members that stay, and when it was made, without those that a recorder has
// put something in the place of. What is made anew under the name of another has another time.
func (o *objectReader) settings(r *specs.Resource, born time.Time, object jsontree.Value) (list []Setting) {
	if !born.IsZero() && !r.IsNamed() {
		at := r.Created[0]
		list = append(list, Setting{at[len(at)-1], uint64(born.Unix()), true})
	}
	s := settableOf(o.document, r)
	if len(s.members) == 0 {
		return list
	}
	for member := range object.Get(s.within...).Each {
		name, isScalar := s.members[member.Key()], !member.IsObject() && !member.IsArray()
		if name != "" && isScalar && !isPlaced(member.Plain()) {
			list = append(list, settingOf(name, member))
		}
	}
	return list
}

func settingOf(name string, value jsontree.Value) Setting {
	switch {
	case value.IsString():
		return Setting{name, Hash(value.Plain()), true}
	case value.IsNumber():
		return Setting{name, Hash(strconv.FormatFloat(value.Float(), 'g', -1, 64)), false}
	}
	return Setting{name, Hash(value.Raw()), false}
}

// forgetUnset takes away the settings of what a request was to set to something else than its answer shows: that
// may have become so since.
func (e *Exchange) forgetUnset(d *specs.Document, a *specs.Action, r *reading) {
	body, isJSON := r.requestBody()
	hasBody := r.Item.Request.Body != nil && len(r.Item.Request.Body.Bytes) > 0
	for value := range sight.Values(body, a.Request.Join(settableOf(d, a.Resource).within)) {
		body = value
	}
	for i := range e.Shows {
		f := &e.Shows[i]
		if f.Entity.Kind != e.Kind {
			continue
		}
		f.Set = slices.DeleteFunc(f.Set, func(s Setting) bool {
			asked := body.Get(s.Member)
			return hasBody && !(isJSON && body.IsObject()) || r.query().Has(s.Member) ||
				asked.Exists() && settingOf(s.Member, asked) != s
		})
	}
}
