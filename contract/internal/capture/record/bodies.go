package record

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"svc.example/understudy/contract/internal/capture/tree"
	"svc.example/understudy/specs/recording"
)

// Body is a body as a recording holds it.
type Body struct {
	Bytes     []byte
	Doubt     string
	IsUnsized bool // the bytes are not those of the wire, but say the same
}

// BodyOf takes a text, or an object with the text or its base64. Where the tool could not write the text it was, it
// wrote what it could.
func BodyOf(v tree.Value) Body {
	switch v.Kind {
	case tree.Null:
		return Body{}
	case tree.List:
		return Body{Doubt: DoubtEncoding}
	case tree.Object:
		return heldObject(v)
	case tree.Scalar:
	}
	return TextBody(v.Text)
}

func heldObject(v tree.Value) Body {
	if coded := v.Get("base64_string"); coded.Kind == tree.Scalar {
		plain, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(coded.Text), ""))
		if err != nil {
			return Body{Doubt: DoubtEncoding}
		}
		return Body{Bytes: plain}
	}
	text := v.Get("string")
	switch {
	case text.Kind == tree.Object, text.Kind == tree.List:
		return Body{Doubt: DoubtEncoding}
	case !keepsBytes(v.Get("encoding").Text) && !isASCII(text.Text):
		return Body{Bytes: []byte(text.Text), Doubt: DoubtEncoding}
	}
	return TextBody(text.Text)
}

// TextBody returns a body that the recording holds as text. It is in doubt where the tool replaced bytes.
func TextBody(text string) Body {
	if utf8.ValidString(text) && strings.Contains(text, "\uFFFD") { // as opposed to what was marked as binary
		return Body{Bytes: []byte(text), Doubt: DoubtDamaged}
	}
	return Body{Bytes: []byte(text)}
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

// BodyIn takes the body of a message where the tools have it: as text, as a value that was read from it, or, for httpx,
// as its content.
func BodyIn(message tree.Value) Body {
	if parsed := message.Get("parsed_body"); parsed.Kind != tree.Null {
		return Body{Bytes: parsed.AppendJSON(nil), IsUnsized: true}
	}
	if body := message.Get("body"); body.Kind != tree.Null {
		return BodyOf(body)
	}
	return BodyOf(message.Get("content"))
}

// IsEmpty reports whether the body is certainly empty.
func (h Body) IsEmpty() bool { return len(h.Bytes) == 0 && h.Doubt == "" }

// judgeLength compares a body with its recorded length, and returns why it may be incomplete, and its size on the wire.
func (h Body) judgeLength(declared int64, headers recording.Headers) (doubt string, size int64) {
	n := int64(len(h.Bytes))
	switch {
	case h.Doubt != "":
		return h.Doubt, declared
	case h.IsUnsized:
		return "", declared
	case declared < 0 || declared == n:
		return "", n
	case n == 0:
		return DoubtMissing, declared
	case mayHaveHad(h.Bytes, declared, headers):
		return "", declared
	}
	return fmt.Sprintf("the recording has %d bytes of a body that had %d: the body was changed after it was received", n,
		declared), declared
}

// ContentLength returns the Content-Length of a message, -1 without one.
func ContentLength(headers recording.Headers, field tree.Value) int64 {
	for _, text := range []string{headers.Value("Content-Length"), field.Text} {
		if n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64); err == nil && n >= 0 {
			if text == field.Text && n == 0 {
				return -1 // also what is not known
			}
			return n
		}
	}
	return -1
}

// Doubts about a body.
const (
	DoubtMissing   = "the recording does not contain the body"
	DoubtDamaged   = "the recording tool damaged the body: it replaced bytes that are not text"
	DoubtEncoding  = "the recording has the body in an encoding that cannot be read"
	DoubtTruncated = "the recording has only the beginning of the body"
)
