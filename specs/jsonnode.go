package specs

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v4"
)

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
