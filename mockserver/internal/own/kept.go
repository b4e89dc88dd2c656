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

// keptAt returns the name, among the resources of objects, of what the path of an operation stands for: an object that
// is there once, a mark such as a star, or bytes.
func keptAt(o *specs.Operation) string { return string(o.Interface) + " " + o.Path }

// put keeps what a path stands for.
func put(call *op.Call, name string, keys []string, text jsontext.Value) {
	id, object, isThere := call.World.Own.Find(name, keys)
	if !isThere {
		id = call.World.NewObject(name)
	}
	call.World.Own.Keep(name, id, object.Keys, world.Object{Keys: keys, Text: text})
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
		return kept{s, keptAt(o)}.mark
	case isOfBytes(get, set):
		return kept{s, keptAt(o)}.bytes
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

// kept describes what the paths of an operation stand for.
type kept struct {
	*success
	name string // among the resources of objects
}

func (k kept) keys(call *op.Call) []string { return paramsOf(call, k.operation.PathParameters()) }

// missing returns the error of a path that stands for nothing.
func (k kept) missing(call *op.Call, noun string) error {
	return op.NotFound(noun, "path", string(appendPath(nil, k.operation, k.keys(call))))
}

// mark sets, takes away and finds what is there or not, such as a star.
func (k kept) mark(call *op.Call) (op.Reply, error) {
	keys := k.keys(call)
	id, _, isSet := call.World.Own.Find(k.name, keys)
	switch k.operation.Method {
	case http.MethodPut, http.MethodPost:
		put(call, k.name, keys, jsontext.Value("true"))
	case http.MethodDelete:
		if isSet {
			call.World.Drop(k.name, id, keys)
		}
	default:
		if !isSet {
			return op.Reply{}, k.missing(call, "mark")
		}
	}
	return k.sample(call)
}

// sent is a body as a client has sent it.
type sent struct {
	Type  string `json:"type"`
	Bytes []byte `json:"bytes"`
}

// bytes keeps a body that is not JSON, and shows it: a sample until a client has sent one.
func (k kept) bytes(call *op.Call) (op.Reply, error) {
	keys := k.keys(call)
	_, object, isKnown := call.World.Own.Find(k.name, keys)
	isGone := isKnown && object.Text.Kind() == 'n'
	switch k.operation.Method {
	case http.MethodPut, http.MethodPost:
		text, _ := json.Marshal(sent{call.Header("Content-Type"), call.Raw})
		put(call, k.name, keys, text)
	case http.MethodDelete, http.MethodGet:
		if isGone {
			return op.Reply{}, k.missing(call, "content")
		}
		if k.operation.Method == http.MethodDelete {
			put(call, k.name, keys, jsontext.Value("null"))
		} else if isKnown {
			return k.showSent(call, object)
		}
	}
	return k.sample(call)
}

func (k kept) showSent(call *op.Call, object world.Object) (op.Reply, error) {
	var body sent
	if err := json.Unmarshal(object.Text, &body); err != nil {
		return op.Reply{}, err
	}
	media, _ := k.pick(call)
	if plain, _, err := mime.ParseMediaType(body.Type); err == nil && k.response.Content.Get(plain) != nil {
		media = body.Type // as it was sent, if it may be
	}
	reply := op.Reply{Status: k.status, Bytes: body.Bytes, Type: media, Header: k.headers(call)}
	return k.tagged(call, reply, body.Bytes), nil
}

// removeKept takes away what paths below an object stand for that is deleted.
func (c *compiler) removeKept(call *op.Call, r *specs.Resource, object world.Object) {
	for _, name := range c.below[r.Name] {
		if id, _, isSet := call.World.Own.Find(name, object.Keys); isSet {
			call.World.Drop(name, id, object.Keys)
		}
		for id, kept := range call.World.Own.Below(name, object.Keys) {
			call.World.Drop(name, id, kept.Keys)
		}
	}
}
