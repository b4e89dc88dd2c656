package jsonapi

import (
	"cmp"
	"strings"

	"github.com/go-json-experiment/json"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// sort returns the order of the parameter sort: fields separated by commas, each an attribute or id, with a minus
// before those that descend. Attributes may be spelled in snake_case (public).
func (k *Kind) sort(c *op.Call) (func(a, b any) int, error) {
	if !c.Has("sort") {
		return nil, nil
	}
	_, attributes := world.Parts(k.Rows(c.World).New())
	known := WireFields(attributes)
	var orders []func(a, b any) int
	for field := range strings.SplitSeq(c.Text("sort"), ",") {
		name, descends := strings.CutPrefix(strings.TrimSpace(field), "-")
		key := c.Neutral(Camel(name))
		if _, ok := known[key]; !ok && key != "id" && key != "createdAt" && key != "updatedAt" {
			return nil, BadRequest("sort", reasonSort, "%q is not a field of %s", c.Neutral(name), k.Type)
		}
		order := func(a, b any) int { return compare(sortKey(a, key), sortKey(b, key)) }
		if descends {
			order = func(a, b any) int { return compare(sortKey(b, key), sortKey(a, key)) }
		}
		orders = append(orders, order)
	}
	return func(a, b any) int {
		for _, order := range orders {
			if n := order(a, b); n != 0 {
				return n
			}
		}
		return 0
	}, nil
}

// sortKey returns the value of a resource's field, by its name on the wire.
func sortKey(row any, name string) any {
	head, attributes := world.Parts(row)
	switch name {
	case "id":
		return head.UUID
	case "createdAt":
		return Millis(head.CreatedAt)
	case "updatedAt":
		return Millis(head.UpdatedAt)
	}
	return WireFields(attributes)[name]
}

// WireFields returns the attributes by their names on the wire.
func WireFields(attributes any) map[string]any {
	all := map[string]any{}
	if text, err := json.Marshal(attributes); err == nil {
		_ = json.Unmarshal(text, &all) // what was just written is an object
	}
	return all
}

// compare orders numbers, texts and truth values among themselves; null comes first, and values without an order are
// equal.
func compare(a, b any) int {
	switch x := a.(type) {
	case nil:
		if b != nil {
			return -1
		}
	case float64:
		if y, ok := b.(float64); ok {
			return cmp.Compare(x, y)
		}
	case string:
		if y, ok := b.(string); ok {
			return strings.Compare(x, y)
		}
	case bool:
		if y, ok := b.(bool); ok && x != y {
			if y {
				return -1
			}
			return 1
		}
	}
	if a != nil && b == nil {
		return 1
	}
	return 0
}
