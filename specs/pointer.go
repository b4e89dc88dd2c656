package specs

import (
	"slices"
	"strings"
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
func (p Pointer) In(value any) (found []any) {
	if p == nil {
		return nil
	}
	for i, token := range p {
		object, _ := value.(map[string]any)
		inner, isThere := object[token]
		if list, isList := value.([]any); isList && token == "*" {
			for _, item := range list {
				found = append(found, p[i+1:].In(item)...)
			}
		}
		if !isThere {
			return found
		}
		value = inner
	}
	return []any{value}
}

// FirstIn returns the first of what the pointer leads to in a value, or nil.
func (p Pointer) FirstIn(value any) any {
	for _, found := range p.In(value) {
		return found
	}
	return nil
}
