package plant

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/url"
	"regexp"
	"strings"
)

// Find returns what is left of secrets in a text, with a few bytes around each, also in texts of JSON, percent-encoded,
// in base64 and compressed with gzip.
func Find(text []byte) (left []string) {
	seen := map[string]bool{}
	var look func(text []byte, depth int)
	look = func(text []byte, depth int) {
		if depth > 6 || seen[string(text)] {
			return
		}
		seen[string(text)] = true
		left = append(left, around(text)...)
		for _, inner := range decoded(text) {
			look(inner, depth+1)
		}
	}
	for line := range bytes.Lines(text) {
		look(line, 0)
	}
	return left
}

// markers are those of secrets, as they are and in base64, where their neighbours decide on the outer letters.
var markers = func() (list [][]byte) {
	for _, marker := range []string{Marker, KeyMarker} {
		list = append(list, []byte(marker))
	}
	return list
}()

// around returns the places of markers.
func around(text []byte) (list []string) {
	for _, marker := range markers {
		for at := 0; ; {
			i := bytes.Index(text[at:], marker)
			if i < 0 {
				break
			}
			i += at
			list = append(list, string(text[max(0, i-60):min(len(text), i+60)]))
			at = i + len(marker)
		}
	}
	return list
}

var inBase64 = regexp.MustCompile(`[A-Za-z0-9+/_-]{16,}={0,2}`)

// decoded returns what a text may stand for.
func decoded(text []byte) (list [][]byte) {
	var value any
	if json.Unmarshal(text, &value) == nil {
		list = append(list, texts(value)...)
	} else if bytes.Contains(text, []byte(`\u`)) {
		list = append(list, unescaped(text))
	}
	if bytes.IndexByte(text, '%') >= 0 {
		if plain, err := url.QueryUnescape(string(text)); err == nil && plain != string(text) {
			list = append(list, []byte(plain))
		} else {
			list = append(list, unpercented(text))
		}
	}
	if bytes.HasPrefix(text, []byte{0x1f, 0x8b}) {
		if r, err := gzip.NewReader(bytes.NewReader(text)); err == nil {
			plain, _ := io.ReadAll(r) // as far as it can be read
			list = append(list, plain)
		}
	}
	for _, found := range inBase64.FindAll(text, -1) {
		found = bytes.TrimRight(found, "=")
		standard := strings.NewReplacer("-", "+", "_", "/").Replace(string(found))
		for cut := range min(4, len(standard)) { // it may begin anywhere
			part := standard[cut:]
			plain, _ := base64.RawStdEncoding.DecodeString(part[:len(part)/4*4])
			if bytes.Contains(plain, []byte(Marker)) || bytes.Contains(plain, []byte(KeyMarker)) ||
				bytes.HasPrefix(plain, []byte{0x1f, 0x8b}) {
				list = append(list, plain)
			}
		}
	}
	return list
}

// texts returns all texts in a value of JSON, names included.
func texts(value any) (list [][]byte) {
	switch value := value.(type) {
	case string:
		return [][]byte{[]byte(value)}
	case []any:
		for _, item := range value {
			list = append(list, texts(item)...)
		}
	case map[string]any:
		for name, item := range value {
			list = append(append(list, []byte(name)), texts(item)...)
		}
	}
	return list
}

var escape = regexp.MustCompile(`\\u00([0-9a-fA-F]{2})|%([0-9a-fA-F]{2})`)

func unescaped(text []byte) []byte { return unpercented(text) }

// unpercented undoes the escapes in a text that is not well-formed.
func unpercented(text []byte) []byte {
	return escape.ReplaceAllFunc(text, func(found []byte) []byte {
		plain, err := url.PathUnescape("%" + string(found[len(found)-2:]))
		if err != nil {
			return found
		}
		return []byte(plain)
	})
}
