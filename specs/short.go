package specs

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"svc.example/understudy/internal/jsontree"
)

// short returns a user's own document as JSON, given as a tree, which is changed, without what only people read,
// without components that nothing needs, and without patterns that cannot be compiled, which would refuse every text.
// With examples it is short enough to be served, which answers with them.
func short(
	tree map[string]any, file string, lineOf lines, withExamples bool,
) (text []byte, ignored []Ignored, err error) {
	tree, ignored, err = whole(tree, file, lineOf)
	if err != nil {
		return nil, nil, err
	}
	strip(tree, withExamples)
	if version, _ := tree["openapi"].(string); strings.HasPrefix(version, "3.0") {
		dropSiblings(tree, false)
	}
	ignore := func(pointer, reason string) {
		ignored = append(ignored, Ignored{Pointer: pointer, Line: lineOf(pointer), Reason: reason})
	}
	dropPatterns(tree, false, "", ignore)
	openUnfit(tree, ignore)
	text, err = json.Marshal(tree)
	return text, ignored, err
}

// dropSiblings takes out of a tree of version 3.0 what stands beside a $ref, which is ignored there (Reference Object),
// but for paths, which may have both.
func dropSiblings(node any, isNames bool) {
	switch node := node.(type) {
	case []any:
		for _, item := range node {
			dropSiblings(item, false)
		}
	case map[string]any:
		if ref, isText := node["$ref"].(string); isText && !isNames && !slices.ContainsFunc(sortedKeys(node), isMethod) {
			clear(node)
			node["$ref"] = ref
		}
		for key, value := range parts(node, isNames) {
			dropSiblings(value, !isNames && namesChildren[key])
		}
	}
}

// dropPatterns takes patterns out of a tree that no regular expressions of Go stand for, such as those that refer back.
func dropPatterns(node any, isNames bool, pointer string, dropped func(pointer, reason string)) {
	switch node := node.(type) {
	case []any:
		for i, item := range node {
			dropPatterns(item, false, pointer+"/"+strconv.Itoa(i), dropped)
		}
	case map[string]any:
		if pattern, isText := node["pattern"].(string); isText && !isNames {
			if _, err := regexp.Compile(GoPattern(pattern)); err != nil {
				switch done, isSame := splitLooks(node, pattern); {
				case !done:
					delete(node, "pattern")
					dropped(pointer+"/pattern", err.Error())
				case !isSame:
					dropped(pointer+"/pattern", "what it looks for, but where the text begins or ends")
				}
			}
		}
		if patterns, _ := node["patternProperties"].(map[string]any); !isNames {
			for pattern := range patterns {
				if _, err := regexp.Compile(GoPattern(pattern)); err != nil { // whose members the others may not know
					delete(node, "patternProperties")
					delete(node, "additionalProperties")
					delete(node, "unevaluatedProperties")
					dropped(pointer+"/patternProperties", err.Error())
					break
				}
			}
		}
		for key, value := range parts(node, isNames) {
			dropPatterns(value, !isNames && namesChildren[key], pointer+"/"+EscapePointer(key), dropped)
		}
	}
}

// GoPattern returns a regular expression of ECMAScript as Go writes it: characters by their number or as a control, the
// white space of all scripts, what a dot is, and classes without a member (ECMA-262, 22.2.1 and 12.2). What only Go
// has, such as \A, makes an expression that Go refuses.
func GoPattern(pattern string) string {
	const space, lines = `\s\x{b}\x{feff}\pZ`, `\n\r\x{2028}\x{2029}`
	inClass := false
	return ecmaToken.ReplaceAllStringFunc(pattern, func(token string) string {
		switch {
		case token == "." && !inClass:
			return "[^" + lines + "]"
		case token == "[" && inClass:
			return `\[`
		case token == "[", token == "]":
			inClass = token == "["
		case token[0] == '[' && inClass: // a bracket, and the end of the class
			inClass = false
			return `\` + token
		case token == "[]":
			return `[^\x00-\x{10ffff}]`
		case token == "[^]":
			return `[\x00-\x{10ffff}]`
		case token == `\s` && inClass:
			return space
		case token == `\s`:
			return "[" + space + "]"
		case token == `\S` && !inClass:
			return "[^" + space + "]"
		case len(token) == 2 && strings.IndexByte("AzQEaC", token[1]) >= 0:
			return "(?" + token
		case len(token) > 2 && (token[1] == 'p' || token[1] == 'P'):
			return scriptName.ReplaceAllString(token, "{")
		case len(token) == len(`\ud83d\ude00`) && token[6] == '\\':
			high, _ := strconv.ParseUint(token[2:6], 16, 16)
			low, _ := strconv.ParseUint(token[8:], 16, 16)
			return fmt.Sprintf(`\x{%x}`, utf16.DecodeRune(rune(high), rune(low)))
		case len(token) > 2 && token[1] == 'u':
			return `\x{` + strings.Trim(token[2:], "{}") + "}"
		case len(token) > 2:
			return fmt.Sprintf(`\x%02x`, token[2]&0x1f)
		}
		return token
	})
}

// ecmaToken matches a dot, a bracket of a class of characters, or what stands with a backslash.
var ecmaToken = regexp.MustCompile(`\[\^?\]|[.\[\]]|\\(?:u[Dd][89ABab][0-9A-Fa-f]{2}\\u[Dd][C-Fc-f][0-9A-Fa-f]{2}|` +
	`u[0-9A-Fa-f]{4}|u\{[0-9A-Fa-f]+\}|c[A-Za-z]|[pP]\{[^}]*\}|.)`)

// scriptName matches what names a property of characters before its value, which Go has alone.
var scriptName = regexp.MustCompile(`\{(?:Script|sc|Script_Extensions|scx|General_Category|gc)=`)

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
	tree, err := jsontree.Decode[map[string]any](text)
	if err != nil {
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
