package accept

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// The reader gives up on what has more than that, which others read.
const (
	maxText    = 128 << 10 // bytes
	maxDepth   = 100       // lists and objects within each other
	maxMembers = 64        // of an object, whose names are compared with each other
)

// reader reads a JSON text as strictly as package jsontext: names are not repeated, and all text is valid UTF-8. Its
// methods append what they read to a list, and return nil where they give up.
type reader struct {
	text string
	at   int
}

// read reads a text with one value.
func (r *reader) read(to value) value {
	if to = r.value(to, 0); r.sign() != 0 || r.at != len(r.text) {
		return nil
	}
	return to
}

// sign skips white space, and returns the next byte without reading it; 0 at the end.
func (r *reader) sign() byte {
	for ; r.at < len(r.text); r.at++ {
		switch c := r.text[r.at]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

// skip reads a sign, if it is the next one.
func (r *reader) skip(sign byte) bool {
	if r.sign() != sign || r.at == len(r.text) {
		return false
	}
	r.at++
	return true
}

// value reads a value. It calls itself, and nothing else that calls it, so that the list may stay on the stack.
func (r *reader) value(to value, depth int) value {
	of, last := kindList, byte(']')
	switch r.sign() {
	case '[':
	case '{':
		of, last = kindObject, '}'
	default:
		return r.simple(to)
	}
	at, count := len(to), 0
	to = append(to, node{kind: of})
	for r.at++; !r.skip(last); count++ {
		if count > 0 && !r.skip(',') || depth == maxDepth {
			return nil
		}
		if of == kindObject {
			to = r.name(to, at+1, count)
		}
		if to != nil {
			to = r.value(to, depth+1)
		}
		if to == nil {
			return nil
		}
	}
	to[at].count, to[at].nodes = int32(count), int32(len(to)-at)
	return to
}

// simple reads a value that has no parts.
func (r *reader) simple(to value) value {
	switch r.sign() {
	case '"':
		return r.string(to)
	case 'n':
		return r.word(to, "null", kindNull)
	case 'f':
		return r.word(to, "false", kindFalse)
	case 't':
		return r.word(to, "true", kindTrue)
	}
	return r.number(to)
}

// name reads the name of a member, up to its value. The members before it begin at a place.
func (r *reader) name(to value, first, members int) value {
	at := len(to)
	if members == maxMembers || r.sign() != '"' {
		return nil
	}
	if to = r.string(to); to == nil || !r.skip(':') {
		return nil
	}
	for rest := to[first:at]; len(rest) > 0; rest.cut() {
		if rest.cut()[0].text == to[at].text {
			return nil
		}
	}
	return to
}

func (r *reader) word(to value, word string, of kind) value {
	if !strings.HasPrefix(r.text[r.at:], word) {
		return nil
	}
	r.at += len(word)
	return append(to, node{kind: of, nodes: 1})
}

// string reads a string, of which the quote is next.
func (r *reader) string(to value) value {
	first := r.at
	escaped, ascii := false, true
	for r.at++; r.at < len(r.text); r.at++ {
		switch c := r.text[r.at]; {
		case c == '"':
			r.at++
			text := r.text[first+1 : r.at-1]
			if escaped {
				return unquote(to, r.text[first:r.at])
			}
			if !ascii && !utf8.ValidString(text) {
				return nil
			}
			return append(to, node{kind: kindText, nodes: 1, text: text})
		case c == '\\':
			escaped = true
			r.at++
		case c < ' ':
			return nil
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	return nil
}

func unquote(to value, quoted string) value {
	text, err := jsontext.AppendUnquote(nil, quoted)
	if err != nil {
		return nil
	}
	return append(to, node{kind: kindText, nodes: 1, text: string(text)})
}

// number reads a number that a float64 can hold.
func (r *reader) number(to value) value {
	first := r.at
	if r.next('-'); !r.next('0') && !r.digits() {
		return nil
	}
	if r.next('.') && !r.digits() {
		return nil
	}
	if r.next('e') || r.next('E') {
		if !r.next('-') {
			r.next('+')
		}
		if !r.digits() {
			return nil
		}
	}
	number, err := strconv.ParseFloat(r.text[first:r.at], 64)
	if err != nil {
		return nil
	}
	return append(to, node{kind: kindNumber, nodes: 1, number: number})
}

// next reads a sign, if it is the next one, without white space before it.
func (r *reader) next(sign byte) bool {
	if r.at == len(r.text) || r.text[r.at] != sign {
		return false
	}
	r.at++
	return true
}

// digits reads one digit or more.
func (r *reader) digits() bool {
	first := r.at
	for r.at < len(r.text) && isDigit(r.text[r.at]) {
		r.at++
	}
	return r.at > first
}
