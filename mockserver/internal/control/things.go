package control

import (
	"bytes"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"svc.example/understudy/mockserver/internal/journal"
	"svc.example/understudy/mockserver/internal/match"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/source"
)

// thing is one resource, as the documents describe its kind.
type thing struct {
	kind      *specs.Resource
	id        string // what names it in paths, part by part: 3, or shop/page_views
	last      string // the last part of it
	documents match.Documents
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
	r := document.Resource(kind)
	if r == nil {
		var known []string
		for _, r := range document.Resources() {
			known = append(known, r.Name)
		}
		return nil, op.Invalid("resource", "unknown kind %q; want %s", kind, source.OneOf(kind, known))
	}
	return &thing{r, id, id[strings.LastIndexByte(id, '/')+1:], h.Documents}, nil
}

// isIn reports whether an exchange is about the thing: its path or query names it, or a part of it; its answer shows
// it; or its request refers to it.
func (t *thing) isIn(e *journal.Entry) bool {
	if e.Operation == nil || !t.mayBeIn(e) {
		return false
	}
	actions := e.Operation.Actions()
	if len(actions) == 0 {
		return false
	}
	return t.isNamed(actions, e) || t.isReferredTo(actions, e.RequestBody) ||
		e.Status < http.StatusMultipleChoices && t.isShown(actions, e)
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

// isNamed reports whether the path or the query names the thing.
func (t *thing) isNamed(actions []*specs.Action, e *journal.Entry) bool {
	document, err := t.documents.Of(e.Operation.Interface)
	if err != nil {
		return false
	}
	m := document.Find(e.Method, e.Path)
	for _, a := range actions {
		if a.Query != "" && a.Resource.Name == t.kind.Name && queryOf(e).Get(a.Query) == t.id {
			return true
		}
		if t.isNamedBy(&m, a.Resource, a.Path) || t.isNamedBy(&m, document.Resource(a.Resource.Parent()), a.Within) {
			return true
		}
	}
	return false
}

// queryOf returns the query of an exchange, as far as it can be parsed.
func queryOf(e *journal.Entry) url.Values {
	_, raw, _ := strings.Cut(e.URL, "?")
	query, _ := url.ParseQuery(raw)
	return query
}

// isNamedBy reports whether path parameters, which name one of a kind, name the thing, or a part of it.
func (t *thing) isNamedBy(m *specs.Match, r *specs.Resource, names []string) bool {
	for r != nil && len(names) > 0 {
		if r.Name == t.kind.Name && idIn(m, names) == t.id {
			return true
		}
		above := m.Operation.Document.Resource(r.Parent())
		if above == nil {
			return false
		}
		r, names = above, names[:min(len(names), len(above.Path))]
	}
	return false
}

// idIn returns the id that path parameters make.
func idIn(m *specs.Match, names []string) string {
	parts := make([]string, len(names))
	for i, name := range names {
		if parts[i] = m.Param(name); parts[i] == "" {
			parts[i] = m.Declared(name)
		}
	}
	return strings.Join(parts, "/")
}

// isReferredTo reports whether a request makes something a part of the thing, or lets something refer to it.
func (t *thing) isReferredTo(actions []*specs.Action, body []byte) bool {
	request, isJSON := parse(body)
	for _, a := range actions {
		if !isJSON {
			return false
		}
		for _, link := range slices.Concat(a.Resource.Parents, a.Resource.Refers) {
			if link.Resource == t.kind.Name && slices.ContainsFunc(a.Request.Join(link.At).InJSON(request), t.isNameOf) {
				return true
			}
		}
	}
	return false
}

// isShown reports whether an answer shows the thing.
func (t *thing) isShown(actions []*specs.Action, e *journal.Entry) bool {
	answer, isJSON := parse(e.ResponseBody)
	for _, a := range actions {
		if !isJSON {
			return false
		}
		within := ""
		if document, err := t.documents.Of(e.Operation.Interface); err == nil && len(a.Within) > 0 {
			m := document.Find(e.Method, e.Path)
			within = idIn(&m, a.Within) + "/"
		}
		is := func(object gjson.Result) bool { return t.is(a, object, within) }
		for _, at := range slices.Concat(a.At, a.Also) {
			if slices.ContainsFunc(at.InJSON(answer), is) {
				return true
			}
		}
	}
	return false
}

// is reports whether an object of an answer is the thing, or has it embedded.
func (t *thing) is(a *specs.Action, object gjson.Result, within string) bool {
	r := a.Resource
	if len(r.Types) > 0 {
		if r = t.typed(r, object.Get("type").String()); r == nil {
			return false
		}
	}
	if r.Name != t.kind.Name {
		return slices.ContainsFunc(r.Embeds, func(link specs.Link) bool {
			isKeyed := func(o gjson.Result) bool { return t.hasKey(o, "") }
			return link.Resource == t.kind.Name && slices.ContainsFunc(link.At.InJSON(object), isKeyed)
		})
	}
	if a.Identity == nil || r != a.Resource {
		return t.hasKey(object, within)
	}
	parts := make([]string, len(a.Identity))
	for i, at := range a.Identity {
		for _, value := range at.InJSON(object) {
			parts[i] = value.String()
		}
	}
	return strings.Join(parts, "/") == t.id
}

// typed returns the resource of objects of a type, in the document of another.
func (t *thing) typed(r *specs.Resource, name string) *specs.Resource {
	iface, _, _ := strings.Cut(r.Name, ".")
	document, err := t.documents.Of(specs.Interface(iface))
	if err != nil {
		return nil
	}
	return document.ResourceOfType(name)
}

// hasKey reports whether an object has the key of the thing, which stands behind the id of its parent if it has one.
func (t *thing) hasKey(object gjson.Result, within string) bool {
	if t.kind.Parent() == "" {
		within = ""
	}
	return slices.ContainsFunc(t.kind.Keys, func(key specs.Pointer) bool {
		isSame := func(value gjson.Result) bool { return within+value.String() == t.id }
		return slices.ContainsFunc(key.InJSON(object), isSame)
	})
}

func (t *thing) isNameOf(value gjson.Result) bool { return value.String() == t.id }

// parse reads a body that is an object or a list of JSON.
func parse(body []byte) (value gjson.Result, isJSON bool) {
	body = bytes.TrimSpace(body)
	if len(body) == 0 || body[0] != '{' && body[0] != '[' {
		return value, false
	}
	return gjson.ParseBytes(body), true
}
