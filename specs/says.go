package specs

import (
	"strings"

	"go.yaml.in/yaml/v4"
)

// maxSays bounds the runes of what a document says in one line.
const maxSays = 120

// Says returns what the document states at a JSON pointer, as Place returns it, in one short line: a keyword with its
// value, a description, or the names of what is there. It is empty where the pointer leads nowhere.
func (d *Document) Says(pointer string) string {
	index, err := d.index()
	if err != nil {
		return ""
	}
	parent, node, token := (*yaml.Node)(nil), index.root, ""
	for _, token = range splitPointer(pointer) {
		parent = node
		if _, node = lookUp(parent, token); node == nil {
			return ""
		}
	}
	if parent == nil || pointer == "/paths" { // the first few of all paths say nothing
		return ""
	}
	return shortLine(saysNode(parent, node, token))
}

// Tree returns the document as JSON has it: maps with texts for keys, lists, texts, json.Number, booleans and nil.
func (d *Document) Tree() (map[string]any, error) {
	index, err := d.index()
	if err != nil {
		return nil, err
	}
	return treeOf(index.root)
}

func saysNode(parent, node *yaml.Node, token string) string {
	value := flat(node)
	if token == "description" || token == "summary" {
		return value
	}
	if value != "" {
		return token + ": " + value + described(parent, ", ")
	}
	if text := described(node, ""); text != "" {
		return text
	}
	if _, properties := lookUp(node, "properties"); properties != nil {
		token, node = "properties", properties
	}
	return token + ": " + strings.Join(keysOf(node), ", ")
}

// flat returns the text of a scalar, or of a list of scalars; for anything else the empty text.
func flat(node *yaml.Node) string {
	switch node.Kind {
	case yaml.ScalarNode:
		return node.Value
	case yaml.SequenceNode:
		var items []string
		for _, item := range node.Content {
			if item.Kind != yaml.ScalarNode {
				return ""
			}
			items = append(items, item.Value)
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	return ""
}

// described returns the description of a node or its summary, after a separator.
func described(node *yaml.Node, separator string) string {
	for _, key := range []string{"description", "summary"} {
		if text := scalar(node, key); text != "" {
			return separator + text
		}
	}
	return ""
}

// keysOf lists the keys of a mapping, but for those that say where its facts come from.
func keysOf(node *yaml.Node) []string {
	var keys []string
	for i := 0; node.Kind == yaml.MappingNode && i+1 < len(node.Content); i += 2 {
		if key := node.Content[i].Value; !isProvenance(key) {
			keys = append(keys, key)
		}
	}
	return keys
}

func shortLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > maxSays {
		return string(runes[:maxSays-1]) + "…"
	}
	return text
}
