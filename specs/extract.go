package specs

import (
	"encoding/json"
	"fmt"
	"strings"
)

// referred holds the kinds of components that are there for references alone. The other ones are named otherwise.
var referred = map[string]bool{
	"schemas": true, "responses": true, "parameters": true, "requestBodies": true, "headers": true, "pathItems": true,
	"examples": true, "links": true, "callbacks": true,
}

// prune takes out of a tree the components that nothing refers to, directly or through others, from its paths. Unneeded
// schemas may be anything then.
func prune(tree map[string]any) {
	declared, _ := tree["components"].(map[string]any)
	r := reachable{tree: declared, reached: map[string]map[string]any{}}
	r.followReferences(tree["paths"], true)
	r.followReferences(tree["webhooks"], true)
	if !r.everything && declared != nil {
		tree["components"] = r.components()
	}
}

// reachable finds the components that references lead to.
type reachable struct {
	tree       map[string]any // the components
	reached    map[string]map[string]any
	everything bool // there is a reference that only the whole document resolves
}

// components returns those that were reached, and those that need no reference.
func (r *reachable) components() map[string]any {
	kept := map[string]any{}
	for kind, value := range r.tree {
		if !referred[kind] {
			kept[kind] = value
		}
	}
	for kind, list := range r.reached {
		kept[kind] = list
	}
	return kept
}

// followReferences follows those of a part of the document, or of a map of such parts by name.
func (r *reachable) followReferences(node any, isNames bool) {
	switch node := node.(type) {
	case []any:
		for _, item := range node {
			r.followReferences(item, false)
		}
	case map[string]any:
		if text, isText := node["x-event"].(string); isText && !isNames {
			r.component("schemas", text)
		}
		for key, value := range parts(node, isNames) {
			r.member(key, value, isNames)
		}
	}
}

func (r *reachable) member(key string, value any, isName bool) {
	text, isText := value.(string)
	switch {
	case isName:
		r.followReferences(value, false)
	case key == "$ref" && isText:
		r.reference(text)
	case isText && (key == "$dynamicRef" || key == "$id" || key == "$anchor"):
		r.everything = true
	case key == "mapping":
		r.mapping(value)
	default:
		r.followReferences(value, namesChildren[key])
	}
}

// mapping follows the references of a discriminator, which may be names alone. A property may have the name, too.
func (r *reachable) mapping(value any) {
	list, _ := value.(map[string]any)
	for _, target := range list {
		if text, ok := target.(string); ok && strings.HasPrefix(text, "#/") {
			r.reference(text)
		} else if ok {
			r.component("schemas", text)
		}
	}
	r.followReferences(value, false)
}

func (r *reachable) reference(ref string) {
	rest, found := strings.CutPrefix(ref, "#/components/")
	if !strings.HasPrefix(ref, "#") { // which a bundle puts among the components
		return
	}
	if !found {
		r.everything = true
		return
	}
	kind, name, _ := strings.Cut(rest, "/")
	name, _, _ = strings.Cut(name, "/")
	r.component(unescape.Replace(kind), unescape.Replace(name))
}

func (r *reachable) component(kind, name string) {
	declared, _ := r.tree[kind].(map[string]any)
	value, found := declared[name]
	if _, known := r.reached[kind][name]; known || !found {
		return
	}
	if r.reached[kind] == nil {
		r.reached[kind] = map[string]any{}
	}
	r.reached[kind][name] = value
	r.followReferences(value, false)
}

// Extract returns a document as JSON that has one operation alone, with what it refers to and without the texts that
// only people read.
func (d *Document) Extract(o *Operation) ([]byte, error) {
	tree, err := d.tree()
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", d.File, err)
	}
	small := map[string]any{"openapi": tree["openapi"], "info": map[string]any{"title": d.Interface, "version": "1"}}
	if dialect, found := tree["jsonSchemaDialect"]; found {
		small["jsonSchemaDialect"] = dialect
	}
	paths, _ := tree["paths"].(map[string]any)
	item, _ := paths[o.Template].(map[string]any)
	only := map[string]any{}
	for key, value := range item {
		switch {
		case key == "parameters":
			only[key] = notReplaced(value, o)
		case key == strings.ToLower(o.Method), key == "$ref":
			only[key] = value
		case key == "additionalOperations":
			all, _ := value.(map[string]any)
			only[key] = map[string]any{o.Method: all[o.Method]}
		}
	}
	small["paths"] = map[string]any{o.Template: only}
	if declared, ok := tree["components"].(map[string]any); ok {
		r := reachable{tree: declared, reached: map[string]map[string]any{}}
		r.followReferences(only, false)
		if r.everything {
			small["paths"], small["components"] = paths, declared
		} else {
			small["components"] = r.components()
		}
	}
	return json.Marshal(small)
}

// notReplaced returns the parameters of a path without those that an operation replaces by its own.
func notReplaced(list any, o *Operation) []any {
	all, _ := list.([]any)
	var rest []any
	if item := o.Document.T.Paths.Value(o.Template); len(all) == len(item.Parameters) {
		for i, p := range item.Parameters {
			if p.Value == nil || o.Spec.Parameters.GetByInAndName(p.Value.In, p.Value.Name) == nil {
				rest = append(rest, all[i])
			}
		}
		return rest
	}
	return all
}
