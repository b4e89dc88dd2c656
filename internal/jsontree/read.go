package jsontree

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
func Read(to Nodes, data []byte, text string) Nodes {
	if len(data) > MaxText {
		return nil
	}
	r := reader{Reader: scan.Of(data), text: text}
	defer r.Free()
	if to = r.value(to, "", maxDepth); !r.Done() {
		return nil
	}
	return to
}

// ReadAll appends the value of data that is JSON, as others read it: of names that are repeated, each stands for
// itself, and invalid Unicode is replaced. It returns nil for other data, and for lists and objects in more than 10,000
// others.
func ReadAll(to Nodes, data []byte, text string) Nodes {
	const deepest = 10_000
	r := reader{scan.OfAny(data), text, true}
	defer r.Free()
	if to = r.value(to, "", deepest); !r.Done() {
		return nil
	}
	return to
}

// reader reads a JSON text. Its methods append what they read to a list, and return nil where they give up.
type reader struct {
	*scan.Reader
	text     string
	takesAll bool
}

// value reads a value, which has a name in an object. It calls itself, and nothing else that calls it, so that the list
// may stay on the stack.
func (r *reader) value(to Nodes, name string, depth int) Nodes {
	of, last := List, byte(']')
	switch r.Peek() {
	case '[':
	case '{':
		of, last = Object, '}'
	default:
		return r.simple(to, name)
	}
	at, count := len(to), 0
	to = append(to, Node{Name: name, Kind: of, start: int32(r.At())})
	var names nameSet
	for r.Take(r.Peek()); !r.Take(last); count++ {
		if r.Failed() || count > 0 && !r.Take(',') || depth == 0 {
			return nil
		}
		name := ""
		if of == Object {
			if name = r.StringIn(r.text); !r.takesAll && (count == maxMembers || !names.add(name, to[at:])) {
				return nil
			}
			r.Want(':')
		}
		if to = r.value(to, name, depth-1); to == nil {
			return nil
		}
	}
	n := &to[at]
	n.Count, n.nodes, n.end = int32(count), int32(len(to)-at), int32(r.At())
	return to
}

// simple reads a value that has no parts.
func (r *reader) simple(to Nodes, name string) Nodes {
	n := Node{Name: name, nodes: 1, start: int32(r.At())}
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
	n.end = int32(r.At())
	return append(to, n)
}

func (r *reader) word(word string, of Kind) Kind {
	if !r.Word(word) {
		r.Fail()
	}
	return of
}

// parse returns the value of a number. It fails if a float64 cannot hold it, unless all is taken.
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
	number, err := strconv.ParseFloat(text, 64)
	i := strings.LastIndexAny(text, "eE+-")
	if isLong := i > 0 && len(text)-1-i > maxExponent; !r.takesAll && (isLong || err != nil) {
		r.Fail()
	}
	return number
}

// nameSet holds marks of names. Few names have the same mark.
type nameSet [4]uint64

// add adds the name of a member, and reports whether no member of the object has it so far.
func (s *nameSet) add(name string, object Nodes) bool {
	mark := uint(len(name)) * 37
	if n := len(name); n > 0 {
		mark += uint(name[0])*5 + uint(name[n/2])*17 + uint(name[n-1])
	}
	word, bit := mark/64%4, uint64(1)<<(mark%64)
	was := s[word]&bit != 0
	s[word] |= bit
	return !was || object.Member(name) == nil
}
