package flat

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// MaxText is the size in bytes of the longest text that is read.
const MaxText = 128 << 10

// What else has more than that is left to others, too.
const (
	maxDepth    = 100 // lists and objects within each other
	maxMembers  = 64  // of an object, whose names may have to be compared with each other
	maxExponent = 3   // digits of a number's exponent
)

// Read appends the value of a text that is JSON, as strictly as package jsontext reads it: names are not repeated, and
// all text is valid UTF-8. It gives up on other texts, and on some valid ones, and returns nil: on long ones and deep
// ones, objects with many members, and numbers that are too large for a float64 or have a long exponent.
func Read(to Value, text string) Value {
	if len(text) > MaxText {
		return nil
	}
	r := reader{text: text}
	if to = r.value(to, 0); r.sign() != 0 || r.at != len(text) {
		return nil
	}
	return to
}

// reader reads a JSON text. Its methods append what they read to a list, and return nil where they give up.
type reader struct {
	text string
	at   int
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
func (r *reader) value(to Value, depth int) Value {
	of, last := List, byte(']')
	switch r.sign() {
	case '[':
	case '{':
		of, last = Object, '}'
	default:
		return r.simple(to)
	}
	at, count := len(to), 0
	to = append(to, Node{Kind: of})
	var names nameSet
	for r.at++; !r.skip(last); count++ {
		if count > 0 && !r.skip(',') || depth == maxDepth {
			return nil
		}
		if of == Object {
			if count == maxMembers {
				return nil
			}
			to = r.name(to, at+1, &names)
		}
		if to != nil {
			to = r.value(to, depth+1)
		}
		if to == nil {
			return nil
		}
	}
	to[at].Count, to[at].nodes = int32(count), int32(len(to)-at)
	return to
}

// simple reads a value that has no parts.
func (r *reader) simple(to Value) Value {
	switch r.sign() {
	case '"':
		return r.string(to)
	case 'n':
		return r.word(to, "null", Null)
	case 'f':
		return r.word(to, "false", False)
	case 't':
		return r.word(to, "true", True)
	}
	return r.number(to)
}

// name reads the name of a member, up to its value. The members before it begin at a place.
func (r *reader) name(to Value, first int, names *nameSet) Value {
	at := len(to)
	if r.sign() != '"' {
		return nil
	}
	if to = r.string(to); to == nil || !r.skip(':') {
		return nil
	}
	if !names.add(to[at].Text) {
		return to
	}
	for rest := to[first:at]; len(rest) > 0; rest.Cut() {
		if rest.CutName() == to[at].Text {
			return nil
		}
	}
	return to
}

// nameSet holds marks of names. Few names have the same mark.
type nameSet [4]uint64

// add adds a name, and reports whether one with the same mark was there before.
func (s *nameSet) add(name string) bool {
	mark := uint(len(name)) * 37
	if n := len(name); n > 0 {
		mark += uint(name[0])*5 + uint(name[n/2])*17 + uint(name[n-1])
	}
	word, bit := mark/64%4, uint64(1)<<(mark%64)
	was := s[word]&bit != 0
	s[word] |= bit
	return was
}

func (r *reader) word(to Value, word string, of Kind) Value {
	if !strings.HasPrefix(r.text[r.at:], word) {
		return nil
	}
	r.at += len(word)
	return append(to, Node{Kind: of, nodes: 1})
}

// string reads a string, of which the quote is next.
func (r *reader) string(to Value) Value {
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
			return append(to, Node{Kind: Text, nodes: 1, Text: text})
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

func unquote(to Value, quoted string) Value {
	text, err := jsontext.AppendUnquote(nil, quoted)
	if err != nil {
		return nil
	}
	return append(to, Node{Kind: Text, nodes: 1, Text: string(text)})
}

// number reads a number that a float64 can hold.
func (r *reader) number(to Value) Value {
	first := r.at
	if r.next('-'); !r.next('0') && r.digits() == 0 {
		return nil
	}
	isWhole := true
	if r.next('.') {
		if isWhole = false; r.digits() == 0 {
			return nil
		}
	}
	if r.next('e') || r.next('E') {
		if isWhole = false; !r.next('-') {
			r.next('+')
		}
		if n := r.digits(); n == 0 || n > maxExponent {
			return nil
		}
	}
	text := r.text[first:r.at]
	number, ok := parse(text, isWhole)
	if !ok {
		return nil
	}
	return append(to, Node{Kind: Number, nodes: 1, Number: number, Text: text})
}

// parse returns the value of a number.
func parse(text string, isWhole bool) (number float64, ok bool) {
	const exact = 15 // digits, of which a float64 holds all
	if isWhole && len(text) <= exact && text[0] != '-' {
		n := 0
		for _, c := range []byte(text) {
			n = 10*n + int(c-'0')
		}
		return float64(n), true
	}
	number, err := strconv.ParseFloat(text, 64)
	return number, err == nil
}

// next reads a sign, if it is the next one, without white space before it.
func (r *reader) next(sign byte) bool {
	if r.at == len(r.text) || r.text[r.at] != sign {
		return false
	}
	r.at++
	return true
}

// digits reads digits, and returns their number.
func (r *reader) digits() int {
	first := r.at
	for r.at < len(r.text) && '0' <= r.text[r.at] && r.text[r.at] <= '9' {
		r.at++
	}
	return r.at - first
}
