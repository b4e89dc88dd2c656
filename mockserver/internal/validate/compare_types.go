package validate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// compareTypes reports a type of ours that theirs does not allow. Null is compared elsewhere.
func compareTypes(theirs *openapi3.Schema, ours []*openapi3.Schema, at string) []string {
	want := typesOf(theirs)
	have, _ := typesOfAll(ours)
	for _, kind := range have {
		if len(want) > 0 && !allows(want, kind) {
			return []string{fmt.Sprintf("%s has type %s, but the document has %s", cmp.Or(at, "the body"), kind,
				strings.Join(want, " or "))}
		}
	}
	return nil
}

func typesOf(schema *openapi3.Schema) []string {
	return slices.DeleteFunc(slices.Clone(schema.Type.Slice()),
		func(kind string) bool { return kind == openapi3.TypeNull })
}

// typesOfAll returns the types that are allowed by all schemas that state one.
func typesOfAll(schemas []*openapi3.Schema) (types []string, stated bool) {
	for _, one := range schemas {
		own := typesOf(one)
		switch {
		case len(own) == 0:
		case !stated:
			types, stated = own, true
		default:
			kept := slices.DeleteFunc(slices.Clone(types), func(kind string) bool { return !allows(own, kind) })
			for _, kind := range own {
				if allows(types, kind) && !slices.Contains(kept, kind) {
					kept = append(kept, kind)
				}
			}
			types = kept
		}
	}
	return types, stated
}

// allows reports whether one of several types includes a type.
func allows(types []string, kind string) bool {
	return slices.Contains(types, kind) || kind == openapi3.TypeInteger && slices.Contains(types, openapi3.TypeNumber)
}

// compareValues reports values of ours that theirs does not list.
func compareValues(theirs *openapi3.Schema, ours []*openapi3.Schema, at string) (list []string) {
	if len(theirs.Enum) == 0 {
		return nil
	}
	for _, one := range ours {
		for _, value := range one.Enum {
			isMissing := func(s *openapi3.Schema) bool {
				return len(s.Enum) > 0 &&
					!slices.ContainsFunc(s.Enum, func(other any) bool { return fmt.Sprint(other) == fmt.Sprint(value) })
			}
			if value != nil && isMissing(theirs) && !slices.ContainsFunc(ours, isMissing) {
				list = append(list, fmt.Sprintf("%s may be %v, which the document does not list", cmp.Or(at, "the body"), value))
			}
		}
	}
	return unique(list)
}

func memberPath(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}
