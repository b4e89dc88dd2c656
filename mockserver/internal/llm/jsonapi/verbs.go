package jsonapi

import (
	"strings"

	"svc.example/understudy/mockserver/internal/op"
)

// Verb is one of the five generic operations.
type Verb string

// The five generic operations.
const (
	List   Verb = "GET /api/{kind}"
	Create Verb = "POST /api/{kind}"
	Get    Verb = "GET /api/{kind}/{id}"
	Update Verb = "PATCH /api/{kind}/{id}"
	Remove Verb = "DELETE /api/{kind}/{id}"
)

// Routes returns the routes of a kind for the given generic operations, those that the document has.
func (r Relations) Routes(k *Kind, verbs ...Verb) []op.Route {
	path, routes := Snake(k.Type), make([]op.Route, len(verbs))
	for i, v := range verbs {
		routes[i] = op.Route{Path: strings.Replace(string(v), "{kind}", path, 1), Handle: r.handler(k, v)}
	}
	return routes
}

func (r Relations) handler(k *Kind, v Verb) op.Handler {
	switch v {
	case List:
		return r.Including(k.List)
	case Create:
		return k.Create
	case Update:
		return k.Update
	case Remove:
		return k.Delete
	case Get:
		return r.Including(k.VisibleOnly(k.Get))
	}
	panic("no such verb: " + v)
}
