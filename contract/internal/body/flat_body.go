package body

import (
	"iter"
	"sync"

	"svc.example/understudy/internal/jsontree"
)

// Body is a body that was read to be judged: as a flat value, and decoded once that is asked for.
type Body struct {
	Value  jsontree.Nodes // nil of lines and events
	Text   string         // of which Value was read, or empty
	Lines  bool
	JSON   []byte // the text of a JSON body, after codings; nil for others
	Broken bool   // the body should be JSON, and no reader would accept it as JSON
	Early  bool   // a broken body may be the beginning of one that is not
	Wrong  []Fault
	Plain  any
	Parts  []Part

	values []any
	nodes  jsontree.Nodes // room for values
}

var bodies = sync.Pool{New: func() any { return &Body{} }}

// Read reads a body without content codings as Decode does. It is to be freed.
func (f *Format) Read(plain []byte) (b *Body, reason string) {
	if f.isJSON {
		if text, reason := ToUTF8(f.params["charset"], plain); reason == "" {
			return ReadJSON(text)
		}
	}
	d, reason := f.decode(plain)
	return newBody(d, reason)
}

// ReadJSON reads a body that is one JSON value, as JSON does. It is to be freed.
func ReadJSON(text []byte) (b *Body, reason string) {
	b = bodies.Get().(*Body)
	if b.read(text) {
		return b, ""
	}
	b.Free()
	return newBody(jsonOf(text, decodeWithCare))
}

// read reads one JSON value, and reports whether it is one that a flat value is read of.
func (b *Body) read(text []byte) bool {
	if len(text) > jsontree.MaxText {
		return false
	}
	b.Text = string(text)
	if b.Value = jsontree.Read(b.nodes, text, b.Text); b.Value == nil {
		return false
	}
	b.nodes, b.JSON = b.Value[:0], text
	return true
}

func newBody(d Decoded, reason string) (*Body, string) {
	b := &Body{
		Lines: d.Lines, JSON: d.JSON, Broken: d.Broken, Early: d.Early, Wrong: d.Wrong, Plain: d.Plain,
		Parts: d.Parts, values: d.Values,
	}
	if reason == "" && !d.Lines {
		b.Value = jsontree.Of(d.Values[0])
	}
	return b, reason
}

// Free ends the use of a body, and of its flat value.
func (b *Body) Free() {
	const worthKeeping = 1 << 11
	if b.Text == "" || cap(b.nodes) > worthKeeping {
		return
	}
	clear(b.Value)
	*b = Body{nodes: b.nodes}
	bodies.Put(b)
}

// Values returns the decoded values: one, or one for each line or event.
func (b *Body) Values() []any {
	if b.values == nil && b.Text != "" {
		b.values = []any{b.Value.AsWritten()}
	}
	return b.values
}

// All returns the values: one, or one for each line or event, each of which is valid until the next one.
func (b *Body) All() iter.Seq2[int, jsontree.Nodes] {
	return func(yield func(int, jsontree.Nodes) bool) {
		if !b.Lines {
			yield(0, b.Value)
			return
		}
		for i, line := range b.values {
			b.nodes = jsontree.Append(b.nodes[:0], line)
			if !yield(i, b.nodes) {
				return
			}
		}
	}
}
