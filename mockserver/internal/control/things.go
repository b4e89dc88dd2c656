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

// thing is one resource, as the documents describe its kind.
type thing struct {
	sight.Thing
	last string // part of its id

	tree jsontree.Tree
	body jsontree.Value // at hand
}

// newThing reads the name of a thing: its kind, with the interface, and its id.
func (h Host) newThing(name string) (*thing, error) {
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
	return &thing{Thing: sight.Thing{Kind: kind, ID: id}, last: id[strings.LastIndexByte(id, '/')+1:]}, nil
}

// isIn reports whether an exchange is about the thing: its path or query names it, or a part of it; its answer shows
// it; or its request refers to it.
func (t *thing) isIn(e *journal.Entry) bool {
	if e.Operation == nil || t.ID == "" || !t.mayBeIn(e) {
		return false
	}
	n, document, actions := namesOf(e), e.Operation.Document, e.Operation.Actions()
	isNamed := func(a *specs.Action) bool { return t.isNamed(n, a, document) }
	request := func(a *specs.Action) bool { return t.isReferredTo(a, t.body) }
	answer := func(a *specs.Action) bool {
		return t.isShown(&sight.Answer{Document: document, Action: a, Body: t.body, Parent: n.Parent(a)})
	}
	return slices.ContainsFunc(actions, isNamed) ||
		t.read(e.RequestBody) && slices.ContainsFunc(actions, request) ||
		e.Status < http.StatusMultipleChoices && t.read(e.ResponseBody) && slices.ContainsFunc(actions, answer)
}

// mayBeIn reports whether the last part of the id occurs in an exchange, if that is written everywhere alike.
func (t *thing) mayBeIn(e *journal.Entry) bool {
	isOrdinary := func(r rune) bool {
		return r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	if strings.TrimFunc(t.last, isOrdinary) != "" {
		return true
	}
	last := []byte(t.last)
	return strings.Contains(e.URL, t.last) || bytes.Contains(e.RequestBody, last) || bytes.Contains(e.ResponseBody, last)
}

// namesOf reads what the address of an exchange names, as far as it can be parsed.
func namesOf(e *journal.Entry) sight.Names {
	m := e.Operation.Document.Find(e.Method, e.Path)
	_, raw, _ := strings.Cut(e.URL, "?")
	query, _ := address.Query(raw)
	return sight.Names{Match: &m, Query: query}
}

// isNamed reports whether the path or the query names the thing, or a part of it.
func (t *thing) isNamed(n sight.Names, a *specs.Action, d *specs.Document) bool {
	if n.Target(a) == t.Thing {
		return true
	}
	for r, names := d.Resource(a.Resource.Parent()), a.Within; r != nil; r = d.Resource(r.Parent()) {
		names = names[:min(len(names), len(r.Path))]
		if (sight.Thing{Kind: r.Name, ID: n.ID(names)}) == t.Thing {
			return true
		}
	}
	return false
}

// isReferredTo reports whether a request makes something a part of the thing, or lets something refer to it.
func (t *thing) isReferredTo(a *specs.Action, request jsontree.Value) bool {
	for _, link := range slices.Concat(a.Resource.Parents, a.Resource.Refers) {
		for value := range sight.Values(request, a.Request.Join(link.At)) {
			if (sight.Thing{Kind: link.Resource, ID: value.Text()}) == t.Thing {
				return true
			}
		}
	}
	return false
}

// isShown reports whether an answer shows the thing, by whatever of its keys.
func (t *thing) isShown(answer *sight.Answer) bool {
	for s := range answer.Shows {
		if s.Resource.Name == t.Kind && s.IsNamed(t.ID) {
			return true
		}
	}
	return false
}

// read reads a body, in the place of the one before, and reports whether it is JSON.
func (t *thing) read(body []byte) bool {
	t.body = t.tree.Read(string(body))
	return t.body.Exists()
}
