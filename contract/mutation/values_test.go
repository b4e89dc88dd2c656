package mutation_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"
)

// wrong is another value for a place. Allowed says why the document has nothing against it; empty if it has.
type wrong struct {
	kind    string
	value   any
	allowed string
}

// Why a change is none to the document.
const (
	anyType   = "the document leaves the type open"
	noLimit   = "the document gives no limit"
	nullable  = "the document says that it may be null"
	optional  = "the document does not require it"
	openEnded = "the document allows more than it names"
	unnamed   = "the document names none, and says nothing of others"
	lenient   = "the framework of this interface reads it leniently"
	refused   = "the server refused the request, which is what it has to do"
)

// wrongs lists other values for a place, each with one fault.
func (p *place) wrongs() []wrong {
	list := slices.Concat(p.otherTypes(), p.nulls())
	if len(p.either) > 0 {
		return list
	}
	switch value := p.value.(type) {
	case string:
		list = append(list, p.texts(value)...)
	case json.Number:
		list = append(list, p.numbers()...)
	case []any:
		list = append(list, p.sizes(value)...)
	}
	return list
}

func (p *place) otherTypes() []wrong {
	kind := "a value of another type"
	switch {
	case p.isItem:
		kind = "an item of another type"
	case isObject(p.value):
		kind = "a list in place of an object"
	case isList(p.value):
		kind = "an object in place of a list"
	}
	if !p.isTyped() {
		return []wrong{{kind, []any{[]any{}}, anyType}}
	}
	candidates := []struct {
		kind  string
		value any
	}{
		{"array", []any{"surely not"}},
		{"object", map[string]any{"surely": "not"}},
		{"string", "surely not"},
		{"integer", json.Number("7")},
		{"boolean", true},
	}
	if p.allows("string") { // a text is what any other value is taken for first
		candidates = candidates[3:]
	}
	if isObject(p.value) || isList(p.value) || p.isItem {
		candidates = slices.Clone(candidates)
		slices.SortStableFunc(candidates, func(a, b struct {
			kind  string
			value any
		},
		) int {
			return rankOf(p.value, a.kind) - rankOf(p.value, b.kind)
		})
	} else if !p.allows("string") {
		candidates = slices.Concat(candidates[2:], candidates[:2])
	}
	for _, c := range candidates {
		isText := c.kind == "string" && p.allows("boolean") // which a lenient framework reads as one
		if !p.allows(c.kind) && !isText {
			return []wrong{{kind, c.value, ""}}
		}
	}
	return nil
}

// rankOf prefers a list in place of an object, and an object in place of a list.
func rankOf(value any, kind string) int {
	if isObject(value) && kind == "array" || isList(value) && kind == "object" {
		return 0
	}
	return 1
}

func isObject(value any) bool {
	_, ok := value.(map[string]any)
	return ok
}

func isList(value any) bool {
	_, ok := value.([]any)
	return ok
}

func (p *place) nulls() []wrong {
	const kind = "null"
	allowed, known := p.nullness()
	switch {
	case p.value == nil || !known:
		return nil
	case allowed:
		return []wrong{{kind, nil, nullable}}
	}
	return []wrong{{kind, nil, ""}}
}

func (p *place) texts(value string) (list []wrong) {
	for _, schema := range p.schemas {
		if len(schema.Enum) > 0 {
			return append(list, wrong{"a value that is not enumerated", value + "-unheard-of", ""})
		}
	}
	for _, schema := range p.schemas {
		if text, ok := against(schema.Pattern); ok {
			list = append(list, wrong{"a text against its pattern", text, ""})
		}
		if text := malformed[schema.Format]; text != "" {
			list = append(list, wrong{"a text against its format", text, ""})
		}
	}
	most, least := maxLength(p.schemas), minLength(p.schemas)
	switch {
	case p.isClosedText():
	case most != nil:
		list = append(list, wrong{"a text too long", strings.Repeat("x", int(*most)+1), ""})
	case utf8.RuneCountInString(value) > 0:
		list = append(list, wrong{"a text too long", strings.Repeat("x", 3000), noLimit})
	}
	if least > 0 && !p.isClosedText() {
		list = append(list, wrong{"a text too short", strings.Repeat("x", int(least)-1), ""})
	}
	return list
}

// malformed has a text that is against each format that the documents use.
var malformed = map[string]string{
	"date-time": "the day before yesterday",
	"uuid":      "0000-no-uuid",
	"email":     "nobody",
	"uri":       "no address",
	"byte":      "~ no base64 ~",
}

// against returns a text that a pattern refuses.
func against(pattern string) (text string, ok bool) {
	re, err := regexp.Compile(pattern)
	if pattern == "" || err != nil {
		return "", false
	}
	for _, text := range []string{"~ not this ~", "1.5.x", "A b\nc", "x"} {
		if !re.MatchString(text) {
			return text, true
		}
	}
	return "", false
}

func maxLength(schemas []*openapi3.Schema) (most *uint64) {
	for _, s := range schemas {
		if s.MaxLength != nil && (most == nil || *s.MaxLength < *most) {
			most = s.MaxLength
		}
	}
	return most
}

func minLength(schemas []*openapi3.Schema) (least uint64) {
	for _, s := range schemas {
		least = max(least, s.MinLength)
	}
	return least
}

func (p *place) numbers() (list []wrong) {
	least, most := noLimit, noLimit
	for _, schema := range p.schemas {
		if len(schema.Enum) > 0 {
			return []wrong{{"a value that is not enumerated", json.Number("987654"), ""}}
		}
		if schema.Min != nil {
			list, least = append(list, wrong{"a number below its minimum", numberOf(*schema.Min - 1), ""}), ""
		}
		if schema.Max != nil {
			list, most = append(list, wrong{"a number above its maximum", numberOf(*schema.Max + 1), ""}), ""
		}
		if schema.Format == "int32" {
			list, most = append(list, wrong{"a number against its format", json.Number("4294967296"), ""}), ""
		}
		if schema.Type.Is("integer") {
			list = append(list, wrong{"a fraction in place of an integer", json.Number("1.5"), ""})
		}
	}
	if least != "" {
		list = append(list, wrong{"a number below its minimum", json.Number("-987654"), least})
	}
	if most != "" {
		list = append(list, wrong{"a number above its maximum", json.Number("987654321"), most})
	}
	return list
}

func numberOf(n float64) json.Number { return json.Number(strconv.FormatFloat(n, 'f', -1, 64)) }

func (p *place) sizes(value []any) (list []wrong) {
	if len(value) == 0 {
		return nil
	}
	limited := false
	for _, schema := range p.schemas {
		if schema.MaxItems != nil {
			limited = true
			list = append(list, wrong{"a list too long", repeated(value[0], int(*schema.MaxItems)+1), ""})
		}
		if schema.MinItems > 0 {
			list = append(list, wrong{"a list too short", value[:min(len(value), int(schema.MinItems)-1)], ""})
		}
	}
	if !limited && len(encoded(value[0])) < 200 {
		list = append(list, wrong{"a list too long", repeated(value[0], 300), noLimit})
	}
	return list
}

func repeated(value any, n int) (list []any) {
	for range n {
		list = append(list, value)
	}
	return list
}
