package record

import (
	"bytes"
	"mime"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/specs/recording"
)

const (
	maxDeflate  = 1032 // times that a compressed body grows at most
	overhead    = 32   // bytes that compression adds to what is too short for it
	widestASCII = 6    // bytes of a character that is written as \u003c
)

// mayHaveHad reports whether a body that had a number of bytes on the wire is whole all the same: recorders decode
// bodies, write them in UTF-8 and lay them out anew. One that is cut, or that was replaced by a shorter one, is not.
func mayHaveHad(body []byte, declared int64, headers recording.Headers) bool {
	n := int64(len(body))
	isDecoded := declared < n && n <= declared*maxDeflate
	mediaType, parameters, _ := mime.ParseMediaType(headers.Value("Content-Type"))
	if IsWholeJSON(mediaType, body) {
		return isDecoded || n < declared && declared <= widest(body)+overhead
	}
	switch {
	case strings.HasSuffix(mediaType, "json") || !utf8.Valid(body):
		return false
	case isDecoded && headers.Value("Content-Encoding") != "":
		return true
	}
	return sameText(body, declared, strings.ToLower(parameters["charset"]))
}

// IsWholeJSON reports whether a body is JSON that shows where it ends: a number may lack digits.
func IsWholeJSON(mediaType string, body []byte) bool {
	text := bytes.TrimSpace(body)
	if mediaType != "" && !strings.HasSuffix(mediaType, "json") || len(text) == 0 ||
		!strings.ContainsRune(`{["`, rune(text[0])) {
		return false
	}
	return jsontext.Value(body).IsValid(Lenient)
}

// widest returns how many bytes JSON has at most when it is laid out and escaped as generously as serialisers do.
func widest(body []byte) (n int64) {
	wide := jsontext.Value(bytes.Clone(body))
	if err := wide.Format(Lenient, jsontext.Multiline(true), jsontext.WithIndent("    ")); err != nil {
		return int64(len(body))
	}
	for _, r := range string(wide) {
		switch {
		case r == '\n', r == '/':
			n += 2
		case strings.ContainsRune("<>&'", r):
			n += widestASCII
		case r > 0x7f:
			n += int64(widestASCII * utf16.RuneLen(r))
		default:
			n++
		}
	}
	return n
}

// sameText reports whether a text had a number of bytes in its charset, with other ends of lines, or with or without a
// last one.
func sameText(body []byte, declared int64, charset string) bool {
	n, runes := int64(len(body)), int64(utf8.RuneCount(body))
	lines := int64(bytes.Count(body, []byte{'\n'}))
	switch charset {
	case "", "utf-8", "us-ascii":
	case "utf-16", "utf-16le", "utf-16be":
		units := int64(len(utf16.Encode([]rune(string(body)))))
		return declared == 2*units || declared == 2*units+2
	default:
		return declared == runes
	}
	return declared == n+lines || declared == n+1 || declared < n && declared >= n-2 && bytes.HasSuffix(body, []byte{'\n'})
}
