package suggest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"svc.example/understudy/specs"
)

// Patch is what one document lacks.
type Patch struct {
	Interface string
	File      string
	Exchanges int // that showed something
	Additions int
	Left      int // findings beyond the bounds, or without an address that can be shown

	changes []change
	before  map[string]any
	after   map[string]any
}

// change adds to an existing part of a document.
type change struct {
	at     []string // the existing part
	rest   []string // what is made below it
	value  any
	isItem bool // the value is one more item of the list at the end of rest, or of the part itself
}

// Patches returns what is missing, by document, in their order by name. Documents that lack nothing have none.
func (c *Collector) Patches() ([]*Patch, error) {
	var list []*Patch
	for _, d := range slices.SortedFunc(maps.Keys(c.drafts), func(a, b *specs.Document) int { return strings.Compare(a.Interface, b.Interface) }) {
		p, err := c.drafts[d].patch()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.File, err)
		}
		if len(p.changes) > 0 || p.Left > 0 {
			list = append(list, p)
		}
	}
	return list, nil
}

func (d *draft) patch() (*Patch, error) {
	p := &Patch{Interface: d.document.Interface, File: d.document.File, Exchanges: d.seen, Left: d.left}
	if len(d.operations)+len(d.additions) == 0 {
		return p, nil
	}
	tree, err := d.document.Tree()
	if err != nil {
		return nil, err
	}
	p.before, p.after = plain(tree).(map[string]any), plain(tree).(map[string]any)
	is31 := d.document.T.IsOpenAPI31OrLater()
	for _, key := range slices.Sorted(maps.Keys(d.additions)) {
		d.additions[key].into(p, is31)
	}
	p.mapsOfMany(d, is31)
	ids := map[string]bool{}
	for _, key := range slices.SortedFunc(maps.Keys(d.operations), byPath) {
		d.operations[key].into(p, d.document, ids)
	}
	p.Additions = len(p.changes)
	return p, nil
}

func byPath(a, b [2]string) int {
	return strings.Compare(a[1]+" "+a[0], b[1]+" "+b[0])
}

func (a *addition) into(p *Patch, is31 bool) {
	switch {
	case a.query != "":
		p.add(a.parent, []string{"parameters"}, queryParameter(a.query, a.value, is31), true)
	case a.value != nil:
		schema := a.value.schema(is31)
		schema["x-seen"] = a.value.seen
		p.add(a.parent, a.rest, schema, false)
	case len(a.rest) > 0 && strings.Contains(a.rest[len(a.rest)-1], "/"):
		p.add(a.parent, a.rest, a.body.content(is31), false)
	default:
		p.add(a.parent, a.rest, answer(map[string]*payload{a.body.media: a.body}, is31), false)
	}
}

// mapsOfMany makes one schema of many fields of one object, whose names are ids.
func (p *Patch) mapsOfMany(d *draft, is31 bool) {
	count := map[string]int{}
	for _, a := range d.additions {
		if a.value != nil && a.query == "" {
			count[a.parent]++
		}
	}
	for _, parent := range slices.Sorted(maps.Keys(count)) {
		if count[parent] <= maxNames {
			continue
		}
		whole := (*node)(nil).of("")
		for _, key := range slices.Sorted(maps.Keys(d.additions)) {
			if a := d.additions[key]; a.parent == parent && a.value != nil && a.query == "" {
				whole.merge(a.value)
			}
		}
		at := split(parent)
		p.changes = slices.DeleteFunc(p.changes, func(c change) bool {
			return slices.Equal(c.at, at) && len(c.rest) == 2 && c.rest[0] == "properties" ||
				slices.Equal(c.at, append(slices.Clip(at), "properties")) && len(c.rest) == 1
		})
		p.add(parent, []string{"additionalProperties"}, whole.schema(is31), false)
	}
}

// content is a payload as a media type of a document.
func (b *payload) content(is31 bool) map[string]any {
	media := map[string]any{"x-seen": b.seen}
	switch {
	case b.value != nil:
		media["schema"] = b.value.schema(is31)
	case strings.HasPrefix(b.media, "text/"):
		media["schema"] = map[string]any{"type": "string"}
	default:
		media["schema"] = map[string]any{"type": "string", "format": "binary"}
	}
	return media
}

// answer is a response of a document.
func answer(payloads map[string]*payload, is31 bool) map[string]any {
	response, content, seen := map[string]any{"description": "Seen in recordings"}, map[string]any{}, 0
	for media, payload := range payloads {
		if seen += payload.seen; media != "" {
			content[media] = payload.content(is31)
		}
	}
	if response["x-seen"] = seen; len(content) > 0 {
		response["content"] = content
	}
	return response
}

func queryParameter(name string, value *node, is31 bool) map[string]any {
	return map[string]any{"name": name, "in": "query", "schema": value.schema(is31), "x-seen": value.seen}
}

// add notes a change at the end of a pointer and tokens below it, and follows references on the way.
func (p *Patch) add(parent string, rest []string, value any, isItem bool) {
	at, node := []string(nil), any(p.before)
	tokens := append(split(parent), rest...)
	for references := 0; len(tokens) > 0; {
		object, _ := node.(map[string]any)
		if ref, isRef := object["$ref"].(string); isRef && strings.HasPrefix(ref, "#/") && references < 64 {
			at, node, tokens = nil, p.before, append(split(ref[1:]), tokens...)
			references++
			continue
		}
		next, isThere := child(node, tokens[0])
		if !isThere {
			break
		}
		at, node, tokens = append(at, tokens[0]), next, tokens[1:]
	}
	p.changes = append(p.changes, change{at, tokens, value, isItem})
}

func child(node any, token string) (any, bool) {
	switch v := node.(type) {
	case map[string]any:
		value, isThere := v[token]
		return value, isThere
	case []any:
		for i := range v {
			if fmt.Sprint(i) == token {
				return v[i], true
			}
		}
	}
	return nil, false
}

func split(pointer string) []string {
	if pointer == "" {
		return nil
	}
	tokens := strings.Split(pointer[1:], "/")
	for i := range tokens {
		tokens[i] = unescape(tokens[i])
	}
	return tokens
}

// update is a change as an object that is merged into the part, or as one more item of it.
func (c *change) update() any {
	value := c.value
	if c.isItem && len(c.rest) > 0 {
		value = []any{value}
	}
	for _, token := range slices.Backward(c.rest) {
		value = map[string]any{token: value}
	}
	return value
}

// Overlay returns the patch as an OpenAPI Overlay 1.0: an action for each part of the document.
func (p *Patch) Overlay() map[string]any {
	var order []string
	updates := map[string][]any{}
	for i := range p.changes {
		c := &p.changes[i]
		target := jsonPath(p.before, c.at)
		last := len(updates[target]) - 1
		switch {
		case c.isItem && len(c.rest) == 0 && last >= 0, last < 0:
			if last < 0 {
				order = append(order, target)
			}
			updates[target] = append(updates[target], c.update())
		default:
			updates[target][last] = merged(updates[target][last], c.update())
		}
	}
	actions := []any{}
	slices.Sort(order)
	for _, target := range order {
		for _, update := range updates[target] {
			actions = append(actions, map[string]any{"target": target, "update": update})
		}
	}
	return map[string]any{
		"overlay": "1.0.0",
		"info": map[string]any{
			"title":   fmt.Sprintf("What %s lacks, by %d exchanges", p.File, p.Exchanges),
			"version": "1.0.0",
		},
		"actions": actions,
	}
}

// merged adds an object to another one; lists are put together.
func merged(into, value any) any {
	a, isObject := into.(map[string]any)
	b, both := value.(map[string]any)
	if isObject && both {
		for key, inner := range b {
			if old, isThere := a[key]; isThere {
				inner = merged(old, inner)
			}
			a[key] = inner
		}
		return a
	}
	list, isList := into.([]any)
	more, both := value.([]any)
	if isList && both {
		return append(list, more...)
	}
	return value
}

// jsonPath is an RFC 9535 path to a part of a document.
func jsonPath(node any, tokens []string) string {
	var path strings.Builder
	path.WriteString("$")
	for _, token := range tokens {
		if _, isList := node.([]any); isList {
			path.WriteString("[" + token + "]")
		} else {
			path.WriteString("['" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(token) + "']")
		}
		node, _ = child(node, token)
	}
	return path.String()
}

// MergePatch returns the patch as an RFC 7396 JSON Merge Patch. Lists that change are in it as a whole.
func (p *Patch) MergePatch() map[string]any {
	for i := range p.changes {
		p.apply(&p.changes[i])
	}
	patch, _ := difference(p.before, p.after).(map[string]any)
	return patch
}

func (p *Patch) apply(c *change) {
	node := any(p.after)
	var set func(any)
	for _, token := range c.at {
		parent := node
		node, _ = child(parent, token)
		if object, isObject := parent.(map[string]any); isObject {
			set = func(value any) { object[token] = value }
		}
	}
	if list, isList := node.([]any); isList && c.isItem {
		set(append(list, c.value))
		return
	}
	merged(node, plain(c.update()))
}

// difference is what of an object is not in another one.
func difference(before, after any) any {
	a, isObject := before.(map[string]any)
	b, both := after.(map[string]any)
	if !isObject || !both {
		return after
	}
	patch := map[string]any{}
	for key, value := range b {
		if old, isThere := a[key]; !isThere || !reflect.DeepEqual(old, value) {
			patch[key] = difference(old, value)
		}
	}
	return patch
}

// Write writes a patch as YAML or JSON, the same for the same recordings.
func Write(patch map[string]any, asJSON bool) ([]byte, error) {
	if !asJSON {
		return yaml.Marshal(patch)
	}
	text, err := json.MarshalIndent(patch, "", "  ")
	return append(text, '\n'), err
}

// ErrNothing says that a recording shows nothing that the documents lack.
var ErrNothing = errors.New("the recording shows nothing that the documents lack")
