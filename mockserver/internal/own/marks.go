package own

import (
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
)

// marker sets, takes away and finds a mark of a thing, such as a star, for which a path below the thing stands.
type marker struct {
	*success
	resource *resource
	name     string // among the resources of things
}

// markOf returns the name under which the marks of a path are remembered.
func markOf(r *specs.Resource, o *specs.Operation) string { return r.Name + " " + o.Path }

func (m marker) handle(call *op.Call) (op.Reply, error) {
	if _, _, err := m.resource.find(call); err != nil {
		return op.Reply{}, err
	}
	keys := paramsOf(call, m.operation.PathParameters())
	id, _, isSet := call.World.Own.Find(m.name, keys)
	switch m.operation.Method {
	case http.MethodPut, http.MethodPost:
		if !isSet {
			mark := world.Thing{Keys: keys, Text: jsontext.Value("true")}
			call.World.Own.Keep(m.name, call.World.NewID(m.name), nil, mark)
		}
	case http.MethodDelete:
		if isSet {
			call.World.Own.Drop(m.name, id, keys)
		}
	default:
		if !isSet {
			return op.Reply{}, op.NotFound("mark", "path", string(appendPath(nil, m.operation, keys)))
		}
	}
	return m.sample(call)
}

// removeMarks takes away the marks of a thing that is deleted.
func (c *compiler) removeMarks(call *op.Call, r *specs.Resource, thing world.Thing) {
	for _, name := range c.marks[r.Name] {
		if id, _, isSet := call.World.Own.Find(name, thing.Keys); isSet {
			call.World.Own.Drop(name, id, thing.Keys)
		}
		for id, mark := range call.World.Own.Below(name, thing.Keys) {
			call.World.Own.Drop(name, id, mark.Keys)
		}
	}
}
