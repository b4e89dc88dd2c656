package own

import (
	"net/http"
	"slices"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
)

// The media types of RFC 6902 and RFC 7396.
const (
	mediaPatch = "application/json-patch+json"
	mediaMerge = "application/merge-patch+json"
)

// updater changes an object.
type updater struct {
	*shower
	verb     string // update, or a word for an action
	replaces bool   // what the request leaves out is gone
	makes    bool   // one that is not there is made
	isPatch  bool   // the request is a JSON Patch, whatever its media type
	clears   bool   // null takes away what may be null as well
	namesKey bool   // the document describes the key in the request, so that one that is sent counts
	states   []specs.State
}

// as returns an updater that updates as a resource says.
func (u updater) as(update string) updater {
	switch {
	case u.verb != specs.Update || update == "":
	case update == "json-patch":
		u.isPatch = true
	default:
		u.replaces = update == "replace"
	}
	return u
}

func (u updater) handle(call *op.Call) (op.Reply, error) {
	given := u.given(call, u.resource.request)
	keys := paramsOf(call, u.resource.path)
	if len(keys) == 0 { // the body names it
		var err error
		if keys, err = u.resource.parents(call, given); err != nil {
			return op.Reply{}, err
		}
		if text, ok := textOf(valueAt(given, u.resource.key)); ok {
			keys = append(keys, text)
		}
	}
	id, object, err := u.resource.findKeys(call, keys)
	if err != nil {
		if u.makes && len(keys) > 0 && u.resource.isKeyOf(keys[len(keys)-1]) {
			return u.create(call, given, keys)
		}
		return op.Reply{}, err
	}
	if err := u.precondition(call, object); err != nil {
		return op.Reply{}, err
	}
	if err := u.resource.refuse(given, &object); err != nil {
		return op.Reply{}, err
	}
	before := object
	if object.Text, err = u.changed(call, object, given); err != nil {
		return op.Reply{}, err
	}
	if object.Keys, err = u.resource.renamed(call, object); err != nil {
		return op.Reply{}, err
	}
	if err := u.resource.settle(call, u.verb, id, before, object); err != nil {
		return op.Reply{}, err
	}
	call.World.Own.Keep(u.resource.spec.Name, id, before.Keys, object)
	return u.showMade(call, object)
}

// create makes the object that a PUT names.
func (u updater) create(call *op.Call, given []member, keys []string) (op.Reply, error) {
	if err := u.resource.refuse(given, nil); err != nil {
		return op.Reply{}, err
	}
	object, err := u.resource.make(call, given, keys)
	if err == nil {
		err = u.resource.settle(call, specs.Create, 0, world.Object{}, object)
	}
	if err != nil {
		return op.Reply{}, err
	}
	call.World.Own.Keep(u.resource.spec.Name, call.World.NewObject(u.resource.spec.Name), nil, object)
	w := *u.shower
	w.success = u.instead(http.StatusCreated)
	return w.showMade(call, object)
}

// changed returns what an object is after the request.
func (u updater) changed(call *op.Call, object world.Object, given []member) (jsontext.Value, error) {
	o := u.resource.schema
	if (u.isPatch || strings.HasPrefix(call.Header("Content-Type"), mediaPatch)) && !u.mergesPatch(call) {
		return u.patched(call, object)
	}
	if strings.HasPrefix(call.Header("Content-Type"), mediaMerge) {
		u.replaces, u.clears = false, true
	}
	list := membersOf(object.Text)
	if u.replaces && u.verb == specs.Update {
		list = slices.DeleteFunc(list, func(m member) bool {
			isMade := u.resource.isKey(m.name) || u.resource.isOfPath(m.name) || slices.ContainsFunc(o.fills, func(f fill) bool {
				return f.name == m.name && f.clock != "" && !f.isUpdate
			})
			return !isMade && !u.resource.isManaged(m.name)
		})
	}
	for _, m := range given {
		isKept := u.resource.isManaged(m.name) || u.resource.isOfPath(m.name) || u.resource.isKey(m.name) && !u.namesKey
		if !isKept && o.has(m.name) {
			list = u.merge(list, m)
		}
	}
	if key := u.resource.key; len(key) > 1 && (!u.namesKey || valueAt(list, key) == nil) {
		list = u.resource.named(list, object.Keys)
	}
	for _, f := range o.fills {
		if f.standard != nil && u.replaces && u.verb == specs.Update && index(list, f.name) < 0 {
			list = append(list, member{f.name, f.standard})
		}
	}
	if u.verb != specs.Update {
		list = o.enter(call, list, u.states)
		o.inside(list, func(o *objectSchema, list []member) []member {
			return o.enter(call, list, specs.Entered(&openapi3.SchemaRef{Value: o.schema}, u.verb))
		})
	}
	return u.finish(call, object, list)
}

// merge sets a member. Objects are merged, and null takes away what cannot be null; all of it is as RFC 7396 has it
// where the request is of its media type.
func (u updater) merge(list []member, m member) []member {
	o, i := u.resource.schema, index(list, m.name)
	part := o.members[m.name]
	switch {
	case m.value.Kind() == 'n' && (part == nil || part.Value == nil || !part.Value.PermitsNull() ||
		u.clears && !isRequired(o.schema, m.name)):
		if i >= 0 {
			list = slices.Delete(list, i, i+1)
		}
		return list
	case !u.replaces && m.value.Kind() == '{' && (i >= 0 && list[i].value.Kind() == '{' || u.clears):
		before := []byte("{}")
		if i >= 0 && list[i].value.Kind() == '{' {
			before = list[i].value
		}
		if merged, err := jsonpatch.MergePatch(before, m.value); err == nil {
			m.value = merged
		}
	}
	return set(list, m.name, m.value)
}

// patched applies a JSON Patch. One that cannot be applied changes nothing.
func (u updater) patched(call *op.Call, object world.Object) (jsontext.Value, error) {
	patch, err := jsonpatch.DecodePatch(call.Body)
	if err != nil && u.isOfItsOwn(call.Body) {
		return u.finish(call, object, membersOf(object.Text))
	}
	if err != nil {
		return nil, op.Invalid("", "the JSON Patch cannot be read: %v", err)
	}
	text, err := patch.Apply(object.Text)
	if err != nil {
		return nil, op.Conflict("the JSON Patch cannot be applied: %v", err)
	}
	if !u.resource.schema.fits(text) {
		return nil, op.Unprocessable("", "the %s does not fit its schema after the JSON Patch", u.resource.spec.Title)
	}
	return u.finish(call, object, membersOf(text))
}

// mergesPatch reports whether the body of a JSON Patch is an object, as the document describes it, and so to be merged.
func (u updater) mergesPatch(call *op.Call) bool {
	if u.operation.Spec.RequestBody == nil || u.operation.Spec.RequestBody.Value == nil {
		return false
	}
	media := u.operation.Spec.RequestBody.Value.Content[mediaPatch]
	return media != nil && media.Schema != nil && media.Schema.Value.Type.Is(openapi3.TypeObject) &&
		jsontext.Value(call.Body).Kind() == '{'
}

// isOfItsOwn reports whether a patch has operations that the document describes and RFC 6902 does not. What they change
// is not known.
func (u updater) isOfItsOwn(patch []byte) bool {
	var operations []struct {
		Op string `json:"op"`
	}
	if json.Unmarshal(patch, &operations) != nil {
		return false
	}
	for _, one := range operations {
		if !slices.Contains([]string{"add", "remove", "replace", "move", "copy", "test", ""}, one.Op) {
			return true
		}
	}
	return false
}

// finish sets when the object was changed, and holds it against its schema.
func (u updater) finish(call *op.Call, object world.Object, list []member) (jsontext.Value, error) {
	for _, f := range u.resource.schema.fills {
		if f.isUpdate {
			list = set(list, f.name, f.clock.text(call.Now))
		}
	}
	for _, t := range u.resource.behaviour.touched {
		list = set(list, t.name, t.clock.text(call.Now))
	}
	if u.makes { // what the path names, whatever the body calls it
		list = u.resource.named(list, object.Keys)
	}
	list, err := u.resource.restore(list, object)
	if err != nil {
		return nil, err
	}
	text, err := u.resource.schema.change(
		making{call: call, resource: u.resource.spec.Name, keys: object.Keys}, object.Text, list)
	if err != nil {
		return nil, noHandler(err)
	}
	return text, nil
}

// enter sets the states that an action leads to.
func (o *objectSchema) enter(call *op.Call, list []member, states []specs.State) []member {
	for _, state := range states {
		i := index(list, state.Member)
		if had, _ := textOf(valueAt(list, specs.Pointer{state.Member})); state.Of != nil && !slices.Contains(state.Of, had) {
			continue
		}
		switch part := o.members[state.Member].Value; {
		case state.IsTime:
			list = set(list, state.Member, o.timed([]string{state.Member})[0].clock.text(call.Now))
		case state.Value != nil || part.PermitsNull():
			value, _ := json.Marshal(state.Value)
			list = set(list, state.Member, value)
		case i >= 0:
			list = slices.Delete(list, i, i+1)
		}
	}
	return list
}

// renamed returns the keys of an object, whose key may have been changed.
func (r *resource) renamed(call *op.Call, object world.Object) ([]string, error) {
	key, ok := textOf(valueAt(membersOf(object.Text), r.key))
	last := len(object.Keys) - 1
	if !ok || key == object.Keys[last] {
		return object.Keys, nil
	}
	keys := append(slices.Clone(object.Keys[:last]), key)
	if _, _, isTaken := call.World.Own.Find(r.spec.Name, keys); isTaken {
		return nil, op.Conflict("%s with %s %s exists already", r.spec.Title, r.keyName(), key)
	}
	return keys, nil
}
