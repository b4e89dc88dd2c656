package body

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
)

// decodeParts checks that a body of several parts, which the document does not describe, is complete.
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

func decodeMultipart(text []byte, header string, media *openapi3.MediaType) (d Decoded, reason string) {
	schema := media.Schema
	if schema == nil {
		schema = openapi3.NewSchemaRef("", openapi3.NewSchema())
	}
	encoding := func(name string) *openapi3.Encoding { return media.Encoding[name] }
	value, err := openapi3filter.MultipartBodyDecoder(
		bytes.NewReader(text), http.Header{"Content-Type": {header}}, schema, encoding)
	if err != nil {
		return d, "the form cannot be parsed"
	}
	return Decoded{Values: []any{value}}, ""
}
