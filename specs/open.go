package specs

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// openUnfit opens what no value fits, though its author meant some. Parts of an allOf may have other members where
// additionalProperties: false refuses one that another part requires: the members of all parts are meant (JSON Schema,
// 10.3.2.3). And a oneOf becomes an anyOf where what fits one of its objects fits another one, too, which has no member
// that it lacks to tell them apart: such an object could never be the only one that fits (JSON Schema, 10.2.1.3).
func openUnfit(tree map[string]any, opened func(pointer, reason string)) {
	o := opening{tree, opened, map[string]*outline{}}
	o.visit(tree, false, "")
}

type opening struct {
	tree   map[string]any
	opened func(pointer, reason string)
	known  map[string]*outline // by reference
}

func (o *opening) visit(node any, isNames bool, pointer string) {
	switch node := node.(type) {
	case []any:
		for i, item := range node {
			o.visit(item, false, pointer+"/"+strconv.Itoa(i))
		}
	case map[string]any:
		for key, value := range parts(node, isNames) {
			o.visit(value, !isNames && namesChildren[key], pointer+"/"+EscapePointer(key))
		}
		if isNames {
			return
		}
		if all, isList := node["allOf"].([]any); isList {
			o.openParts(node, all, pointer)
		}
		if forms, isList := node["oneOf"].([]any); isList {
			o.openForms(node, forms, pointer)
		}
	}
}

// openParts opens the parts of one schema. A part that stands elsewhere, too, is copied.
func (o *opening) openParts(schema map[string]any, all []any, pointer string) {
	const reason = "it refuses a member that another part of the allOf requires"
	isPartClosed := func(part any) bool { return isClosed(o.target(part)) }
	if !isClosed(schema) && !slices.ContainsFunc(all, isPartClosed) {
		return
	}
	required := o.outline(schema).required
	if refuses(schema, required) {
		delete(schema, "additionalProperties")
		o.opened(pointer+"/additionalProperties", reason)
	}
	for i, part := range all {
		if part := o.target(part); refuses(part, required) {
			part = maps.Clone(part)
			delete(part, "additionalProperties")
			all[i] = part
			o.opened(pointer+"/allOf/"+strconv.Itoa(i), reason)
		}
	}
}

// openForms opens one schema to all that fits any of its forms.
func (o *opening) openForms(schema map[string]any, forms []any, pointer string) {
	if schema["anyOf"] != nil || schema["discriminator"] != nil {
		return
	}
	objects := make([]*outline, min(len(forms), maxForms))
	for i := range objects {
		objects[i] = o.form(forms[i])
	}
	for i, one := range objects {
		for j, other := range objects {
			if i != j && other.covers(one) {
				schema["anyOf"] = forms
				delete(schema, "oneOf")
				o.opened(pointer+"/oneOf", fmt.Sprintf("any of its schemas will do, "+
					"since what fits number %d of them would be refused: it fits number %d, too", i+1, j+1))
				return
			}
		}
	}
}

// The limits of what is looked at: each form is held against each other one, and each may have all parts of another.
const (
	maxForms = 100 // of a oneOf
	maxParts = 100 // of a schema
)

// form returns the outline of a form, which several schemas may have.
func (o *opening) form(schema any) *outline {
	object, _ := schema.(map[string]any)
	ref, _ := object["$ref"].(string)
	if known := o.known[ref]; known != nil {
		return known
	}
	made := o.outline(o.target(schema))
	if ref != "" {
		o.known[ref] = made
	}
	return made
}

// outline holds of a schema, with all parts of its allOf, what it says of the members of an object.
type outline struct {
	properties map[string]any
	required   []string
	isObject   bool
	isClosed   bool
	saysMore   bool // than what members an object has
}

// outline reads a schema, and the parts of its allOf, of which each component counts once.
func (o *opening) outline(schema map[string]any) *outline {
	all := &outline{properties: map[string]any{}}
	o.read(schema, map[string]bool{}, all)
	return all
}

func (o *opening) read(schema map[string]any, seen map[string]bool, into *outline) {
	for key, value := range schema {
		switch list, _ := value.([]any); key {
		case "properties":
			properties, _ := value.(map[string]any)
			for name, property := range properties {
				own, has := into.properties[name]
				into.saysMore = into.saysMore || has && !reflect.DeepEqual(own, property)
				into.properties[name] = property
			}
			into.isObject = true
		case "required":
			for _, name := range list {
				if name, isText := name.(string); isText {
					into.required = append(into.required, name)
				}
			}
		case "allOf":
			for _, part := range list {
				object, _ := part.(map[string]any)
				ref, _ := object["$ref"].(string)
				into.saysMore = into.saysMore || len(seen) == maxParts
				if ref == "" || !seen[ref] && len(seen) < maxParts {
					seen[ref] = true
					o.read(o.target(part), seen, into)
				}
			}
		case "additionalProperties":
			into.isClosed = into.isClosed || value == false
			into.saysMore = into.saysMore || value != false && value != true
		case "type":
			into.isObject, into.saysMore = true, into.saysMore || value != "object"
		default:
			into.saysMore = into.saysMore || !isAnnotation[key] && !strings.HasPrefix(key, "x-")
		}
	}
}

// isAnnotation has the keywords that refuse no object.
var isAnnotation = map[string]bool{
	"$comment": true, "default": true, "deprecated": true, "description": true, "example": true, "examples": true,
	"externalDocs": true, "nullable": true, "readOnly": true, "title": true, "writeOnly": true, "xml": true,
}

// covers reports whether an object fits that fits another one, and has no members but its own.
func (a *outline) covers(b *outline) bool {
	if !a.isObject || !b.isObject || a.saysMore || b.saysMore {
		return false
	}
	for _, name := range a.required {
		if !slices.Contains(b.required, name) {
			return false
		}
	}
	for name, property := range b.properties {
		if own, has := a.properties[name]; has && !reflect.DeepEqual(own, property) || !has && a.isClosed {
			return false
		}
	}
	return true
}

// target returns a schema, or the component that it refers to.
func (o *opening) target(schema any) map[string]any {
	object, _ := schema.(map[string]any)
	ref, _ := object["$ref"].(string)
	if name, isComponent := strings.CutPrefix(ref, "#/components/schemas/"); isComponent {
		components, _ := o.tree["components"].(map[string]any)
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
