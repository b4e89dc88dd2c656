package control

import (
	"bytes"
	"net/http"
	"slices"
	"strings"

	"svc.example/understudy/internal/address"
	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/mockserver/internal/journal"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/sight"
	"svc.example/understudy/specs/source"
)

// resource is one resource, as the documents describe its kind.
type resource struct {
	sight.Entity
	last string // part of its id

	tree jsontree.Tree
	body jsontree.Value // at hand
}

// newResource reads the name of a resource: its kind, with the interface, and its id.
func (h Host) newResource(name string) (*resource, error) {
	kind, id, _ := strings.Cut(name, "/")
	iface, _, _ := strings.Cut(kind, ".")
	if !slices.Contains(h.Documents.Names, specs.Interface(iface)) {
		return nil, op.Invalid("resource", "unknown interface %q; want a kind and an id such as workflow.pool/3", iface)
	}
	document, err := h.Documents.Of(specs.Interface(iface))
	if err != nil {
		return nil, err
	}
	if document.Resource(kind) == nil {
		var known []string
		for _, r := range document.Resources() {
			known = append(known, r.Name)
		}
		return nil, op.Invalid("resource", "unknown kind %q; want %s", kind, source.OneOf(kind, known))
	}
	return &resource{Entity: sight.Entity{Kind: kind, ID: id}, last: id[strings.LastIndexByte(id, '/')+1:]}, nil
}

// isIn reports whether an exchange is about the resource: its path or query names it, or a part of it; its answer shows
// it; or its request refers to it.
func (r *resource) isIn(e *journal.Entry) bool {
	if e.Operation == nil || r.ID == "" || !r.mayBeIn(e) {
		return false
	}
	n, document, actions := namesOf(e), e.Operation.Document, e.Operation.Actions()
	isNamed := func(a *specs.Action) bool { return r.isNamed(n, a, document) }
	request := func(a *specs.Action) bool { return r.isReferredTo(a, r.body) }
	answer := func(a *specs.Action) bool {
		return r.isShown(&sight.Answer{Document: document, Action: a, Body: r.body, Parent: n.Parent(a)})
	}
	return slices.ContainsFunc(actions, isNamed) ||
		r.read(e.RequestBody) && slices.ContainsFunc(actions, request) ||
		e.Status < http.StatusMultipleChoices && r.read(e.ResponseBody) && slices.ContainsFunc(actions, answer)
}

// mayBeIn reports whether the last part of the id occurs in an exchange, if that is written everywhere alike.
func (r *resource) mayBeIn(e *journal.Entry) bool {
	isOrdinary := func(r rune) bool {
		return r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	if strings.TrimFunc(r.last, isOrdinary) != "" {
		return true
	}
	last := []byte(r.last)
	return strings.Contains(e.URL, r.last) || bytes.Contains(e.RequestBody, last) || bytes.Contains(e.ResponseBody, last)
}

// namesOf reads what the address of an exchange names, as far as it can be parsed.
func namesOf(e *journal.Entry) sight.Names {
	m := e.Operation.Document.Find(e.Method, e.Path)
	_, raw, _ := strings.Cut(e.URL, "?")
	query, _ := address.Query(raw)
	return sight.Names{Match: &m, Query: query}
}

// isNamed reports whether the path or the query names the resource, or a part of it.
func (r *resource) isNamed(n sight.Names, a *specs.Action, d *specs.Document) bool {
	if n.Target(a) == r.Entity {
		return true
	}
	for up, names := d.Resource(a.Resource.Parent()), a.Within; up != nil; up = d.Resource(up.Parent()) {
		names = names[:min(len(names), len(up.Path))]
		if (sight.Entity{Kind: up.Name, ID: n.ID(names)}) == r.Entity {
			return true
		}
	}
	return false
}

// isReferredTo reports whether a request makes something a part of the resource, or lets something refer to it.
func (r *resource) isReferredTo(a *specs.Action, request jsontree.Value) bool {
	for _, link := range slices.Concat(a.Resource.Parents, a.Resource.Refers) {
		for value := range sight.Values(request, a.Request.Join(link.At)) {
			if (sight.Entity{Kind: link.Resource, ID: value.Text()}) == r.Entity {
				return true
			}
		}
	}
	return false
}

// isShown reports whether an answer shows the resource, by whatever of its keys.
func (r *resource) isShown(answer *sight.Answer) bool {
	for s := range answer.Shows {
		if s.Resource.Name == r.Kind && s.IsNamed(r.ID) {
			return true
		}
	}
	return false
}

// read reads a body, in the place of the one before, and reports whether it is JSON.
func (r *resource) read(body []byte) bool {
	r.body = r.tree.Read(string(body))
	return r.body.Exists()
}
