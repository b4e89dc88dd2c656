package suggest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v4"

	"svc.example/understudy/specs"
)

// Patch adds what one document lacks.
type Patch struct {
	Interface specs.Interface
	File      string
	Exchanges int // that showed something
	Additions int
	Left      map[string]int // how much was left out, of fields, operations and the like

	changes []change
	before  map[string]any
	after   map[string]any
}

// LeftOut returns what the patch leaves out because it does not fit or may be secret; empty if nothing.
func (p *Patch) LeftOut() string {
	var list []string
	for _, what := range slices.Sorted(maps.Keys(p.Left)) {
		list = append(list, fmt.Sprintf("%d %s", p.Left[what], what))
	}
	return strings.Join(list, ", ")
}

// change adds to an existing part of a document.
type change struct {
	at     []string // the existing part
	rest   []string // what is made below it
	value  any
	isItem bool // the value is one more item of the list at the end of rest, or of the part itself
}

// add adds a change below a pointer, following references on the way.
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

func split(pointer string) []string { return slices.Collect(jsontext.Pointer(pointer).Tokens()) }

// update returns a change as an object that is merged into the part, or as one more item of it.
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

// Write writes a patch as YAML or JSON, the same for the same recordings.
func Write(patch map[string]any, asJSON bool) ([]byte, error) {
	if !asJSON {
		return yaml.Marshal(patch)
	}
	text, err := json.MarshalIndent(patch, "", "  ")
	return append(text, '\n'), err
}

// ErrNothing reports that a recording shows nothing that the documents lack.
var ErrNothing = errors.New("the recording has nothing that the documents lack")

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

// difference returns what one object adds to another or changes in it, as a merge patch.
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
	info := map[string]any{
		"title":   fmt.Sprintf("What %s lacks, according to %d exchanges", p.File, p.Exchanges),
		"version": "1.0.0",
	}
	if left := p.LeftOut(); left != "" {
		info["x-left-out"] = left
	}
	return map[string]any{"overlay": "1.0.0", "info": info, "actions": actions}
}

// merged adds an object to another one; lists are concatenated.
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

// jsonPath returns an RFC 9535 path to a part of a document.
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
