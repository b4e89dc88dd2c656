// Package fill fills the templates of made-up answers in: texts of text/template, over a request and the world that it
// is for. They are for anybody to write, so that they are bounded: by a list of functions, in bytes, and in time.
//
// In a body of JSON each text is a template of its own, and its result is quoted when the body is written. A text that
// consists of {{value X}} alone is replaced by the value X itself, be it a number, a list or an object.
package fill

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"text/template/parse"
	"time"

	"svc.example/understudy/internal/jsontree"
)

// The limits of a template, and of what all templates of an answer make.
const (
	maxSource = 64 << 10 // bytes
	maxMade   = 4 << 20  // bytes
)

// Request is the dot of a template: {{.Body.name}}, {{.Path.poolId}}, {{.Header "X-Tenant"}}.
type Request struct {
	Method string
	Path   map[string]string // parameters of the path, by the names that the document gives them
	Query  map[string]string // parameters of the query; of several with one name, the first
	Body   any               // JSON, or a form as an object of texts; nil if it is neither. Numbers can be compared
	World  string            // its id
	Seed   uint64            // of the world
	Call   int64             // the number of the call among those that the stub or the fault is for, from 1

	header http.Header
}

// NewRequest returns the dot of templates for a request with these headers and this body, as JSON with numbers as
// json.Number.
func NewRequest(header http.Header, body any) *Request {
	return &Request{header: header, Body: withNumbers(body)}
}

// withNumbers returns a value of JSON with numbers that templates can compare, where they can be had.
func withNumbers(value any) any {
	switch value := value.(type) {
	case map[string]any:
		made := make(map[string]any, len(value))
		for name, member := range value {
			made[name] = withNumbers(member)
		}
		return made
	case []any:
		made := make([]any, len(value))
		for i, item := range value {
			made[i] = withNumbers(item)
		}
		return made
	case json.Number:
		if n, err := value.Int64(); err == nil {
			return int(n)
		}
		if n, err := value.Float64(); err == nil && len(value) <= exactDigits {
			return n
		}
	}
	return value
}

// exactDigits is the length up to which a number is surely the same as a float64.
const exactDigits = 15

// Header returns a header, or the empty string.
func (r *Request) Header(name string) string { return r.header.Get(name) }

// Run fills the templates of one answer in.
type Run struct {
	Request *Request
	Now     time.Time             // by the clock of the world
	UUID    func(n int64) string  // the n-th one of the answer
	Random  func(n int64) float64 // the n-th number of the answer, from 0 up to 1
	IsOver  func() bool           // reports whether it has taken too long

	made  int   // bytes
	drawn int64 // UUIDs and random numbers
	whole *any  // that takes the place of the text; nil: none does
}

// functions lists what templates may call beside and, or, not, len, index, slice and comparisons. Others of
// text/template can make much of little.
func (r *Run) functions() template.FuncMap {
	return template.FuncMap{
		"now": r.now, "uuid": r.uuid, "random": r.random, "json": r.json, "value": r.value,
		"lower": strings.ToLower, "upper": strings.ToUpper,
		displayName: r.display, stepName: r.step,
	}
}

// The names of functions that templates get without calling them: at the end of what is written, and in each turn of a
// loop.
const (
	displayName = "_display"
	stepName    = "_step"
)

// builtin lists the functions of text/template itself that templates may call.
var builtin = []string{"and", "or", "not", "len", "index", "slice", "eq", "ne", "lt", "le", "gt", "ge"}

// now returns the time of the world, moved by durations such as 24h or -90m.
func (r *Run) now(by ...string) (string, error) {
	at := r.Now
	for _, text := range by {
		d, err := time.ParseDuration(text)
		if err != nil {
			return "", fmt.Errorf("want a duration such as 24h or -90m, not %q", text)
		}
		at = at.Add(d)
	}
	return at.UTC().Format(time.RFC3339Nano), nil
}

func (r *Run) uuid() string {
	r.drawn++
	return r.UUID(r.drawn)
}

// random returns an integer from the least up to the most, both included.
func (r *Run) random(least, most int) (int, error) {
	span := float64(most) - float64(least) + 1
	if span < 1 || span > 1<<53 {
		return 0, fmt.Errorf("want random MIN MAX with MIN up to MAX, not %d and %d", least, most)
	}
	r.drawn++
	return least + int(r.Random(r.drawn)*span), nil
}

// json returns a value as JSON.
func (r *Run) json(value any) (string, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return "", err
	}
	return strings.TrimSuffix(text.String(), "\n"), r.charge(text.Len())
}

// whole is a value that is to take the place of a text.
type whole struct{ value any }

func (r *Run) value(value any) whole { return whole{value} }

// display returns a value as it stands in a text: nothing for what is missing, and JSON for lists and objects.
func (r *Run) display(value any) (string, error) {
	switch value := value.(type) {
	case nil:
		return "", nil
	case string:
		return value, nil
	case json.Number:
		return value.String(), nil
	case whole:
		if r.whole != nil {
			return "", errors.New("value stands twice in one text; want it alone")
		}
		r.whole = &value.value
		return "", nil
	}
	return r.json(value)
}

var errTooLong = errors.New("it takes too long; want fewer turns of loops")

// step counts a turn of a loop.
func (r *Run) step() (string, error) {
	if r.IsOver() {
		return "", errTooLong
	}
	return "", nil
}

// charge counts bytes that are made.
func (r *Run) charge(bytes int) error {
	if r.made += bytes; r.made > maxMade {
		return fmt.Errorf("it makes more than %d bytes", maxMade)
	}
	return nil
}

// output holds what a template writes.
type output struct {
	run  *Run
	text bytes.Buffer
}

// Write implements io.Writer.
func (o *output) Write(b []byte) (int, error) {
	if err := o.run.charge(len(b)); err != nil {
		return 0, err
	}
	return o.text.Write(b)
}

// isTemplate reports whether there is something to fill in.
func isTemplate(text string) bool { return strings.Contains(text, "{{") }

// Check returns what is wrong with a text as a template.
func Check(text string) error {
	_, err := new(Run).compile(text)
	return err
}

// compile returns a text as a template; nil if nothing is to be filled in.
func (r *Run) compile(text string) (*template.Template, error) {
	switch {
	case !isTemplate(text):
		return nil, nil
	case len(text) > maxSource:
		return nil, fmt.Errorf("a template of %d bytes: want at most %d", len(text), maxSource)
	}
	functions := r.functions()
	known := map[string]any{}
	maps.Copy(known, functions)
	for _, name := range builtin {
		known[name] = true
	}
	trees, err := parse.Parse("template", text, "", "", known)
	switch {
	case err != nil:
		return nil, plain(err)
	case len(trees) != 1:
		return nil, errors.New("define and block are not allowed")
	}
	tree := trees["template"]
	if tree == nil { // it writes nothing
		tree = &parse.Tree{Name: "template", Root: &parse.ListNode{NodeType: parse.NodeList}}
	}
	if err := bound(tree.Root); err != nil {
		return nil, err
	}
	return template.New("template").Funcs(functions).AddParseTree("template", tree)
}

// plain returns an error of a template without what says nothing to its author.
func plain(err error) error {
	text := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "template: "), "template:")
	return errors.New("line " + hidden.Replace(text))
}

// hidden takes out of errors what their authors have not written.
var hidden = strings.NewReplacer(`executing "template" `, "", "at <"+stepName+">: error calling "+stepName+": ", "",
	"error calling "+displayName+": ", "")

// bound puts the hidden calls into the nodes of a template.
func bound(list *parse.ListNode) error {
	if list == nil {
		return nil
	}
	var errs []error
	for _, node := range list.Nodes {
		switch node := node.(type) {
		case *parse.ActionNode:
			if len(node.Pipe.Decl) == 0 {
				node.Pipe.Cmds = append(node.Pipe.Cmds, callOf(displayName, node.Pos))
			}
		case *parse.TemplateNode:
			errs = append(errs, errors.New("template is not allowed"))
		case *parse.IfNode:
			errs = append(errs, bound(node.List), bound(node.ElseList))
		case *parse.WithNode:
			errs = append(errs, bound(node.List), bound(node.ElseList))
		case *parse.RangeNode:
			errs = append(errs, bound(node.List), bound(node.ElseList))
			step := &parse.PipeNode{NodeType: parse.NodePipe, Pos: node.Pos, Line: node.Line, Cmds: []*parse.CommandNode{
				callOf(stepName, node.Pos),
			}}
			node.List.Nodes = slices.Insert(node.List.Nodes, 0, parse.Node(
				&parse.ActionNode{NodeType: parse.NodeAction, Pos: node.Pos, Line: node.Line, Pipe: step}))
		}
	}
	return errors.Join(errs...)
}

func callOf(name string, at parse.Pos) *parse.CommandNode {
	return &parse.CommandNode{
		NodeType: parse.NodeCommand, Pos: at, Args: []parse.Node{parse.NewIdentifier(name).SetPos(at)},
	}
}

// Text fills a text in. What value gives is written as JSON.
func (r *Run) Text(text string) (string, error) {
	filled, err := r.fill(text)
	if err != nil {
		return "", err
	}
	if text, isText := filled.(string); isText {
		return text, nil
	}
	return r.json(filled)
}

// fill returns what a text becomes: another text, or a value.
func (r *Run) fill(text string) (any, error) {
	t, err := r.compile(text)
	if t == nil || err != nil {
		return text, err
	}
	if r.IsOver() {
		return "", errTooLong
	}
	out := output{run: r}
	r.whole = nil
	if err := t.Execute(&out, r.Request); err != nil {
		return "", plain(err)
	}
	switch {
	case r.whole == nil:
		return out.text.String(), nil
	case strings.TrimSpace(out.text.String()) != "":
		return "", errors.New("value stands beside other text; want it alone")
	}
	return *r.whole, nil
}

// Body fills a body in: a text as a whole, and of JSON each text that is a value. An error names the place.
func (r *Run) Body(body any) (any, error) {
	if text, isText := body.(string); isText {
		return r.Text(text)
	}
	return Each(body, r.fill)
}

// CheckBody returns what is wrong with the templates of a body.
func CheckBody(body any) error {
	_, err := Each(body, func(text string) (any, error) { return text, Check(text) })
	return err
}

// PlaceError is an error at a place of a body.
type PlaceError struct {
	Path []string // names of members, and indices of items
	Err  error
}

// Error implements error.
func (e *PlaceError) Error() string { return strings.Join(append(e.Path, e.Err.Error()), ": ") }

// Unwrap returns the error itself.
func (e *PlaceError) Unwrap() error { return e.Err }

// Each returns a value of JSON with what a function makes of each text in it, in the order of the names of members. The
// first error is a *PlaceError, and ends it.
func Each(value any, of func(text string) (any, error)) (any, error) { return each(value, nil, of) }

func each(value any, path []string, of func(text string) (any, error)) (any, error) {
	at := func(step string) []string { return append(slices.Clip(path), step) }
	switch value := value.(type) {
	case string:
		made, err := of(value)
		if err != nil {
			err = &PlaceError{path, err}
		}
		return made, err
	case map[string]any:
		made := make(map[string]any, len(value))
		for _, name := range slices.Sorted(maps.Keys(value)) {
			member, err := each(value[name], at(name), of)
			if err != nil {
				return nil, err
			}
			made[name] = member
		}
		return made, nil
	case []any:
		made := make([]any, len(value))
		for i, item := range value {
			var err error
			if made[i], err = each(item, at(strconv.Itoa(i)), of); err != nil {
				return nil, err
			}
		}
		return made, nil
	case nil, bool, float64, json.Number:
		return value, nil
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil, &PlaceError{path, err}
	}
	decoded, err := jsontree.Decode[any](text)
	if err != nil {
		return nil, &PlaceError{path, err}
	}
	return each(decoded, path, of)
}
