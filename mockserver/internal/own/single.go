package own

import (
	"net/http"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
)

// singleOf returns the object of which each path of an operation has one, as the operation that gets it deals with it;
// nil if there is none.
func (c *compiler) singleOf(o *specs.Operation) *kept {
	if one, known := c.single[o.Path]; known {
		return one
	}
	byMethod := c.paths[o.Path]
	c.single[o.Path] = nil
	get := byMethod[http.MethodGet]
	if get == nil || byMethod[http.MethodPut] == nil && byMethod[http.MethodPatch] == nil {
		return nil
	}
	s := newSuccess(get)
	if s.schema() == nil || s.schema().Value == nil || s.schema().Value.Type.Is(openapi3.TypeArray) {
		return nil
	}
	c.single[o.Path] = &kept{s, keptAt(get)}
	return c.single[o.Path]
}

func (k kept) handler(o *specs.Operation, answer *success) op.Handler {
	switch o.Method {
	case http.MethodGet:
		return k.show
	case http.MethodPut, http.MethodPatch:
		return k.change(o, answer)
	case http.MethodDelete:
		return func(call *op.Call) (op.Reply, error) {
			if _, err := k.current(call); err != nil {
				return op.Reply{}, err
			}
			put(call, k.name, k.keys(call), jsontext.Value("null"))
			return answer.sample(call)
		}
	}
	return answer.sample
}

// current returns the object of the path: what was put there, or else a sample.
func (k kept) current(call *op.Call) (jsontext.Value, error) {
	if _, object, ok := call.World.Own.Find(k.name, k.keys(call)); ok {
		if object.Text.Kind() == 'n' {
			return nil, k.missing(call, "object")
		}
		return object.Text, nil
	}
	text, err := k.body(call, k.media, k.content)
	if err != nil {
		return nil, noHandler(err)
	}
	return text, nil
}

func (k kept) show(call *op.Call) (op.Reply, error) {
	text, err := k.current(call)
	if err != nil {
		return op.Reply{}, err
	}
	return k.tagged(call, k.reply(call, text), text), nil
}

func (k kept) change(o *specs.Operation, answer *success) op.Handler {
	r := &resource{spec: &specs.Resource{Name: k.name, Title: "object"}, schema: k.whole(), behaviour: &behaviour{}}
	w := newShower(r, answer, specs.Pointer{})
	u := updater{shower: w, verb: specs.Update, replaces: o.Method == http.MethodPut}
	return func(call *op.Call) (op.Reply, error) {
		object := world.Object{Keys: k.keys(call)}
		var err error
		if object.Text, err = k.current(call); err == nil {
			err = w.precondition(call, object)
		} else if o.Method == http.MethodPut {
			object.Text, err = jsontext.Value("{}"), nil
		}
		if err == nil {
			object.Text, err = u.changed(call, object, membersOf(call.Body))
		}
		if err != nil {
			return op.Reply{}, err
		}
		put(call, k.name, object.Keys, object.Text)
		return w.show(call, object)
	}
}
