package suggest

import (
	"encoding/json"
	"maps"
	"slices"
)

// schema returns a node as a schema, in the words of OpenAPI 3.0 or 3.1.
func (n *node) schema(is31 bool) map[string]any {
	kinds := slices.Sorted(maps.Keys(n.kinds))
	if n.kinds["number"] > 0 {
		kinds = slices.DeleteFunc(kinds, func(kind string) bool { return kind == "integer" })
	}
	isNull := n.kinds["null"] > 0
	kinds = slices.DeleteFunc(kinds, func(kind string) bool { return kind == "null" })
	schema := map[string]any{}
	switch {
	case len(kinds) == 1:
		schema = n.typed(kinds[0], isNull, is31)
	case len(kinds) > 1:
		var list []any
		for _, kind := range kinds {
			list = append(list, n.typed(kind, isNull, is31))
		}
		schema["anyOf"] = list
	case isNull && is31:
		schema["type"] = "null"
	case isNull:
		schema["nullable"] = true
	}
	if n.isSecret {
		schema["x-secret"] = true
	} else if n.example != nil && len(kinds) == 1 {
		schema["example"] = plain(n.example)
	}
	return schema
}

// typed returns the schema of the values of one type.
func (n *node) typed(kind string, isNull, is31 bool) map[string]any {
	schema := map[string]any{"type": kind}
	switch {
	case isNull && is31:
		schema["type"] = []any{kind, "null"}
	case isNull:
		schema["nullable"] = true
	}
	switch kind {
	case "string":
		if len(n.formats) == 1 && n.formats[""] == 0 {
			schema["format"] = slices.Collect(maps.Keys(n.formats))[0]
		}
	case "array":
		schema["items"] = n.items.schema(is31)
	case "object":
		n.members(schema, is31)
	}
	return schema
}

// members says of an object which members it has. Those that it always had are required.
func (n *node) members(schema map[string]any, is31 bool) {
	if n.values != nil {
		schema["additionalProperties"] = n.values.schema(is31)
		return
	}
	if len(n.fields) == 0 {
		schema["additionalProperties"] = true
		return
	}
	properties, required := map[string]any{}, []any{}
	for _, name := range slices.Sorted(maps.Keys(n.fields)) {
		properties[name] = n.fields[name].schema(is31)
		if n.fields[name].seen >= n.objects {
			required = append(required, name)
		}
	}
	schema["properties"] = properties
	if len(required) > 0 {
		schema["required"] = required
	}
}

// plain returns a value as every encoder writes it.
func plain(value any) any {
	switch v := value.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, _ := v.Float64()
		return f
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = plain(v[i])
		}
		return list
	case map[string]any:
		object := make(map[string]any, len(v))
		for key := range v {
			object[key] = plain(v[key])
		}
		return object
	}
	return value
}
