package specs

import (
	"encoding/json"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// bodyMember returns the schema of the member that a form's field or a query's parameter belongs to: for policy[name]
// and policy_ids[] that of policy and of policy_ids. It is nil if the body has no such member.
func bodyMember(schema *openapi3.Schema, field string) *openapi3.Schema {
	name, _, _ := strings.Cut(field, "[")
	return member(schema, name)
}

func member(schema *openapi3.Schema, name string) *openapi3.Schema {
	for _, part := range Whole(schema).schemas {
		if property := part.Properties[name]; property != nil {
			return property.Value
		}
	}
	return nil
}

// field returns the schema of a member, or of members that have no name in the schema; the platform ignores these.
func (r *Reader) field(schema *openapi3.Schema, name string) *openapi3.Schema {
	named := member(schema, name)
	for _, part := range Whole(schema).schemas {
		if others := part.AdditionalProperties.Schema; named == nil && others != nil && !r.lenient.Bodies {
			named = others.Value
		}
	}
	return named
}

// Deep returns the value of a query parameter whose members are fields by themselves, as in name[member], and whether
// the query has any.
func (r *Reader) Deep(p *openapi3.Parameter, query url.Values) (value any, isSent bool) {
	const name = "value"
	fields := url.Values{}
	for field, values := range query {
		if rest, isPart := strings.CutPrefix(field, p.Name+"["); isPart {
			fields[name+"["+rest] = values
		}
	}
	around := &openapi3.Schema{Properties: openapi3.Schemas{name: p.Schema}}
	return r.object(around, fields)[name], len(fields) > 0
}

// maxNesting is the number of brackets that a field may have behind its first: with more, it is a name like any other.
const maxNesting = 32

// object returns the JSON object that a form, or a part of a query, stands for. A field name[x] is the member x of an
// object, and name[] one more item of an array. A text becomes what the schema wants there, if it can: a number, a
// boolean, an array, an object. Otherwise it stays a text, for a validator to refuse.
func (r *Reader) object(schema *openapi3.Schema, fields url.Values) map[string]any {
	object, nested := map[string]any{}, map[string]url.Values{}
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		values := fields[field]
		name, rest, isNested := strings.Cut(field, "[")
		if strings.Count(rest, "][") > maxNesting {
			name, isNested = field, false
		}
		switch key := strings.TrimSuffix(rest, "]"); {
		case !isNested:
			if value := r.value(r.field(schema, name), values); value != notSent {
				object[name] = value
			}
		case key == "":
			object[name] = r.items(r.field(schema, name), values)
		default:
			if nested[name] == nil {
				nested[name] = url.Values{}
			}
			nested[name][strings.Replace(key, "][", "[", 1)+missingBracket(key)] = values
		}
	}
	for name, inner := range nested {
		of := r.field(schema, name)
		if list := r.numbered(of, inner); list != nil {
			object[name] = list
			continue
		}
		before, _ := object[name].(map[string]any)
		if before == nil {
			before = map[string]any{}
		}
		maps.Copy(before, r.object(of, inner))
		object[name] = before
	}
	return object
}

// numbered returns the array that the fields name[0], name[1] and so on stand for; nil if it is none. The platform
// makes objects of them.
func (r *Reader) numbered(schema *openapi3.Schema, fields url.Values) (list []any) {
	items := Whole(schema).Item()
	if r.lenient.Bodies || len(items.schemas) == 0 {
		return nil
	}
	byNumber := &openapi3.Schema{Properties: openapi3.Schemas{}}
	var numbers []int
	for field := range fields {
		key, _, _ := strings.Cut(field, "[")
		n, err := strconv.Atoi(key)
		if err != nil || strconv.Itoa(n) != key {
			return nil
		}
		numbers = append(numbers, n)
		byNumber.Properties[key] = &openapi3.SchemaRef{Value: items.schemas[0]}
	}
	slices.Sort(numbers)
	object := r.object(byNumber, fields)
	for _, n := range slices.Compact(numbers) {
		list = append(list, object[strconv.Itoa(n)])
	}
	return list
}

// missingBracket returns the closing bracket that a nested key lacks once the outer one is removed.
func missingBracket(key string) string {
	if strings.Contains(key, "][") {
		return "]"
	}
	return ""
}

// notSent stands for a value that counts as not sent.
var notSent any = struct{ notSent bool }{true}

func (r *Reader) value(schema *openapi3.Schema, values []string) any {
	text := values[len(values)-1]
	if len(values) > 1 && !r.lenient.Bodies { // which only a list may be
		return r.items(schema, values)
	}
	if hasType(schema, "array") && (len(values) > 1 || !strings.HasPrefix(strings.TrimSpace(text), "[")) {
		if len(values) == 1 {
			if r.lenient.Bodies && text == "" {
				return notSent
			}
			values = strings.Split(text, ",")
		}
		return r.items(schema, values)
	}
	return r.text(schema, text)
}

func (r *Reader) items(schema *openapi3.Schema, values []string) any {
	var item *openapi3.Schema
	if schema != nil && schema.Items != nil {
		item = schema.Items.Value
	}
	list := make([]any, 0, len(values))
	for _, text := range values {
		if value := r.text(item, text); value != notSent {
			list = append(list, value)
		}
	}
	return list
}

// text returns what a text stands for. A lenient interface takes an empty one that the schema refuses for absent.
func (r *Reader) text(schema *openapi3.Schema, text string) any {
	if text == "" && schema != nil && r.lenient.Bodies && r.work.Refuses(schema, "") {
		return notSent
	}
	var value any = text
	switch {
	case schema == nil:
	case takesText(schema):
		return r.alternative(schema, text)
	case text == "" && schema.Nullable:
		value = nil
	case !r.lenient.Bodies && (hasType(schema, "integer") || hasType(schema, "number") || hasType(schema, "boolean")):
		var plain any
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.UseNumber()
		if json.Valid([]byte(text)) && decoder.Decode(&plain) == nil {
			value = plain
		}
	case hasType(schema, "integer"):
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			value = n
		}
	case hasType(schema, "number"):
		if n, err := strconv.ParseFloat(text, 64); err == nil && !math.IsNaN(n) && !math.IsInf(n, 0) {
			value = n
		}
	case hasType(schema, "boolean"):
		switch {
		case text == "1", strings.EqualFold(text, "true"):
			value = true
		case text == "0", strings.EqualFold(text, "false"):
			value = false
		}
	default:
		if err := json.Unmarshal([]byte(text), &value); err != nil {
			value = text
		}
	}
	return value
}

// alternative returns what a text stands for that a schema refuses as a text: what one of its alternatives takes.
func (r *Reader) alternative(schema *openapi3.Schema, text string) any {
	alternatives := slices.Concat(schema.OneOf, schema.AnyOf)
	if r.lenient.Bodies || len(alternatives) == 0 || !r.work.Refuses(schema, text) {
		return text
	}
	for _, one := range alternatives {
		if one.Value == nil || len(one.Value.OneOf)+len(one.Value.AnyOf) > 0 {
			continue
		}
		if value := r.text(one.Value, text); value != any(text) && !r.work.Refuses(schema, value) {
			return value
		}
	}
	return text
}

func hasType(schema *openapi3.Schema, kind string) bool { return schema != nil && schema.Type.Is(kind) }

// takesText reports whether a schema accepts a text as it is, or one of those that it combines does.
func takesText(schema *openapi3.Schema) bool {
	if hasType(schema, "string") {
		return true
	}
	combined := []*openapi3.Schema{schema}
	for i := 0; i < len(combined); i++ {
		for _, part := range slices.Concat(combined[i].OneOf, combined[i].AnyOf) {
			switch {
			case hasType(part.Value, "string"):
				return true
			case part.Value != nil && !slices.Contains(combined, part.Value):
				combined = append(combined, part.Value)
			}
		}
	}
	return false
}
