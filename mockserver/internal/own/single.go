package own

import (
	"net/http"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
)

// single is an object of which each path has one.
type single struct {
	name string // among the resources of things
	get  *success
}

// singleOf returns the object of an operation's path; nil if the operation neither shows nor changes one.
func (c *compiler) singleOf(o *specs.Operation) *single {
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
	c.single[o.Path] = &single{name: keptAt(get), get: s}
	return c.single[o.Path]
}

func (s *single) handler(o *specs.Operation, answer *success) op.Handler {
	switch o.Method {
	case http.MethodGet:
		return s.show
	case http.MethodPut, http.MethodPatch:
		return s.change(o, answer)
	case http.MethodDelete:
		return func(call *op.Call) (op.Reply, error) {
			if _, err := s.current(call); err != nil {
				return op.Reply{}, err
			}
			put(call, s.name, s.keys(call), jsontext.Value("null"))
			return answer.sample(call)
		}
	}
	return answer.sample
}

func (s *single) keys(call *op.Call) []string {
	return paramsOf(call, s.get.operation.PathParameters())
}

// current returns the object of the path: what was put there, or else a sample.
func (s *single) current(call *op.Call) (jsontext.Value, error) {
	if _, thing, ok := call.World.Own.Find(s.name, s.keys(call)); ok {
		if thing.Text.Kind() == 'n' {
			return nil, op.NotFound("object", "path", string(appendPath(nil, s.get.operation, s.keys(call))))
		}
		return thing.Text, nil
	}
	text, err := s.get.body(call, s.get.media, s.get.content)
	if err != nil {
		return nil, noHandler(err)
	}
	return text, nil
}

func (s *single) show(call *op.Call) (op.Reply, error) {
	text, err := s.current(call)
	if err != nil {
		return op.Reply{}, err
	}
	return s.get.tagged(call, s.get.reply(call, text), text), nil
}

func (s *single) change(o *specs.Operation, answer *success) op.Handler {
	r := &resource{spec: &specs.Resource{Name: s.name, Title: "object"}, schema: s.get.whole(), behaviour: &behaviour{}}
	w := newShower(r, answer, specs.Pointer{})
	u := updater{shower: w, verb: specs.Update, replaces: o.Method == http.MethodPut}
	return func(call *op.Call) (op.Reply, error) {
		thing := world.Thing{Keys: s.keys(call)}
		var err error
		if thing.Text, err = s.current(call); err == nil {
			err = w.precondition(call, thing)
		} else if o.Method == http.MethodPut {
			thing.Text, err = jsontext.Value("{}"), nil
		}
		if err == nil {
			thing.Text, err = u.changed(call, thing, membersOf(call.Body))
		}
		if err != nil {
			return op.Reply{}, err
		}
		put(call, s.name, thing.Keys, thing.Text)
		return w.show(call, thing)
	}
}
