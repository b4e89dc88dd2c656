package specs

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// openClosed takes additionalProperties: false out of parts of an allOf that with it refuse a member that another part
// requires: no object fits such a schema, and its author meant the members of all parts (JSON Schema, 10.3.2.3).
func openClosed(tree map[string]any, opened func(pointer string)) {
	c := closing{tree, opened}
	c.visit(tree, false, "")
}

type closing struct {
	tree   map[string]any
	opened func(pointer string)
}

func (c *closing) visit(node any, isNames bool, pointer string) {
	switch node := node.(type) {
	case []any:
		for i, item := range node {
			c.visit(item, false, pointer+"/"+strconv.Itoa(i))
		}
	case map[string]any:
		for key, value := range parts(node, isNames) {
			c.visit(value, !isNames && namesChildren[key], pointer+"/"+EscapePointer(key))
		}
		if all, isList := node["allOf"].([]any); isList && !isNames {
			c.open(node, all, pointer)
		}
	}
}

// open opens the parts of one schema. A part that stands elsewhere, too, is copied.
func (c *closing) open(schema map[string]any, all []any, pointer string) {
	isPartClosed := func(part any) bool { return isClosed(c.target(part)) }
	if !isClosed(schema) && !slices.ContainsFunc(all, isPartClosed) {
		return
	}
	required := c.required(schema, map[string]bool{})
	if refuses(schema, required) {
		delete(schema, "additionalProperties")
		c.opened(pointer + "/additionalProperties")
	}
	for i, part := range all {
		if part := c.target(part); refuses(part, required) {
			part = maps.Clone(part)
			delete(part, "additionalProperties")
			all[i] = part
			c.opened(pointer + "/allOf/" + strconv.Itoa(i))
		}
	}
}

// required lists the members that a schema requires, with those of its parts, of which each component counts once.
func (c *closing) required(schema map[string]any, seen map[string]bool) (names []string) {
	list, _ := schema["required"].([]any)
	for _, name := range list {
		if name, isText := name.(string); isText {
			names = append(names, name)
		}
	}
	all, _ := schema["allOf"].([]any)
	for _, part := range all {
		object, _ := part.(map[string]any)
		ref, _ := object["$ref"].(string)
		if ref == "" || !seen[ref] {
			seen[ref] = true
			names = append(names, c.required(c.target(part), seen)...)
		}
	}
	return names
}

// target returns a schema, or the component that it refers to.
func (c *closing) target(schema any) map[string]any {
	object, _ := schema.(map[string]any)
	ref, _ := object["$ref"].(string)
	if name, isComponent := strings.CutPrefix(ref, "#/components/schemas/"); isComponent {
		components, _ := c.tree["components"].(map[string]any)
		schemas, _ := components["schemas"].(map[string]any)
		object, _ = schemas[unescape.Replace(name)].(map[string]any)
	}
	return object
}

// refuses reports whether a schema refuses a member that is required: one that is not its own.
func refuses(schema map[string]any, required []string) bool {
	own, _ := schema["properties"].(map[string]any)
	return isClosed(schema) && slices.ContainsFunc(required, func(name string) bool { return own[name] == nil })
}

// isClosed reports whether a schema has no other members than its properties.
func isClosed(schema map[string]any) bool {
	return schema["additionalProperties"] == false && schema["patternProperties"] == nil
}
