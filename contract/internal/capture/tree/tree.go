// Package tree makes generic values of YAML, JSON and netstrings, within limits that hold for untrusted input.
package tree

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v4"

	"svc.example/understudy/specs/source"
)

// Value is a part of a cassette, whether it was written in YAML or in JSON. Tools differ in what is a number, a list, a
// symbol, or left out; whoever asks a value gets what it can be taken for.
type Value struct {
	Kind Kind
	Text string // of a scalar
	// isLiteral says of a scalar that it is a number or a truth value, not a text.
	isLiteral bool
	Keys      []string // of an object, each with the item at its place
	Items     []Value
}

// Kind is the kind of a value.
type Kind int

// The kinds of values.
const (
	Null Kind = iota // also what is not there
	Scalar
	List
	Object
)

const (
	maxNodes   = 1 << 18 // in one interaction, or memory would be many times what the file has
	maxNesting = 64
)

var (
	// ErrTooManyNodes is the error of an interaction with more values than are read.
	ErrTooManyNodes = fmt.Errorf("the interaction has more than %d values, or its aliases stand for too many", maxNodes)
	errTooDeep      = fmt.Errorf("the interaction is nested deeper than %d levels", maxNesting)
)

// Get walks down by keys. The value of a key that is not there is null.
func (v Value) Get(path ...string) Value {
	for _, key := range path {
		next := Value{}
		for i, k := range v.Keys {
			if k == key {
				next = v.Items[i]
			}
		}
		v = next
	}
	return v
}

// All are the texts of a scalar or of a list of scalars.
func (v Value) All() []string {
	if v.Kind == Scalar {
		return []string{v.Text}
	}
	var texts []string
	for _, item := range v.Items {
		if v.Kind == List && item.Kind == Scalar {
			texts = append(texts, item.Text)
		}
	}
	return texts
}

// Symbol is the text of a scalar that Ruby may have written as a symbol.
func (v Value) Symbol() string { return strings.TrimPrefix(v.Text, ":") }

// Builder makes values of the nodes of a document. It counts, because an alias makes much of little.
type Builder struct{ count, most int }

// OfYAML makes a value of a node of YAML at a depth of nesting.
func (t *Builder) OfYAML(n *yaml.Node, depth int) (v Value, err error) {
	if t.most == 0 {
		t.most = min(maxNodes, source.MaxValues(n))
	}
	if t.count++; t.count > t.most {
		return v, ErrTooManyNodes
	}
	if depth > maxNesting {
		return v, errTooDeep
	}
	switch n.Kind {
	case yaml.AliasNode:
		return t.OfYAML(n.Alias, depth+1)
	case yaml.ScalarNode:
		return scalarOf(n)
	case yaml.SequenceNode:
		v.Kind = List
		for _, child := range n.Content {
			item, err := t.OfYAML(child, depth+1)
			if err != nil {
				return v, err
			}
			v.Items = append(v.Items, item)
		}
	case yaml.MappingNode:
		v.Kind = Object
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, err := t.OfYAML(n.Content[i], depth+1)
			if err != nil {
				return v, err
			}
			item, err := t.OfYAML(n.Content[i+1], depth+1)
			if err != nil {
				return v, err
			}
			v.Keys, v.Items = append(v.Keys, key.Symbol()), append(v.Items, item)
		}
	}
	return v, nil
}

func scalarOf(n *yaml.Node) (Value, error) {
	switch n.Tag {
	case "!!null":
		return Value{}, nil
	case "!binary", "!!binary", "tag:yaml.org,2002:binary":
		plain, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(n.Value), ""))
		if err != nil {
			return Value{}, fmt.Errorf("line %d: a value marked as binary is not valid base64: %w", n.Line, err)
		}
		return Value{Kind: Scalar, Text: string(plain)}, nil
	}
	isLiteral := n.Tag == "!!int" || n.Tag == "!!float" || n.Tag == "!!bool"
	return Value{Kind: Scalar, Text: n.Value, isLiteral: isLiteral}, nil
}

// OfJSON reads one value of JSON.
func (t *Builder) OfJSON(d *jsontext.Decoder, depth int) (v Value, err error) {
	if t.count++; t.count > maxNodes {
		return v, ErrTooManyNodes
	}
	if depth > maxNesting {
		return v, errTooDeep
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
	return Value{Kind: Scalar, Text: token.String(), isLiteral: token.Kind() != '"'}, nil
}

func (t *Builder) ofMembers(d *jsontext.Decoder, opening jsontext.Kind, depth int) (v Value, err error) {
	v.Kind = List
	if opening == '{' {
		v.Kind = Object
	}
	for {
		if next := d.PeekKind(); next == '}' || next == ']' {
			_, err := d.ReadToken()
			return v, err
		}
		if v.Kind == Object {
			key, err := d.ReadToken()
			if err != nil {
				return v, err
			}
			v.Keys = append(v.Keys, key.String())
		}
		item, err := t.OfJSON(d, depth+1)
		if err != nil {
			return v, err
		}
		v.Items = append(v.Items, item)
	}
}
