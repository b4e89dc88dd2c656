package llm

import (
	"cmp"
	"strings"

	"github.com/go-json-experiment/json"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// sort reads the parameter sort: fields separated by commas, each an attribute or id, with a minus before those that
// descend. Attributes may be spelled in snake_case (public).
func (k kind[A]) sort(c *op.Call) (func(a, b world.Resource[A]) int, error) {
	if !c.Has("sort") {
		return nil, nil
	}
	var orders []func(a, b world.Resource[A]) int
	for field := range strings.SplitSeq(c.Text("sort"), ",") {
		name, descends := strings.CutPrefix(strings.TrimSpace(field), "-")
		key, ok := sortKey[A](c.Neutral(camel(name)))
		if !ok {
			return nil, wrong("sort", reasonSort, "%q is no field of %s", c.Neutral(name), k.Type)
		}
		order := func(a, b world.Resource[A]) int { return compare(key(a), key(b)) }
		if descends {
			order = func(a, b world.Resource[A]) int { return compare(key(b), key(a)) }
		}
		orders = append(orders, order)
	}
	return func(a, b world.Resource[A]) int {
		for _, order := range orders {
			if n := order(a, b); n != 0 {
				return n
			}
		}
		return 0
	}, nil
}

// sortKey gives the value of a resource's field, by its name on the wire.
func sortKey[A any](name string) (func(world.Resource[A]) any, bool) {
	switch name {
	case "id":
		return func(r world.Resource[A]) any { return r.UUID }, true
	case "createdAt":
		return func(r world.Resource[A]) any { return millis(r.CreatedAt) }, true
	case "updatedAt":
		return func(r world.Resource[A]) any { return millis(r.UpdatedAt) }, true
	}
	if _, known := fields(*new(A))[name]; !known {
		return nil, false
	}
	return func(r world.Resource[A]) any { return fields(r.Attributes)[name] }, true
}

// fields are the attributes by their names on the wire.
func fields(attributes any) map[string]any {
	all := map[string]any{}
	if text, err := json.Marshal(attributes); err == nil {
		_ = json.Unmarshal(text, &all) // what was just written is an object
	}
	return all
}

// compare orders numbers, texts and truth values among themselves; null comes first, and what has no order is equal.
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
