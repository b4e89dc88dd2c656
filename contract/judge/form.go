package judge

import (
	"encoding/json"
	"net/url"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// decodeForm reads a form. Its values are text; what the document says of a field decides what text stands for. Text that
// does not stand for that stays text, so that the engine finds the fault.
func decodeForm(text []byte, schema *openapi3.SchemaRef) (d decoded, reason string) {
	values, err := url.ParseQuery(string(text))
	if err != nil {
		return d, "the form cannot be read"
	}
	var ways []way
	if schema != nil && schema.Value != nil {
		ways = spread([]way{{schema.Value, ""}}, nil)
	}
	object := map[string]any{}
	for name, list := range values {
		name = strings.TrimSuffix(name, "[]")
		parts := spread(each(ways, func(w way) way { return step(w.schema, w.pointer, name) }), nil)
		if ofType(parts, "array") {
			object[name] = formList(list, parts)
			continue
		}
		object[name] = formValue(list[0], parts)
	}
	return decoded{values: []any{object}}, ""
}

func formList(list []string, ways []way) []any {
	items := spread(each(ways, func(w way) way { return step(w.schema, w.pointer, "0") }), nil)
	values := make([]any, len(list))
	for i, text := range list {
		values[i] = formValue(text, items)
	}
	return values
}

func formValue(text string, ways []way) any {
	switch {
	case ofType(ways, "integer"), ofType(ways, "number"):
		if _, err := strconv.ParseFloat(text, 64); err == nil && json.Valid([]byte(text)) {
			return json.Number(text)
		}
	case ofType(ways, "boolean"):
		if value, err := strconv.ParseBool(text); err == nil {
			return value
		}
	case ofType(ways, "object"):
		if value, err := DecodeJSON([]byte(text)); err == nil {
			return value
		}
	}
	return text
}

func ofType(ways []way, kind string) bool {
	for _, w := range ways {
		if w.schema.Type.Is(kind) {
			return true
		}
	}
	return false
}
