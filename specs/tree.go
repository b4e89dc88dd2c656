package specs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v4"

	"svc.example/understudy/specs/source"
)

// A tree is a document as JSON has it: maps with texts for keys, lists, texts, numbers, booleans and null.

// maxTree bounds how many values a tree has.
const maxTree = 4 << 20

// treeOf makes a tree of YAML.
func treeOf(node *yaml.Node) (map[string]any, error) {
	value, err := (&aliasLimit{most: min(maxTree, source.MaxValues(node))}).value(node)
	if err != nil {
		return nil, err
	}
	tree, ok := value.(map[string]any)
	if !ok {
		return nil, errors.New("the document is not an object")
	}
	return tree, nil
}

// aliasLimit counts values: aliases multiply them.
type aliasLimit struct{ size, most int }

func (g *aliasLimit) value(node *yaml.Node) (any, error) {
	if g.size++; g.size > g.most {
		return nil, fmt.Errorf("line %d: the document has too many values after resolving aliases: want at most %d",
			node.Line, g.most)
	}
	switch node.Kind {
	case yaml.AliasNode:
		return g.value(node.Alias)
	case yaml.MappingNode:
		return g.mapping(node)
	case yaml.SequenceNode:
		list := make([]any, len(node.Content))
		for i, item := range node.Content {
			var err error
			if list[i], err = g.value(item); err != nil {
				return nil, err
			}
		}
		return list, nil
	}
	return scalarOf(node)
}

func (g *aliasLimit) mapping(node *yaml.Node) (any, error) {
	object := make(map[string]any, len(node.Content)/2)
	merged := map[string]any{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key := node.Content[i]
		value, err := g.value(node.Content[i+1])
		if err != nil {
			return nil, err
		}
		_, twice := object[key.Value]
		switch {
		case key.Kind == yaml.ScalarNode && key.ShortTag() == "!!merge":
			mergeInto(merged, value)
		case key.Kind != yaml.ScalarNode:
			return nil, fmt.Errorf("line %d: a key is not a string", key.Line)
		case twice:
			return nil, fmt.Errorf("line %d: the key %q is given twice", key.Line, key.Value)
		default:
			object[key.Value] = value
		}
	}
	for key, value := range merged {
		if _, own := object[key]; !own {
			object[key] = value
		}
	}
	return object, nil
}

// mergeInto adds the members of an object, or of a list of objects, of which the first takes precedence.
func mergeInto(into map[string]any, value any) {
	switch value := value.(type) {
	case map[string]any:
		maps.Copy(into, value)
	case []any:
		for _, item := range slices.Backward(value) {
			mergeInto(into, item)
		}
	}
}

// scalarOf returns the value of a scalar. Numbers stay as they are written, and times are texts.
func scalarOf(node *yaml.Node) (any, error) {
	switch node.ShortTag() {
	case "!!null":
		return nil, nil
	case "!!int", "!!float":
		if json.Valid([]byte(node.Value)) {
			return json.Number(node.Value), nil
		}
	case "!!bool":
	default:
		return node.Value, nil
	}
	var value any
	if err := node.Decode(&value); err != nil {
		return nil, fmt.Errorf("line %d: %w", node.Line, err)
	}
	if _, err := json.Marshal(value); err != nil { // infinity
		return node.Value, nil //nolint:nilerr // it is a text then
	}
	return value, nil
}

// shortTree returns the tree of a document without what only people read.
func shortTree(text []byte) (map[string]any, error) {
	x, err := newIndex(text)
	if err != nil {
		return nil, err
	}
	tree, err := treeOf(x.root)
	strip(tree, false)
	return tree, err
}

// strip takes out of a tree what only people read, examples unless they are wanted, and the provenances, which are
// looked up in the document's text.
func strip(node any, withExamples bool) {
	switch node := node.(type) {
	case map[string]any:
		for key, value := range node {
			children, isMap := value.(map[string]any)
			switch {
			case isForPeople(key, value), isExample(key) && !withExamples:
				delete(node, key)
			case isLiteral(key), isExample(key):
			case isMap && namesChildren[key]:
				for _, child := range children {
					strip(child, withExamples)
				}
			default:
				strip(value, withExamples)
			}
		}
	case []any:
		for _, item := range node {
			strip(item, withExamples)
		}
	}
}

// isForPeople reports whether a member of an object is read by people only.
func isForPeople(key string, value any) bool {
	_, isText := value.(string)
	return isText && (key == "description" || key == "summary") || isProvenance(key)
}

func isExample(key string) bool { return key == "example" || key == "examples" }

func isProvenance(key string) bool { return strings.HasPrefix(key, "x-provenance") }

// isLiteral reports whether what a key has is a value as messages have it.
func isLiteral(key string) bool {
	return key == "enum" || key == "const" || key == "default" || key == "example" || strings.HasPrefix(key, "x-")
}

// parts iterates, in the order of their names, over the members of an object that are parts of the document, and not
// values as messages have them. The keys of a map whose keys an author chose are names, whatever they are.
func parts(object map[string]any, isNames bool) iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		for _, key := range sortedKeys(object) {
			if (isNames || !isLiteral(key)) && !yield(key, object[key]) {
				return
			}
		}
	}
}

// namesChildren holds the keys of maps whose keys are names that an author chose.
var namesChildren = map[string]bool{
	"properties": true, "patternProperties": true, "$defs": true, "definitions": true, "dependentSchemas": true,
	"paths": true, "responses": true, "schemas": true, "parameters": true, "requestBodies": true, "headers": true,
	"securitySchemes": true, "pathItems": true, "callbacks": true, "content": true, "encoding": true, "variables": true,
	"examples": true, "links": true, "webhooks": true,
}

func sortedKeys[V any](object map[string]V) []string { return slices.Sorted(maps.Keys(object)) }

// nodesOf reads a document with the places of its parts. JSON is YAML, too, but a YAML parser takes a second for what a
// JSON parser reads in a few milliseconds, above all when it stands on one line.
func nodesOf(text []byte) (*yaml.Node, error) {
	if trimmed := bytes.TrimSpace(text); len(trimmed) > 0 && trimmed[0] == '{' {
		r := jsonReader{text: text, d: jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowInvalidUTF8(true)), line: 1}
		if root, err := r.value(); err == nil && r.isOver() {
			return root, nil
		}
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	if len(doc.Content) == 0 {
		return &doc, nil
	}
	return doc.Content[0], nil
}

// jsonReader reads JSON as nodes of YAML.
type jsonReader struct {
	text []byte
	d    *jsontext.Decoder
	at   int // how far lines are counted
	line int

	values int // of a tree
}

func (r *jsonReader) isOver() bool {
	_, err := r.d.ReadToken()
	return err == io.EOF //nolint:errorlint // jsontext documents the bare value
}

// lastLine returns the line of the token that was read last.
func (r *jsonReader) lastLine() int {
	end := int(r.d.InputOffset()) // tokens have no line breaks
	r.line += bytes.Count(r.text[r.at:end], []byte("\n"))
	r.at = end
	return r.line
}

func (r *jsonReader) value() (*yaml.Node, error) {
	token, err := r.d.ReadToken()
	if err != nil {
		return nil, err
	}
	node := &yaml.Node{Line: r.lastLine()}
	switch token.Kind() {
	case '{':
		node.Kind, node.Tag = yaml.MappingNode, "!!map"
		return node, r.children(node, '}')
	case '[':
		node.Kind, node.Tag = yaml.SequenceNode, "!!seq"
		return node, r.children(node, ']')
	}
	node.Kind, node.Tag, node.Value = yaml.ScalarNode, tagOf(token.Kind(), token.String()), token.String()
	return node, nil
}

func (r *jsonReader) children(node *yaml.Node, end jsontext.Kind) error {
	for r.d.PeekKind() != end {
		child, err := r.value()
		if err != nil {
			return err
		}
		node.Content = append(node.Content, child)
	}
	_, err := r.d.ReadToken()
	return err
}

// jsonTree returns the tree of a document that is JSON, for which no nodes are needed; nil of any other one.
func jsonTree(text []byte) map[string]any {
	if trimmed := bytes.TrimSpace(text); len(trimmed) == 0 || trimmed[0] != '{' {
		return nil
	}
	r := jsonReader{d: jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowInvalidUTF8(true))}
	tree, err := r.tree()
	if err != nil || !r.isOver() || r.values > maxTree {
		return nil // the reader of YAML finds what is wrong, and in which line
	}
	object, _ := tree.(map[string]any)
	return object
}

func (r *jsonReader) tree() (any, error) {
	r.values++
	token, err := r.d.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case '{':
		object := map[string]any{}
		for r.d.PeekKind() != '}' {
			key, err := r.d.ReadToken()
			if err != nil {
				return nil, err
			}
			name := key.String()
			if object[name], err = r.tree(); err != nil {
				return nil, err
			}
		}
		_, err = r.d.ReadToken()
		return object, err
	case '[':
		list := []any{}
		for r.d.PeekKind() != ']' {
			item, err := r.tree()
			if err != nil {
				return nil, err
			}
			list = append(list, item)
		}
		_, err = r.d.ReadToken()
		return list, err
	case '"':
		return token.String(), nil
	case '0':
		return json.Number(token.String()), nil
	case 'n':
		return nil, nil
	}
	return token.Bool(), nil
}

func tagOf(kind jsontext.Kind, text string) string {
	switch kind {
	case '"':
		return "!!str"
	case 'n':
		return "!!null"
	case '0':
		if bytes.ContainsAny([]byte(text), ".eE") {
			return "!!float"
		}
		return "!!int"
	}
	return "!!bool"
}
