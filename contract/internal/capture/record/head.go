package record

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	maxHead    = 16 << 10 // bytes
	maxMembers = 5        // levels of the members that are looked at
)

// Head is the beginning of an input, behind a byte order mark and white space.
type Head struct {
	Text    []byte
	First   string                   // the first key of an object in its first line, as firstKey returns it
	Members map[string]jsontext.Kind // of its first value, if it is JSON, by JSON pointers such as /log/entries/0/request
}

// Head returns the beginning of the input. Nothing but white space is taken.
func (in *Input) Head() *Head {
	h := &Head{First: in.firstKey()}
	h.Text, _ = in.Reader.Peek(maxHead)
	if h.Begins("{") || h.Begins("[") {
		h.Members = membersOf(h.Text)
	}
	return h
}

// Begins reports whether the input begins with a text.
func (h *Head) Begins(text string) bool { return bytes.HasPrefix(h.Text, []byte(text)) }

// Has reports whether a member is there, with any value.
func (h *Head) Has(pointers ...string) bool {
	for _, pointer := range pointers {
		if h.Members[pointer] == 0 {
			return false
		}
	}
	return true
}

// HasAny reports whether one of the members is there.
func (h *Head) HasAny(pointers ...string) bool {
	for _, pointer := range pointers {
		if h.Has(pointer) {
			return true
		}
	}
	return false
}

// membersOf returns the members of the first value in a text, as far as the text goes.
func membersOf(text []byte) map[string]jsontext.Kind {
	members := map[string]jsontext.Kind{}
	for d := jsontext.NewDecoder(bytes.NewReader(text), Lenient); ; {
		token, err := d.ReadToken()
		if err != nil {
			return members
		}
		kind, depth := token.Kind(), d.StackDepth()
		if depth == 0 {
			return members
		}
		within, length := d.StackIndex(depth)
		isName := within == '{' && length%2 == 1
		if kind != '}' && kind != ']' && !isName && depth <= maxMembers {
			members[string(d.StackPointer())] = kind
		}
	}
}
