package flat

import (
	"strconv"
	"strings"

	"svc.example/understudy/internal/scan"
)

// MaxText is the size in bytes of the longest text that is read.
const MaxText = 128 << 10

// What else has more than that is left to others, too.
const (
	maxDepth    = 100 // lists and objects within each other
	maxMembers  = 64  // of an object, whose names may have to be compared with each other
	maxExponent = 3   // digits of a number's exponent
)

// Read appends the value of data that is JSON, as strictly as package jsontext reads it: names are not repeated, and
// all text is valid UTF-8. Its texts are parts of another one, which has the same bytes as the data. It gives up on
// other data, and on some that is valid, and returns nil: on long data and deep one, objects with many members, and
// numbers that are too large for a float64 or have a long exponent.
func Read(to Value, data []byte, text string) Value {
	if len(data) > MaxText {
		return nil
	}
	r := reader{scan.Of(data), text}
	defer r.Free()
	if to = r.value(to, 0); !r.Done() {
		return nil
	}
	return to
}

// reader reads a JSON text. Its methods append what they read to a list, and return nil where they give up.
type reader struct {
	*scan.Reader
	text string
}

// value reads a value. It calls itself, and nothing else that calls it, so that the list may stay on the stack.
func (r *reader) value(to Value, depth int) Value {
	of, last := List, byte(']')
	switch r.Peek() {
	case '[':
	case '{':
		of, last = Object, '}'
	default:
		return r.simple(to)
	}
	at, count := len(to), 0
	to = append(to, Node{Kind: of})
	var names nameSet
	for r.Take(r.Peek()); !r.Take(last); count++ {
		if count > 0 && !r.Take(',') || depth == maxDepth {
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
	n := Node{nodes: 1}
	switch r.Peek() {
	case '"':
		n.Kind, n.Text = Text, r.StringIn(r.text)
	case 'n':
		n.Kind = r.word("null", Null)
	case 'f':
		n.Kind = r.word("false", False)
	case 't':
		n.Kind = r.word("true", True)
	default:
		n.Kind, n.Text = Number, r.NumberIn(r.text)
		n.Number = r.parse(n.Text)
	}
	if r.Failed() {
		return nil
	}
	return append(to, n)
}

func (r *reader) word(word string, of Kind) Kind {
	if !r.Word(word) {
		r.Fail()
	}
	return of
}

// parse returns the value of a number that a float64 can hold.
func (r *reader) parse(text string) float64 {
	const exact = 15 // digits, of which a float64 holds all
	n, isWhole := 0, text != "" && len(text) <= exact
	for i := 0; i < len(text) && isWhole; i++ {
		isWhole = '0' <= text[i] && text[i] <= '9'
		n = 10*n + int(text[i]-'0')
	}
	if isWhole {
		return float64(n)
	}
	if i := strings.LastIndexAny(text, "eE+-"); i > 0 && len(text)-1-i > maxExponent {
		r.Fail()
	}
	number, err := strconv.ParseFloat(text, 64)
	if err != nil {
		r.Fail()
	}
	return number
}

// name reads the name of a member, up to its value. The members before it begin at a place.
func (r *reader) name(to Value, first int, names *nameSet) Value {
	at, name := len(to), r.StringIn(r.text)
	if r.Want(':'); r.Failed() {
		return nil
	}
	to = append(to, Node{Kind: Text, nodes: 1, Text: name})
	if !names.add(name) {
		return to
	}
	for rest := to[first:at]; len(rest) > 0; rest.Cut() {
		if rest.CutName() == name {
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
