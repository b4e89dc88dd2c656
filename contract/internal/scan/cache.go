package scan

import (
	"encoding/json"
	"hash/maphash"
	"strings"
)

// cache holds strings that were read before. Each has one place where it may stand, so that the newest one wins.
type cache[T comparable] struct{ places [1 << 10]T }

const longestCached = 64 // bytes of a string that is worth a place

var seed = maphash.MakeSeed()

func (c *cache[T]) place(hash uint64) *T { return &c.places[hash%uint64(len(c.places))] }

// Texts holds texts that were read before. The zero value holds none. It is used by one goroutine.
type Texts struct{ known cache[string] }

// Of returns a text as a string. Short ones that are asked for again and again share their memory.
func (t *Texts) Of(text []byte) string {
	if len(text) > longestCached {
		return string(text)
	}
	place := t.known.place(maphash.Bytes(seed, text))
	if *place != string(text) {
		*place = string(text)
	}
	return *place
}

// OfString returns a text as Of does. The string does not share memory with the text that it is a part of.
func (t *Texts) OfString(text string) string {
	if len(text) > longestCached {
		return strings.Clone(text)
	}
	place := t.known.place(maphash.String(seed, text))
	if *place != text {
		*place = strings.Clone(text)
	}
	return *place
}

// String reads a string. Short ones that are read again and again share their memory.
func (r *Reader) String() string { return r.texts.Of(r.Bytes()) }

// Scalar reads null, a truth value, a number as a json.Number, or a string.
func (r *Reader) Scalar() any {
	switch r.Peek() {
	case '"':
		return valueOf[string](r, r.Bytes())
	case 't':
		return r.want("true", true)
	case 'f':
		return r.want("false", false)
	case 'n':
		return r.want("null", nil)
	}
	return valueOf[json.Number](r, r.Number())
}

// want reads a word, which stands for a value.
func (r *Reader) want(word string, value any) any {
	if !r.Word(word) {
		r.failed = true
	}
	return value
}

// valueOf returns a text as a value. Short ones that are read again and again share their memory.
func valueOf[T ~string](r *Reader, text []byte) any {
	if len(text) > longestCached {
		return T(text)
	}
	place := r.values.place(maphash.Bytes(seed, text))
	if known, ok := (*place).(T); !ok || string(known) != string(text) {
		*place = T(text)
	}
	return *place
}
