package specs

import (
	"slices"
	"strings"
	"unicode"

	"github.com/getkin/kin-openapi/openapi3"
)

// keyNames holds the names that the member may have which has the value of a path parameter.
type keyNames struct {
	list     []string // the likeliest first: the parameter's own, and that after what it is of
	isNumber bool     // the parameter is one, so that of the first two names a text is not meant
}

func namesOfKey(parameter, noun string) []string {
	names := []string{parameter, noun + parameter}
	plain := plainName(parameter)
	if rest, ok := strings.CutPrefix(plain, plainName(noun)); ok && rest != "" {
		names = append(names, rest)
	}
	if strings.HasSuffix(plain, "username") {
		names = append(names, "login")
	}
	for _, suffix := range []string{"id", "uuid", "name", "slug", "code", "number", "key"} {
		if strings.HasSuffix(plain, suffix) {
			names = append(names, suffix)
		}
	}
	return append(names, "id", "_id", "uuid", "slug", "code", "key", "sku", "isbn", "number", "name")
}

// isNumber reports whether a parameter of a path is a number.
func isNumber(operations map[string]*Operation, parameter string) bool {
	for _, method := range sortedKeys(operations) {
		p := operations[method].Parameters.GetByInAndName(openapi3.ParameterInPath, parameter)
		if p != nil && p.Schema != nil && p.Schema.Value != nil {
			return p.Schema.Value.Type.Is(openapi3.TypeInteger) || p.Schema.Value.Type.Is(openapi3.TypeNumber)
		}
	}
	return false
}

// plainName returns a name without what spellings differ in.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == '.' || r == ' ' {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// objectWithKey finds the object in an answer that has one of the names as a member: the answer itself, or else one of
// its members. Where the collection lists objects like the answer, the answer is the object, and that member has its
// key, as metadata may have a name; where it lists objects like a member, that is the object.
func (g *inference) objectWithKey(answer *openapi3.SchemaRef, collection string, names keyNames) (
	object *openapi3.SchemaRef, at, key Pointer,
) {
	list := g.on(collection)["GET"]
	whole := keyOf(answer, names)
	properties := Members(answer)
	for _, member := range sortedKeys(properties) {
		name := keyOf(properties[member], names)
		switch at := (Pointer{member, name}); {
		case name == "":
		case whole != "" && (list == nil || !list.listsAlike(properties[member], name) ||
			list.listsAlike(answer, whole)):
		case whole == "" && list != nil && list.listsAt(answer, at) != nil:
			return answer, Pointer{}, at
		default:
			return properties[member], Pointer{member}, Pointer{name}
		}
	}
	if whole != "" {
		return answer, Pointer{}, Pointer{whole}
	}
	return nil, nil, nil
}

// listsAlike reports whether an operation lists objects that are much like those of a schema, by the same key.
func (o *Operation) listsAlike(object *openapi3.SchemaRef, key string) bool {
	answer := o.successSchema()
	at := itemsWithKey(answer, Pointer{key}, maxListDepth)
	return at != nil && isAlike(SchemaAt(answer, at), &inferred{schema: object, key: Pointer{key}})
}

func keyOf(schema *openapi3.SchemaRef, names keyNames) string {
	properties := Members(schema)
	find := func(list []string, isMeant func(*openapi3.SchemaRef) bool) string {
		for _, name := range list {
			for _, member := range sortedKeys(properties) {
				if plainName(member) == plainName(name) && isMeant(properties[member]) {
					return member
				}
			}
		}
		return ""
	}
	if names.isNumber {
		isMeant := func(ref *openapi3.SchemaRef) bool { return isScalar(ref) && !ref.Value.Type.Is(openapi3.TypeString) }
		if name := find(names.list[:2], isMeant); name != "" {
			return name
		}
		isWord := func(name string) bool { return name == "name" || name == "slug" }
		names.list = slices.DeleteFunc(slices.Clone(names.list), isWord)
	}
	return find(names.list, isScalar)
}

func isScalar(ref *openapi3.SchemaRef) bool {
	if ref == nil || ref.Value == nil {
		return false
	}
	s := ref.Value
	return !s.Type.Includes(openapi3.TypeObject) && !s.Type.Includes(openapi3.TypeArray) && len(s.Properties) == 0
}
