package manual

import (
	"bytes"
	"cmp"
	_ "embed" // the trials
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"
	"go.yaml.in/yaml/v4"

	"svc.example/understudy/internal/accept"
	"svc.example/understudy/internal/sample"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording/snippet"
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
		isGiven := func(field string) bool { return strings.HasPrefix(field, url.QueryEscape(name)+"=") }
		if op.Parameters.GetByInAndName(openapi3.ParameterInQuery, name) != nil &&
			!slices.ContainsFunc(c.query, isGiven) {
			c.query = append(c.query, field(name, known.Values[name]))
		}
	}
	return c, c.content(known)
}

// parameter fills in a parameter that the path has or that is required.
func (c *call) parameter(p *openapi3.Parameter, value string) {
	if value == "" {
		value = exampleValue(p)
	}
	if value == "" && c.op.Document.IsUsers() && p.Schema != nil {
		value = text(c.sample(p.Schema.Value, p.Name))
	}
	value = cmp.Or(value, "1")
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
		if value := text(candidate); value != "" {
			return value
		}
	}
	return ""
}

// text returns a value as it stands in a path or a query: of a list the first one, of nil nothing.
func text(value any) string {
	switch value := value.(type) {
	case nil:
		return ""
	case []any:
		if len(value) == 0 {
			return ""
		}
		return fmt.Sprint(value[0])
	case float64:
		return number(value)
	}
	return fmt.Sprint(value)
}

// sample returns a value that fits a schema of a user's own document, which may have no examples; nil if none is found.
func (c *call) sample(schema *openapi3.Schema, place string) any {
	m := sample.Maker{Direction: accept.Request, Place: place, Plain: true}
	value, err := m.Of(schema)
	if err != nil {
		return nil
	}
	return value
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
	example := exampleBody(content[names[0]])
	if schema := content[names[0]].Schema; example == nil && schema != nil && c.op.Document.IsUsers() {
		example = c.sample(schema.Value, c.op.ID)
	}
	value := mergePatch(example, known.Body)
	switch object, isObject := value.(map[string]any); {
	case names[0] == mediaForm && isObject:
		values := url.Values{}
		for name, value := range object {
			values.Set(name, fmt.Sprint(value))
		}
		c.body = values.Encode()
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

// scriptLine returns the call as a line of a script. What the next one needs is taken out of its answer, where it is
// the first of its name.
func (c *call) scriptLine() string {
	if c.field == "" {
		return c.curl()
	}
	return "ID=$(" + c.curl() + " |\n  grep -o '\"" + c.field + `":"[^"]*"' | head -n 1 | cut -d '"' -f 4)`
}

// curl returns the call as a command of a POSIX shell.
func (c *call) curl() string {
	standard := DefaultAddress()
	address := standard.URL + "/" + string(c.op.Interface) + c.op.Document.BasePath + c.path
	query, shown := c.query, c.op.Credentials(standard.Key)
	for _, credential := range shown {
		if credential.In == "query" {
			query = append(slices.Clip(query), url.QueryEscape(credential.Name)+"="+url.QueryEscape(credential.Value))
		}
	}
	if len(query) > 0 {
		address += "?" + strings.Join(query, "&")
	}
	lines := []string{compressCommand(c.rows) + "curl -sS " + method(c.op.Method, c.body != "") + quoted(address)}
	for _, credential := range shown {
		switch credential.In {
		case "header":
			lines = append(lines, "-H "+quoted(credential.Name+": "+credential.Value))
		case "cookie":
			lines = append(lines, "-b "+quoted(credential.Name+"="+credential.Value))
		}
	}
	for _, header := range c.header {
		lines = append(lines, "-H "+quoted(header[0]+": "+header[1]))
	}
	switch {
	case c.rows != "":
		lines = append(lines, "--data-binary @-")
	case c.file != "":
		lines = append(lines, "--data-binary @"+c.file)
	case c.body != "":
		lines = append(lines, "-d "+quoted(c.body))
	}
	if c.isBinary() {
		lines = append(lines, "-o "+c.op.ID+".out")
	}
	return strings.Join(lines, " \\\n  ")
}

// compressCommand returns the commands that compress rows for the command after them.
func compressCommand(rows string) string {
	if rows == "" {
		return ""
	}
	text := "'%s\\n' " + quoted(rows)
	if strings.ContainsFunc(rows, func(r rune) bool { return r == utf8.RuneError }) {
		text = "'" + octal(rows) + "'"
	}
	return "printf " + text + " | gzip |\n  "
}

// octal writes bytes as printf of a POSIX shell reads them.
func octal(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		if 'a' <= c && c <= 'z' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, `\%03o`, c)
		}
	}
	return b.String()
}

// method returns the option for a method that curl does not choose by itself.
func method(name string, hasBody bool) string {
	if name == http.MethodGet && !hasBody || name == http.MethodPost && hasBody {
		return ""
	}
	return "-X " + name + " "
}

// quoted returns a text as one word of a shell, which replaces $ID in it.
func quoted(text string) string {
	parts := strings.Split(text, theID)
	for i, part := range parts {
		if part != "" {
			parts[i] = snippet.ShellQuoted(part)
		}
	}
	return strings.Join(parts, `"`+theID+`"`)
}

// isBinary reports whether the answer is nothing to look at in a terminal.
func (c *call) isBinary() bool {
	for status, ref := range c.op.Spec.Responses.Map() {
		if !strings.HasPrefix(status, "2") || ref.Value == nil {
			continue
		}
		for name := range ref.Value.Content {
			if isText := strings.Contains(name, "json") || strings.HasPrefix(name, "text/"); isText {
				return false
			}
		}
		if len(ref.Value.Content) > 0 {
			return true
		}
	}
	return false
}

const (
	quickstart = "quickstart"
	whole      = "full-account"
)

// theID stands in a call for what the call before it has answered.
const theID = "$ID"

// known holds what examples need beside what the documents say.
type known struct {
	Common    map[specs.Interface]map[string]string // values of parameters
	Resources map[string]string                     // ids of the LLM interface, by their collections
	Trials    map[string]trial                      // by operation
}

//go:embed trials.yaml
var trialsText []byte

var readTrials = sync.OnceValue(func() (k known) {
	if err := yaml.Unmarshal(trialsText, &k); err != nil {
		panic(err) // the file is a part of the program
	}
	return k
})

// trial holds what the example of an operation needs beside what its document says, so that it works against a
// scenario.
type trial struct {
	Scenario string            // quickstart unless stated
	Values   map[string]string // of parameters
	Body     map[string]any    // what is different from the document's example
	Rows     string            // of JSON or msgpack, that are compressed to be the body
	Before   *step
	Note     string
}

// step is a call that comes first, to make or find what the example is about.
type step struct {
	ID    string // of the operation
	Field string // that is taken out of its answer: the first one of this name, id unless stated
	trial `yaml:",inline"`
}

// trialOf looks up an operation by its name, by the collection that its path is in, and by its interface.
func trialOf(op *specs.Operation) trial {
	t := readTrials().Trials[op.Name()]
	values := map[string]string{}
	maps.Copy(values, readTrials().Common[op.Interface])
	if op.Interface == specs.LLM || op.Interface == specs.DWH {
		t.Scenario = whole
	}
	if op.Interface == specs.LLM {
		ofCollection(op, &t, values)
	}
	maps.Copy(values, t.Values)
	t.Values = values
	return t
}

// ofCollection fills in the id of a resource of the LLM interface: of one that the scenario has, or of one that is made
// before, where the scenario has none or the call takes it away.
func ofCollection(op *specs.Operation, t *trial, values map[string]string) {
	_, rest, _ := strings.Cut(op.Path, "/api/")
	collection, _, found := strings.Cut(rest, "/{id}")
	if !found {
		return
	}
	id := readTrials().Resources[collection]
	if maker := makerOf(op, collection); t.Before == nil && (id == "" || op.Method == "DELETE") && maker != nil {
		t.Before, id = &step{ID: maker.ID, trial: trialOf(maker)}, theID
	}
	if op.Method == "PATCH" {
		t.Body = map[string]any{"data": map[string]any{"id": id}}
	}
	values["id"] = id
}

// makerOf returns the operation that makes resources of a collection, or nil.
func makerOf(op *specs.Operation, collection string) *specs.Operation {
	for _, other := range op.Document.Operations {
		if other.Method == "POST" && other.Path == "/api/"+collection {
			return other
		}
	}
	return nil
}
