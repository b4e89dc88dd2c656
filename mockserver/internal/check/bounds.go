package check

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/op"
)

// What a request's body may cost. The limits are the mock's own.
const (
	maxValues = 200_000 // JSON values in a body, lists and objects included
	maxListed = 10_000  // values in a body of which more than the first mistake is reported
)

// bounded refuses a JSON body of so many values that they would take many times its bytes. Invalid JSON is left to
// those who read it.
func bounded(body []byte) error {
	if mayHold(body) <= maxValues {
		return nil
	}
	decoder := jsontext.NewDecoder(bytes.NewBuffer(body), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for n := 0; ; {
		token, err := decoder.ReadToken()
		if errors.Is(err, io.EOF) || err != nil {
			return nil //nolint:nilerr // what is wrong with it is told where it is read
		}
		if kind := token.Kind(); kind != '}' && kind != ']' {
			n++
		}
		if n > maxValues {
			return &op.Error{Code: op.CodeTooLarge, Message: fmt.Sprintf(
				"the request body has more than %d values; send fewer at a time", maxValues)}
		}
	}
}

// mayHold returns how many values and names a JSON text has at most.
func mayHold(body []byte) int {
	n := 1
	for _, sign := range []byte(",[{:") {
		n += bytes.Count(body, []byte{sign})
	}
	return n
}

// size returns how many values a decoded value has, or more than limit.
func size(value any, limit int) int {
	n := 1
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			if n > limit {
				break
			}
			n += size(item, limit-n)
		}
	case map[string]any:
		for _, item := range value {
			if n > limit {
				break
			}
			n += size(item, limit-n)
		}
	}
	return n
}
