package capture

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"svc.example/understudy/specs/recording"
)

// held is a body as a recording holds it.
type held struct {
	bytes     []byte
	doubt     string
	isUnsized bool // the bytes are not those of the wire, but say the same
}

// heldBody takes a text, or an object with the text or its base64. Where the tool could not write the text it was, it
// wrote what it could.
func heldBody(v value) held {
	switch v.kind {
	case null:
		return held{}
	case list:
		return held{doubt: doubtEncoding}
	case object:
		return heldObject(v)
	case scalar:
	}
	return heldText(v.text)
}

func heldObject(v value) held {
	if coded := v.get("base64_string"); coded.kind == scalar {
		plain, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(coded.text), ""))
		if err != nil {
			return held{doubt: doubtEncoding}
		}
		return held{bytes: plain}
	}
	text := v.get("string")
	switch {
	case text.kind == object, text.kind == list:
		return held{doubt: doubtEncoding}
	case !keepsBytes(v.get("encoding").text) && !isASCII(text.text):
		return held{bytes: []byte(text.text), doubt: doubtEncoding}
	}
	return heldText(text.text)
}

func heldText(text string) held {
	if utf8.ValidString(text) && strings.Contains(text, "\uFFFD") { // as opposed to what was marked as binary
		return held{bytes: []byte(text), doubt: doubtDamaged}
	}
	return held{bytes: []byte(text)}
}

// keepsBytes reports whether a body that had this encoding in Ruby has the same bytes in a file in UTF-8.
func keepsBytes(encoding string) bool {
	switch strings.ToUpper(encoding) {
	case "", "UTF-8", "US-ASCII", "ASCII-8BIT", "BINARY":
		return true
	}
	return false
}

func isASCII(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r > 0x7f }) < 0
}

// heldIn takes the body of a message where the tools have it: as text, as a value that was read from it, or, for httpx,
// as its content.
func heldIn(message value) held {
	if parsed := message.get("parsed_body"); parsed.kind != null {
		return held{bytes: parsed.appendJSON(nil), isUnsized: true}
	}
	if body := message.get("body"); body.kind != null {
		return heldBody(body)
	}
	return heldBody(message.get("content"))
}

func (h held) isEmpty() bool { return len(h.bytes) == 0 && h.doubt == "" }

// against compares a body with its recorded length, and returns why it may be incomplete, and its size on the wire.
func (h held) against(told int64, headers recording.Headers) (doubt string, size int64) {
	n := int64(len(h.bytes))
	switch {
	case h.doubt != "":
		return h.doubt, told
	case h.isUnsized:
		return "", told
	case told < 0 || told == n:
		return "", n
	case n == 0:
		return doubtMissing, told
	case mayHaveHad(h.bytes, told, headers):
		return "", told
	}
	return fmt.Sprintf("the recording has %d bytes of a body that had %d: the body was changed after it was received", n, told), told
}

// contentLength returns the Content-Length of a message, -1 without one.
func contentLength(headers recording.Headers, field value) int64 {
	for _, text := range []string{headers.Value("Content-Length"), field.text} {
		if n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64); err == nil && n >= 0 {
			if text == field.text && n == 0 {
				return -1 // also what is not known
			}
			return n
		}
	}
	return -1
}
