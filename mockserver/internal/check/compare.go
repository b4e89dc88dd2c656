package check

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/specs"
)

// maxDifferences bounds how many differences of one operation are listed.
const maxDifferences = 10

// Compare lists in what the answers that ours describes, and so the mock gives, cannot fit a user's own document of the
// same operation. It looks for what is certain: a status or a media type that the document lacks, a member that it
// requires and ours has not, another type, null where it is not allowed, a value that it does not list.
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
	return found.list()
}

// differences holds texts, each with the statuses that it is about.
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

func (d *differences) list() []string {
	var list []string
	for _, text := range d.texts {
		list = append(list, strings.Join(d.statuses[text], ", ")+": "+text)
	}
	if len(list) > maxDifferences {
		list = append(list[:maxDifferences], fmt.Sprintf("and %d more", len(list)-maxDifferences))
	}
	return list
}

func compareAnswers(found *differences, status string, theirs answer, ours *openapi3.Response) {
	if len(theirs.media) == 0 {
		if len(ours.Content) > 0 {
			found.add(status, "no body is documented")
		}
		return
	}
	for _, m := range newMedia(ours.Content) {
		own, isThere := theirs.media.find(m.name)
		switch {
		case !isThere:
			found.add(status, fmt.Sprintf("media type %s is not documented", m.name))
		case own.json && m.json:
			c := comparison{seen: map[[2]*openapi3.Schema]bool{}, left: maxPairs}
			for _, text := range c.schemas(own.schema, m.schema, "") {
				found.add(status, text)
			}
		}
	}
}

// maxPairs bounds how many pairs of schemas are compared for one body.
const maxPairs = 20_000

// comparison compares schemas.
type comparison struct {
	seen map[[2]*openapi3.Schema]bool // those that are being compared
	left int
}

// schemas lists in what a value of ours cannot fit their schema. Ours may be any of several.
func (c *comparison) schemas(theirs, ours *openapi3.Schema, at string) []string {
	pair := [2]*openapi3.Schema{theirs, ours}
	if c.left--; theirs == nil || ours == nil || c.seen[pair] || c.left < 0 {
		return nil
	}
	c.seen[pair] = true
	defer delete(c.seen, pair)
	if alternatives := slices.Concat(ours.OneOf, ours.AnyOf); len(alternatives) > 0 {
		var list []string
		for _, one := range alternatives {
			list = append(list, c.schemas(theirs, one.Value, at)...)
		}
		return unique(list)
	}
	list := c.objects(theirs, ours, at)
	if alternatives := slices.Concat(theirs.OneOf, theirs.AnyOf); len(alternatives) > 0 {
		list = append(list, c.nearest(alternatives, ours, at)...)
	}
	for _, one := range theirs.AllOf {
		list = append(list, c.schemas(one.Value, ours, at)...)
	}
	return unique(list)
}

// nearest compares with the alternative that ours differs from least; one of another type comes last.
func (c *comparison) nearest(alternatives openapi3.SchemaRefs, ours *openapi3.Schema, at string) (best []string) {
	isOther := true
	for i, one := range alternatives {
		found := c.schemas(one.Value, ours, at)
		other := len(kinds(one.Value, whole(ours), at)) > 0
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

// objects compares what two schemas say themselves; ours with what it is made of.
func (c *comparison) objects(theirs, ours *openapi3.Schema, at string) []string {
	parts := whole(ours)
	list := kinds(theirs, parts, at)
	if len(list) > 0 {
		return list
	}
	list = values(theirs, parts, at)
	known := map[string][]*openapi3.Schema{}
	isOpen := false
	for _, part := range parts {
		for name, ref := range part.Properties {
			known[name] = append(known[name], ref.Value)
		}
		isOpen = isOpen || part.AdditionalProperties.Schema != nil || len(part.OneOf)+len(part.AnyOf) > 0 ||
			len(part.Properties) == 0 && len(parts) == 1
	}
	for _, name := range theirs.Required {
		if len(known[name]) == 0 && !isOpen {
			list = append(list, fmt.Sprintf("%s is required, and never answered", place(at, name)))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(known)) {
		list = append(list, c.member(theirs, known[name], at, name)...)
	}
	for _, part := range parts {
		if theirs.Items != nil && part.Items != nil {
			list = append(list, c.schemas(theirs.Items.Value, part.Items.Value, at+"[]")...)
		}
	}
	return list
}

func (c *comparison) member(theirs *openapi3.Schema, ours []*openapi3.Schema, at, name string) (list []string) {
	stated := theirs.Properties[name]
	allowed := theirs.AdditionalProperties.Has
	if stated == nil {
		if allowed != nil && !*allowed && len(theirs.Properties) > 0 {
			return []string{place(at, name) + " is answered, and not allowed"}
		}
		return nil
	}
	isRequired := slices.Contains(theirs.Required, name)
	for _, one := range ours {
		if isRequired && one.VisitJSON(nil) == nil && stated.Value.VisitJSON(nil) != nil {
			list = append(list, place(at, name)+" may be null, which is not allowed")
		}
		list = append(list, c.schemas(stated.Value, one, place(at, name))...)
	}
	return list
}

// whole returns a schema and all that it is combined of by allOf.
func whole(schema *openapi3.Schema) []*openapi3.Schema {
	all := []*openapi3.Schema{schema}
	for i := 0; i < len(all); i++ {
		for _, ref := range all[i].AllOf {
			if ref.Value != nil && !slices.Contains(all, ref.Value) {
				all = append(all, ref.Value)
			}
		}
	}
	return all
}

// kinds reports a type of ours that theirs does not allow. Null is compared where it stands.
func kinds(theirs *openapi3.Schema, ours []*openapi3.Schema, at string) []string {
	want := typesOf(theirs)
	if len(want) == 0 {
		return nil
	}
	for _, part := range ours {
		for _, kind := range typesOf(part) {
			if !slices.Contains(want, kind) && !(kind == openapi3.TypeInteger && slices.Contains(want, openapi3.TypeNumber)) {
				return []string{fmt.Sprintf("%s is of type %s, and the document wants %s", cmp.Or(at, "the body"), kind, strings.Join(want, " or "))}
			}
		}
	}
	return nil
}

func typesOf(schema *openapi3.Schema) []string {
	return slices.DeleteFunc(slices.Clone(schema.Type.Slice()), func(kind string) bool { return kind == openapi3.TypeNull })
}

// values reports values of ours that theirs does not list.
func values(theirs *openapi3.Schema, ours []*openapi3.Schema, at string) (list []string) {
	if len(theirs.Enum) == 0 {
		return nil
	}
	for _, part := range ours {
		for _, value := range part.Enum {
			isThere := func(other any) bool { return fmt.Sprint(other) == fmt.Sprint(value) }
			if value != nil && !slices.ContainsFunc(theirs.Enum, isThere) {
				list = append(list, fmt.Sprintf("%s may be %v, which the document does not list", cmp.Or(at, "the body"), value))
			}
		}
	}
	return list
}

func place(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}
