package capture

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	maxHead    = 16 << 10 // bytes
	maxMembers = 5        // levels of the members that are looked at
)

// head is the beginning of an input, behind a byte order mark and white space.
type head struct {
	text    []byte
	first   string                   // the first key of an object in its first line, as firstKey returns it
	members map[string]jsontext.Kind // of its first value, if it is JSON, by JSON pointers such as /log/entries/0/request
}

func (in *input) head() *head {
	h := &head{first: in.firstKey()}
	h.text, _ = in.r.Peek(maxHead)
	if h.begins("{") || h.begins("[") {
		h.members = membersOf(h.text)
	}
	return h
}

func (h *head) begins(text string) bool { return bytes.HasPrefix(h.text, []byte(text)) }

// has reports whether a member is there, with any value.
func (h *head) has(pointers ...string) bool {
	for _, pointer := range pointers {
		if h.members[pointer] == 0 {
			return false
		}
	}
	return true
}

// hasAny reports whether one of the members is there.
func (h *head) hasAny(pointers ...string) bool {
	for _, pointer := range pointers {
		if h.has(pointer) {
			return true
		}
	}
	return false
}

// membersOf returns the members of the first value in a text, as far as the text goes.
func membersOf(text []byte) map[string]jsontext.Kind {
	members := map[string]jsontext.Kind{}
	for d := jsontext.NewDecoder(bytes.NewReader(text), tolerant); ; {
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
