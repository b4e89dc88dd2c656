package recording

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/specs"
)

// body takes out what the document marks as secret, and credentials in addresses. A body with secrets that cannot be
// read may hold them anywhere, so it is taken out whole.
func (x *redaction) body(where string, body *Body, headers Headers, part specs.Part) *Body {
	if body == nil || len(body.Bytes) == 0 || !part.HasSecrets() && !mayHoldAddress(body.Bytes) {
		return body
	}
	if clean, ok := x.json(where, body.Bytes, part); ok {
		return &Body{Bytes: clean, Truncated: body.Truncated}
	}
	text := string(body.Bytes)
	switch kind, _, _ := strings.Cut(headers.Value("Content-Type"), ";"); {
	case strings.EqualFold(strings.TrimSpace(kind), "application/x-www-form-urlencoded"):
		text = x.fields(where, text, part.Field)
	case part.HasSecrets():
		text = x.Hash(text)
		if json.Valid(body.Bytes) {
			text = strconv.Quote(text)
		}
		x.note(where)
	case utf8.ValidString(text):
		if text = x.address(text); text != string(body.Bytes) {
			x.note(where)
		}
	}
	return &Body{Bytes: []byte(text), Truncated: body.Truncated}
}

// mayHoldAddress reports whether it is worth looking for addresses in a text: it has a colon and slashes, or escapes of
// JSON or of a form that may stand for them.
func mayHoldAddress(text []byte) bool {
	for _, sign := range []string{"://", `:\/`, `\u`, "%2F", "%2f"} {
		if bytes.Contains(text, []byte(sign)) {
			return true
		}
	}
	return false
}

// json takes secrets out of a JSON text and leaves every other byte as it is. It reports whether the text is JSON.
func (x *redaction) json(where string, text []byte, part specs.Part) ([]byte, bool) {
	w := &jsonWalk{redaction: x, text: text}
	w.d = jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if w.value(where, part) != nil {
		return nil, false
	}
	if _, err := w.d.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, false
	}
	for _, name := range w.found {
		x.note(name)
	}
	return append(w.clean, text[w.copied:]...), true
}

// jsonWalk goes through a JSON text and copies it, but for its secrets.
type jsonWalk struct {
	*redaction
	d      *jsontext.Decoder
	text   []byte
	clean  []byte
	copied int // how much of the text is in clean, or was replaced
	found  []string
}

func (w *jsonWalk) value(where string, part specs.Part) error {
	switch w.d.PeekKind() {
	case '{':
		return w.container('}', func(int) error {
			raw, err := w.d.ReadValue()
			if err != nil {
				return err
			}
			key, err := jsontext.AppendUnquote(nil, raw)
			if err != nil {
				return err
			}
			clean := w.address(string(key))
			if clean != string(key) {
				w.replace(where, raw, clean)
			}
			return w.value(where+"."+clean, part.Member(string(key)))
		})
	case '[':
		return w.container(']', func(i int) error { return w.value(where+"."+strconv.Itoa(i), part.Item()) })
	}
	return w.scalar(where, part)
}

func (w *jsonWalk) container(end jsontext.Kind, inner func(i int) error) error {
	if _, err := w.d.ReadToken(); err != nil {
		return err
	}
	for i := 0; w.d.PeekKind() != end; i++ {
		if err := inner(i); err != nil {
			return err
		}
	}
	_, err := w.d.ReadToken()
	return err
}

// scalar replaces a text or a number. What is only true, false or null tells nothing, and neither does an empty text.
func (w *jsonWalk) scalar(where string, part specs.Part) error {
	raw, err := w.d.ReadValue()
	if err != nil {
		return err
	}
	text, isText := string(raw), raw.Kind() == '"'
	if isText {
		unquoted, _ := jsontext.AppendUnquote(nil, raw)
		text = string(unquoted)
	}
	clean := text
	switch {
	case part.Secret && text != "" && (isText || raw.Kind() == '0'):
		clean = w.Hash(text)
	case isText:
		clean = w.address(text)
	}
	if clean == text {
		return nil
	}
	w.replace(where, raw, clean)
	return nil
}

// replace puts a text in the place of the value that was read last.
func (w *jsonWalk) replace(where string, raw jsontext.Value, clean string) {
	quoted, err := jsontext.AppendQuote(nil, clean)
	if err != nil { // not UTF-8
		quoted = strconv.AppendQuote(nil, w.Hash(clean))
	}
	end := int(w.d.InputOffset())
	w.clean = append(append(w.clean, w.text[w.copied:end-len(raw)]...), quoted...)
	w.copied, w.found = end, append(w.found, where)
}
