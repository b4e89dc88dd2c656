package scan

import (
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// Tree is a JSON text that is read once, so that each of its values is found without reading the text again. It is used
// by one goroutine. The zero value is ready for use.
type Tree struct {
	text  string
	nodes []node // each before those that are in it, and these before what follows it
	name  span   // of the member that is read, until its value is
	texts Texts
}

// node is a value in a text.
type node struct {
	name  span // between the quotes; it has no end if the value is not a member of an object
	value span
	next  int32 // the first node behind it that is not in it
}

// span is a part of a text.
type span struct{ start, end int32 }

// Read returns the value of a text, which must be valid JSON. The values of the text that was read before it are no
// longer valid.
func (t *Tree) Read(text string) Value {
	t.text, t.nodes, t.name = text, t.nodes[:0], span{}
	within := int32(-1) // the list or object that is read
	for i := 0; i < len(text); {
		switch c := text[i]; c {
		case ' ', '\t', '\r', '\n', ',', ':':
			i++
		case '{', '[':
			within = t.add(i, len(text), within)
			i++
		case '}', ']':
			i++
			within = t.close(within, i)
		case '"':
			end := endOfString(text, i)
			if t.name.end == 0 && within >= 0 && text[t.nodes[within].value.start] == '{' {
				t.name = span{int32(i + 1), int32(end - 1)}
			} else {
				t.add(i, end, int32(len(t.nodes)+1))
			}
			i = end
		default:
			end := endOfWord(text, i)
			t.add(i, end, int32(len(t.nodes)+1))
			i = end
		}
	}
	if len(t.nodes) == 0 {
		return Value{}
	}
	return Value{t, 0}
}

// Free ends the use of the text, and of its values.
func (t *Tree) Free() {
	const worthKeeping = 64 << 10
	if t.text = ""; cap(t.nodes) > worthKeeping {
		t.nodes = nil
	}
}

// add adds a value. That of a list or an object has the one that it is in as its next, until it is closed.
func (t *Tree) add(start, end int, next int32) (at int32) {
	t.nodes = append(t.nodes, node{t.name, span{int32(start), int32(end)}, next})
	t.name = span{}
	return int32(len(t.nodes) - 1)
}

// close ends a list or an object, and returns the one that it is in.
func (t *Tree) close(at int32, end int) (within int32) {
	if at < 0 {
		return at
	}
	n := &t.nodes[at]
	within, n.next = n.next, int32(len(t.nodes))
	if at > 0 { // white space behind the whole text is a part of it
		n.value.end = int32(end)
	}
	return within
}

func endOfString(text string, start int) int {
	for i := start + 1; i < len(text); i++ {
		switch text[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	return len(text)
}

func endOfWord(text string, start int) int {
	for i := start + 1; i < len(text); i++ {
		switch text[i] {
		case ',', '}', ']', ' ', '\t', '\r', '\n':
			return i
		}
	}
	return len(text)
}

// Value is a value of a Tree, as package gjson understands it. The zero value stands for one that is not there: it has
// no members, and its text is empty.
type Value struct {
	tree *Tree
	at   int32
}

// Exists reports whether there is a value, which may be null.
func (v Value) Exists() bool { return v.tree != nil }

// Raw returns the value as it is written. The text keeps the whole JSON in memory.
func (v Value) Raw() string {
	if v.tree == nil {
		return ""
	}
	return v.tree.of(v.tree.nodes[v.at].value)
}

func (t *Tree) of(s span) string { return t.text[s.start:s.end] }

// first returns the byte that a value begins with, or 0 if it is not there.
func (v Value) first() byte {
	if v.tree == nil {
		return 0
	}
	return v.tree.text[v.tree.nodes[v.at].value.start]
}

// IsObject reports whether the value is an object.
func (v Value) IsObject() bool { return v.first() == '{' }

// IsArray reports whether the value is a list.
func (v Value) IsArray() bool { return v.first() == '[' }

// IsString reports whether the value is a string.
func (v Value) IsString() bool { return v.first() == '"' }

// IsBool reports whether the value is true or false.
func (v Value) IsBool() bool { return v.first() == 't' || v.first() == 'f' }

// IsNumber reports whether the value is a number.
func (v Value) IsNumber() bool { return v.first() == '-' || '0' <= v.first() && v.first() <= '9' }

// Each yields the elements of a list, the members of an object, or any other value itself.
func (v Value) Each(yield func(Value) bool) {
	switch {
	case v.IsObject(), v.IsArray():
		nodes := v.tree.nodes
		for at, end := v.at+1, nodes[v.at].next; at < end; at = nodes[at].next {
			if !yield(Value{v.tree, at}) {
				return
			}
		}
	case v.Exists():
		yield(v)
	}
}

// List yields the elements of a list, or any other value but null itself.
func (v Value) List(yield func(Value) bool) {
	switch {
	case v.IsArray():
		v.Each(yield)
	case v.Exists() && v.first() != 'n':
		yield(v)
	}
}

// Len returns the number of elements of a list, and 0 for everything else.
func (v Value) Len() (n int) {
	if !v.IsArray() {
		return 0
	}
	for range v.Each {
		n++
	}
	return n
}

// Name returns the name of a member of an object. It is a text as that of Text.
func (v Value) Name() string {
	return v.tree.texts.OfString(unquoted(v.tree.of(v.tree.nodes[v.at].name)))
}

// unquoted returns the text that stands between two quotes.
func unquoted(written string) string {
	if strings.IndexByte(written, '\\') < 0 {
		return written
	}
	return gjson.Parse(`"` + written + `"`).Str
}

// Get returns what stands at a path of names: a member of an object, the first one that has the rest of the path, or an
// element of a list, by its number from 0.
func (v Value) Get(path ...string) Value {
	if len(path) == 0 {
		return v
	}
	if v.IsArray() {
		return v.element(path[0]).Get(path[1:]...)
	}
	if !v.IsObject() {
		return Value{}
	}
	nodes := v.tree.nodes
	for at, end := v.at+1, nodes[v.at].next; at < end; at = nodes[at].next {
		if !v.tree.isNamed(nodes[at].name, path[0]) {
			continue
		}
		if found := (Value{v.tree, at}).Get(path[1:]...); found.Exists() {
			return found
		}
	}
	return Value{}
}

func (v Value) element(number string) Value {
	n, err := strconv.ParseUint(number, 10, 31)
	if err != nil {
		return Value{}
	}
	for element := range v.Each {
		if n == 0 {
			return element
		}
		n--
	}
	return Value{}
}

func (t *Tree) isNamed(written span, name string) bool {
	text := t.of(written)
	return text == name || strings.IndexByte(text, '\\') >= 0 && unquoted(text) == name
}

// Text returns a string without its quotes, a number without an exponent, true or false, and the JSON of a list or an
// object. That of null is empty. It does not keep the whole JSON in memory, and short texts that are asked for again
// and again share their memory.
func (v Value) Text() string {
	if v.tree == nil {
		return ""
	}
	raw := v.Raw()
	switch c := v.first(); {
	case c == '"':
		raw = unquoted(raw[1 : len(raw)-1])
	case c == '{', c == '[', c == 't', c == 'f', isWhole(raw):
	default:
		raw = gjson.Parse(raw).String()
	}
	return v.tree.texts.OfString(raw)
}

// isWhole reports whether a text is a number of digits alone.
func isWhole(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return text != ""
}

// Int returns a number as a whole one, that in a string, 1 for true, and 0 for everything else.
func (v Value) Int() int64 { return gjson.Parse(v.Raw()).Int() }

// Float returns a number, and 0 for everything else.
func (v Value) Float() float64 { return gjson.Parse(v.Raw()).Num }

// Bool reports whether the value is true, a number other than 0, or a string that says so.
func (v Value) Bool() bool { return gjson.Parse(v.Raw()).Bool() }
