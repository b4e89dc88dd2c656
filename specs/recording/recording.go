// Package recording is the common form of recorded traffic: exchanges, one request and its response each. The mock
// writes it, the contract suite reads it, and a recorder in a test writes it too. One exchange a line of NDJSON is the
// canonical form; HAR 1.2 is written for the tools that want it.
package recording

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"
)

// JSONSchema is the JSON Schema, draft 2020-12, of an exchange: a line of NDJSON.
//
//go:embed exchange.schema.json
var JSONSchema string

// Exchange is one request and its response.
type Exchange struct {
	Seq       int64     `json:"seq"`                // from 1, in the order in which the answers were committed
	Start     time.Time `json:"start"`              // when the request arrived
	End       time.Time `json:"end"`                // when the answer was complete
	Overlaps  int64     `json:"overlaps,omitempty"` // how many exchanges right before it ended while it was under way
	World     string    `json:"world,omitempty"`
	Epoch     int64     `json:"epoch,omitempty"`     // how often the world had been reset, restored or replaced
	Operation string    `json:"operation,omitempty"` // such as workflow.getPool; empty where no operation fits
	Request   Request   `json:"request"`
	Response  *Response `json:"response,omitempty"` // nil when no response was seen
	Redacted  []string  `json:"redacted,omitempty"` // names of headers, or JSON pointers into bodies
	Notes     []string  `json:"notes,omitempty"`    // what the mock saw but let pass, such as an off-contract request
	Fault     string    `json:"fault,omitempty"`    // what a fault of the mock did to the request, as Fault writes it
}

// Request is the request as the client sent it. URL is absolute.
type Request struct {
	Method  string  `json:"method"`
	URL     string  `json:"url"`
	Headers Headers `json:"headers"`
	Body    *Body   `json:"body,omitempty"`
}

// Response is the answer of the server. Status 0 means that the connection broke before one was seen.
type Response struct {
	Status  int     `json:"status"`
	Headers Headers `json:"headers"`
	Body    *Body   `json:"body,omitempty"`
}

// Headers keeps the order and the repetitions of header lines, each a pair of name and value.
type Headers [][2]string

// Body is the bytes as they went over the wire: {"text":…} when they are UTF-8, else {"base64":…}.
type Body struct {
	Bytes     []byte
	Truncated bool // the recording holds only the beginning

	// Of a truncated body that was seen whole: how many bytes it has on the wire, and their digest in hexadecimal.
	Size   int64
	SHA256 string
}

type wireBody struct {
	Text      *string `json:"text,omitempty"`
	Base64    *string `json:"base64,omitempty"`
	Truncated bool    `json:"truncated,omitempty"`
	Size      int64   `json:"size,omitempty"`
	SHA256    string  `json:"sha256,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (b Body) MarshalJSON() ([]byte, error) {
	w := wireBody{Truncated: b.Truncated, Size: b.Size, SHA256: b.SHA256}
	if utf8.Valid(b.Bytes) {
		text := string(b.Bytes)
		w.Text = &text
	} else {
		text := base64.StdEncoding.EncodeToString(b.Bytes)
		w.Base64 = &text
	}
	return marshal(w)
}

// UnmarshalJSON implements json.Unmarshaler.
func (b *Body) UnmarshalJSON(data []byte) error {
	var w wireBody
	if err := json.Unmarshal(data, &w); err != nil {
		return err
	}
	b.Truncated, b.Size, b.SHA256 = w.Truncated, w.Size, w.SHA256
	switch {
	case w.Text != nil && w.Base64 != nil:
		return fmt.Errorf("body: want text or base64, not both")
	case w.Base64 != nil:
		plain, err := base64.StdEncoding.DecodeString(*w.Base64)
		if err != nil {
			return fmt.Errorf("body: base64: %w", err)
		}
		b.Bytes = plain
	case w.Text != nil:
		b.Bytes = []byte(*w.Text)
	}
	return nil
}

// Write appends the exchange to w as one line of NDJSON, in one call of w.Write, so that a recording that is cut off
// anywhere loses at most its last line.
//
// A line that w takes only in part is an error.
func Write(w io.Writer, e *Exchange) error {
	line, err := Line(e)
	if err != nil {
		return err
	}
	n, err := w.Write(line)
	if err == nil && n < len(line) {
		err = io.ErrShortWrite
	}
	return err
}

// Line returns the exchange as one line of NDJSON, its end included.
func Line(e *Exchange) ([]byte, error) {
	line, err := encode(e)
	if err != nil {
		return nil, fmt.Errorf("write exchange %d: %w", e.Seq, err)
	}
	return line, nil
}

// Numbered returns a line of an exchange without a number and overlaps as one with them. It is for writers that make
// lines side by side, and know the number of each only when it is its turn.
func Numbered(line []byte, seq, overlaps int64) ([]byte, error) {
	rest, found := bytes.CutPrefix(line, []byte(`{"seq":0,`))
	if !found {
		return nil, fmt.Errorf("number exchange %d: want a line that begins with \"seq\":0", seq)
	}
	numbered := fmt.Appendf(make([]byte, 0, len(line)+64), `{"seq":%d,`, seq)
	if overlaps > 0 {
		numbered = fmt.Appendf(numbered, `"overlaps":%d,`, overlaps)
	}
	return append(numbered, rest...), nil
}

// marshal is json.Marshal without the escaping that only a browser needs.
func marshal(v any) ([]byte, error) {
	line, err := encode(v)
	return bytes.TrimSuffix(line, []byte("\n")), err
}

// encode marshals a value, with a newline at the end.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return b.Bytes(), err
}

// FaultHeader is the header by which an answer of the mock names the fault that was applied to its request.
const FaultHeader = "X-Understudy-Fault"

// Effects of a request to which a fault was applied: how often its operation took effect.
const (
	EffectNone  = "none"
	EffectOnce  = "once"
	EffectTwice = "twice"
)

// ProbeHeader is the header by which a request of understudy probe says what it tries: ProbeValid, or what its document
// forbids about it.
const (
	ProbeHeader = "X-Understudy-Probe"
	ProbeValid  = "valid"
)

// ExpectHeader is the header by which a request of understudy probe says what its answer has to show after requests
// before: a JSON pointer, a space, and the value there as a text. In a pointer, * is any item of a list.
const ExpectHeader = "X-Understudy-Expect"

// Fault describes what a mock did to a request because of a planned fault. Its text, as FaultHeader and Exchange.Fault
// have it, is a token with parameters of RFC 8941, such as
//
//	fault-1; answer=injected; effect=once
type Fault struct {
	ID       string // of the fault in the mock's plan
	Effect   string // EffectNone, EffectOnce or EffectTwice; empty if it is not known
	Injected bool   // the answer, or that there is none, was made up; otherwise it is the operation's own
}

// String returns the text that ParseFault reads.
func (f Fault) String() string {
	text := f.ID + "; answer=own"
	if f.Injected {
		text = f.ID + "; answer=injected"
	}
	if f.Effect != "" {
		text += "; effect=" + f.Effect
	}
	return text
}

// faultForm is the form of a fault's text. JSONSchema has the same.
var faultForm = regexp.MustCompile("^[A-Za-z*][A-Za-z0-9!#$%&'*+.^_`|~:/-]*" +
	"( *; *(answer=(injected|own)|effect=(none|once|twice)))*$")

// ParseFault reads the text of a fault, and reports whether it is one. An answer was injected if the text does not say
// whose it is.
func ParseFault(text string) (f Fault, ok bool) {
	if !faultForm.MatchString(text) {
		return Fault{}, false
	}
	id, parameters, _ := strings.Cut(text, ";")
	f = Fault{ID: strings.TrimRight(id, " "), Injected: true}
	for parameter := range strings.SplitSeq(parameters, ";") {
		switch name, value, _ := strings.Cut(strings.Trim(parameter, " "), "="); name {
		case "answer":
			f.Injected = value == "injected"
		case "effect":
			f.Effect = value
		}
	}
	return f, true
}

// InjectedFault returns the fault of an exchange whose answer, or the lack of one, was made up, and reports whether
// there is one.
func (e *Exchange) InjectedFault() (f Fault, ok bool) {
	f, ok = ParseFault(e.Fault)
	return f, ok && f.Injected
}
