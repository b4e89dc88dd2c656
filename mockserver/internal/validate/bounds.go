package validate

import (
	"bytes"
	"fmt"

	"svc.example/understudy/mockserver/internal/op"
)

// The limits of a request's body. They are the mock's own.
const (
	maxValues = 200_000  // names and values in JSON, lists and objects included
	maxWord   = 64 << 10 // bytes of a name or a number

	// Of an operation that takes whole worlds: how many values there may be for each byte that was received, and how few
	// bytes of JSON for each value.
	valuesPerByte, bytesPerValue = 4, 4
)

// refuseHuge refuses a JSON body whose values would take many times the bytes that were received. It passes invalid
// JSON, which its reader refuses.
func refuseHuge(body []byte, received int) error {
	if len(body) <= maxWord {
		return nil
	}
	most := max(maxValues, min(valuesPerByte*received, len(body)/bytesPerValue))
	values := 0
	for rest := body; len(rest) > 0; {
		word := firstWord(rest)
		rest = rest[max(len(word), 1):]
		if len(word) == 0 {
			continue
		}
		if values++; values > most {
			return tooLarge("has more than %d values; send fewer at a time", most)
		}
		if len(word) > maxWord && (word[0] != '"' || bytes.HasPrefix(bytes.TrimLeft(rest, blanks), []byte(":"))) {
			return tooLarge("has a name or a number of %d bytes; want at most %d", len(word), maxWord)
		}
	}
	return nil
}

func tooLarge(format string, args ...any) error {
	return &op.Error{Code: op.CodeTooLarge, Message: "the request body " + fmt.Sprintf(format, args...)}
}

const blanks = " \t\r\n"

// firstWord returns what a JSON text begins with: a text with its quotes, a number or a name such as null, or the sign
// that begins a list or an object; nothing if it begins with another sign or a blank.
func firstWord(text []byte) []byte {
	switch text[0] {
	case '"':
		return text[:endOfText(text)]
	case '[', '{':
		return text[:1]
	case ']', '}', ',', ':', ' ', '\t', '\r', '\n':
		return nil
	}
	end := 1
	for end < len(text) && isPlain(text[end]) {
		end++
	}
	return text[:end]
}

// endOfText returns where a text ends that begins with a quote.
func endOfText(text []byte) int {
	for end := 1; ; {
		quote := bytes.IndexByte(text[end:], '"')
		if quote < 0 {
			return len(text)
		}
		end += quote + 1
		before := bytes.TrimRight(text[1:end-1], `\`)
		if escapes := end - 2 - len(before); escapes%2 == 0 {
			return end
		}
	}
}

// isPlain reports whether a character may stand in a number, or in a name such as null.
func isPlain(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || c == '.' || c == '-' || c == '+' || c == 'E'
}
