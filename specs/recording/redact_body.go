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
	x.work = 0
	coding := headers.Value("Content-Encoding")
	sent, err := x.uncoded(coding, body)
	if err == nil && len(sent.Bytes) > smallBody && !x.hasRoom() {
		err = errNoRoom
	}
	var clean *Body
	if err == nil {
		if clean = x.plain(where, sent, headers, part); x.work > maxWork {
			err = errTooDear
		}
	}
	switch {
	case err != nil:
		x.remarks = append(x.remarks, where+" was taken out, since it cannot be searched for secrets: "+err.Error())
		return x.withoutBytes(where, body)
	case sent == body:
		return clean
	case clean == sent && !sent.Truncated && isStandard(coding):
		return body // which every reader can decode
	}
	x.remarks = append(x.remarks, where+" was sent with the content coding "+coding+", which is undone here")
	return clean
}

// Reasons for which a body is not searched.
var (
	errNoRoom  = errors.New("too many large bodies were searched at the time")
	errTooDear = errors.New("it would take too long")
)

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
	if !x.affords(len(text)) {
		return nil, false
	}
	w := &jsonWalk{redaction: x, root: where, text: text}
	w.d = jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	end := len(text)
	err := w.value(part)
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
	root   string
	path   []step // from the root to where the walk is
	found  []string
}

// step is a member, or an item if it has no name.
type step struct {
	name  string
	index int
}

// where returns the name of where the walk is.
func (w *jsonWalk) where() string {
	place := w.root
	for _, s := range w.path {
		if s.index >= 0 {
			s.name = strconv.Itoa(s.index)
		}
		if len(place)+len(s.name) > maxPlace {
			break
		}
		place += "." + s.name
	}
	return place
}

func (w *jsonWalk) value(part specs.Part) error {
	if !w.affords(valueWork) {
		return errTooDear
	}
	switch w.d.PeekKind() {
	case '{':
		return w.container('}', part, w.member)
	case '[':
		return w.container(']', part, w.item)
	}
	return w.scalar(part)
}

func (w *jsonWalk) container(end jsontext.Kind, part specs.Part, inner func(i int, part specs.Part) error) error {
	if _, err := w.d.ReadToken(); err != nil {
		return err
	}
	w.path = append(w.path, step{})
	for i := 0; w.d.PeekKind() != end; i++ {
		if err := inner(i, part); err != nil {
			return err
		}
	}
	w.path = w.path[:len(w.path)-1]
	_, err := w.d.ReadToken()
	return err
}

func (w *jsonWalk) item(i int, part specs.Part) error {
	w.path[len(w.path)-1] = step{index: i}
	return w.value(part.Item())
}

func (w *jsonWalk) member(_ int, part specs.Part) error {
	raw, err := w.d.ReadValue()
	if err != nil {
		return err
	}
	key, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		return err
	}
	name := string(key)
	clean := w.inText(name)
	w.path[len(w.path)-1] = step{name: clean, index: -1}
	if clean != name {
		w.replace(raw, clean)
	}
	inner := part.Member(name)
	inner.Secret = inner.Secret || w.d.PeekKind() == '"' && IsSecret(name)
	return w.value(inner)
}

// scalar replaces a text or a number. True, false, null and an empty text stay, since they reveal nothing.
func (w *jsonWalk) scalar(part specs.Part) error {
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
	case !isText && !(part.Secret && raw.Kind() == '0'):
	case part.HasSecrets() || mayHoldJSON(text):
		clean = w.field(w.where(), text, part)
	default:
		clean = w.inText(text)
	}
	if clean == text {
		return nil
	}
	w.replace(raw, clean)
	return nil
}

// replace puts a text in the place of the value that was read last.
func (w *jsonWalk) replace(raw jsontext.Value, clean string) {
	quoted, err := jsontext.AppendQuote(nil, clean)
	if err != nil { // not UTF-8
		quoted = strconv.AppendQuote(nil, w.Hash(clean))
	}
	end := int(w.d.InputOffset())
	w.clean = append(append(w.clean, w.text[w.copied:end-len(raw)]...), quoted...)
	if w.copied = end; len(w.found) < maxNames {
		w.found = append(w.found, w.where())
	}
}
