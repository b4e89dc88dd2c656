package specs

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// JSONSchemas returns a copy of the document's tree, in which schemas are those of JSON Schema 2020-12 for the messages
// of one side: requests, or answers. In version 3.0 schemas have other rules, which are written out:
//
//   - nullable adds null to the type of the same schema, and does nothing without one; enum and allOf go on refusing
//     null (3.0.4, Schema Object).
//   - exclusiveMinimum and exclusiveMaximum are booleans beside the limit.
//   - Keywords that 3.0 does not have are ignored, as is what stands beside a $ref.
//
// From version 3.1 on schemas may be of another dialect, by $schema or by the jsonSchemaDialect of the document (3.1,
// Schema Object, JSON Schema dialect keywords): what drafts before 2020-12 have in another way is written out, and a
// schema of a dialect that is not known has the format UnknownDialect alone.
//
// In all versions a required property that is readOnly is required of answers alone, and one that is writeOnly of
// requests alone: 3.0 says so, and documents of later ones, which leave it to JSON Schema, are written as if they did.
//
// In all versions a discriminator chooses among the alternatives that are references: by its mapping, and by their
// names, which are implicit values beside a mapping (Discriminator Object).
func (d *Document) JSONSchemas(ofRequests bool) (map[string]any, error) {
	tree, err := d.tree()
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", d.File, err)
	}
	c := schemaConverter{tree: tree, hiding: "writeOnly", is30: !d.T.IsOpenAPI31OrLater(), draft: latestDraft}
	if dialect, has := tree["jsonSchemaDialect"].(string); has && !c.is30 {
		c.draft = draftOf(dialect)
	}
	if ofRequests {
		c.hiding = "readOnly"
	}
	return c.convert(tree, false).(map[string]any), nil
}

type schemaConverter struct {
	tree   map[string]any
	hiding string // the keyword of properties that messages of the side do not have
	is30   bool
	draft  int // of the schemas where it is; 0 for one that is not known
}

// UnknownDialect is the format of schemas that cannot be read.
const UnknownDialect = "x-unknown-dialect"

const latestDraft = 2020

// draftOf returns the draft of JSON Schema that a dialect is, or 0.
func draftOf(dialect string) int {
	_, dialect, _ = strings.Cut(strings.TrimSuffix(dialect, "#"), "://")
	if strings.HasPrefix(dialect, "spec.openapis.org/oas/3.") {
		return latestDraft
	}
	return map[string]int{
		"json-schema.org/draft-04/schema": 4, "json-schema.org/draft-06/schema": 6, "json-schema.org/draft-07/schema": 7,
		"json-schema.org/draft/2019-09/schema": 2019, "json-schema.org/draft/2020-12/schema": latestDraft,
	}[dialect]
}

// sinceDraft holds keywords by the draft that has them first, if they are not of all. Drafts before it ignore them.
var sinceDraft = map[string]int{
	"const": 6, "contains": 6, "propertyNames": 6, "if": 7, "then": 7, "else": 7, "dependentSchemas": 2019,
	"dependentRequired": 2019, "minContains": 2019, "maxContains": 2019, "unevaluatedItems": 2019,
	"unevaluatedProperties": 2019, "prefixItems": 2020, "$dynamicRef": 2020,
}

// HasOtherDialects reports whether schemas of an operation are of another dialect of JSON Schema than that of the
// version of its document, or have keywords that version 3.0 ignores.
func (o *Operation) HasOtherDialects() bool {
	d := o.Document
	tree, err := d.tree()
	if err != nil {
		return false
	}
	tree = extract(tree, string(d.Interface), o.Template, strings.ToLower(o.Method), o)
	if !d.T.IsOpenAPI31OrLater() {
		return hasNewer(tree, false)
	}
	dialect, has := tree["jsonSchemaDialect"].(string)
	return has && draftOf(dialect) != latestDraft || hasOtherDialect(tree, false)
}

func hasOtherDialect(node any, isNames bool) (has bool) {
	eachPart(node, isNames, "", func(_ string, value any, isNames bool, _ string) {
		inner, _ := value.(map[string]any)
		dialect, isDialect := inner["$schema"].(string)
		has = has || isDialect && !isNames && draftOf(dialect) != latestDraft || hasOtherDialect(value, isNames)
	})
	return has
}

func hasNewer(node any, isNames bool) (has bool) {
	eachPart(node, isNames, "", func(key string, value any, areNames bool, _ string) {
		_, isNode := node.(map[string]any)
		has = has || isNode && !isNames && IsNewer(key) || hasNewer(value, areNames)
	})
	return has
}

func unread() map[string]any { return map[string]any{"format": UnknownDialect} }

// withoutUnread replaces the schema that a key has, or all that it has by names, in a document of a dialect that is not
// known, but for those that state their own and for references.
func withoutUnread(key string, value, converted any) any {
	inner, _ := value.(map[string]any)
	all, _ := converted.(map[string]any)
	switch {
	case key == "schemas":
		for name, schema := range inner {
			all[name] = withoutUnread("schema", schema, all[name])
		}
	case (key == "schema" || key == "itemSchema") && inner != nil && inner["$schema"] == nil && inner["$ref"] == nil:
		return unread()
	}
	return converted
}

// ofOlderDraft writes out what a draft before 2020-12 has in another way.
func (c *schemaConverter) ofOlderDraft(s map[string]any) {
	delete(s, "$schema")
	if c.draft == latestDraft || c.draft == 0 {
		return
	}
	const withSiblings = 2019
	_, isRef := s["$ref"]
	maps.DeleteFunc(s, func(keyword string, _ any) bool {
		return sinceDraft[keyword] > c.draft || isRef && c.draft < withSiblings && isOfSchemas(keyword)
	})
	if c.draft == 4 {
		exclusiveLimits(s)
	}
}

// isOfSchemas reports whether a keyword is one of schemas, and none of a path item, which has a $ref, too.
func isOfSchemas(keyword string) bool {
	return keyword != "$ref" && keyword != "parameters" && keyword != "servers" &&
		!slices.Contains(methods, strings.ToUpper(keyword))
}

// newer are the keywords of JSON Schema that schemas of version 3.0 do not have.
var newer = []string{
	"const", "if", "then", "else", "patternProperties", "dependentSchemas", "dependentRequired", "dependencies",
	"contains", "minContains", "maxContains", "propertyNames", "prefixItems", "unevaluatedItems",
	"unevaluatedProperties", "$id", "$schema", "$anchor", "$dynamicRef", "$dynamicAnchor",
}

// IsNewer reports whether schemas have a keyword from version 3.1 on.
func IsNewer(keyword string) bool { return slices.Contains(newer, keyword) }

func (c *schemaConverter) convert(node any, isNames bool) any {
	switch node := node.(type) {
	case []any:
		list := make([]any, len(node))
		for i, item := range node {
			list[i] = c.convert(item, false)
		}
		return list
	case map[string]any:
		object, draft := maps.Clone(node), c.draft
		if dialect, has := node["$schema"].(string); has && !isNames && !c.is30 {
			c.draft = draftOf(dialect)
		}
		for key, value := range parts(node, isNames) {
			converted := c.convert(value, !isNames && namesChildren[key])
			if c.draft == 0 && !isNames {
				converted = withoutUnread(key, value, converted)
			}
			object[key] = converted
		}
		if !isNames {
			c.schema(object)
		}
		if c.draft == 0 && draft != 0 {
			object = unread()
		}
		c.draft = draft
		return object
	}
	return node
}

// SchemasURL is the address of the tree in its own references.
const SchemasURL = "mem:///document"

func (c *schemaConverter) schema(s map[string]any) {
	ref, isRef := s["$ref"].(string)
	if isRef && c.is30 {
		return // nothing else stands there
	}
	if strings.HasPrefix(ref, "#/") { // also below an $id
		s["$ref"] = SchemasURL + ref
	}
	if !c.is30 {
		c.ofOlderDraft(s)
	}
	c.required(s)
	c.requiredOfParts(s)
	c.discriminator(s)
	if !c.is30 {
		return
	}
	if s["patternProperties"] != nil { // whose members the others do not know
		delete(s, "additionalProperties")
	}
	for _, keyword := range newer {
		delete(s, keyword)
	}
	if kind, isText := s["type"].(string); isText && s["nullable"] == true {
		s["type"] = []any{kind, "null"}
	}
	exclusiveLimits(s)
}

// exclusiveLimits makes limits exclusive that a truth value beside them says are.
func exclusiveLimits(s map[string]any) {
	for exclusive, limit := range map[string]string{"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"} {
		is, isBool := s[exclusive].(bool)
		if !isBool {
			continue
		}
		delete(s, exclusive)
		if value, has := s[limit]; has && is {
			s[exclusive] = value
			delete(s, limit)
		}
	}
}

// required takes names out of the list that stand there twice, and those of properties that the side does not have. A
// parameter has the key, too, with another meaning.
func (c *schemaConverter) required(s map[string]any) {
	listed, isList := s["required"].([]any)
	if !isList {
		delete(s, "required")
		return
	}
	names := []any{}
	for _, name := range listed {
		text, isText := name.(string)
		if isText && !slices.Contains(names, name) && !c.hides(s, text) {
			names = append(names, name)
		}
	}
	s["required"] = names
}

// requiredOfParts takes names out of the lists of parts of a schema that another part describes.
func (c *schemaConverter) requiredOfParts(s map[string]any) {
	parts, _ := s["allOf"].([]any)
	for _, part := range parts {
		if part, _ := part.(map[string]any); part["$ref"] == nil || !c.is30 {
			listed, _ := part["required"].([]any)
			if names := slices.DeleteFunc(listed, func(name any) bool {
				text, _ := name.(string)
				return c.hides(s, text)
			}); listed != nil {
				part["required"] = names
			}
		}
	}
}

// hides reports whether a schema has a property that messages of the side do not have.
func (c *schemaConverter) hides(s map[string]any, name string) bool {
	return c.someProperty(s, name, func(property map[string]any) bool { return property[c.hiding] == true })
}

// listsValues reports whether a schema lists the values that it has.
func listsValues(s map[string]any) bool { return s["enum"] != nil || s["const"] != nil }

// someProperty reports whether something is true of a property of a schema.
func (c *schemaConverter) someProperty(s map[string]any, name string, is func(map[string]any) bool) bool {
	return slices.ContainsFunc(c.consists(s), func(part map[string]any) bool {
		properties, _ := part["properties"].(map[string]any)
		return slices.ContainsFunc(c.consists(properties[name]), is)
	})
}

// consists returns a schema, what it refers to, and the parts of these: all of them are true of a value.
func (c *schemaConverter) consists(node any) (list []map[string]any) {
	nodes := []any{node}
	for i := 0; i < len(nodes) && i < maxReferences; i++ {
		s, _ := nodes[i].(map[string]any)
		ref, isRef := s["$ref"].(string)
		if pointer, isLocal := strings.CutPrefix(strings.TrimPrefix(ref, SchemasURL), "#"); isLocal {
			found, _ := find(c.tree, Unescaped(pointer), 0)
			nodes = append(nodes, found)
		}
		if isRef && c.is30 {
			continue
		}
		parts, _ := s["allOf"].([]any)
		list, nodes = append(list, s), append(nodes, parts...)
	}
	return list
}

// discriminator lets an alternative accept no objects but those that have one of its names. One that says itself which
// values of the property it has is left as it is: many documents have neither a mapping nor the schema's name there.
func (c *schemaConverter) discriminator(s map[string]any) {
	d, _ := s["discriminator"].(map[string]any)
	property, _ := d["propertyName"].(string)
	if property == "" {
		return
	}
	mapping, _ := d["mapping"].(map[string]any)
	byDefault, _ := d["defaultMapping"].(string) // 3.2
	for _, keyword := range []string{"oneOf", "anyOf"} {
		alternatives, _ := s[keyword].([]any)
		for i, alternative := range alternatives {
			option, _ := alternative.(map[string]any)
			ref, isRef := option["$ref"].(string)
			if ref = strings.TrimPrefix(ref, SchemasURL); !isRef || c.someProperty(option, property, listsValues) {
				continue
			}
			if isNamed(byDefault, ref) { // for what names no other one
				continue
			}
			names := []any{ref[strings.LastIndexByte(ref, '/')+1:]}
			for _, name := range sortedKeys(mapping) {
				if target, _ := mapping[name].(string); isNamed(target, ref) {
					names = append(names, name)
				}
			}
			alternatives[i] = map[string]any{"allOf": []any{option, map[string]any{
				"required": []any{property}, "properties": map[string]any{property: map[string]any{"enum": names}},
			}}}
		}
	}
}

// isNamed reports whether a mapping leads to a reference, by it or by the name of its schema.
func isNamed(target, ref string) bool { return target == ref || "#/components/schemas/"+target == ref }

// find returns the value at a pointer of a tree, and the pointer without the references on the way.
func find(tree map[string]any, pointer string, depth int) (value any, plain string) {
	value = tree
	for _, token := range splitPointer(pointer) {
		for range maxReferences {
			object, _ := value.(map[string]any)
			ref, isRef := object["$ref"].(string)
			ref = strings.TrimPrefix(ref, SchemasURL)
			if _, has := object[token]; has || !isRef || !strings.HasPrefix(ref, "#/") || depth > maxReferences {
				break
			}
			value, plain = find(tree, Unescaped(ref[1:]), depth+1)
		}
		plain += "/" + EscapePointer(token)
		value = child(value, token)
	}
	return value, plain
}

// Unescaped returns a part of an address without its escapes, as pointers in references have them, too. One with a
// broken escape stays as it is.
func Unescaped(part string) string {
	if plain, err := url.PathUnescape(part); err == nil {
		return plain
	}
	return part
}

// IsAt reports whether a keyword is true in the schema at a pointer of a tree, or in what that refers to.
func IsAt(tree map[string]any, pointer, keyword string) (is bool) {
	for range maxReferences {
		value, _ := find(tree, pointer, 0)
		schema, _ := value.(map[string]any)
		is = is || schema[keyword] == true
		ref, _ := schema["$ref"].(string)
		_, target, isRef := strings.Cut(ref, "#")
		if !isRef {
			break
		}
		pointer = target
	}
	return is
}

// WithoutReferences returns a pointer of a tree without the references on the way, and false if it leads nowhere.
func WithoutReferences(tree map[string]any, pointer string) (plain string, ok bool) {
	value, plain := find(tree, pointer, 0)
	return plain, value != nil
}
