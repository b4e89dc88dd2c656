package capture

import (
	"bytes"
	"errors"
	"io"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/specs/recording"
)

// inJSON makes a decoder of a function that reads an entry in JSON.
func inJSON(read func(r Record, entry value) (draft, error)) decoder {
	return func(r Record) (Item, error) {
		entry, err := parseJSON(r.raw)
		if err != nil {
			return Item{}, r.malformed(err)
		}
		d, err := read(r, entry)
		if err != nil {
			return Item{}, r.malformed(err)
		}
		return r.itemOf(d)
	}
}

func parseJSON(raw []byte) (value, error) {
	v, err := new(tree).ofJSON(jsontext.NewDecoder(bytes.NewReader(raw), tolerant), 0)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return v, err
}

// errNotRecorded is in the error of an entry that stands for unrecorded requests: a note, not a fault.
var errNotRecorded = errors.New("not a recorded exchange")

// fold walks down by keys like get, whatever their case.
func (v value) fold(path ...string) value {
	for _, key := range path {
		next := value{}
		for i, k := range v.keys {
			if strings.EqualFold(k, key) {
				next = v.items[i]
			}
		}
		v = next
	}
	return v
}

// named returns the texts of objects with a name and values, as in [{"name": "A", "value": "b"}]. Those that are
// disabled are left out.
func (v value) named(name, text string) recording.Headers {
	headers := recording.Headers{}
	for _, item := range v.items {
		if item.get("disabled").text == "true" {
			continue
		}
		for _, each := range item.get(text).all() {
			headers = append(headers, [2]string{item.get(name).text, each})
		}
	}
	return headers
}

// heldValue takes a body that is a text, or the value that was read from it.
func heldValue(v value) held {
	if v.kind == object || v.kind == list {
		return held{bytes: v.appendJSON(nil), isUnsized: true}
	}
	return heldText(v.text)
}

// heldBase64 takes a body in base64.
func heldBase64(text string) held {
	plain, err := decodePieces(text)
	if err != nil {
		return held{doubt: doubtEncoding}
	}
	return held{bytes: plain}
}

// withQuery adds parameters to a URL.
func withQuery(address string, parameters recording.Headers) string {
	parts := make([]string, 0, len(parameters))
	for _, p := range parameters {
		parts = append(parts, url.QueryEscape(p[0])+"="+url.QueryEscape(p[1]))
	}
	switch {
	case len(parts) == 0:
		return address
	case strings.Contains(address, "?"):
		return address + "&" + strings.Join(parts, "&")
	}
	return address + "?" + strings.Join(parts, "&")
}
