package manual

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/specs"
)

// Example is a call that can be tried.
type Example struct {
	Scenario string `json:"scenario"` // that has what the call names
	Note     string `json:"note,omitempty"`
	Curl     string `json:"curl"`
}

// Address holds the address of the mock that examples call, and the key that they show.
type Address struct{ URL, Key string }

// DefaultAddress returns the address of understudy serve without flags.
func DefaultAddress() Address { return Address{URL: "http://127.0.0.1:4010", Key: "1/admin"} }

// At gives the examples of an operation to another address.
func (o *Operation) At(a Address) {
	standard := DefaultAddress()
	o.Example.Curl = strings.ReplaceAll(o.Example.Curl, standard.URL+"/", strings.TrimSuffix(a.URL, "/")+"/")
	o.Example.Curl = strings.ReplaceAll(o.Example.Curl, " "+standard.Key+"'", " "+a.Key+"'")
}

// call is a request to an operation.
type call struct {
	op     *specs.Operation
	path   string
	query  []string
	header [][2]string
	body   string // with $ID in the place of an id that an earlier call has answered
	file   string // that is sent instead of a body, or
	rows   string // that are compressed to be sent
	field  string // of the answer, if the next call needs it
}

func exampleOf(op *specs.Operation) (Example, error) {
	known := trialOf(op)
	e := Example{Scenario: quickstart, Note: known.Note}
	if known.Scenario != "" {
		e.Scenario = known.Scenario
	}
	calls, err := callsOf(op, known)
	var lines []string
	for _, c := range calls {
		lines = append(lines, c.scriptLine())
	}
	e.Curl = strings.Join(lines, "\n")
	return e, err
}

// callsOf returns the call of an operation, and before it those that make or find what it is about.
func callsOf(op *specs.Operation, known trial) (calls []*call, err error) {
	if known.Before != nil {
		first := op.Document.Operation(known.Before.ID)
		if first == nil {
			return nil, fmt.Errorf("the example of %s: unknown operation %s", op.Name(), known.Before.ID)
		}
		if calls, err = callsOf(first, known.Before.trial); err != nil {
			return nil, err
		}
		if known.needsID() {
			calls[len(calls)-1].field = cmp.Or(known.Before.Field, "id")
		}
	}
	c, err := newCall(op, known)
	return append(calls, c), err
}

// needsID reports whether a call has a place for what the call before it answers.
func (t *trial) needsID() bool {
	body, _ := json.Marshal(t.Body)
	return bytes.Contains(body, []byte(theID)) || slices.Contains(slices.Collect(maps.Values(t.Values)), theID)
}

// newCall makes a call out of the examples of the document, where nothing else is known to work.
func newCall(op *specs.Operation, known trial) (*call, error) {
	c := &call{op: op, path: op.Path}
	for _, ref := range op.Parameters {
		c.parameter(ref.Value, known.Values[ref.Value.Name])
	}
	for _, name := range slices.Sorted(maps.Keys(known.Values)) {
		if op.Parameters.GetByInAndName(openapi3.ParameterInQuery, name) != nil &&
			!slices.ContainsFunc(c.query, hasName(name)) {
			c.query = append(c.query, field(name, known.Values[name]))
		}
	}
	return c, c.content(known)
}

func hasName(name string) func(string) bool {
	return func(field string) bool { return strings.HasPrefix(field, url.QueryEscape(name)+"=") }
}

// parameter fills in a parameter that the path has or that is required.
func (c *call) parameter(p *openapi3.Parameter, value string) {
	if value == "" {
		value = exampleValue(p)
	}
	switch {
	case p.In == openapi3.ParameterInPath:
		c.path = strings.ReplaceAll(c.path, "{"+p.Name+"}", url.PathEscape(value))
	case !p.Required:
	case p.In == openapi3.ParameterInQuery:
		c.query = append(c.query, field(p.Name, value))
	case p.In == openapi3.ParameterInHeader && !strings.EqualFold(p.Name, "Authorization"):
		c.header = append(c.header, [2]string{p.Name, value})
	}
}

// field returns a parameter as it stands in a query. What a shell replaces stays.
func field(name, value string) string {
	return url.QueryEscape(name) + "=" + strings.ReplaceAll(url.QueryEscape(value), url.QueryEscape(theID), theID)
}

// exampleValue returns a value of a parameter by its document: an example, its default, or one of its values.
func exampleValue(p *openapi3.Parameter) string {
	candidates := []any{p.Example}
	for _, name := range slices.Sorted(maps.Keys(p.Examples)) {
		candidates = append(candidates, p.Examples[name].Value.Value)
	}
	if p.Schema != nil && p.Schema.Value != nil {
		candidates = append(append(candidates, p.Schema.Value.Example, p.Schema.Value.Default), p.Schema.Value.Enum...)
	}
	for _, candidate := range candidates {
		switch value := candidate.(type) {
		case nil:
		case string:
			return value
		case []any:
			if len(value) > 0 {
				return fmt.Sprint(value[0])
			}
		case float64:
			return number(value)
		default:
			return fmt.Sprint(value)
		}
	}
	return "1"
}

// content fills in the body: the document's example in JSON, or else in a form; of anything else a file.
func (c *call) content(known trial) error {
	ref := c.op.Spec.RequestBody
	if ref == nil || ref.Value == nil {
		return nil
	}
	content := ref.Value.Content
	names := slices.SortedFunc(maps.Keys(content), func(a, b string) int { return rank(a) - rank(b) })
	if len(names) == 0 || !ref.Value.Required && exampleBody(content[names[0]]) == nil {
		return nil
	}
	c.header = append(c.header, [2]string{"Content-Type", names[0]})
	value := mergePatch(exampleBody(content[names[0]]), known.Body)
	switch object, isObject := value.(map[string]any); {
	case names[0] == mediaForm && isObject:
		c.body = formOf(object)
	case strings.HasSuffix(names[0], "json"):
		var body strings.Builder
		encoder := json.NewEncoder(&body)
		encoder.SetEscapeHTML(false)
		err := encoder.Encode(value)
		c.body = strings.TrimSuffix(body.String(), "\n")
		return err
	case known.Rows != "":
		c.rows = known.Rows
	default:
		c.file = "project.tar.gz"
	}
	return nil
}

const mediaForm = "application/x-www-form-urlencoded"

func formOf(object map[string]any) string {
	values := url.Values{}
	for name, value := range object {
		values.Set(name, fmt.Sprint(value))
	}
	return values.Encode()
}

// rank orders media types by how easily an example is written in them.
func rank(media string) int {
	switch {
	case media == "application/json":
		return 0
	case strings.HasSuffix(media, "+json"):
		return 1
	case media == mediaForm:
		return 2
	case !strings.Contains(media, "*"):
		return 3
	}
	return 4
}

func exampleBody(media *openapi3.MediaType) any {
	if media.Example != nil {
		return media.Example
	}
	for _, name := range slices.Sorted(maps.Keys(media.Examples)) {
		return media.Examples[name].Value.Value
	}
	if media.Schema != nil && media.Schema.Value != nil {
		return media.Schema.Value.Example
	}
	return nil
}

// mergePatch merges a patch into a value, as RFC 7386 has it.
func mergePatch(value any, patch map[string]any) any {
	if len(patch) == 0 {
		return value
	}
	object, _ := value.(map[string]any)
	object = maps.Clone(object)
	if object == nil {
		object = map[string]any{}
	}
	for name, part := range patch {
		switch part := part.(type) {
		case nil:
			delete(object, name)
		case map[string]any:
			object[name] = mergePatch(object[name], part)
		default:
			object[name] = part
		}
	}
	return object
}
