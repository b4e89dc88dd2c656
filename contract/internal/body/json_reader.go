package body

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/contract/internal/scan"
	"svc.example/understudy/internal/accept/flat"
)

// MaxDepth is the largest depth of JSON. Anything deeper is an attack, not a message.
const MaxDepth = 256

const maxExponent = 4096 // larger ones take seconds to compute with

var (
	errDepth    = fmt.Errorf("nested deeper than %d levels", MaxDepth)
	errExponent = fmt.Errorf("a number has an exponent beyond %d", maxExponent)
	errTrailing = errors.New("data after the value")
	errSyntax   = errors.New("a syntax error")
	errEarly    = errors.New("the text ends too early")
)

// isBroken reports whether no reader would accept a text as JSON. Some accept duplicate keys, and values beyond our
// limits.
func isBroken(err error) bool {
	return errors.Is(err, errSyntax) || errors.Is(err, errEarly) || errors.Is(err, errTrailing)
}

// DecodeJSON reads exactly one JSON value: UTF-8, no duplicate keys, nothing after it, no absurd numbers or nesting.
// Numbers are json.Number, so that no digits are lost.
func DecodeJSON(data []byte) (any, error) {
	if value, ok := readPlain(data); ok {
		return value, nil
	}
	d := &jsonReader{jsontext.NewDecoder(bytes.NewBuffer(data))}
	value, err := d.value()
	if err != nil {
		return nil, fmt.Errorf("not JSON: %w", withoutText(err))
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("not JSON: %w", errTrailing)
	}
	return value, nil
}

// withoutText returns an error without the decoder's prefix and without parts of the text, which may be secret.
func withoutText(err error) error {
	var syntactic *jsontext.SyntacticError
	if !errors.As(err, &syntactic) {
		if errors.Is(err, io.EOF) {
			return errEarly
		}
		return err
	}
	reason := errSyntax
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		reason = errors.New("a duplicate key")
	case errors.Is(err, io.ErrUnexpectedEOF):
		reason = errEarly
	}
	return fmt.Errorf("%w at byte %d", reason, syntactic.ByteOffset)
}

type jsonReader struct{ *jsontext.Decoder }

func (d *jsonReader) value() (any, error) {
	if d.StackDepth() > MaxDepth {
		return nil, errDepth
	}
	token, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case '{':
		return d.object()
	case '[':
		return d.array()
	case '"':
		return token.String(), nil
	case '0':
		return number(token.String())
	case 't', 'f':
		return token.Bool(), nil
	}
	return nil, nil
}

func (d *jsonReader) object() (any, error) {
	object := map[string]any{}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		key := name.String()
		if object[key], err = d.value(); err != nil {
			return nil, err
		}
	}
	_, err := d.ReadToken()
	return object, err
}

func (d *jsonReader) array() (any, error) {
	array := []any{}
	for d.PeekKind() != ']' {
		value, err := d.value()
		if err != nil {
			return nil, err
		}
		array = append(array, value)
	}
	_, err := d.ReadToken()
	return array, err
}

func number(text string) (any, error) {
	for i, c := range []byte(text) {
		if c == 'e' || c == 'E' {
			exponent, err := strconv.Atoi(text[i+1:])
			if err != nil || exponent > maxExponent || exponent < -maxExponent {
				return nil, errExponent
			}
		}
	}
	return json.Number(text), nil
}

// plainReader reads JSON in one pass. It accepts nothing that a jsonReader does not.
type plainReader struct {
	*scan.Reader
	members []member // of the objects that are read, the innermost last, until the size of each is known
	items   []any    // likewise of the arrays
}

type member struct {
	name  string
	value any
}

var plainReaders = sync.Pool{New: func() any { return &plainReader{} }}

// readPlain returns the value of a text; its second result is false if the text must be decoded.
func readPlain(text []byte) (value any, ok bool) {
	p := plainReaders.Get().(*plainReader)
	p.Reader = scan.Of(text)
	value = p.value(0)
	ok = p.Done()
	p.free()
	return value, ok
}

func (p *plainReader) free() {
	const worthKeeping = 1 << 12
	p.Free()
	p.Reader = nil
	if cap(p.members) <= worthKeeping && cap(p.items) <= worthKeeping {
		plainReaders.Put(p)
	}
}

// value reads a value below so many others.
func (p *plainReader) value(depth int) any {
	if depth > MaxDepth {
		p.Fail()
	}
	switch {
	case p.Failed():
		return nil
	case p.Take('{'):
		return p.object(depth + 1)
	case p.Take('['):
		return p.array(depth + 1)
	}
	value := p.Scalar()
	if number, ok := value.(json.Number); ok && strings.ContainsAny(string(number), "eE") {
		p.Fail() // its exponent may be absurd
	}
	return value
}

func (p *plainReader) object(depth int) any {
	start := len(p.members)
	for more := p.Peek() != '}'; more && !p.Failed(); more = p.Take(',') {
		name := p.String()
		p.Want(':')
		p.members = append(p.members, member{name, p.value(depth)})
	}
	p.Want('}')
	members := p.members[start:]
	object := make(map[string]any, len(members))
	for _, m := range members {
		object[m.name] = m.value
	}
	if len(object) < len(members) {
		p.Fail() // a duplicate name
	}
	clear(members)
	p.members = p.members[:start]
	return object
}

func (p *plainReader) array(depth int) any {
	start := len(p.items)
	for more := p.Peek() != ']'; more && !p.Failed(); more = p.Take(',') {
		p.items = append(p.items, p.value(depth))
	}
	p.Want(']')
	items := p.items[start:]
	array := append([]any{}, items...)
	clear(items)
	p.items = p.items[:start]
	return array
}

// Body is a body that was read to be judged: as a flat value, and decoded once that is asked for.
type Body struct {
	Value  flat.Value // nil of lines and events
	Text   string     // of which Value was read, or empty
	Raw    [][]byte   // the texts of the events of a stream
	Lines  bool
	JSON   []byte // the text of a JSON body, after codings; nil for others
	Broken bool   // the body should be JSON, and no reader would accept it as JSON

	values []any
	nodes  flat.Value // room for values
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
	if len(text) <= flat.MaxText {
		b = bodies.Get().(*Body)
		b.Text = string(text)
		if b.Value = flat.Read(b.nodes, b.Text); b.Value != nil {
			b.nodes, b.JSON = b.Value[:0], text
			return b, ""
		}
		b.Free()
	}
	d, reason := JSON(text)
	return newBody(d, reason)
}

func newBody(d Decoded, reason string) (*Body, string) {
	b := &Body{Raw: d.Raw, Lines: d.Lines, JSON: d.JSON, Broken: d.Broken, values: d.Values}
	if reason == "" && !d.Lines {
		b.Value = flat.Of(d.Values[0])
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
		value, _ := DecodeJSON(b.JSON) // it has no error: a flat value was read of the same text
		b.values = []any{value}
	}
	return b.values
}

// All returns the values: one, or one for each line or event, each of which is valid until the next one.
func (b *Body) All() iter.Seq2[int, flat.Value] {
	return func(yield func(int, flat.Value) bool) {
		if !b.Lines {
			yield(0, b.Value)
			return
		}
		for i, line := range b.values {
			b.nodes = flat.Append(b.nodes[:0], line)
			if !yield(i, b.nodes) {
				return
			}
		}
	}
}
