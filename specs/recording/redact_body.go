package recording

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/specs"
)

// body takes out what the document marks as secret, what is named like one, and credentials in texts. A body in which
// the document marks secrets and that cannot be read may hold them anywhere, so it is taken out whole.
func (x *redaction) body(where string, body *Body, headers Headers, part specs.Part) *Body {
	if body == nil || len(body.Bytes) == 0 {
		return body
	}
	coding := headers.Value("Content-Encoding")
	sent, err := x.uncoded(coding, body)
	if err != nil {
		x.remarks = append(x.remarks, where+" was taken out, since it cannot be searched for secrets: "+err.Error())
		return x.withoutBytes(where, body)
	}
	clean := x.plain(where, sent, headers, part)
	switch {
	case sent == body:
		return clean
	case clean == sent && !body.Truncated && isStandard(coding):
		return body // which every reader can decode
	}
	x.remarks = append(x.remarks, where+" was sent with the content coding "+coding+", which is undone here")
	return clean
}

// withoutBytes returns a mark in the place of a body, with its size and digest.
func (x *redaction) withoutBytes(where string, body *Body) *Body {
	x.note(where)
	mark := &Body{Bytes: []byte(x.Hash(string(body.Bytes))), Truncated: true, Size: body.Size, SHA256: body.SHA256}
	if !body.Truncated {
		mark.Size = int64(len(body.Bytes))
	}
	return mark
}

// plain takes secrets out of a body without a content coding. It returns the body itself if it holds none.
func (x *redaction) plain(where string, body *Body, headers Headers, part specs.Part) *Body {
	if x.isArchiveWithSecret(body, part) {
		return x.withoutBytes(where, body)
	}
	if len(body.Bytes) == 0 || !part.HasSecrets() && !mayHoldSecret(body.Bytes) && !body.Truncated {
		return body
	}
	clean := x.form(where, body, headers.Value("Content-Type"), part)
	if bytes.Equal(clean, body.Bytes) {
		return body
	}
	other := *body
	other.Bytes = clean
	return &other
}

// form takes secrets out of a body in the form that it has.
func (x *redaction) form(where string, body *Body, contentType string, part specs.Part) []byte {
	if clean, ok := x.jsonText(where, body.Bytes, part, body.Truncated); ok {
		return clean
	}
	kind, parameters, _ := mime.ParseMediaType(contentType)
	if kind == "multipart/form-data" {
		if clean, ok := x.parts(where, body, parameters["boundary"], part.Field); ok {
			return clean
		}
	}
	text := string(body.Bytes)
	switch {
	case kind == "application/x-www-form-urlencoded":
		if body.Truncated { // a field that is cut may hold any part of a secret
			text = text[:strings.LastIndexByte(text, '&')+1]
		}
		return []byte(x.fields(where, text, part.Field))
	case part.HasSecrets():
		x.note(where)
		if json.Valid(body.Bytes) {
			return strconv.AppendQuote(nil, x.Hash(text))
		}
		return []byte(x.Hash(text))
	case body.Truncated:
		text = withoutTail(text)
	}
	if !utf8.ValidString(text) {
		return x.binary(where, text)
	}
	clean := x.lines(where, text, body.Truncated)
	if clean != text {
		x.note(where)
	}
	return []byte(clean)
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
	"://", `:\/`, `\u`, "%2F", "%2f", "1 ", "Bearer ", "Basic ", "PRIVATE KEY-----",
	"key", "Key", "KEY", "oken", "OKEN", "ecret", "ECRET", "assw", "ASSW", "assphrase", "ASSPHRASE", "sig", "Sig", "SIG",
}

// mayHoldJSON reports whether a text may itself be JSON that holds a secret.
func mayHoldJSON(text string) bool {
	return looksLikeJSON(text) && mayHoldSecret([]byte(text))
}

func looksLikeJSON(text string) bool { return len(text) > 1 && (text[0] == '{' || text[0] == '[') }

// json takes secrets out of a JSON text and leaves every other byte as it is. It reports whether the text is JSON.
func (x *redaction) json(where string, text []byte, part specs.Part) ([]byte, bool) {
	return x.jsonText(where, text, part, false)
}

// jsonText is json for a text that may have been cut. What is left of such a text ends with its last whole value: a
// part of a value may be a part of a secret.
func (x *redaction) jsonText(where string, text []byte, part specs.Part, isCut bool) ([]byte, bool) {
	w := &jsonWalk{redaction: x, text: text}
	w.d = jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	end := len(text)
	err := w.value(where, part)
	switch {
	case err != nil && isCut && errors.Is(err, io.ErrUnexpectedEOF) && (text[0] == '{' || text[0] == '['):
		end = int(w.d.InputOffset())
	case err != nil:
		return nil, false
	default:
		if _, err := w.d.ReadToken(); !errors.Is(err, io.EOF) {
			return nil, false
		}
	}
	for _, name := range w.found {
		x.note(name)
	}
	return append(w.clean, text[w.copied:end]...), true
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
