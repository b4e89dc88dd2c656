package own

import (
	"mime"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
)

// keptAt returns the name, among the resources of things, of what the path of an operation stands for: an object that
// is there once, a mark such as a star, or bytes.
func keptAt(o *specs.Operation) string { return string(o.Interface) + " " + o.Path }

// put keeps what a path stands for.
func put(call *op.Call, name string, keys []string, text jsontext.Value) {
	id, thing, isThere := call.World.Own.Find(name, keys)
	if !isThere {
		id = call.World.NewThing(name)
	}
	call.World.Own.Keep(name, id, thing.Keys, world.Thing{Keys: keys, Text: text})
}

// kept returns the handler of an operation whose path stands for something; nil if it stands for nothing.
func (c *compiler) kept(o *specs.Operation, s *success) op.Handler {
	if one := c.singleOf(o); one != nil {
		return one.handler(o, s)
	}
	get, set := c.paths[o.Path][http.MethodGet], c.paths[o.Path][http.MethodPut]
	if set == nil {
		set = c.paths[o.Path][http.MethodPost]
	}
	switch {
	case get == nil || set == nil:
		return nil
	case get.IsBare() && set.IsBare() && get.Spec.Responses.Status(http.StatusNotFound) != nil:
		return marker{s, keptAt(o)}.handle
	case isOfBytes(get, set):
		return bytesOf{s, keptAt(o)}.handle
	}
	return nil
}

// isOfBytes reports whether one operation answers with what the other one is sent, and that is not JSON.
func isOfBytes(get, set *specs.Operation) bool {
	shows := newSuccess(get)
	if body := set.Spec.RequestBody; shows.media != "" || shows.response == nil || body == nil || body.Value == nil {
		return false
	}
	for media := range set.Spec.RequestBody.Value.Content {
		if strings.Contains(media, "json") || strings.Contains(media, "form") {
			return false
		}
	}
	return len(shows.response.Content) > 0
}

// marker sets, takes away and finds what a path stands for that is there or not, such as a star.
type marker struct {
	*success
	name string
}

func (m marker) handle(call *op.Call) (op.Reply, error) {
	keys := paramsOf(call, m.operation.PathParameters())
	id, _, isSet := call.World.Own.Find(m.name, keys)
	switch m.operation.Method {
	case http.MethodPut, http.MethodPost:
		put(call, m.name, keys, jsontext.Value("true"))
	case http.MethodDelete:
		if isSet {
			call.World.Drop(m.name, id, keys)
		}
	default:
		if !isSet {
			return op.Reply{}, op.NotFound("mark", "path", string(appendPath(nil, m.operation, keys)))
		}
	}
	return m.sample(call)
}

// bytesOf keeps the bytes that a path stands for, and shows them: a sample until a client has sent some.
type bytesOf struct {
	*success
	name string
}

// sent is a body as a client has sent it.
type sent struct {
	Type  string `json:"type"`
	Bytes []byte `json:"bytes"`
}

func (b bytesOf) handle(call *op.Call) (op.Reply, error) {
	keys := paramsOf(call, b.operation.PathParameters())
	_, thing, isKnown := call.World.Own.Find(b.name, keys)
	isGone := isKnown && thing.Text.Kind() == 'n'
	switch b.operation.Method {
	case http.MethodPut, http.MethodPost:
		text, _ := json.Marshal(sent{call.Header("Content-Type"), call.Raw})
		put(call, b.name, keys, text)
	case http.MethodDelete, http.MethodGet:
		if isGone {
			return op.Reply{}, op.NotFound("content", "path", string(appendPath(nil, b.operation, keys)))
		}
		if b.operation.Method == http.MethodDelete {
			put(call, b.name, keys, jsontext.Value("null"))
		} else if isKnown {
			return b.show(call, thing)
		}
	}
	return b.sample(call)
}

func (b bytesOf) show(call *op.Call, thing world.Thing) (op.Reply, error) {
	var body sent
	if err := json.Unmarshal(thing.Text, &body); err != nil {
		return op.Reply{}, err
	}
	media, _ := b.pick(call)
	if plain, _, err := mime.ParseMediaType(body.Type); err == nil && b.response.Content.Get(plain) != nil {
		media = body.Type // as it was sent, if it may be
	}
	reply := op.Reply{Status: b.status, Bytes: body.Bytes, Type: media, Header: b.headers(call)}
	return b.tagged(call, reply, body.Bytes), nil
}

// removeKept takes away what paths below a thing stand for that is deleted.
func (c *compiler) removeKept(call *op.Call, r *specs.Resource, thing world.Thing) {
	for _, name := range c.below[r.Name] {
		if id, _, isSet := call.World.Own.Find(name, thing.Keys); isSet {
			call.World.Drop(name, id, thing.Keys)
		}
		for id, kept := range call.World.Own.Below(name, thing.Keys) {
			call.World.Drop(name, id, kept.Keys)
		}
	}
}
