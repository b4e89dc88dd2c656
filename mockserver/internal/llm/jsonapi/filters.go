package jsonapi

import (
	"errors"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

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
		for _, passes := range all {
			if !passes(row) {
				return false
			}
		}
		return true
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
