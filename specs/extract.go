package specs

import (
	"bytes"
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
	return json.Marshal(extract(tree, string(d.Interface), o.Template, strings.ToLower(o.Method), o))
}

// extract returns the tree of a document that has one operation of another one, which is nil if that is not loaded yet.
func extract(tree map[string]any, title, template, method string, o *Operation) map[string]any {
	small := map[string]any{"openapi": tree["openapi"], "info": map[string]any{"title": title, "version": "1"}}
	if dialect, found := tree["jsonSchemaDialect"]; found {
		small["jsonSchemaDialect"] = dialect
	}
	paths, _ := tree["paths"].(map[string]any)
	item, _ := paths[template].(map[string]any)
	only := map[string]any{}
	for key, value := range item {
		switch {
		case key == "parameters" && o != nil:
			if list := notReplaced(value, o); len(list) > 0 { // a null would cost an engine the whole path
				only[key] = list
			}
		case key == method, key == "parameters", key == "$ref":
			only[key] = value
		case key == "additionalOperations" && o != nil:
			all, _ := value.(map[string]any)
			only[key] = map[string]any{o.Method: all[o.Method]}
		}
	}
	small["paths"] = map[string]any{template: only}
	if declared, ok := tree["components"].(map[string]any); ok {
		r := reachable{tree: declared, reached: map[string]map[string]any{}}
		r.followReferences(only, false)
		if r.everything {
			small["paths"], small["components"] = paths, declared
		} else {
			small["components"] = r.components()
		}
	}
	return small
}

// maxAlone bounds how many bytes are loaded to find out which operations cannot be.
const maxAlone = 64 << 20

// loadable returns a document, given as JSON, without the operations that cannot be loaded, and why they cannot. It is
// nil if that helps nothing, or if the operations share so much that it takes too long to find out.
func loadable(text []byte, lineOf lines) (rest []byte, ignored []Ignored, err error) {
	var tree map[string]any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&tree); err != nil {
		return nil, nil, err
	}
	paths, _ := tree["paths"].(map[string]any)
	loaded := 0
	for _, template := range sortedKeys(paths) {
		item, _ := paths[template].(map[string]any)
		others := len(item)
		for _, method := range sortedKeys(item) {
			if !isMethod(method) {
				continue
			}
			alone, err := json.Marshal(extract(tree, "", template, method, nil))
			if err != nil {
				return nil, nil, err
			}
			if loaded += len(alone); loaded > maxAlone {
				return nil, nil, nil
			}
			if _, err := load(alone); err != nil {
				pointer := "/paths/" + EscapePointer(template) + "/" + method
				ignored = append(ignored, Ignored{Pointer: pointer, Line: lineOf(pointer), Reason: err.Error()})
				delete(item, method)
			}
		}
		if len(item) < others && !hasOperations(map[string]any{"paths": map[string]any{template: item}}) {
			delete(paths, template)
		}
	}
	if len(ignored) > 0 && hasOperations(tree) {
		prune(tree)
		rest, err = json.Marshal(tree)
	}
	return rest, ignored, err
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
