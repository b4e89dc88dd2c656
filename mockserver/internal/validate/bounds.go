package validate

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/op"
)

// The limits of a request's body. They are the mock's own.
const (
	maxValues = 200_000 // JSON values in a body, lists and objects included
	maxListed = 10_000  // values in a body up to which all mistakes are reported, and not only the first
)

// refuseHuge refuses a JSON body of so many values that they would take many times its bytes. It passes invalid JSON,
// which its reader refuses.
func refuseHuge(body []byte) error {
	if countBound(body) <= maxValues {
		return nil
	}
	decoder := jsontext.NewDecoder(bytes.NewBuffer(body), jsontext.AllowDuplicateNames(true),
		jsontext.AllowInvalidUTF8(true))
	for n := 0; ; {
		token, err := decoder.ReadToken()
		if errors.Is(err, io.EOF) || err != nil {
			return nil //nolint:nilerr // what is wrong with it is reported where it is read
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

// countBound returns an upper bound of the number of values and names in a JSON text.
func countBound(body []byte) int {
	n := 1
	for _, sign := range []byte(",[{:") {
		n += bytes.Count(body, []byte{sign})
	}
	return n
}

// size returns the number of values in a decoded value, or a number above limit.
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
