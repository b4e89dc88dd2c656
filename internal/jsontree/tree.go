package jsontree

import (
	"strconv"
	"strings"
	"unsafe"

	"svc.example/understudy/internal/scan"
)

// Tree is a JSON text that is read once, so that each of its values is found without reading the text again. It is used
// by one goroutine. The zero value is ready for use.
type Tree struct {
	Shares bool // its texts are parts of the whole one, and keep that in memory

	text  string
	nodes Nodes
	room  Nodes // for those that it reads itself
	texts *scan.Texts
}

// Parse returns the value of a text, or the zero value if it is not JSON. As long as a part of it is in use, so is all.
func Parse[T ~string | ~[]byte](text T) Value {
	return (&Tree{Shares: true}).Read(string(text))
}

// Read returns the value of a text, or the zero value if it is not JSON. The values of the text that was read before it
// are no longer valid.
func (t *Tree) Read(text string) Value {
	data := unsafe.Slice(unsafe.StringData(text), len(text)) // which is only read
	nodes := ReadAll(t.room[:0], data, text)
	if len(nodes) > 0 {
		t.room = nodes
	}
	return t.Use(nodes, text)
}

// Use returns the value of a text that was read before, in the place of that of another one.
func (t *Tree) Use(nodes Nodes, text string) Value {
	if t.nodes, t.text = nodes, text; len(nodes) == 0 {
		return Value{}
	}
	return Value{t, 0}
}

// Free ends the use of the text, and of its values.
func (t *Tree) Free() {
	const worthKeeping = 2 << 10
	clear(t.room)
	if t.text, t.nodes, t.room = "", nil, t.room[:0]; cap(t.room) > worthKeeping {
		t.room = nil
	}
}

// Value is a value of a Tree. The zero value stands for one that is missing: it has no members, and its text is empty.
type Value struct {
	tree *Tree
	at   int32
}

// Exists reports whether there is a value, which may be null.
func (v Value) Exists() bool { return v.tree != nil }

func (v Value) node() *Node { return &v.tree.nodes[v.at] }

// Raw returns the value as it is written. The text keeps the whole JSON in memory.
func (v Value) Raw() string {
	if v.tree == nil {
		return ""
	}
	n := v.node()
	return v.tree.text[n.start:n.end]
}

// kind returns that of a value, or Other if it is not there.
func (v Value) kind() Kind {
	if v.tree == nil {
		return Other
	}
	return v.node().Kind
}

// RawName returns the name of a member of an object as it is written, with its quotes.
func (v Value) RawName() string {
	before := strings.TrimRight(v.tree.text[:v.node().start], ": \t\r\n")
	start := len(before) - 1
	for isEscaped := true; isEscaped; {
		start = strings.LastIndexByte(before[:start], '"')
		slashes := start - len(strings.TrimRight(before[:start], `\`))
		isEscaped = slashes%2 == 1
	}
	return before[start:]
}

// IsNull reports whether the value is null.
func (v Value) IsNull() bool { return v.kind() == Null }

// IsObject reports whether the value is an object.
func (v Value) IsObject() bool { return v.kind() == Object }

// IsArray reports whether the value is a list.
func (v Value) IsArray() bool { return v.kind() == List }

// IsString reports whether the value is a string.
func (v Value) IsString() bool { return v.kind() == Text }

// IsBool reports whether the value is true or false.
func (v Value) IsBool() bool { return v.kind() == True || v.kind() == False }

// IsNumber reports whether the value is a number.
func (v Value) IsNumber() bool { return v.kind() == Number }

// Each yields the elements of a list, the members of an object, or any other value itself.
func (v Value) Each(yield func(Value) bool) {
	switch {
	case v.IsObject(), v.IsArray():
		nodes := v.tree.nodes
		for at, end := v.at+1, v.at+nodes[v.at].nodes; at < end; at += nodes[at].nodes {
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
	case v.Exists() && v.kind() != Null:
		yield(v)
	}
}

// Len returns the number of elements of a list, and 0 for everything else.
func (v Value) Len() int {
	if !v.IsArray() {
		return 0
	}
	return int(v.node().Count)
}

// Name returns the name of a member of an object. It is a text as that of Text.
func (v Value) Name() string { return v.tree.part(v.Key()) }

// Key returns what Name does, to be looked up and not to be kept: it keeps the whole JSON in memory.
func (v Value) Key() string { return v.node().Name }

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
	for member := range v.Each {
		if member.node().Name != path[0] {
			continue
		}
		if found := member.Get(path[1:]...); found.Exists() {
			return found
		}
	}
	return Value{}
}

func (v Value) element(number string) Value {
	if number == "" || number[0] < '0' || number[0] > '9' { // to make an error takes longer
		return Value{}
	}
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

// Text returns a string without its quotes, a number without an exponent, true or false, and the JSON of a list or an
// object. That of null is empty. It does not keep the whole JSON in memory, and short texts that are asked for again
// and again share their memory.
func (v Value) Text() string {
	if v.tree == nil {
		return ""
	}
	return v.tree.part(v.Plain())
}

// Plain returns what Text does, to be compared and not to be kept: it may keep the whole JSON in memory.
func (v Value) Plain() string {
	switch v.kind() {
	case Text:
		return v.node().Text
	case Number:
		if n := v.node(); strings.Trim(n.Text, "-0123456789") != "" {
			return strconv.FormatFloat(n.Number, 'f', -1, 64)
		}
		return v.node().Text
	case False, True, List, Object:
		return v.Raw()
	case Other, Null:
	}
	return ""
}

// part returns a text that is a part of the whole one as the tree returns such.
func (t *Tree) part(text string) string {
	if t.Shares {
		return text
	}
	if t.texts == nil {
		t.texts = &scan.Texts{}
	}
	return t.texts.OfString(text)
}

// Int returns a number as a whole one, that in a string, and 0 for everything else.
func (v Value) Int() int64 {
	if whole, err := strconv.ParseInt(v.Plain(), 10, 64); err == nil {
		return whole
	}
	return int64(v.Float())
}

// Float returns a number, and 0 for everything else.
func (v Value) Float() float64 {
	if !v.IsNumber() {
		return 0
	}
	return v.node().Number
}

// Bool reports whether the value is true, or a number other than 0.
func (v Value) Bool() bool { return v.kind() == True || v.Float() != 0 }
