package recording

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/specs"
)

// body takes out what the document marks as secret, what is named like one, and credentials in texts. A body in which
// the document marks secrets and that cannot be read may hold them anywhere, so it is taken out whole.
func (x *redaction) body(where string, body *Body, headers Headers, part specs.Part) *Body {
	if body == nil || len(body.Bytes) == 0 || !part.HasSecrets() && !mayHoldSecret(body.Bytes) {
		return body
	}
	if clean, ok := x.json(where, body.Bytes, part); ok {
		return &Body{Bytes: clean, Truncated: body.Truncated}
	}
	kind, parameters, _ := mime.ParseMediaType(headers.Value("Content-Type"))
	if kind == "multipart/form-data" {
		if clean, ok := x.parts(where, body, parameters["boundary"], part.Field); ok {
			return &Body{Bytes: clean, Truncated: body.Truncated}
		}
	}
	text := string(body.Bytes)
	switch {
	case kind == "application/x-www-form-urlencoded":
		text = x.fields(where, text, part.Field)
	case part.HasSecrets():
		text = x.Hash(text)
		if json.Valid(body.Bytes) {
			text = strconv.Quote(text)
		}
		x.note(where)
	case utf8.ValidString(text):
		if text = x.pieces(text); text != string(body.Bytes) {
			x.note(where)
		}
	}
	return &Body{Bytes: []byte(text), Truncated: body.Truncated}
}

// mayHoldSecret reports whether it is worth looking for secrets in a text that no document says anything of: it has
// what is in an address, a name of a secret or a scheme of credentials, a key, or escapes that may stand for them.
func mayHoldSecret(text []byte) bool {
	if specs.HoldsPlatformKey(text) {
		return true
	}
	for _, sign := range secretHints {
		if bytes.Contains(text, []byte(sign)) {
			return true
		}
	}
	return false
}

var secretHints = []string{
	"://", `:\/`, `\u`, "%2F", "%2f", "1 ", "Bearer ",
	"key", "Key", "KEY", "oken", "OKEN", "ecret", "ECRET", "assw", "ASSW", "assphrase", "ASSPHRASE", "sig", "Sig", "SIG",
}

// mayHoldJSON reports whether a text may itself be JSON that holds a secret.
func mayHoldJSON(text string) bool {
	return looksLikeJSON(text) && mayHoldSecret([]byte(text))
}

func looksLikeJSON(text string) bool { return len(text) > 1 && (text[0] == '{' || text[0] == '[') }

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
			clean := w.inText(string(key))
			if clean != string(key) {
				w.replace(where, raw, clean)
			}
			inner := part.Member(string(key))
			inner.Secret = inner.Secret || w.d.PeekKind() == '"' && IsSecret(string(key))
			return w.value(below(where, clean), inner)
		})
	case '[':
		return w.container(']', func(i int) error { return w.value(below(where, strconv.Itoa(i)), part.Item()) })
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

// scalar replaces a text or a number. True, false, null and an empty text stay, since they reveal nothing.
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
	if isText || part.Secret && raw.Kind() == '0' {
		clean = w.field(where, text, part)
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
