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

// alsoInQuery marks a request body whose members may stand in the query instead.
const alsoInQuery = "x-also-in-query"

// AlsoInQuery reports whether the members of a request body may stand in the query instead. A request may then have no
// body at all.
func AlsoInQuery(body *openapi3.RequestBody) bool {
	also, _ := body.Extensions[alsoInQuery].(bool)
	return also
}

// BodyMember is the schema of the member that a form's field or a query's parameter belongs to: for policy[name] and
// policy_ids[] that of what stands before the bracket. It is nil when the body has no such member.
func BodyMember(schema *openapi3.Schema, field string) *openapi3.Schema {
	name, _, _ := strings.Cut(field, "[")
	return member(schema, name)
}

func member(schema *openapi3.Schema, name string) *openapi3.Schema {
	if schema == nil {
		return nil
	}
	if property := schema.Properties[name]; property != nil {
		return property.Value
	}
	for _, part := range slices.Concat(schema.AllOf, schema.OneOf, schema.AnyOf) {
		if found := member(part.Value, name); found != nil {
			return found
		}
	}
	return nil
}

// FormObject is the JSON object that a form, or a part of a query, stands for. A field name[x] is the member x of an
// object, and name[] one more item of an array. A text becomes what the schema wants there, when it can: a number, a
// truth value, an array, an object. What it cannot become it stays, for a validator to refuse.
func FormObject(schema *openapi3.Schema, fields url.Values) map[string]any {
	object := map[string]any{}
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		values := fields[field]
		name, rest, nested := strings.Cut(field, "[")
		if !nested {
			object[name] = formValue(member(schema, name), values)
			continue
		}
		key := strings.TrimSuffix(rest, "]")
		if key == "" {
			object[name] = formItems(member(schema, name), values)
			continue
		}
		inner, _ := object[name].(map[string]any)
		if inner == nil {
			inner = map[string]any{}
		}
		field := strings.Replace(key, "][", "[", 1) + closing(key)
		maps.Copy(inner, FormObject(member(schema, name), url.Values{field: values}))
		object[name] = inner
	}
	return object
}

// closing is the bracket that a nested key lost when the outer one was taken away.
func closing(key string) string {
	if strings.Contains(key, "][") {
		return "]"
	}
	return ""
}

func formValue(schema *openapi3.Schema, values []string) any {
	if is(schema, "array") && (len(values) > 1 || !strings.HasPrefix(strings.TrimSpace(values[0]), "[")) {
		if len(values) == 1 {
			values = strings.Split(values[0], ",")
		}
		return formItems(schema, values)
	}
	return formText(schema, values[len(values)-1])
}

func formItems(schema *openapi3.Schema, values []string) any {
	var item *openapi3.Schema
	if schema != nil && schema.Items != nil {
		item = schema.Items.Value
	}
	list := make([]any, len(values))
	for i, text := range values {
		list[i] = formText(item, text)
	}
	return list
}

func formText(schema *openapi3.Schema, text string) any {
	var value any = text
	switch {
	case schema == nil || takesText(schema):
	case text == "" && schema.Nullable:
		value = nil
	case is(schema, "integer"):
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			value = n
		}
	case is(schema, "number"):
		if n, err := strconv.ParseFloat(text, 64); err == nil && !math.IsNaN(n) && !math.IsInf(n, 0) {
			value = n
		}
	case is(schema, "boolean"):
		if b, err := strconv.ParseBool(text); err == nil {
			value = b
		}
	default:
		if err := json.Unmarshal([]byte(text), &value); err != nil {
			value = text
		}
	}
	return value
}

func is(schema *openapi3.Schema, kind string) bool { return schema != nil && schema.Type.Is(kind) }

// takesText reports whether a schema accepts a text as it is.
func takesText(schema *openapi3.Schema) bool {
	if is(schema, "string") {
		return true
	}
	return slices.ContainsFunc(slices.Concat(schema.OneOf, schema.AnyOf), func(part *openapi3.SchemaRef) bool {
		return takesText(part.Value)
	})
}
