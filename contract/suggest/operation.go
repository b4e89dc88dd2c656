package suggest

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"svc.example/understudy/specs"
)

// into adds the operation to a patch.
func (o *operation) into(p *Patch, d *specs.Document, ids map[string]bool) {
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
	operation := map[string]any{"operationId": o.id(d, path, ids), "summary": "Seen in recordings", "x-seen": o.seen}
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

// pathIn returns the path of the operation as the document would have it, with the names of its parameters: one that is
// there already, or a new one.
func (o *operation) pathIn(p *Patch, d *specs.Document) (path string, names []string) {
	segments := strings.Split(d.BasePath+o.path, "/")
	if len(d.Operations) > 0 { // the document's paths may begin after its base path
		op := d.Operations[0]
		for range strings.Count(d.BasePath+op.Path, "/") - strings.Count(op.Template, "/") {
			segments = slices.Delete(segments, 1, 2)
		}
	}
	path = o.named(segments)
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

// fits reports whether a path of a document is that of a request: what is starred there is a parameter here.
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

// named makes parameters of stars, with names after the segments before them: pools/* is pools/{poolId}.
func (o *operation) named(segments []string) string {
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

// camel returns a text as one word of several: pool_rules is poolRules.
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

// id returns a name for the operation that no other one has.
func (o *operation) id(d *specs.Document, path string, ids map[string]bool) string {
	id := camel(strings.ToLower(o.method) + " " + parameter.ReplaceAllStringFunc(path,
		func(name string) string { return " by " + name }))
	for n, base := 2, id; ids[id] || d.Operation(id) != nil; n++ {
		id = fmt.Sprintf("%s%d", base, n)
	}
	ids[id] = true
	return id
}
