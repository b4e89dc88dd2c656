package dig

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

type kind byte

const (
	null kind = iota
	boolean
	number
	text
	list
	mapping
)

// value is one node of a definition. text is what a scalar says; of a number it is the JSON form. Values are shared
// where the file uses aliases, so a tree can stand for far more than it takes.
type value struct {
	kind   kind
	line   int
	depth  int
	text   string
	items  []*value
	fields []field
}

type field struct {
	key   string
	line  int
	value *value
}

// field returns the value of a key, or nil if it is missing or v is not a mapping.
func (v *value) field(key string) *value {
	for _, f := range v.fields {
		if f.key == key {
			return f.value
		}
	}
	return nil
}

func (v *value) scalar() bool { return v.kind < list }

func (v *value) noun() string {
	return [...]string{"nothing", "a boolean", "a number", "text", "a list", "a mapping"}[v.kind]
}

var errTooLong = errors.New("too long")

// writer lays values out as JSON until the project's budget is spent: this is where a bomb of aliases ends.
type writer struct {
	out  []byte
	left int64
}

func (w *writer) value(v *value) error {
	switch v.kind {
	case null:
		return w.add("null")
	case boolean, number:
		return w.add(v.text)
	case text:
		return w.quote(v.text)
	case list:
		return w.list(v.items)
	default:
		return w.object(v.fields)
	}
}

func (w *writer) list(items []*value) error {
	w.out = append(w.out, '[')
	for i, item := range items {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		if err := w.value(item); err != nil {
			return err
		}
	}
	return w.add("]")
}

func (w *writer) object(fields []field) error {
	w.out = append(w.out, '{')
	for i, f := range fields {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		if err := w.quote(f.key); err != nil {
			return err
		}
		w.out = append(w.out, ':')
		if err := w.value(f.value); err != nil {
			return err
		}
	}
	return w.add("}")
}

// quote leaves <, > and & as they are: operators end in >, and people read the result.
func (w *writer) quote(s string) error {
	if int64(len(w.out)+len(s)) > w.left {
		return errTooLong
	}
	var err error
	if w.out, err = jsontext.AppendQuote(w.out, s); err != nil {
		return err
	}
	return w.add("")
}

func (w *writer) add(s string) error {
	if w.out = append(w.out, s...); int64(len(w.out)) > w.left {
		return errTooLong
	}
	return nil
}

// json writes the value and takes its size off the budget.
func (b *budget) json(file string, v *value) (json.RawMessage, error) {
	w := writer{left: b.bytes}
	if err := w.value(v); errors.Is(err, errTooLong) {
		return nil, failf(file, 0, "the definitions of the project are too long once their aliases are resolved: "+
			"use fewer or smaller aliases")
	} else if err != nil {
		return nil, failf(file, 0, "the definition cannot be written as JSON: %v", err)
	}
	b.bytes -= int64(len(w.out))
	return slices.Clip(w.out), nil
}
