package capture

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/specs/recording"
)

// The lists of interactions, as go-vcr and VCR.py name it, and as Ruby VCR does.
const (
	interactions     = "interactions"
	httpInteractions = "http_interactions"
)

func decodeJSONInteraction(r Record) (Item, error) {
	v, err := new(tree).ofJSON(jsontext.NewDecoder(bytes.NewReader(r.raw), tolerant), 0)
	if err != nil {
		return Item{}, r.malformed(err)
	}
	return r.interaction(v)
}

func (r Record) malformed(err error) error {
	return &ReadError{Place: r.Place, Kind: Malformed, Err: fmt.Errorf("interaction %d: %w", r.Entry, err)}
}

// interaction makes an item of what the three tools write, which differs in names and in how much is nested.
func (r Record) interaction(v value) (Item, error) {
	request, response := v.get("request"), v.get("response")
	method := strings.ToUpper(request.get("method").symbol())
	address := request.get("url")
	if address.kind != scalar {
		address = request.get("uri")
	}
	if method == "" || address.text == "" {
		return Item{}, r.malformed(errors.New("it has no request with a method and a url or uri"))
	}
	item := Item{Place: r.Place, RequestSize: -1, ResponseSize: -1, Exchange: &recording.Exchange{
		Request: recording.Request{Method: method, URL: address.text, Headers: headersOf(request.get("headers"))},
	}}
	if at := timeOf(v.get("recorded_at").text); !at.IsZero() {
		item.Start, item.End = at, at // of the answer, in seconds; when it began is not told
	}
	if host := request.get("host").text; host != "" && strings.HasPrefix(address.text, "/") {
		item.Request.Headers = append(item.Request.Headers, [2]string{"Host", host})
	}
	requested(&item, request)
	return item, r.answered(&item, response)
}

func requested(item *Item, request value) {
	held := heldBody(request.get("body"))
	if form := request.get("form"); len(held.bytes) == 0 && held.doubt == "" && form.kind == object {
		held.bytes = formOf(form)
	}
	told := contentLength(item.Request.Headers, request.get("content_length"))
	item.RequestDoubt, item.RequestSize = held.against(told)
	if len(held.bytes) > 0 {
		item.Request.Body = &recording.Body{Bytes: held.bytes}
	}
}

func (r Record) answered(item *Item, response value) error {
	code := statusOf(response)
	if response.kind == null || code.text == "0" {
		return nil // no response was seen
	}
	status, err := strconv.Atoi(code.text)
	if err != nil || status < 100 || status > 999 {
		return r.malformed(fmt.Errorf("its response has the status %.40q: want a number such as 200", code.text))
	}
	a := &recording.Response{Status: status, Headers: headersOf(response.get("headers"))}
	item.Response = a
	if status == http.StatusNoContent || status == http.StatusNotModified || item.Request.Method == http.MethodHead {
		item.ResponseSize = 0
		return nil
	}
	body := response.get("body")
	if body.kind == null {
		body = response.get("content") // likewise
	}
	held := heldBody(body)
	told := contentLength(a.Headers, response.get("content_length"))
	if response.get("uncompressed").text == "true" {
		told = -1 // it is of the body as it was compressed
	}
	item.ResponseDoubt, item.ResponseSize = held.against(told)
	if len(held.bytes) > 0 {
		a.Body = &recording.Body{Bytes: held.bytes}
	}
	return nil
}

// statusOf is the status where go-vcr has it, VCR.py and Ruby VCR, or VCR.py before 6 for httpx.
func statusOf(response value) value {
	for _, path := range [][]string{{"code"}, {"status", "code"}, {"status_code"}} {
		if code := response.get(path...); code.kind == scalar {
			return code
		}
	}
	return value{}
}

// headersOf takes lists of values, and single ones as VCR.py and filters write them.
func headersOf(v value) recording.Headers {
	headers := recording.Headers{}
	for i, name := range v.keys {
		for _, text := range v.items[i].all() {
			headers = append(headers, [2]string{name, text})
		}
	}
	return headers
}

// held is a body as a cassette holds it.
type held struct {
	bytes []byte
	doubt string
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

// against holds a body against the length that was told of it: filters and encodings change bodies and leave no other
// trace. The size is that on the wire.
func (h held) against(told int64) (doubt string, size int64) {
	n := int64(len(h.bytes))
	switch {
	case h.doubt != "":
		return h.doubt, told
	case told < 0 || told == n:
		return "", n
	case n == 0:
		return doubtMissing, told
	}
	return fmt.Sprintf("the recording holds %d bytes of a body that had %d: it was changed after it was received", n, told), told
}

// contentLength is what a message says of its length, -1 when it does not.
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

func formOf(v value) []byte {
	var parts []string
	for i, name := range v.keys {
		for _, text := range v.items[i].all() {
			parts = append(parts, url.QueryEscape(name)+"="+url.QueryEscape(text))
		}
	}
	return []byte(strings.Join(parts, "&"))
}

// timeOf reads the times that recording tools write. What is none of them is no time.
func timeOf(text string) time.Time {
	text = strings.TrimSpace(text)
	for _, layout := range []string{
		time.RFC3339Nano, http.TimeFormat, time.RFC1123Z, time.RFC1123, "2006-01-02T15:04:05.999999999Z0700",
		"2006-01-02 15:04:05.999999999 Z07:00", "2006-01-02 15:04:05.999999999 -0700", "2006-01-02 15:04:05.999999999 Z",
	} {
		if at, err := time.Parse(layout, text); err == nil {
			return at
		}
	}
	return time.Time{}
}
