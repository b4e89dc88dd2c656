// Package jsontree holds JSON texts as lists of nodes, which are read in one pass and without a map or a list for each
// object and array. Nodes are what schemas are held against; a Tree has the text beside them, and Values find what
// stands at a place.
package jsontree

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
)

// Nodes are a JSON value: its own node, with those of all that it consists of behind it, in the order of its text.
type Nodes []Node

// Node is a value without its parts.
type Node struct {
	Name   string // of a member of an object
	Text   string // of a Text; of a Number that was read, as it is written
	Number float64
	Kind   Kind
	nodes  int32 // of the value, this one included
	Count  int32 // of items, or of members
	start  int32 // in the text that was read
	end    int32
}

// Kind is the type of a value.
type Kind uint8

// The kinds of values.
const (
	Other Kind = iota // no JSON value, or a number that no float64 holds
	Null
	False
	True
	Number
	Text
	List
	Object
)

// IsNull reports whether a value is null.
func (v Nodes) IsNull() bool { return v[0].Kind == Null }

// IsContainer reports whether a value is a list or an object.
func (v Nodes) IsContainer() bool { return v[0].Kind >= List }

// IsFinite reports whether a value is anything but an infinite number, or none, which JSON does not have.
func (v Nodes) IsFinite() bool {
	return v[0].Kind != Number || !math.IsNaN(v[0].Number) && !math.IsInf(v[0].Number, 0)
}

// Parts returns the items of a list, or the members of an object, one behind the other.
func (v Nodes) Parts() Nodes { return v[1:] }

// Cut removes the first value of a list of some, and returns it.
func (v *Nodes) Cut() Nodes {
	n := (*v)[0].nodes
	first := (*v)[:n]
	*v = (*v)[n:]
	return first
}

// Member returns the value of an object's member; nil if it has none of that name.
func (v Nodes) Member(name string) Nodes {
	if v[0].Kind != Object {
		return nil
	}
	for rest := v.Parts(); len(rest) > 0; {
		if part := rest.Cut(); part[0].Name == name {
			return part
		}
	}
	return nil
}

// Of returns a decoded value, such as Append takes.
func Of(decoded any) Nodes { return Append(nil, decoded) }

// OfText returns a string.
func OfText(text string) Nodes { return Nodes{{Kind: Text, nodes: 1, Text: text}} }

// OfBool returns a truth value.
func OfBool(is bool) Nodes { return Nodes{{Kind: kindOf(is), nodes: 1}} }

// OfNumber returns a number.
func OfNumber(number float64) Nodes { return Nodes{{Kind: Number, nodes: 1, Number: number}} }

func kindOf(is bool) Kind {
	if is {
		return True
	}
	return False
}

// size returns the number of nodes of a decoded value.
func size(decoded any) int {
	n := 1
	switch decoded := decoded.(type) {
	case []any:
		for _, item := range decoded {
			n += size(item)
		}
	case map[string]any:
		for _, part := range decoded {
			n += size(part)
		}
	}
	return n
}

// Decode decodes the first value of a text, with numbers as they are written.
func Decode[T any](text []byte) (value T, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err = d.Decode(&value)
	return value, err
}

// Append appends a decoded value: nil, a bool, a float64, a json.Number, a string, a []any or a map[string]any.
func Append(to Nodes, decoded any) Nodes {
	return appendDecoded(slices.Grow(to, size(decoded)), "", decoded)
}

func appendDecoded(nodes Nodes, name string, decoded any) Nodes {
	at := len(nodes)
	nodes = append(nodes, Node{})
	n := Node{Name: name}
	switch decoded := decoded.(type) {
	case nil:
		n.Kind = Null
	case bool:
		n.Kind = kindOf(decoded)
	case float64:
		n.Kind, n.Number = Number, decoded
	case json.Number:
		if number, err := decoded.Float64(); err == nil {
			n.Kind, n.Number, n.Text = Number, number, decoded.String()
		}
	case string:
		n.Kind, n.Text = Text, decoded
	case []any:
		n.Kind, n.Count = List, int32(len(decoded))
		for _, item := range decoded {
			nodes = appendDecoded(nodes, "", item)
		}
	case map[string]any:
		n.Kind, n.Count = Object, int32(len(decoded))
		for name, part := range decoded {
			nodes = appendDecoded(nodes, name, part)
		}
	}
	n.nodes = int32(len(nodes) - at)
	nodes[at] = n
	return nodes
}

// Decoded returns the value as it is decoded, with numbers as float64.
func (v Nodes) Decoded() any { return v.decoded(false) }

// AsWritten returns a value that was read as it is decoded, with numbers as json.Number, so that no digits are lost.
func (v Nodes) AsWritten() any { return v.decoded(true) }

// decoded takes no function for numbers, to which the list would escape from the stack of those who read it.
func (v Nodes) decoded(asWritten bool) any {
	switch v[0].Kind {
	case False, True:
		return v[0].Kind == True
	case Number:
		if asWritten {
			return json.Number(v[0].Text)
		}
		return v[0].Number
	case Text:
		return v[0].Text
	case List:
		list := make([]any, 0, v[0].Count)
		for rest := v.Parts(); len(rest) > 0; {
			item := rest.Cut()
			list = append(list, item.decoded(asWritten))
		}
		return list
	case Object:
		object := make(map[string]any, v[0].Count)
		for rest := v.Parts(); len(rest) > 0; {
			part := rest.Cut()
			object[part[0].Name] = part.decoded(asWritten)
		}
		return object
	case Other, Null:
	}
	return nil
}
