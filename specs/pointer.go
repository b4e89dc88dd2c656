package specs

import (
	"iter"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// Pointer is a JSON pointer, token by token; a * stands for every item of a list. A nil pointer leads nowhere, and an
// empty one to the whole.
type Pointer []string

// PointerOf reads a pointer.
func PointerOf(text string) Pointer {
	if tokens := splitPointer(text); tokens != nil {
		return tokens
	}
	return Pointer{}
}

func (p Pointer) String() string {
	var text strings.Builder
	for _, token := range p {
		text.WriteString("/" + EscapePointer(token))
	}
	return text.String()
}

// Join returns the pointer that goes on with another one. It is nil if one of them is.
func (p Pointer) Join(more Pointer) Pointer {
	if p == nil || more == nil {
		return nil
	}
	return append(slices.Clip(p), more...)
}

// In returns what the pointer leads to in a value that encoding/json decoded.
func (p Pointer) In(value any) []any {
	member := func(value any, name string) (any, bool) {
		object, _ := value.(map[string]any)
		inner, found := object[name]
		return inner, found
	}
	items := func(value any) iter.Seq[any] {
		list, _ := value.([]any)
		return slices.Values(list)
	}
	return Follow(nil, value, p, member, items)
}

// FirstIn returns the first of what the pointer leads to in a value, or nil.
func (p Pointer) FirstIn(value any) any {
	for _, found := range p.In(value) {
		return found
	}
	return nil
}

// InJSON returns what the pointer leads to in JSON.
func (p Pointer) InJSON(value gjson.Result) []gjson.Result {
	member := func(value gjson.Result, name string) (gjson.Result, bool) {
		inner := value.Get(gjson.Escape(name))
		return inner, inner.Exists()
	}
	items := func(value gjson.Result) iter.Seq[gjson.Result] {
		if !value.IsArray() {
			return slices.Values[[]gjson.Result](nil)
		}
		return slices.Values(value.Array())
	}
	return Follow(nil, value, p, member, items)
}

// Follow appends to a list what a pointer leads to in a value, in whatever form that holds JSON. Member returns a
// member of an object, and items yields those of a list and nothing of any other value.
func Follow[V any](to []V, value V, at Pointer, member func(V, string) (V, bool), items func(V) iter.Seq[V]) []V {
	if at == nil {
		return to
	}
	for i, token := range at {
		inner, found := member(value, token)
		if !found && token == "*" {
			for item := range items(value) {
				to = Follow(to, item, at[i+1:], member, items)
			}
		}
		if !found {
			return to
		}
		value = inner
	}
	return append(to, value)
}
