package llm

import (
	"strings"

	"svc.example/understudy/mockserver/internal/op"
)

// verb is one of the generic five.
type verb string

const (
	list   verb = "GET /api/{kind}"
	create verb = "POST /api/{kind}"
	get    verb = "GET /api/{kind}/{id}"
	update verb = "PATCH /api/{kind}/{id}"
	remove verb = "DELETE /api/{kind}/{id}"
)

// routes returns those of the generic five that the document has for a kind.
func (r relations) routes(k *kind, verbs ...verb) []op.Route {
	path, routes := snake(k.Type), make([]op.Route, len(verbs))
	for i, v := range verbs {
		routes[i] = op.Route{Path: strings.Replace(string(v), "{kind}", path, 1), Rule: r.rule(k, v)}
	}
	return routes
}

func (r relations) rule(k *kind, v verb) op.Rule {
	switch v {
	case list:
		return r.including(k.List)
	case create:
		return k.Create
	case update:
		return k.Update
	case remove:
		return k.Delete
	case get:
		return r.including(k.visibleOnly(k.Get))
	}
	panic("no such verb: " + v)
}
