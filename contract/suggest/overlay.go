package suggest

import (
	"fmt"
	"slices"
	"strings"
)

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
