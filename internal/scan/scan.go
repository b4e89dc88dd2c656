// Package scan reads JSON in one pass, with few allocations. It has no messages: what it does not read, a decoder is
// asked about, which reads it or says why not. So it need not read everything: it leaves rare forms to the decoder.
package scan

import (
	"encoding/binary"
	"encoding/json"
	"hash/maphash"
	"math/bits"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Reader reads one JSON text from its beginning to its end. Once it fails, what it returns has no meaning.
type Reader struct {
	text      []byte
	at        int
	failed    bool
	replaces  bool   // invalid Unicode
	scratch   []byte // the last string that had escapes
	isEscaped bool   // the last string had
	texts     Texts
}

var readers = sync.Pool{New: func() any { return &Reader{} }}

// Of returns a reader of a text, which must not change until the reader is freed.
func Of(text []byte) *Reader {
	r := readers.Get().(*Reader)
	r.text, r.at, r.failed, r.replaces = text, 0, !utf8.Valid(text), false
	return r
}

// OfAny returns a reader of a text in which invalid Unicode is allowed. Texts with escapes have it replaced.
func OfAny(text []byte) *Reader {
	r := readers.Get().(*Reader)
	r.text, r.at, r.failed, r.replaces = text, 0, false, true
	return r
}

// Free ends the use of a reader, and of the bytes that it returned.
func (r *Reader) Free() {
	const worthKeeping = 64 << 10
	if r.text = nil; cap(r.scratch) > worthKeeping {
		r.scratch = nil
	}
	readers.Put(r)
}

// Fail makes the reader fail.
func (r *Reader) Fail() { r.failed = true }

// Failed reports whether the text is not as it was asked for.
func (r *Reader) Failed() bool { return r.failed }

// Done reports whether the whole text was read, without a failure.
func (r *Reader) Done() bool { return !r.failed && r.Peek() == 0 && r.at == len(r.text) }

// At returns the number of bytes that were read.
func (r *Reader) At() int { return r.at }

// Peek returns the next byte that is not white space, or 0 at the end of the text.
func (r *Reader) Peek() byte {
	for ; r.at < len(r.text); r.at++ {
		switch c := r.text[r.at]; c {
		case ' ', '\t', '\r', '\n':
		default:
			return c
		}
	}
	return 0
}

// Take reads a byte such as a bracket, after white space, and reports whether it is the next one.
func (r *Reader) Take(c byte) bool {
	if r.failed || r.Peek() != c {
		return false
	}
	r.at++
	return true
}

// Want reads a byte as Take does, and fails if it is not the next one.
func (r *Reader) Want(c byte) {
	if !r.Take(c) {
		r.failed = true
	}
}

// Member reads the name of a member of an object, and reports whether it is the next one. The name is one without
// escapes.
func (r *Reader) Member(name string) bool {
	start := r.at
	isFirst := start > 0 && r.text[start-1] == '{'
	if (isFirst || r.Take(',')) && r.Take('"') {
		if rest := r.text[r.at:]; len(rest) > len(name) && string(rest[:len(name)]) == name && rest[len(name)] == '"' {
			r.at += len(name) + 1
			r.Want(':')
			return !r.failed
		}
	}
	r.at = start
	return false
}

// Word reads null, true or false, and reports whether it is the next one.
func (r *Reader) Word(word string) bool {
	r.Peek()
	if rest := r.text[r.at:]; len(rest) >= len(word) && string(rest[:len(word)]) == word {
		r.at += len(word)
		return !r.failed
	}
	return false
}

// Bytes reads a string. The bytes are valid until the next one is read.
func (r *Reader) Bytes() []byte {
	if !r.Take('"') {
		r.failed = true
		return nil
	}
	start := r.at
	r.isEscaped = false
	r.at += plainLength(r.text[start:])
	if r.ends() {
		return r.text[start : r.at-1]
	}
	r.isEscaped = true
	r.scratch = append(r.scratch[:0], r.text[start:r.at]...)
	for r.at+1 < len(r.text) && r.text[r.at] == '\\' {
		c := escaped(r.text[r.at+1])
		if c == 0 {
			return r.unquote(start)
		}
		run := r.text[r.at+2:]
		run = run[:plainLength(run)]
		r.scratch = append(append(r.scratch, c), run...)
		r.at += 2 + len(run)
	}
	if !r.ends() {
		r.failed = true
	}
	return r.scratch
}

// StringIn reads a string. Unless it has escapes, it is a part of a text that has the same bytes as the reader's.
func (r *Reader) StringIn(text string) string {
	bytes := r.Bytes()
	if r.isEscaped || r.failed {
		return string(bytes)
	}
	end := r.at - 1
	return text[end-len(bytes) : end]
}

// NumberIn reads a number as it is written, as a part of a text that has the same bytes as the reader's.
func (r *Reader) NumberIn(text string) string {
	n := len(r.Number())
	return text[r.at-n : r.at]
}

// ends reads the quote at the end of a string, and reports whether it is next.
func (r *Reader) ends() bool { return r.skip('"') }

// escaped returns the byte that a letter behind a backslash stands for, or 0 if it is more than one.
func escaped(letter byte) byte {
	switch letter {
	case '"', '\\', '/':
		return letter
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'r':
		return '\r'
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	}
	return 0
}

// unquote reads a string of which only the quote at its beginning was read.
func (r *Reader) unquote(start int) []byte {
	end := start
	for end < len(r.text) && r.text[end] != '"' {
		if r.text[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(r.text) {
		r.failed = true
		return nil
	}
	r.at = end + 1
	var err error
	if r.scratch, err = jsontext.AppendUnquote(r.scratch[:0], r.text[start-1:r.at]); err != nil {
		r.failed = !r.replaces || !json.Valid(r.text[start-1:r.at])
	}
	return r.scratch
}

// plainLength returns how many bytes at the beginning of a text are neither a quote, nor a backslash, nor a control
// character. It looks at eight of them at a time.
func plainLength(text []byte) int {
	const each, top = 0x0101010101010101, 0x8080808080808080
	n := 0
	for ; n+8 <= len(text); n += 8 {
		word := binary.LittleEndian.Uint64(text[n:])
		quote, backslash := word^each*'"', word^each*'\\'
		// The top bit of a byte is set if it is below what is taken away, or, behind such a byte, perhaps.
		if found := ((quote-each)&^quote | (backslash-each)&^backslash | (word-each*' ')&^word) & top; found != 0 {
			return n + bits.TrailingZeros64(found)/8
		}
	}
	for n < len(text) && text[n] >= ' ' && text[n] != '"' && text[n] != '\\' {
		n++
	}
	return n
}

// Count reads a number from 0 to 10^18, written in digits alone.
func (r *Reader) Count() (n int64) {
	digits := r.Number()
	if len(digits) > 18 {
		r.failed = true
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			r.failed = true
		}
		n = 10*n + int64(c-'0')
	}
	return n
}

// Number reads a number as it is written.
func (r *Reader) Number() []byte {
	r.Peek()
	start := r.at
	r.skip('-')
	if isZero := r.skip('0'); !isZero && !r.digits() {
		r.failed = true
	}
	if r.skip('.') && !r.digits() {
		r.failed = true
	}
	if r.skip('e') || r.skip('E') {
		if !r.skip('-') {
			r.skip('+')
		}
		if !r.digits() {
			r.failed = true
		}
	}
	return r.text[start:r.at]
}

// Value reads any value as it is written, with at most maxDepth lists and objects within each other.
func (r *Reader) Value() []byte {
	r.Peek()
	start := r.at
	r.value(maxDepth)
	return r.text[start:r.at]
}

const maxDepth = 10_000

func (r *Reader) value(depth int) {
	last := byte(']')
	switch r.Peek() {
	case '"':
		r.Bytes()
		return
	case 'n', 't', 'f':
		r.failed = r.failed || !r.Word("null") && !r.Word("true") && !r.Word("false")
		return
	case '{':
		last = '}'
	case '[':
	default:
		r.Number()
		return
	}
	r.at++
	r.failed = r.failed || depth == 0
	for n := 0; !r.failed && !r.Take(last); n++ {
		if n > 0 {
			r.Want(',')
		}
		if last == '}' {
			r.Bytes()
			r.Want(':')
		}
		r.value(depth - 1)
	}
}

// skip reads a byte, and reports whether it is the next one.
func (r *Reader) skip(c byte) bool {
	if r.at < len(r.text) && r.text[r.at] == c {
		r.at++
		return true
	}
	return false
}

// digits reads digits, and reports whether there is one at least.
func (r *Reader) digits() bool {
	start := r.at
	for r.at < len(r.text) && '0' <= r.text[r.at] && r.text[r.at] <= '9' {
		r.at++
	}
	return r.at > start
}

const longestCached = 64 // bytes of a string that is worth a place

var seed = maphash.MakeSeed()

// Texts holds texts that were read before. Each has one place where it may stand, so that the newest one wins. The zero
// value holds none. It is used by one goroutine.
type Texts struct{ places [1 << 10]string }

func (t *Texts) place(hash uint64) *string { return &t.places[hash%uint64(len(t.places))] }

// Of returns a text as a string. Short ones that are asked for again and again share their memory.
func (t *Texts) Of(text []byte) string {
	if len(text) > longestCached {
		return string(text)
	}
	place := t.place(maphash.Bytes(seed, text))
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
	place := t.place(maphash.String(seed, text))
	if *place != text {
		*place = strings.Clone(text)
	}
	return *place
}

// String reads a string. Short ones that are read again and again share their memory.
func (r *Reader) String() string { return r.texts.Of(r.Bytes()) }
