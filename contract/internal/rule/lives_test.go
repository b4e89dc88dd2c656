package rule_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// life holds the operations and an example of one resource that can be deleted.
type life struct {
	resource *specs.Resource
	byVerb   map[string]*specs.Operation
	object   any
	id       string
	values   map[string]string // of path parameters
}

// livesOf finds the resources of a document that can be deleted, and that can be read or listed.
func livesOf(t *testing.T, d *specs.Document) []*life {
	t.Helper()
	var list []*life
	for _, r := range d.Resources() {
		l := &life{resource: r, byVerb: map[string]*specs.Operation{}, values: map[string]string{}}
		for _, op := range slices.Backward(d.All()) {
			if a := op.Actions(); len(a) > 0 && a[0].Resource.Name == r.Name {
				l.byVerb[a[0].Verb] = op
			}
		}
		switch isDeleted := l.byVerb[specs.Delete] != nil; {
		case isDeleted && l.findExample():
			list = append(list, l)
		case isDeleted && (l.byVerb[specs.Get] != nil || l.byVerb[specs.List] != nil):
			t.Errorf("%s: no example of an answer shows one", r.Name)
		}
	}
	return list
}

func (l *life) findExample() bool {
	for _, verb := range []string{specs.Get, specs.List} {
		if op := l.byVerb[verb]; op != nil && len(op.Actions()[0].At) > 0 {
			if l.object = pick(exampleOf(op), op.Actions()[0].At[0]); l.object != nil {
				l.id = fmt.Sprint(pick(l.object, l.resource.Keys[0]))
				return true
			}
		}
	}
	return false
}

// exampleOf returns the example of an answer of success.
func exampleOf(op *specs.Operation) any {
	for status, ref := range op.Spec.Responses.Map() {
		for name, media := range ref.Value.Content {
			if !strings.HasPrefix(status, "2") || !strings.HasSuffix(name, "json") {
				continue
			}
			if media.Example != nil {
				return media.Example
			}
			for _, example := range media.Examples {
				return example.Value.Value
			}
		}
	}
	return nil
}

// pick returns what stands at a pointer, the first item of a list.
func pick(value any, at specs.Pointer) any {
	for _, token := range at {
		switch v := value.(type) {
		case map[string]any:
			value = v[token]
		case []any:
			if len(v) == 0 {
				return nil
			}
			value = v[0]
		default:
			return nil
		}
	}
	return value
}

// place puts a value where a pointer leads.
func place(value any, at specs.Pointer) any {
	for _, token := range slices.Backward(at) {
		if token == "*" {
			value = []any{value}
		} else {
			value = map[string]any{token: value}
		}
	}
	return value
}

// exchange calls an operation for the example, and answers with it where it shows one.
func (l *life) exchange(verb string, n, status int) *recording.Exchange {
	op := l.byVerb[verb]
	a := op.Actions()[0]
	path := op.Path
	for _, ref := range op.Parameters {
		p := ref.Value
		if p.In != openapi3.ParameterInPath {
			continue
		}
		if _, found := l.values[p.Name]; !found {
			l.values[p.Name] = "1"
		}
		value := l.values[p.Name]
		if len(a.Path) > 0 && a.Path[len(a.Path)-1] == p.Name {
			value = l.id
		}
		path = strings.Replace(path, "{"+p.Name+"}", value, 1)
	}
	if a.Query != "" {
		path += "?" + a.Query + "=" + l.id
	}
	host := "https://" + string(op.Interface) + ".svc.example" + op.Document.BasePath
	e := &recording.Exchange{
		Start: epoch.Add(time.Duration(n) * time.Second), End: epoch.Add(time.Duration(n) * time.Second),
		Request: recording.Request{
			Method: op.Method, URL: host + path,
			Headers: recording.Headers{{"Authorization", "SVC1 1/key"}},
		},
	}
	if status == 0 {
		return e
	}
	body := any(map[string]any{})
	if status == 200 && len(a.At) > 0 {
		body = place(l.object, a.At[0])
	}
	text, _ := json.Marshal(body)
	e.Response = &recording.Response{
		Status: status, Headers: recording.Headers{{"Content-Type", "application/json"}}, Body: &recording.Body{Bytes: text},
	}
	return e
}
