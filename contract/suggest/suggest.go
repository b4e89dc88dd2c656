// Package suggest finds what recordings show and a document lacks: operations, statuses, media types, parameters and
// fields. It gives it as a patch of the document, an OpenAPI Overlay or a JSON Merge Patch, which is for people to read
// before they apply it: types are inferred, and names are made up where traffic has none.
package suggest

import (
	"fmt"
	"slices"
	"strings"

	"svc.example/understudy/contract/judge"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// How much of a patch there is at most. What is beyond is counted.
const (
	maxOperations = 500
	maxAdditions  = 10_000 // statuses, media types, parameters and fields
)

// Collector collects what documents lack. It is used by one goroutine.
type Collector struct {
	redactor *recording.Redactor
	drafts   map[*specs.Document]*draft
}

// NewCollector returns a collector for documents, whose examples hold no secrets.
func NewCollector(documents []*specs.Document, redactor *recording.Redactor) *Collector {
	c := &Collector{redactor: redactor, drafts: map[*specs.Document]*draft{}}
	for _, d := range documents {
		c.drafts[d] = &draft{document: d, operations: map[[2]string]*operation{}, additions: map[string]*addition{}}
	}
	return c
}

// draft is what one document lacks.
type draft struct {
	document   *specs.Document
	operations map[[2]string]*operation // by method and path, in which what looks like an id is starred
	additions  map[string]*addition     // by where they go
	seen       int                      // exchanges that gave something
	left       int                      // what was left out
}

// addition is something that an existing part of a document lacks.
type addition struct {
	parent string // pointer of the existing part
	rest   []string
	body   *payload // of a status or a media type
	value  *node    // of a field or a parameter
	query  string   // name of the parameter
}

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
	value *node // nil for what is no JSON and no form
}

// Take takes what an exchange shows that its document lacks.
func (c *Collector) Take(r *judge.Result) {
	d := c.drafts[r.Owner.Document]
	if d == nil {
		return
	}
	e := &evidence{r: r, redactor: c.redactor}
	before := len(r.Findings)
	taken := 0
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Verdict == report.Fail && f.Spec.File == d.document.File && d.take(e, f) {
			taken++
		}
	}
	if before > 0 && taken > 0 {
		d.seen++
	}
}

// take takes what a finding says is missing, and reports whether it says so.
func (d *draft) take(e *evidence, f *report.Finding) bool {
	side, place, _ := strings.Cut(strings.TrimPrefix(f.Pointer, "/"), "/")
	switch {
	case f.Rule == judge.UndocumentedOperation:
		return d.undocumented(e)
	case f.Rule == judge.UndocumentedStatus:
		status := fmt.Sprint(e.r.Item.Response.Status)
		return d.add(f.Spec.Pointer, []string{status}, func(a *addition) { a.body = a.body.with(e, side) })
	case f.Rule == judge.UndocumentedMediaType:
		parent, rest := f.Spec.Pointer, []string{"content"}
		if side == "request" {
			parent, rest = e.r.Operation().Pointer, []string{"requestBody", "content"}
		} else if strings.HasSuffix(parent, "/content") {
			rest = nil
		}
		rest = append(rest, e.media(side))
		return e.media(side) != "" && d.add(parent, rest, func(a *addition) { a.body = a.body.with(e, side) })
	case f.Rule == judge.UndeclaredField && strings.HasPrefix(place, "query/"):
		name := unescape(strings.TrimPrefix(place, "query/"))
		return d.add(e.r.Operation().Pointer, []string{"parameters", name}, func(a *addition) {
			a.query, a.value = name, a.value.of(name)
			e.query(a.value, name)
		})
	case f.Rule == judge.UndeclaredField && strings.HasPrefix(place, "body/"):
		name := unescape(place[strings.LastIndexByte(place, '/')+1:])
		return d.add(f.Spec.Pointer, []string{"properties", name}, func(a *addition) {
			a.value = a.value.of(name)
			e.member(a.value, side, place)
		})
	}
	return false
}

// add adds to an existing part of the document, or to what is added there already.
func (d *draft) add(parent string, rest []string, edit func(*addition)) bool {
	key := parent + "\n" + strings.Join(rest, "\n")
	a := d.additions[key]
	if a == nil {
		if len(d.additions) >= maxAdditions {
			d.left++
			return false
		}
		a = &addition{parent: parent, rest: slices.Clone(rest)}
		d.additions[key] = a
	}
	edit(a)
	return true
}

// undocumented takes an exchange of an operation that the document lacks.
func (d *draft) undocumented(e *evidence) bool {
	method, path := judge.Shown(e.r.Item.Request.Method, e.r.Owner.Path)
	if !slices.Contains(methods, method) || strings.HasSuffix(path, "…") {
		d.left++
		return false
	}
	key := [2]string{method, path}
	op := d.operations[key]
	if op == nil {
		if len(d.operations) >= maxOperations {
			d.left++
			return false
		}
		op = &operation{method: method, path: path, query: map[string]*node{}, request: map[string]*payload{}, responses: map[string]map[string]*payload{}}
		d.operations[key] = op
	}
	op.take(e)
	return true
}

var methods = []string{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE"}

func (o *operation) take(e *evidence) {
	o.seen++
	for _, name := range e.queryNames() {
		if len(o.query) < maxNames || o.query[name] != nil {
			o.query[name] = o.query[name].of(name)
			e.query(o.query[name], name)
		}
	}
	if media := e.media("request"); media != "" {
		o.request[media] = o.request[media].with(e, "request")
	}
	if e.r.Item.Response == nil || e.r.Item.Response.Status == 0 {
		return
	}
	status := fmt.Sprint(e.r.Item.Response.Status)
	if o.responses[status] == nil {
		o.responses[status] = map[string]*payload{}
	}
	media := e.media("response")
	o.responses[status][media] = o.responses[status][media].with(e, "response")
}

// with is a payload with the body of one more exchange.
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

func unescape(token string) string { return strings.NewReplacer("~1", "/", "~0", "~").Replace(token) }
