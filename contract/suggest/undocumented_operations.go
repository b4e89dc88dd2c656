package suggest

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"svc.example/understudy/contract/internal/ownership"
	"svc.example/understudy/specs"
)

// operation is one that the document lacks.
type operation struct {
	method, path string // with stars
	seen         int
	query        map[string]*valueNode
	request      map[string]*payload // by media type
	responses    map[string]map[string]*payload
}

// payload is the bodies of one media type, and how many exchanges had one.
type payload struct {
	seen  int
	media string
	value *valueNode // nil unless it is JSON or a form
}

// addUndocumented adds an exchange of an operation that the document lacks.
func (d *draft) addUndocumented(e *evidence) bool {
	method, path := ownership.Shown(e.r.Item.Request.Method, e.r.Owner.Path)
	if !slices.Contains(methods, method) || strings.HasSuffix(path, "…") {
		return d.countLeftOut("addresses")
	}
	key := [2]string{method, path}
	op := d.operations[key]
	if op == nil {
		if len(d.operations) >= maxOperations {
			return d.countLeftOut("operations")
		}
		op = &operation{
			method: method, path: path, query: map[string]*valueNode{}, request: map[string]*payload{},
			responses: map[string]map[string]*payload{},
		}
		d.operations[key] = op
	}
	op.addExchange(e)
	return true
}

var methods = []string{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE"}

func (o *operation) addExchange(e *evidence) {
	o.seen++
	for _, name := range e.queryNames() {
		switch {
		case !e.isNameShown(name):
			e.draft.countLeftOut("names")
		case len(o.query) >= maxNames && o.query[name] == nil:
			e.draft.countLeftOut("parameters")
		default:
			o.query[name] = o.query[name].orNew(name)
			e.addQueryValues(o.query[name], name)
		}
	}
	if media := e.media("request"); media != "" {
		e.addPayload(o.request, "request")
	}
	if e.r.Item.Response == nil || e.r.Item.Response.Status == 0 {
		return
	}
	status := fmt.Sprint(e.r.Item.Response.Status)
	if o.responses[status] == nil {
		if len(o.responses) >= maxNames {
			e.draft.countLeftOut("statuses")
			return
		}
		o.responses[status] = map[string]*payload{}
	}
	e.addPayload(o.responses[status], "response")
}

// addPayload adds a body to those of its media type.
func (e *evidence) addPayload(payloads map[string]*payload, side string) {
	media := e.media(side)
	if payloads[media] == nil && len(payloads) >= maxMedia {
		e.draft.countLeftOut("media types")
		return
	}
	payloads[media] = payloads[media].withBody(e, side)
}

// withBody returns a payload with the body of one more exchange.
func (p *payload) withBody(e *evidence, side string) *payload {
	if p == nil {
		p = &payload{media: e.media(side)}
	}
	p.seen++
	if value, ok := e.body(side); ok {
		p.value = p.value.orNew("")
		p.value.add(e, value, 0)
	}
	return p
}

// addTo adds the operation to a patch.
func (o *operation) addTo(p *Patch, d *specs.Document, ids map[string]bool) {
	is31 := d.T.IsOpenAPI31OrLater()
	path, names := o.pathIn(p, d)
	parameters := []any{}
	if item, _ := child(p.before["paths"], path); !hasParameters(item) {
		for _, name := range names {
			parameters = append(parameters, map[string]any{
				"name": name, "in": "path", "required": true, "schema": map[string]any{"type": "string"},
			})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o.query)) {
		parameters = append(parameters, queryParameter(name, o.query[name], is31))
	}
	operation := map[string]any{"operationId": o.uniqueID(d, path, ids), "summary": "Seen in recordings", "x-seen": o.seen}
	if len(parameters) > 0 {
		operation["parameters"] = parameters
	}
	if len(o.request) > 0 {
		content := map[string]any{}
		for media, payload := range o.request {
			content[media] = payload.content(is31)
		}
		operation["requestBody"] = map[string]any{"content": content}
	}
	responses := map[string]any{}
	for status, payloads := range o.responses {
		responses[status] = answer(payloads, is31)
	}
	if len(responses) == 0 {
		responses["default"] = map[string]any{"description": "No response was recorded"}
	}
	operation["responses"] = responses
	p.add("/paths", []string{path, strings.ToLower(o.method)}, operation, false)
}

func hasParameters(item any) bool {
	object, _ := item.(map[string]any)
	list, _ := object["parameters"].([]any)
	return len(list) > 0
}

var parameter = regexp.MustCompile(`\{[^{}]*\}`)

// pathIn returns the path of the operation in the document, an existing one or a new one, with the names of its
// parameters.
func (o *operation) pathIn(p *Patch, d *specs.Document) (path string, names []string) {
	segments := strings.Split(d.BasePath+o.path, "/")
	if len(d.Operations) > 0 { // the document's paths may begin after its base path
		op := d.Operations[0]
		for range strings.Count(d.BasePath+op.Path, "/") - strings.Count(op.Template, "/") {
			segments = slices.Delete(segments, 1, 2)
		}
	}
	path = o.withNames(segments)
	paths, _ := p.before["paths"].(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(paths)) {
		if fits(key, segments) {
			path = key
		}
	}
	for _, name := range parameter.FindAllString(path, -1) {
		names = append(names, strings.Trim(name, "{}"))
	}
	return path, names
}

// fits reports whether a path of a document fits the segments of a request, of which * are parameters.
func fits(key string, segments []string) bool {
	parts := strings.Split(key, "/")
	if len(parts) != len(segments) {
		return false
	}
	for i, part := range parts {
		isParameter := strings.HasPrefix(part, "{") && strings.HasSuffix(part, "}")
		if !isParameter && part != segments[i] {
			return false
		}
	}
	return true
}

// withNames replaces * by parameters that are named after the segments before them: pools/{poolId} for pools/*.
func (o *operation) withNames(segments []string) string {
	used := map[string]bool{}
	named := slices.Clone(segments)
	for i, segment := range segments {
		if segment != "*" {
			continue
		}
		name := "id"
		if i > 0 && strings.Trim(segments[i-1], "*") != "" {
			name = camel(strings.TrimSuffix(segments[i-1], "s")) + "Id"
		}
		for n, base := 2, name; used[name]; n++ {
			name = fmt.Sprintf("%s%d", base, n)
		}
		used[name] = true
		named[i] = "{" + name + "}"
	}
	return strings.Join(named, "/")
}

var noWord = regexp.MustCompile(`[^A-Za-z0-9]+`)

// camel returns a text in camel case: poolRules for pool_rules.
func camel(text string) string {
	var b strings.Builder
	for i, word := range strings.Fields(noWord.ReplaceAllString(text, " ")) {
		if i == 0 {
			b.WriteString(strings.ToLower(word[:1]) + word[1:])
			continue
		}
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

// uniqueID returns a name for the operation that no other one has.
func (o *operation) uniqueID(d *specs.Document, path string, ids map[string]bool) string {
	id := camel(strings.ToLower(o.method) + " " + parameter.ReplaceAllStringFunc(path,
		func(name string) string { return " by " + name }))
	for n, base := 2, id; ids[id] || d.Operation(id) != nil; n++ {
		id = fmt.Sprintf("%s%d", base, n)
	}
	ids[id] = true
	return id
}
