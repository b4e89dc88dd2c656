package suggest

import (
	"fmt"
	"slices"
	"strings"

	"svc.example/understudy/contract/internal/ownership"
)

// operation is one that the document lacks.
type operation struct {
	method, path string // with stars
	seen         int
	query        map[string]*node
	request      map[string]*payload // by media type
	responses    map[string]map[string]*payload
}

// payload is the bodies of one media type, and how many exchanges had one.
type payload struct {
	seen  int
	media string
	value *node // nil unless it is JSON or a form
}

// undocumented takes an exchange of an operation that the document lacks.
func (d *draft) undocumented(e *evidence) bool {
	method, path := ownership.Shown(e.r.Item.Request.Method, e.r.Owner.Path)
	if !slices.Contains(methods, method) || strings.HasSuffix(path, "…") {
		return d.leave("addresses")
	}
	key := [2]string{method, path}
	op := d.operations[key]
	if op == nil {
		if len(d.operations) >= maxOperations {
			return d.leave("operations")
		}
		op = &operation{
			method: method, path: path, query: map[string]*node{}, request: map[string]*payload{},
			responses: map[string]map[string]*payload{},
		}
		d.operations[key] = op
	}
	op.take(e)
	return true
}

var methods = []string{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE"}

func (o *operation) take(e *evidence) {
	o.seen++
	for _, name := range e.queryNames() {
		switch {
		case !e.isNameShown(name):
			e.draft.leave("names")
		case len(o.query) >= maxNames && o.query[name] == nil:
			e.draft.leave("parameters")
		default:
			o.query[name] = o.query[name].of(name)
			e.query(o.query[name], name)
		}
	}
	if media := e.media("request"); media != "" {
		e.take(o.request, "request")
	}
	if e.r.Item.Response == nil || e.r.Item.Response.Status == 0 {
		return
	}
	status := fmt.Sprint(e.r.Item.Response.Status)
	if o.responses[status] == nil {
		if len(o.responses) >= maxNames {
			e.draft.leave("statuses")
			return
		}
		o.responses[status] = map[string]*payload{}
	}
	e.take(o.responses[status], "response")
}

// take adds a body to those of its media type.
func (e *evidence) take(payloads map[string]*payload, side string) {
	media := e.media(side)
	if payloads[media] == nil && len(payloads) >= maxMedia {
		e.draft.leave("media types")
		return
	}
	payloads[media] = payloads[media].with(e, side)
}

// with returns a payload with the body of one more exchange.
func (p *payload) with(e *evidence, side string) *payload {
	if p == nil {
		p = &payload{media: e.media(side)}
	}
	p.seen++
	if value, ok := e.body(side); ok {
		p.value = p.value.of("")
		p.value.add(e, value, 0)
	}
	return p
}

var fromPointer = strings.NewReplacer("~1", "/", "~0", "~")

func unescape(token string) string { return fromPointer.Replace(token) }
