package capture

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v4"
)

// value is a part of a cassette, whether it was written in YAML or in JSON. Tools differ in what is a number, a list, a
// symbol, or left out; whoever asks a value gets what it can be taken for.
type value struct {
	kind valueKind
	text string // of a scalar
	// isLiteral says of a scalar that it is a number or a truth value, not a text.
	isLiteral bool
	keys      []string // of an object, each with the item at its place
	items     []value
}

type valueKind int

const (
	null valueKind = iota // also what is not there
	scalar
	list
	object
)

const (
	maxValues  = 1 << 18 // in one interaction, or memory would be many times what the file has
	maxNesting = 64
)

var (
	errCrowded = fmt.Errorf("the interaction has more than %d values", maxValues)
	errNested  = fmt.Errorf("the interaction is nested deeper than %d levels", maxNesting)
)

// get walks down by keys. The value of a key that is not there is null.
func (v value) get(path ...string) value {
	for _, key := range path {
		next := value{}
		for i, k := range v.keys {
			if k == key {
				next = v.items[i]
			}
		}
		v = next
	}
	return v
}

// all are the texts of a scalar or of a list of scalars.
func (v value) all() []string {
	if v.kind == scalar {
		return []string{v.text}
	}
	var texts []string
	for _, item := range v.items {
		if v.kind == list && item.kind == scalar {
			texts = append(texts, item.text)
		}
	}
	return texts
}

// symbol is the text of a scalar that Ruby may have written as a symbol.
func (v value) symbol() string { return strings.TrimPrefix(v.text, ":") }

// tree makes values of the nodes of a document. It counts, because an alias makes much of little.
type tree struct{ count int }

func (t *tree) of(n *yaml.Node, depth int) (v value, err error) {
	if t.count++; t.count > maxValues {
		return v, errCrowded
	}
	if depth > maxNesting {
		return v, errNested
	}
	switch n.Kind {
	case yaml.AliasNode:
		return t.of(n.Alias, depth+1)
	case yaml.ScalarNode:
		return scalarOf(n)
	case yaml.SequenceNode:
		v.kind = list
		for _, child := range n.Content {
			item, err := t.of(child, depth+1)
			if err != nil {
				return v, err
			}
			v.items = append(v.items, item)
		}
	case yaml.MappingNode:
		v.kind = object
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, err := t.of(n.Content[i], depth+1)
			if err != nil {
				return v, err
			}
			item, err := t.of(n.Content[i+1], depth+1)
			if err != nil {
				return v, err
			}
			v.keys, v.items = append(v.keys, key.symbol()), append(v.items, item)
		}
	}
	return v, nil
}

func scalarOf(n *yaml.Node) (value, error) {
	switch n.Tag {
	case "!!null":
		return value{}, nil
	case "!binary", "!!binary", "tag:yaml.org,2002:binary":
		plain, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(n.Value), ""))
		if err != nil {
			return value{}, fmt.Errorf("line %d: a value marked as binary is not valid base64: %w", n.Line, err)
		}
		return value{kind: scalar, text: string(plain)}, nil
	}
	isLiteral := n.Tag == "!!int" || n.Tag == "!!float" || n.Tag == "!!bool"
	return value{kind: scalar, text: n.Value, isLiteral: isLiteral}, nil
}

// ofJSON reads one value of JSON.
func (t *tree) ofJSON(d *jsontext.Decoder, depth int) (v value, err error) {
	if t.count++; t.count > maxValues {
		return v, errCrowded
	}
	if depth > maxNesting {
		return v, errNested
	}
	token, err := d.ReadToken()
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return v, err
	}
	switch token.Kind() {
	case 'n':
		return v, nil
	case '{', '[':
		return t.ofMembers(d, token.Kind(), depth)
	}
	return value{kind: scalar, text: token.String(), isLiteral: token.Kind() != '"'}, nil
}

func (t *tree) ofMembers(d *jsontext.Decoder, opening jsontext.Kind, depth int) (v value, err error) {
	v.kind = list
	if opening == '{' {
		v.kind = object
	}
	for {
		if next := d.PeekKind(); next == '}' || next == ']' {
			_, err := d.ReadToken()
			return v, err
		}
		if v.kind == object {
			key, err := d.ReadToken()
			if err != nil {
				return v, err
			}
			v.keys = append(v.keys, key.String())
		}
		item, err := t.ofJSON(d, depth+1)
		if err != nil {
			return v, err
		}
		v.items = append(v.items, item)
	}
}
