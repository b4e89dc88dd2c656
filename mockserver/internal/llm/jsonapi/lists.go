package jsonapi

import (
	"cmp"
	"errors"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// Filter reads a filter's text once and returns the test that reports which resources pass.
type Filter[A any] func(c *op.Call, text string) (func(world.Resource[A]) bool, error)

func filterParameter(name string) string { return "filter[" + name + "]" }

// onlyFilters refuses the filters of a query that a list does not have.
func onlyFilters(query url.Values, known []string) error {
	parameters := make([]string, len(known))
	for i, name := range known {
		parameters[i] = filterParameter(name)
	}
	want := "this list has none"
	if len(known) > 0 {
		want = "want one of " + strings.Join(parameters, ", ")
	}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(query)) {
		isFilter := name == "filter" || strings.HasPrefix(name, "filter[")
		if isFilter && !slices.Contains(parameters, name) {
			errs = append(errs, BadRequest(name, reasonNoFilter, "unknown filter: %s", want))
		}
	}
	return errors.Join(errs...)
}

// MatchFilters returns the test for all filters of a call. It refuses filters that the kind does not have, and the test
// excludes resources that the caller may not see.
func (k *Kind) MatchFilters(c *op.Call) (func(row any) bool, error) {
	known := slices.Sorted(maps.Keys(k.filters))
	if err := onlyFilters(c.Query, known); err != nil {
		return nil, err
	}
	var all []func(row any) bool
	if k.visible != nil {
		all = append(all, func(row any) bool { return k.visible(c, row) })
	}
	for _, name := range known {
		parameter := filterParameter(name)
		if !c.Has(parameter) {
			continue
		}
		passes, err := k.filters[name](c, c.Text(parameter))
		if err != nil {
			return nil, err
		}
		all = append(all, passes)
	}
	return func(row any) bool {
		return !slices.ContainsFunc(all, func(passes func(any) bool) bool { return !passes(row) })
	}, nil
}

// Equal returns a filter that passes the resources whose attribute is exactly the text.
func Equal[A any](attribute func(A) string) Filter[A] {
	return func(_ *op.Call, text string) (func(world.Resource[A]) bool, error) {
		return func(r world.Resource[A]) bool { return attribute(r.Attributes) == text }, nil
	}
}

// Containing returns a filter that passes the resources with the text in one of theirs, ignoring case.
func Containing[A any](texts func(A) []string) Filter[A] {
	return func(_ *op.Call, text string) (func(world.Resource[A]) bool, error) {
		part := strings.ToLower(text)
		return func(r world.Resource[A]) bool {
			return slices.ContainsFunc(texts(r.Attributes), func(whole string) bool {
				return strings.Contains(strings.ToLower(whole), part)
			})
		}, nil
	}
}

// OneOf returns a filter that passes the resources whose attribute is in the comma-separated list of the filter.
func OneOf[A any](attribute func(A) string) Filter[A] {
	return func(_ *op.Call, text string) (func(world.Resource[A]) bool, error) {
		wanted := Words(text)
		return func(r world.Resource[A]) bool { return slices.Contains(wanted, attribute(r.Attributes)) }, nil
	}
}

// IsTrue returns a filter that passes the resources for which holds is true or, by the filter's text, false.
func IsTrue[A any](name string, holds func(w *world.State, r world.Resource[A]) bool) Filter[A] {
	return func(c *op.Call, text string) (func(world.Resource[A]) bool, error) {
		wanted, err := strconv.ParseBool(text)
		if err != nil || text != "true" && text != "false" {
			return nil, BadRequest("filter["+name+"]", ReasonFilter, "want true or false, not %q", text)
		}
		return func(r world.Resource[A]) bool { return holds(c.World, r) == wanted }, nil
	}
}

// Words returns the items of a comma-separated list.
func Words(text string) []string {
	list := strings.Split(text, ",")
	for i, word := range list {
		list[i] = strings.TrimSpace(word)
	}
	return list
}

// OrEmpty returns an attribute, or the empty text if it is null.
func OrEmpty(attribute *string) string {
	if attribute == nil {
		return ""
	}
	return *attribute
}

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
