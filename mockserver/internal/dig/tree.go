package dig

import (
	"encoding/json"
	"errors"
	"slices"

	"go.yaml.in/yaml/v4"
)

const include = "!include"

// treeOf turns YAML nodes into values. Each node is turned once, however many aliases point at it.
func treeOf(file string, document *yaml.Node) (*value, error) {
	root := document
	if document.Kind == yaml.DocumentNode && len(document.Content) == 1 {
		root = document.Content[0]
	}
	return (&treeBuilder{file: file, done: map[*yaml.Node]*value{}}).value(root)
}

type treeBuilder struct {
	file string
	done map[*yaml.Node]*value // anchored nodes; nil while such a node is being turned

	merged int // fields looked at for merges
}

func (g *treeBuilder) value(n *yaml.Node) (*value, error) {
	if n.Kind == yaml.AliasNode {
		if v, known := g.done[n.Alias]; v != nil {
			return v, nil
		} else if known || n.Alias == nil {
			return nil, failf(g.file, n.Line, "the anchor %s contains itself", quote(n.Value))
		}
		return g.value(n.Alias)
	}
	if n.Anchor == "" {
		return g.convert(n)
	}
	g.done[n] = nil
	v, err := g.convert(n)
	g.done[n] = v
	return v, err
}

func (g *treeBuilder) convert(n *yaml.Node) (*value, error) {
	switch n.Kind {
	case yaml.ScalarNode:
		return g.scalar(n)
	case yaml.SequenceNode:
		return g.list(n)
	case yaml.MappingNode:
		return g.mapping(n)
	default:
		return nil, failf(g.file, n.Line, "not valid YAML")
	}
}

func (g *treeBuilder) list(n *yaml.Node) (*value, error) {
	v := &value{kind: list, line: n.Line, items: make([]*value, len(n.Content))}
	for i, content := range n.Content {
		var err error
		if v.items[i], err = g.value(content); err != nil {
			return nil, err
		}
		if err := g.setDepth(v, v.items[i]); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// setDepth sets the depth of a value above a child, and bounds it also across aliases, which the parser does not count.
func (g *treeBuilder) setDepth(v, child *value) error {
	v.depth = max(v.depth, child.depth+1)
	if v.depth > maxDepth {
		return failf(g.file, v.line, "the definition is nested more than %d levels deep", maxDepth)
	}
	return nil
}

// scalar takes times and dates as the text they are: 07:00:00 is not a number here.
func (g *treeBuilder) scalar(n *yaml.Node) (*value, error) {
	v := &value{kind: text, line: n.Line, text: n.Value}
	switch n.ShortTag() {
	case "!!null":
		v.kind, v.text = null, ""
	case "!!bool", "!!int", "!!float":
		return g.literal(n, v)
	case include:
		v.text = ""
		path := &value{kind: text, line: n.Line, text: n.Value}
		v.kind, v.fields = mapping, []field{{key: include, line: n.Line, value: path}}
	}
	return v, nil
}

// literal makes numbers and booleans what they are in JSON; what JSON does not know, like .inf, stays text.
func (g *treeBuilder) literal(n *yaml.Node, v *value) (*value, error) {
	var decoded any
	if err := n.Decode(&decoded); err != nil {
		return nil, failf(g.file, n.Line, "%s is not a %s", quote(n.Value), n.ShortTag()[2:])
	}
	written, err := json.Marshal(decoded)
	if _, unsupported := errors.AsType[*json.UnsupportedValueError](err); unsupported {
		return v, nil
	}
	if err != nil {
		return nil, failf(g.file, n.Line, "%s is not a %s", quote(n.Value), n.ShortTag()[2:])
	}
	switch decoded.(type) {
	case bool:
		v.kind = boolean
	case nil:
		v.kind, written = null, nil
	case string:
		return v, nil
	default:
		v.kind = number
	}
	v.text = string(written)
	return v, nil
}

// mapping refuses a key that comes twice, except the directive !include, which a mapping may hold several of. An
// include is kept as it is written and not followed: what it names may lie outside the top folder (assumed).
func (g *treeBuilder) mapping(n *yaml.Node) (*value, error) {
	v := &value{kind: mapping, line: n.Line}
	first := map[string]int{}
	var merges []*value
	for i := 0; i+1 < len(n.Content); i += 2 {
		content, err := g.value(n.Content[i+1])
		if err == nil {
			err = g.setDepth(v, content)
		}
		if err != nil {
			return nil, err
		}
		if n.Content[i].ShortTag() == "!!merge" {
			merges = append(merges, content)
			continue
		}
		key, err := g.key(n.Content[i])
		if err != nil {
			return nil, err
		}
		line := n.Content[i].Line
		if before, twice := first[key]; twice && key != include {
			return nil, failf(g.file, line, "the key %s is given twice, first in line %d", quote(key), before)
		}
		first[key] = line
		v.fields = append(v.fields, field{key: key, line: line, value: content})
	}
	v.fields = gatherIncludes(v.fields)
	return v, g.merge(v, merges, first)
}

func (g *treeBuilder) key(n *yaml.Node) (string, error) {
	k := n
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		k = n.Alias
	}
	if k.Kind != yaml.ScalarNode || k.ShortTag() == "!!null" {
		return "", failf(g.file, n.Line, "a key must be text")
	}
	if k.ShortTag() == include {
		return include, nil
	}
	return k.Value, nil
}

// gatherIncludes puts several includes of one mapping into one list, as JSON has no key twice.
func gatherIncludes(fields []field) []field {
	isInclude := func(f field) bool { return f.key == include }
	at := slices.IndexFunc(fields, isInclude)
	if at < 0 || !slices.ContainsFunc(fields[at+1:], isInclude) {
		return fields
	}
	all := &value{kind: list, line: fields[at].line}
	kept := fields[:0]
	for i, f := range fields {
		if isInclude(f) {
			all.items = append(all.items, f.value)
			f.value = all
		}
		if i == at || !isInclude(f) {
			kept = append(kept, f)
		}
	}
	return kept
}

// merge appends what `<<` brings: own keys win over merged ones, earlier sources over later ones.
func (g *treeBuilder) merge(v *value, sources []*value, have map[string]int) error {
	for _, source := range sources {
		parts := []*value{source}
		if source.kind == list {
			parts = source.items
		}
		for _, part := range parts {
			if part.kind != mapping {
				return failf(g.file, part.line, "<< merges a mapping or a list of mappings, not %s", part.noun())
			}
			if g.merged += 1 + len(part.fields); g.merged > maxMarks {
				return failf(g.file, v.line, "the definition merges too many keys with <<: more than %d", maxMarks)
			}
			v.add(part.fields, have)
		}
	}
	return nil
}

func (v *value) add(fields []field, have map[string]int) {
	for _, f := range fields {
		if _, own := have[f.key]; !own {
			have[f.key] = f.line
			v.fields = append(v.fields, f)
		}
	}
}
