package accept

import (
	"encoding/json"
	"math"
)

// value is a JSON value: its own node, with those of all that it consists of behind it, in the order of its text. A
// member of an object is its name, as a string, and its value.
type value []node

type node struct {
	kind   kind
	nodes  int32 // of the value, this one included
	count  int32 // of items, or of members
	number float64
	text   string
}

// kind is the type of a value.
type kind uint8

const (
	kindOther kind = iota // no JSON value, or a number that no float64 holds
	kindNull
	kindFalse
	kindTrue
	kindNumber
	kindText
	kindList
	kindObject
)

// usual is the number of nodes for which there is room without asking for memory.
const usual = 48

func (v value) isNull() bool { return v[0].kind == kindNull }

// parts returns the items of a list, or the names and values of an object, one behind the other.
func (v value) parts() value { return v[1:] }

// cut removes the first value of a list of some, and returns it.
func (v *value) cut() value {
	n := (*v)[0].nodes
	first := (*v)[:n]
	*v = (*v)[n:]
	return first
}

// member returns the value of an object's member; nil if it has none of that name.
func (v value) member(name string) value {
	if v[0].kind != kindObject {
		return nil
	}
	for rest := v.parts(); len(rest) > 0; {
		found := rest.cut()[0].text == name
		if part := rest.cut(); found {
			return part
		}
	}
	return nil
}

// countNodes returns the number of nodes of a decoded value.
func countNodes(decoded any) int {
	n := 1
	switch decoded := decoded.(type) {
	case []any:
		for _, item := range decoded {
			n += countNodes(item)
		}
	case map[string]any:
		for _, part := range decoded {
			n += 1 + countNodes(part)
		}
	}
	return n
}

// appendDecoded appends a decoded value.
func appendDecoded(nodes value, decoded any) value {
	at := len(nodes)
	nodes = append(nodes, node{})
	n := node{}
	switch decoded := decoded.(type) {
	case nil:
		n.kind = kindNull
	case bool:
		if n.kind = kindFalse; decoded {
			n.kind = kindTrue
		}
	case float64:
		n.kind, n.number = kindNumber, decoded
	case json.Number:
		if number, err := decoded.Float64(); err == nil {
			n.kind, n.number = kindNumber, number
		}
	case string:
		n.kind, n.text = kindText, decoded
	case []any:
		n.kind, n.count = kindList, int32(len(decoded))
		for _, item := range decoded {
			nodes = appendDecoded(nodes, item)
		}
	case map[string]any:
		n.kind, n.count = kindObject, int32(len(decoded))
		for name, part := range decoded {
			nodes = appendDecoded(append(nodes, node{kind: kindText, nodes: 1, text: name}), part)
		}
	}
	n.nodes = int32(len(nodes) - at)
	nodes[at] = n
	return nodes
}

// decoded returns the value as it is decoded.
func (v value) decoded() any {
	switch v[0].kind {
	case kindFalse, kindTrue:
		return v[0].kind == kindTrue
	case kindNumber:
		return v[0].number
	case kindText:
		return v[0].text
	case kindList:
		list := []any{}
		for rest := v.parts(); len(rest) > 0; {
			item := rest.cut()
			list = append(list, item.decoded())
		}
		return list
	case kindObject:
		object := map[string]any{}
		for rest := v.parts(); len(rest) > 0; {
			name := rest.cut()[0].text
			part := rest.cut()
			object[name] = part.decoded()
		}
		return object
	case kindOther, kindNull:
	}
	return nil
}

// isFinite reports whether a value is anything but an infinite number, or none, which JSON does not have.
func (v value) isFinite() bool {
	return v[0].kind != kindNumber || !math.IsNaN(v[0].number) && !math.IsInf(v[0].number, 0)
}
