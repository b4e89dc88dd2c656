package suggest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

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
