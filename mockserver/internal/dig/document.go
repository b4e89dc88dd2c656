package dig

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v4"
)

const (
	// The YAML library spends about a kilobyte on each node, so a file is refused by the number of its marks before it
	// is parsed: some hundred times what a long definition has (assumed).
	maxMarks        = 200_000
	maxProjectMarks = 1_000_000

	maxDepth = 100
)

// budget bounds the cost of all definitions of a project together: marks of their sources, bytes of JSON once aliases
// are resolved, and tasks of the plans that are kept.
type budget struct {
	marks, tasks int
	bytes        int64
}

// readDocument parses one .dig file into a tree in which aliases are followed and merges done.
func readDocument(file string, source []byte, left *budget) (*value, error) {
	if err := checkText(file, source); err != nil {
		return nil, err
	}
	if err := checkMarks(file, source, left); err != nil {
		return nil, err
	}
	loader, err := yaml.NewLoader(bytes.NewReader(source), yaml.WithPlugin(depthLimit{}))
	if err != nil {
		return nil, err
	}
	var document, second yaml.Node
	switch err := loader.Load(&document); {
	case errors.Is(err, io.EOF):
		return nil, failf(file, 1, "the definition is empty: it must be a mapping with the tasks of the workflow")
	case err != nil:
		return nil, yamlError(file, err)
	}
	switch err := loader.Load(&second); {
	case err == nil:
		return nil, failf(file, second.Line, "a second YAML document: a workflow file has exactly one")
	case !errors.Is(err, io.EOF):
		return nil, yamlError(file, err)
	}
	root := &document
	if document.Kind == yaml.DocumentNode && len(document.Content) == 1 {
		root = document.Content[0]
	}
	return (&treeBuilder{file: file, done: map[*yaml.Node]*value{}}).value(root)
}

// depthLimit bounds how deep the parser goes. It lets all aliases pass: they are followed, and counted, elsewhere.
type depthLimit struct{}

// CheckDepth is called by the parser for every level it enters.
func (depthLimit) CheckDepth(depth int, _ *yaml.DepthContext) error {
	if depth > maxDepth {
		return fmt.Errorf("nested more than %d levels deep", maxDepth)
	}
	return nil
}

// CheckAlias is called for every alias that the library itself expands.
func (depthLimit) CheckAlias(int, int) error { return nil }

func checkText(file string, source []byte) error {
	if at := bytes.IndexByte(source, 0); at >= 0 {
		return failf(file, lineOf(source, at), "a NUL byte: a workflow file is UTF-8 text")
	}
	if utf8.Valid(source) {
		return nil
	}
	at := 0
	for at < len(source) {
		r, size := utf8.DecodeRune(source[at:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	return failf(file, lineOf(source, at), "not valid UTF-8: save the file as UTF-8 text")
}

func lineOf(source []byte, at int) int {
	return 1 + bytes.Count(source[:at], []byte{'\n'})
}

// checkMarks counts every byte that can begin a further node or token: there are never many more of them than marks.
// Text in blocks counts too, since telling it apart takes the parser.
func checkMarks(file string, source []byte, left *budget) error {
	marks := 0
	for _, b := range source {
		switch b {
		case ',', ':', '[', '{', '"', '\'', '&', '*', '!', '\n', '\r',
			0x85, 0xa8, 0xa9: // the last bytes of further ends of a line in YAML 1.1
			marks++
		}
	}
	if left.marks -= marks; marks > maxMarks {
		return failf(file, 0, "the definition is too long: it has %d lines and punctuation marks, at most %d are allowed",
			marks, maxMarks)
	}
	if left.marks < 0 {
		return failf(file, 0, "the workflow files of the project are too long together: they have more than %d lines "+
			"and punctuation marks", maxProjectMarks)
	}
	return nil
}

func yamlError(file string, err error) error {
	var located *yaml.LoadError
	if !errors.As(err, &located) {
		return failf(file, 0, "not valid YAML: %v", err)
	}
	reason := located.Message
	if located.ContextMsg != "" {
		reason += " " + located.ContextMsg
	}
	return failf(file, located.Mark.Line, "not valid YAML: %s", reason)
}

const include = "!include"

// treeBuilder turns YAML nodes into values. Each node is turned once, however many aliases point at it.
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

type kind byte

const (
	null kind = iota
	boolean
	number
	text
	list
	mapping
)

// value is one node of a definition. text is what a scalar says; of a number it is the JSON form. Values are shared
// where the file uses aliases, so a tree can stand for far more than it takes.
type value struct {
	kind   kind
	line   int
	depth  int
	text   string
	items  []*value
	fields []field
}

type field struct {
	key   string
	line  int
	value *value
}

// field returns the value of a key, or nil if it is missing or v is not a mapping.
func (v *value) field(key string) *value {
	for _, f := range v.fields {
		if f.key == key {
			return f.value
		}
	}
	return nil
}

func (v *value) scalar() bool { return v.kind < list }

func (v *value) noun() string {
	return [...]string{"nothing", "a boolean", "a number", "text", "a list", "a mapping"}[v.kind]
}

var errTooLong = errors.New("too long")

// writer lays values out as JSON until the project's budget is spent: this is where a bomb of aliases ends.
type writer struct {
	out  []byte
	left int64
}

func (w *writer) value(v *value) error {
	switch v.kind {
	case null:
		return w.add("null")
	case boolean, number:
		return w.add(v.text)
	case text:
		return w.quote(v.text)
	case list:
		return w.list(v.items)
	default:
		return w.object(v.fields)
	}
}

func (w *writer) list(items []*value) error {
	w.out = append(w.out, '[')
	for i, item := range items {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		if err := w.value(item); err != nil {
			return err
		}
	}
	return w.add("]")
}

func (w *writer) object(fields []field) error {
	w.out = append(w.out, '{')
	for i, f := range fields {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		if err := w.quote(f.key); err != nil {
			return err
		}
		w.out = append(w.out, ':')
		if err := w.value(f.value); err != nil {
			return err
		}
	}
	return w.add("}")
}

// quote leaves <, > and & as they are: operators end in >, and people read the result.
func (w *writer) quote(s string) error {
	if int64(len(w.out)+len(s)) > w.left {
		return errTooLong
	}
	var err error
	if w.out, err = jsontext.AppendQuote(w.out, s); err != nil {
		return err
	}
	return w.add("")
}

func (w *writer) add(s string) error {
	if w.out = append(w.out, s...); int64(len(w.out)) > w.left {
		return errTooLong
	}
	return nil
}

// json writes the value and takes its size off the budget.
func (b *budget) json(file string, v *value) (json.RawMessage, error) {
	w := writer{left: b.bytes}
	if err := w.value(v); errors.Is(err, errTooLong) {
		return nil, failf(file, 0, "the definitions of the project are too long once their aliases are resolved: "+
			"use fewer or smaller aliases")
	} else if err != nil {
		return nil, failf(file, 0, "the definition cannot be written as JSON: %v", err)
	}
	b.bytes -= int64(len(w.out))
	return slices.Clip(w.out), nil
}
