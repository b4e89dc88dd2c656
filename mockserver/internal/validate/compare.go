package validate

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/internal/accept"
	"svc.example/understudy/specs"
)

// maxDifferences is the largest number of differences that are listed for one operation.
const maxDifferences = 10

// Compare lists how the answers that ours describes, which the mock gives, cannot fit a user's own document of the same
// operation. It lists only certain differences: a status or a media type that the document lacks, a member that it
// requires and ours lacks, another type, null where it is not allowed, a value that it does not list.
func Compare(own, ours *specs.Operation) []string {
	theirs := New(own)
	var found differences
	for _, status := range slices.Sorted(maps.Keys(ours.Spec.Responses.Map())) {
		code, err := strconv.Atoi(status)
		if err != nil {
			continue
		}
		documented, isThere := theirs.answer(code)
		switch {
		case !isThere && code < http.StatusBadRequest:
			found.add(status, "the status is not documented")
		case isThere:
			compareAnswers(&found, status, documented, ours.Spec.Responses.Value(status).Value)
		}
	}
	var list []string
	for _, text := range found.texts {
		list = append(list, strings.Join(found.statuses[text], ", ")+": "+text)
	}
	if len(list) > maxDifferences {
		list = append(list[:maxDifferences], fmt.Sprintf("and %d more", len(list)-maxDifferences))
	}
	return list
}

// differences holds texts, each with its statuses.
type differences struct {
	texts    []string
	statuses map[string][]string
}

func (d *differences) add(status, text string) {
	if d.statuses == nil {
		d.statuses = map[string][]string{}
	}
	if d.statuses[text] == nil {
		d.texts = append(d.texts, text)
	}
	d.statuses[text] = append(d.statuses[text], status)
}

func compareAnswers(found *differences, status string, theirs answer, ours *openapi3.Response) {
	if len(theirs.media) == 0 {
		if len(ours.Content) > 0 {
			found.add(status, "no body is documented")
		}
		return
	}
	for _, m := range newMedia(ours.Content, accept.Response, nil) {
		own, isThere := theirs.media.find(m.name)
		switch {
		case !isThere:
			found.add(status, fmt.Sprintf("media type %s is not documented", m.name))
		case own.json && m.json:
			c := comparison{seen: map[[3]*openapi3.Schema]bool{}, plain: map[*openapi3.Schema]*openapi3.Schema{}, left: maxPairs}
			for _, text := range c.compareSchemas(own.schema.plain(), []*openapi3.Schema{m.schema.plain()}, "") {
				found.add(status, text)
			}
		}
	}
}

// maxPairs is the largest number of pairs of schemas that are compared for one body.
const maxPairs = 20_000

// comparison compares schemas. Ours are a list of schemas, all of which hold for a value.
type comparison struct {
	seen  map[[3]*openapi3.Schema]bool          // pairs under comparison: theirs, the first and the last of ours
	plain map[*openapi3.Schema]*openapi3.Schema // schemas without their alternatives
	left  int
}

// compareSchemas lists how a value of ours cannot fit their schema.
func (c *comparison) compareSchemas(theirs *openapi3.Schema, ours []*openapi3.Schema, at string) []string {
	ours = withAllOf(ours)
	if c.left--; theirs == nil || len(ours) == 0 || c.left < 0 {
		return nil
	}
	key := [3]*openapi3.Schema{theirs, ours[0], ours[len(ours)-1]}
	if c.seen[key] {
		return nil
	}
	c.seen[key] = true
	defer delete(c.seen, key)
	if i := slices.IndexFunc(ours, hasAlternatives); i >= 0 {
		return c.compareAlternatives(theirs, ours, i, at)
	}
	list := c.compareKeywords(theirs, ours, at)
	if alternatives := slices.Concat(theirs.OneOf, theirs.AnyOf); len(alternatives) > 0 {
		list = append(list, c.compareNearest(alternatives, ours, at)...)
	}
	for _, one := range theirs.AllOf {
		list = append(list, c.compareSchemas(one.Value, ours, at)...)
	}
	return unique(list)
}

func hasAlternatives(s *openapi3.Schema) bool { return len(s.OneOf)+len(s.AnyOf) > 0 }

// compareAlternatives compares each alternative of one of our schemas that the other schemas allow.
func (c *comparison) compareAlternatives(theirs *openapi3.Schema, ours []*openapi3.Schema, i int,
	at string,
) (list []string) {
	one := ours[i]
	if c.plain[one] == nil {
		plain := *one
		plain.OneOf, plain.AnyOf = nil, nil
		c.plain[one] = &plain
	}
	for _, alternative := range slices.Concat(one.OneOf, one.AnyOf) {
		chosen := slices.Clone(ours)
		chosen[i] = c.plain[one]
		chosen = withAllOf(append(chosen, alternative.Value))
		if types, stated := typesOfAll(chosen); !stated || len(types) > 0 {
			list = append(list, c.compareSchemas(theirs, chosen, at)...)
		}
	}
	return unique(list)
}

// compareNearest returns the differences from the alternative that ours differs from least; alternatives of another
// type come last.
func (c *comparison) compareNearest(alternatives openapi3.SchemaRefs, ours []*openapi3.Schema,
	at string,
) (best []string) {
	isOther := true
	for i, one := range alternatives {
		found := c.compareSchemas(one.Value, ours, at)
		other := len(compareTypes(one.Value, ours, at)) > 0
		if i == 0 || isOther && !other || isOther == other && len(found) < len(best) {
			best, isOther = found, other
		}
	}
	return best
}

func unique(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

// compareKeywords compares with the keywords of their schema itself.
func (c *comparison) compareKeywords(theirs *openapi3.Schema, ours []*openapi3.Schema, at string) []string {
	list := compareTypes(theirs, ours, at)
	if len(list) > 0 {
		return list
	}
	list = compareValues(theirs, ours, at)
	known := map[string][]*openapi3.Schema{}
	isOpen := false
	var items []*openapi3.Schema
	for _, one := range ours {
		for name, ref := range one.Properties {
			known[name] = append(known[name], ref.Value)
		}
		isOpen = isOpen || one.AdditionalProperties.Schema != nil || len(one.Properties) == 0 && len(ours) == 1
		if one.Items != nil {
			items = append(items, one.Items.Value)
		}
	}
	for _, name := range theirs.Required {
		if len(known[name]) == 0 && !isOpen {
			list = append(list, fmt.Sprintf("%s is required, but the mock never returns it", memberPath(at, name)))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(known)) {
		list = append(list, c.compareMember(theirs, known[name], at, name)...)
	}
	if theirs.Items != nil {
		list = append(list, c.compareSchemas(theirs.Items.Value, items, at+"[]")...)
	}
	return list
}

func (c *comparison) compareMember(theirs *openapi3.Schema, ours []*openapi3.Schema, at, name string) (list []string) {
	stated := theirs.Properties[name]
	allowed := theirs.AdditionalProperties.Has
	if stated == nil {
		if allowed != nil && !*allowed && len(theirs.Properties) > 0 {
			return []string{memberPath(at, name) + " is returned by the mock, but not allowed"}
		}
		return nil
	}
	if slices.Contains(theirs.Required, name) && !slices.ContainsFunc(ours, refusesNull) && refusesNull(stated.Value) {
		list = append(list, memberPath(at, name)+" may be null, which is not allowed")
	}
	return append(list, c.compareSchemas(stated.Value, ours, memberPath(at, name))...)
}

// refusesNull reports whether a schema is known not to allow null.
func refusesNull(s *openapi3.Schema) bool { return new(accept.Work).Refuses(s, nil) }

// withAllOf returns schemas with all schemas that their allOf combines.
func withAllOf(schemas []*openapi3.Schema) []*openapi3.Schema {
	var all []*openapi3.Schema
	for _, one := range schemas {
		if one != nil && !slices.Contains(all, one) {
			all = append(all, one)
		}
	}
	for i := 0; i < len(all); i++ {
		for _, ref := range all[i].AllOf {
			if ref.Value != nil && !slices.Contains(all, ref.Value) {
				all = append(all, ref.Value)
			}
		}
	}
	return all
}

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
