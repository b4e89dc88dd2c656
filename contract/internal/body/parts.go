package body

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
)

// decodeParts reads a body of several parts, of which the document says nothing one by one, to its end.
func decodeParts(text []byte, boundary string) (d Decoded, reason string) {
	if boundary == "" {
		return d, "the Content-Type has no boundary between the parts"
	}
	parts := multipart.NewReader(bytes.NewReader(text), boundary)
	for n := 1; ; n++ {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) && bytes.Contains(text, []byte("--"+boundary+"--")) { // the end, and not only of the text
			return Decoded{Values: []any{string(text)}}, ""
		}
		if err == nil {
			_, err = io.Copy(io.Discard, part)
		}
		if err != nil {
			return d, fmt.Sprintf("part %d of the body is damaged or cut off", n)
		}
	}
}
