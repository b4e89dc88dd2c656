package specs

import (
	"encoding/json"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
)

// relink makes the references of a user's own document, given as its tree, such that all readers follow them: pointers
// into the document stand for the file's own name, for $self, for what $id, $anchor and $dynamicAnchor name (JSON
// Schema 2020-12, 8.2), and for media types among the components of 3.2. Keywords of schemas that have a value of
// another kind, such as required: true, are taken out and noted.
func relink(tree map[string]any, file string, lineOf lines) []Ignored {
	base := &url.URL{Path: "/" + path.Base(file)}
	version, _ := tree["openapi"].(string)
	r := relinker{
		tree: tree, names: map[string]string{}, dynamic: map[string][]string{},
		hasIDs: version != "" && !strings.HasPrefix(version, "3.0"),
	}
	r.names[base.String()] = ""
	if self, _ := tree["$self"].(string); self != "" {
		if u, err := url.Parse(self); err == nil {
			base = base.ResolveReference(u)
			r.names[base.String()] = ""
		}
	}
	if r.hasIDs {
		r.collect(tree, false, "", base)
	}
	r.walk(tree, "", false, scope{base: base})
	for i := range r.dropped {
		r.dropped[i].Line = lineOf(r.dropped[i].Pointer)
	}
	return r.dropped
}

type relinker struct {
	tree    map[string]any
	names   map[string]string   // pointers by addresses
	dynamic map[string][]string // dynamic anchors by name: the bases of the schemas that have it
	hasIDs  bool                // the version knows $id
	dropped []Ignored
}

// scope holds the base of the references in a part of a document.
type scope struct {
	base *url.URL
	root string // pointer of the schema that has the base
}

// within returns the scope in an object, which may name itself.
func (r *relinker) within(object map[string]any, pointer string, s scope) scope {
	id, _ := object["$id"].(string)
	u, err := url.Parse(id)
	if id == "" || err != nil || !r.hasIDs {
		return s
	}
	return scope{s.base.ResolveReference(u), pointer}
}

// collect notes what names the schemas of a part of the document give themselves.
func (r *relinker) collect(node any, isNames bool, pointer string, base *url.URL) {
	eachPart(node, isNames, pointer, func(_ string, value any, isNames bool, pointer string) {
		inner := base
		if object, isMap := value.(map[string]any); isMap && !isNames {
			s := r.within(object, pointer, scope{base: base})
			if inner = s.base; inner != base {
				r.names[inner.String()] = pointer
			}
			for _, keyword := range []string{"$anchor", "$dynamicAnchor"} {
				if name, _ := object[keyword].(string); name != "" {
					at := *inner
					at.Fragment = name
					r.names[at.String()] = pointer
					if keyword == "$dynamicAnchor" {
						r.dynamic[name] = append(r.dynamic[name], inner.String())
					}
				}
			}
		}
		r.collect(value, isNames, pointer, inner)
	})
}

// eachPart calls a function for each part of a node but for examples: with its key, and whether its own keys are names.
func eachPart(node any, isNames bool, pointer string, do func(key string, value any, isNames bool, pointer string)) {
	switch node := node.(type) {
	case []any:
		for i, item := range node {
			do("", item, false, pointer+"/"+strconv.Itoa(i))
		}
	case map[string]any:
		for key, value := range parts(node, isNames) {
			if isNames || key != "examples" {
				do(key, value, !isNames && namesChildren[key], pointer+"/"+EscapePointer(key))
			}
		}
	}
}

func (r *relinker) walk(node any, pointer string, isNames bool, s scope) {
	eachPart(node, isNames, pointer, func(key string, value any, areNames bool, pointer string) {
		object, isMap := value.(map[string]any)
		inner := s
		if isMap && !areNames {
			inner = r.within(object, pointer, s)
			r.references(object, pointer, inner)
		}
		switch {
		case isMap && key == "content" && areNames:
			for kind, media := range object {
				ref, _ := child(media, "$ref").(string)
				if at, isLocal := strings.CutPrefix(ref, "#"); isLocal {
					object[kind], _ = find(r.tree, Unescaped(at), 0)
				}
			}
		case isMap && holdsSchemas[key] && areNames:
			for name, one := range object {
				r.keywords(one, pointer+"/"+EscapePointer(name))
			}
		case isMap && isSchema[key] && !isNames:
			r.keywords(value, pointer)
		}
		r.walk(value, pointer, areNames, inner)
	})
}

// references replaces those of an object.
func (r *relinker) references(object map[string]any, pointer string, s scope) {
	if ref, _ := object["$ref"].(string); ref != "" {
		object["$ref"] = r.local(ref, s)
	}
	if ref, _ := object["$dynamicRef"].(string); ref != "" && object["$ref"] == nil {
		_, name, _ := strings.Cut(ref, "#")
		if at := r.local(ref, s); len(r.dynamic[name]) > 1 {
			if !r.isOpen(name) {
				r.drop(object, "$dynamicRef", pointer, "several schemas of one $id have the anchor")
			}
		} else if strings.HasPrefix(at, "#/") {
			object["$ref"] = at
			delete(object, "$dynamicRef")
		}
	}
	if r.hasIDs {
		for _, keyword := range []string{"$id", "$anchor", "$dynamicAnchor"} {
			name, isText := object[keyword].(string)
			switch {
			case !isText || keyword == "$dynamicAnchor" && r.isOpen(name):
			case keyword == "$id" && r.opensAny():
				object[keyword] = s.base.String()
			default:
				delete(object, keyword)
			}
		}
	}
	discriminator, _ := object["discriminator"].(map[string]any)
	mapping, _ := discriminator["mapping"].(map[string]any)
	for name, target := range mapping {
		if text, _ := target.(string); strings.ContainsAny(text, "/#") {
			mapping[name] = r.local(text, s)
		}
	}
}

// isOpen reports whether it depends on how a schema is reached which one of several a dynamic anchor stands for, so
// that whoever validates has to follow it: each has an $id of its own (JSON Schema 2020-12, 8.2.3.2).
func (r *relinker) isOpen(name string) bool {
	bases := slices.Sorted(slices.Values(r.dynamic[name]))
	return len(bases) > 1 && len(slices.Compact(bases)) == len(r.dynamic[name])
}

func (r *relinker) opensAny() bool {
	for name := range r.dynamic {
		if r.isOpen(name) {
			return true
		}
	}
	return false
}

// local returns the pointer into the document that a reference stands for, or the reference as it is.
func (r *relinker) local(ref string, s scope) string {
	if pointer, isPointer := strings.CutPrefix(ref, "#/"); isPointer {
		if s.root == "" {
			return ref
		}
		if value, _ := find(r.tree, s.root+"/"+Unescaped(pointer), 0); value != nil {
			return "#" + s.root + "/" + pointer
		}
		return ref
	}
	u, err := url.Parse(ref)
	if err != nil {
		return ref
	}
	whole := s.base.ResolveReference(u)
	if pointer, isKnown := r.names[whole.String()]; isKnown {
		return "#" + pointer
	}
	fragment := whole.Fragment
	whole.Fragment = ""
	if pointer, isKnown := r.names[whole.String()]; isKnown && strings.HasPrefix(fragment, "/") {
		return "#" + pointer + fragment
	}
	return ref
}

// isSchema and holdsSchemas are the keys that have a schema, and schemas by name.
var (
	isSchema = map[string]bool{
		"schema": true, "items": true, "additionalProperties": true, "not": true, "if": true, "then": true, "else": true,
		"contains": true, "propertyNames": true, "itemSchema": true,
	}
	holdsSchemas = map[string]bool{
		"properties": true, "patternProperties": true, "$defs": true, "definitions": true, "schemas": true,
	}
)

// keywords takes out those of a schema whose value is of another kind than schemas have.
func (r *relinker) keywords(node any, pointer string) {
	const wrong = "the keyword has another value than schemas may have there"
	schema, _ := node.(map[string]any)
	for _, keyword := range []string{"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"} {
		value, isThere := schema[keyword]
		number, isNumber := value.(json.Number)
		if isThere && (!isNumber || strings.HasPrefix(number.String(), "-")) {
			r.drop(schema, keyword, pointer, wrong)
		}
	}
	if required, isThere := schema["required"]; isThere {
		if _, isList := required.([]any); !isList {
			r.drop(schema, "required", pointer, wrong)
		}
	}
	if _, isList := schema["items"].([]any); isList { // of drafts before 2020-12
		r.drop(schema, "items", pointer, wrong)
	}
}

// drop takes a keyword out of a schema, and notes it.
func (r *relinker) drop(schema map[string]any, keyword, pointer, reason string) {
	delete(schema, keyword)
	r.dropped = append(r.dropped, Ignored{Pointer: pointer + "/" + keyword, Reason: reason})
}
