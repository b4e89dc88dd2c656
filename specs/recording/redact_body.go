package recording

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"slices"
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
	if x.isFileWithSecret(body, part) {
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
	if strings.HasPrefix(kind, "multipart/") {
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
func mayHoldSecret[T string | []byte](text T) bool {
	var some, others uint64 // the hints of which as much was seen as a bit says
	for i := range len(text) {
		c := text[i]
		some, others = (some<<1|someHints.first)&someHints.at[c], (others<<1|otherHints.first)&otherHints.at[c]
		if some&someHints.last|others&otherHints.last != 0 {
			return true
		}
	}
	return specs.HoldsPlatformKey(text)
}

// hints are texts to be searched for all at once, in any case: each letter of each of them has a bit (Shift-And).
type hints struct {
	first, last uint64
	at          [256]uint64
}

func newHints(texts ...string) *hints {
	h := &hints{}
	bit := 0
	for _, text := range texts {
		h.first |= 1 << bit
		for i := range len(text) {
			h.at[text[i]] |= 1 << bit
			h.at[strings.ToUpper(text[i : i+1])[0]] |= 1 << bit
			bit++
		}
		h.last |= 1 << (bit - 1)
	}
	if bit > 64 {
		panic("hints: want 64 letters at most")
	}
	return h
}

var (
	someHints = newHints("key", "oken", "ecret", "pass", "pwd", "redential", "uthoriz", "ooki", "jwt", "otp", "sess",
		"sig")
	// Of schemes, SQL, addresses, escapes, and letters that are the same as k and s in another case.
	otherHints = newHints("arer ", "asic ", "1 ", "ntified ", "://", `:\/`, `\u`, "%2f", "%4", "%5", "%6", "%7",
		"\xc5\xbf",
		"\xe2\x84\xaa")
)

// mayHoldJSON reports whether a text may itself be JSON that holds a secret.
func mayHoldJSON(text string) bool { return looksLikeJSON(text) && mayHoldSecret(text) }

func looksLikeJSON(text string) bool { return len(text) > 1 && (text[0] == '{' || text[0] == '[') }

// jsonText takes secrets out of a JSON text and leaves every other byte as it is. It reports whether the text is JSON.
// What is left of a text that was cut ends with its last whole value: a part of a value may be a part of a secret.
func (x *redaction) jsonText(where string, text []byte, part specs.Part, isCut bool) ([]byte, bool) {
	if !x.affords(len(text)) {
		return nil, false
	}
	w := x.walk(where, text)
	end := len(text)
	err := w.value(meaning{part: part})
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
	return w.clean(end), true
}

// jsonPrefix is json for a text that begins with JSON: it returns as much of it as is, without secrets, and how long
// that was.
func (x *redaction) jsonPrefix(text []byte) (clean string, length int) {
	w := x.walk("", text)
	_ = w.value(meaning{}) // as far as it goes
	length = int(w.d.InputOffset())
	x.affords(length)
	return string(w.clean(length)), length
}

func (x *redaction) walk(where string, text []byte) *jsonWalk {
	return &jsonWalk{redaction: x, root: where, text: text, d: jsontext.NewDecoder(bytes.NewBuffer(text),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
}

// jsonWalk goes through a JSON text and notes what has to be replaced in it.
type jsonWalk struct {
	*redaction
	d        *jsontext.Decoder
	text     []byte
	edits    []edit // in the order of the text
	root     string
	path     []step // from the root to where the walk is
	found    []string
	lastText string // that was read
}

// edit is a piece of a JSON text, and what takes its place.
type edit struct {
	start, end int
	text       []byte
}

// clean returns the text up to an end, with its edits.
func (w *jsonWalk) clean(end int) (clean []byte) {
	copied := 0
	for _, e := range w.edits {
		clean = append(append(clean, w.text[copied:e.start]...), e.text...)
		copied = e.end
	}
	return append(clean, w.text[copied:end]...)
}

// step is a member, or an item if it has no name.
type step struct {
	name  string
	index int
}

// where returns the name of where the walk is.
func (w *jsonWalk) where() string {
	place := []byte(w.root)
	for _, s := range w.path {
		if len(place)+len(s.name) > maxPlace {
			break
		}
		if place = append(place, '.'); s.index >= 0 {
			place = strconv.AppendInt(place, int64(s.index), 10)
		} else {
			place = append(place, s.name...)
		}
	}
	return string(place)
}

// meaning holds what is known of a value before it is read.
type meaning struct {
	part    specs.Part
	isVague bool // a vague name stands over it: it is a secret unless it is a number
}

func (w *jsonWalk) value(m meaning) error {
	if !w.affords(valueWork) {
		return errTooDear
	}
	switch w.d.PeekKind() {
	case '{':
		return w.object(m)
	case '[':
		return w.array(m)
	}
	return w.scalar(m)
}

// nameAndValue notes what in an object or a list stands for a name and for its value: {"name":"token","value":"…"}. The
// value may come first.
type nameAndValue struct {
	name  string
	value place
}

// place is that of a value in a text, and of the edits in it.
type place struct {
	start, end          int
	firstEdit, lastEdit int
}

func (w *jsonWalk) object(m meaning) error {
	if _, err := w.d.ReadToken(); err != nil {
		return err
	}
	var pair nameAndValue
	w.path = append(w.path, step{})
	for w.d.PeekKind() != '}' {
		if err := w.member(m, &pair); err != nil {
			w.redactPair(pair) // of an object that was cut
			return err
		}
	}
	w.redactPair(pair)
	w.path = w.path[:len(w.path)-1]
	_, err := w.d.ReadToken()
	return err
}

func (w *jsonWalk) member(m meaning, pair *nameAndValue) error {
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
	isText := w.d.PeekKind() == '"'
	inner := meaning{m.part.Member(name), m.isVague}
	if !inner.part.Secret && mayBeSecret(name) {
		// A document decides on what it describes: a list under the name of a secret may be something else.
		inner.part.Secret = IsSecret(name) && (isText || !m.part.Describes(name))
		inner.isVague = inner.isVague || isVague(name) && !m.part.Describes(name)
	}
	return w.ofPair(strings.ToLower(name), isText, pair, func() error { return w.value(inner) })
}

// ofPair reads a value, and notes it if its name says that it is one of a pair.
func (w *jsonWalk) ofPair(name string, isText bool, pair *nameAndValue, read func() error) error {
	isName, isValue := isText && isPairName(name), isPairValue(name)
	if !isName && !isValue {
		return read()
	}
	begin, edits := int(w.d.InputOffset()), len(w.edits)
	if err := read(); err != nil {
		return err
	}
	if isName && (IsSecret(w.lastText) || isVague(w.lastText)) {
		pair.name = w.lastText
	}
	if isValue {
		begin += len(w.text[begin:]) - len(bytes.TrimLeft(w.text[begin:], " \t\r\n:,"))
		pair.value = place{begin, int(w.d.InputOffset()), edits, len(w.edits)}
	}
	return nil
}

// array goes through a list. A list of two in a list may be a name and a value, as headers are in recordings, and an
// item may be the value of the flag before it.
func (w *jsonWalk) array(m meaning) error {
	if _, err := w.d.ReadToken(); err != nil {
		return err
	}
	item := meaning{m.part.Item(), m.isVague}
	isInList := len(w.path) > 0 && w.path[len(w.path)-1].index >= 0
	w.path = append(w.path, step{})
	var pair nameAndValue
	i := 0
	for ; w.d.PeekKind() != ']'; i++ {
		w.path[len(w.path)-1] = step{index: i}
		item := item
		item.part.Secret = item.part.Secret || i > 0 && strings.HasPrefix(w.lastText, "-") && IsSecret(w.lastText)
		w.lastText = ""
		var err error
		if isInList && i < 2 {
			err = w.ofPair([]string{"name", "value"}[i], w.d.PeekKind() == '"', &pair, func() error { return w.value(item) })
		} else {
			err = w.value(item)
		}
		if err != nil {
			return err
		}
	}
	if i == 2 {
		w.redactPair(pair)
	}
	w.path = w.path[:len(w.path)-1]
	_, err := w.d.ReadToken()
	return err
}

// scalar replaces a text or a number. True, false, null and an empty text stay, since they reveal nothing.
func (w *jsonWalk) scalar(m meaning) error {
	raw, err := w.d.ReadValue()
	if err != nil {
		return err
	}
	text, isText := string(raw), raw.Kind() == '"'
	if isText {
		unquoted, _ := jsontext.AppendUnquote(nil, raw)
		text = string(unquoted)
	}
	part := m.part
	part.Secret = part.Secret || m.isVague && isText && !isNumber(text)
	w.lastText = text
	clean := text
	switch {
	case !isText && !(part.Secret && raw.Kind() == '0'):
	case part.Secret:
		clean = w.hashText(text)
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
	w.edits = append(w.edits, edit{end - len(raw), end, quoted})
	w.noteFound()
}

func (w *jsonWalk) noteFound() {
	if len(w.found) < maxNames {
		w.found = append(w.found, w.where())
	}
}

// redactPair puts a mark in the place of a value whose name is that of a secret, unless it is one, or reveals nothing.
func (w *jsonWalk) redactPair(pair nameAndValue) {
	p := pair.value
	if p.end == 0 || pair.name == "" {
		return
	}
	value := string(w.text[p.start:min(p.end, p.start+maxName)]) // enough of a list or an object for a mark
	if value[0] == '"' {
		unquoted, _ := jsontext.AppendUnquote(nil, w.text[p.start:p.end])
		value = string(unquoted)
	}
	isDone := p.lastEdit == p.firstEdit+1 && w.edits[p.firstEdit].start == p.start
	if isDone || isHarmless(value) || !isSecretFor(pair.name, value) {
		return
	}
	w.affords((len(w.edits) - p.lastEdit) * valueWork)
	mark := edit{p.start, p.end, strconv.AppendQuote(nil, w.Hash(value))}
	w.edits = slices.Replace(w.edits, p.firstEdit, p.lastEdit, mark)
	w.noteFound()
}
