package suggest

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"svc.example/understudy/specs/recording"
)

// Limits of a patch. What exceeds them is counted.
const (
	maxOperations = 500
	maxAdditions  = 10_000 // statuses, media types, parameters and fields of operations that are documented
	maxNodes      = 20_000 // places of values, of all bodies and parameters
	maxNames      = 50     // an object with more names than these is a map, whose names are ids
	maxMedia      = 20     // of one body
	maxDepth      = 16
	maxName       = 200 // bytes
)

// valueNode describes the values at one place: their types, formats and members.
type valueNode struct {
	name     string
	seen     int
	types    map[string]int // by the types of JSON Schema
	formats  map[string]int // of texts
	objects  int
	fields   map[string]*valueNode
	values   *valueNode // of an object that is a map
	items    *valueNode
	example  any
	isSecret bool
}

// orNew returns a node, made if there is none.
func (n *valueNode) orNew(name string) *valueNode {
	if n == nil {
		return &valueNode{name: name, types: map[string]int{}, formats: map[string]int{}, isSecret: recording.IsSecret(name)}
	}
	return n
}

// add adds a value, which counts once.
func (n *valueNode) add(e *evidence, value any, depth int) {
	n.seen++
	switch v := value.(type) {
	case nil:
		n.types["null"]++
	case bool:
		n.types["boolean"]++
		n.keepExample(v)
	case json.Number:
		n.types[numberType(v)]++
		n.keepExample(v)
	case string:
		n.addText(e, v)
	case []any:
		n.types["array"]++
		n.addItems(e, v, depth)
	case map[string]any:
		n.types["object"]++
		n.objects++
		n.addMembers(e, v, depth)
	}
}

func (n *valueNode) addItems(e *evidence, list []any, depth int) {
	if n.items == nil {
		n.items = n.items.orNew(n.name)
		n.items.isSecret = n.isSecret
	}
	if depth >= maxDepth && len(list) > 0 {
		e.draft.countLeftOut("deeper values")
		return
	}
	for _, item := range list {
		n.items.add(e, item, depth+1)
	}
}

func numberType(n json.Number) string {
	if strings.ContainsAny(n.String(), ".eE") {
		return "number"
	}
	return "integer"
}

// keepExample keeps the first value for an example.
func (n *valueNode) keepExample(value any) {
	if n.example == nil && !n.isSecret {
		n.example = value
	}
}

// addText adds a text. If a recorder took it out, even the type is not known.
func (n *valueNode) addText(e *evidence, text string) {
	if strings.Contains(text, recording.Mark) {
		n.isSecret, n.example = true, nil
		return
	}
	n.types["string"]++
	n.formats[formatOf(text)]++
	if e.isShown(n.name, text) {
		n.keepExample(text)
	}
}

var (
	uuid = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
	date = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)
)

func formatOf(text string) string {
	_, err := time.Parse(time.RFC3339, text)
	switch {
	case err == nil:
		return "date-time"
	case uuid.MatchString(text):
		return "uuid"
	case date.MatchString(text):
		if _, err := time.Parse(time.DateOnly, text); err == nil {
			return "date"
		}
	}
	return ""
}

func (n *valueNode) addMembers(e *evidence, object map[string]any, depth int) {
	if depth >= maxDepth && len(object) > 0 {
		e.draft.countLeftOut("deeper values")
		return
	}
	if n.values == nil && n.fields == nil {
		n.fields = map[string]*valueNode{}
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if n.values == nil && n.fields[name] == nil && len(n.fields) >= maxNames {
			n.toMap()
		}
		if n.values != nil {
			n.values.isSecret = n.values.isSecret || recording.IsSecret(name)
			n.values.add(e, object[name], depth+1)
			continue
		}
		n.addField(e, name, object[name], depth)
	}
}

func (n *valueNode) addField(e *evidence, name string, value any, depth int) {
	field := n.fields[name]
	if field == nil {
		if !e.isNameShown(name) {
			e.draft.countLeftOut("names")
			return
		}
		if !e.draft.hasRoom() {
			return
		}
		field = field.orNew(name)
		field.isSecret = field.isSecret || n.isSecret // what is in a secret is one
		n.fields[name] = field
	}
	field.add(e, value, depth+1)
}

// toMap turns an object into a map, whose names are ids.
func (n *valueNode) toMap() {
	n.values = (*valueNode)(nil).orNew("")
	n.values.isSecret = n.isSecret
	for _, name := range slices.Sorted(maps.Keys(n.fields)) {
		n.values.merge(n.fields[name])
	}
	n.fields = nil
}

// merge adds the values of another node.
func (n *valueNode) merge(other *valueNode) {
	if other == nil {
		return
	}
	n.seen += other.seen
	n.objects += other.objects
	n.isSecret = n.isSecret || other.isSecret
	for kind, count := range other.types {
		n.types[kind] += count
	}
	for format, count := range other.formats {
		n.formats[format] += count
	}
	if n.example == nil {
		n.example = other.example
	}
	if other.items != nil {
		n.items = n.items.orNew(n.name)
		n.items.merge(other.items)
	}
	if n.values == nil && other.values != nil {
		n.toMap()
	}
	if n.values != nil {
		n.values.merge(other.values)
	} else if n.fields == nil && other.fields != nil {
		n.fields = map[string]*valueNode{}
	}
	for _, name := range slices.Sorted(maps.Keys(other.fields)) {
		if n.values != nil {
			n.values.merge(other.fields[name])
			continue
		}
		n.fields[name] = n.fields[name].orNew(name)
		n.fields[name].merge(other.fields[name])
		if len(n.fields) > maxNames {
			n.toMap()
		}
	}
}

// schema returns a node as a schema, in the words of OpenAPI 3.0 or 3.1.
func (n *valueNode) schema(is31 bool) map[string]any {
	kinds := slices.Sorted(maps.Keys(n.types))
	if n.types["number"] > 0 {
		kinds = slices.DeleteFunc(kinds, func(kind string) bool { return kind == "integer" })
	}
	isNull := n.types["null"] > 0
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
func (n *valueNode) typed(kind string, isNull, is31 bool) map[string]any {
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

// members adds the members of an object to its schema. Those that were always present are required.
func (n *valueNode) members(schema map[string]any, is31 bool) {
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
