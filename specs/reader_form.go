package specs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"
)

// fields returns the fields of a form.
func (r *Reader) fields(sent Sent) (fields url.Values, isForm bool, err error) {
	if sent.ContentType == mediaJSON || len(sent.Body) == 0 || !r.Accepts(mediaForm) {
		return nil, false, nil
	}
	mediaType, parameters, err := mime.ParseMediaType(sent.ContentType)
	if err != nil || mediaType == mediaJSON || !r.Accepts(mediaType) {
		return nil, false, nil //nolint:nilerr // the validator refuses the type
	}
	if mediaType == mediaMultipart {
		fields, err = multipartFields(sent.Body, parameters["boundary"], false)
	} else {
		fields, err = url.ParseQuery(string(sent.Body))
	}
	for name, separator := range r.separators {
		if values := fields[name]; len(values) == 1 {
			fields[name] = strings.Split(values[0], separator)
		}
	}
	for name, values := range fields {
		if err == nil && !(utf8.ValidString(name) && !slices.ContainsFunc(values, notUTF8)) {
			err = fmt.Errorf("a field is not UTF-8")
		}
	}
	return fields, true, err
}

func notUTF8(text string) bool { return !utf8.ValidString(text) }

// maxFields is the number of fields that a form may have, the same as in net/url for the other kind.
const maxFields = 10_000

// Multipart returns the JSON object of a schema that the parts of a body stand for, with the names of files in place of
// what they hold; nil if the body is not of that kind.
func (r *Reader) Multipart(schema *openapi3.Schema, contentType string, body []byte) []byte {
	mediaType, parameters, err := mime.ParseMediaType(contentType)
	if err != nil || mediaType != mediaMultipart {
		return nil
	}
	fields, err := multipartFields(body, parameters["boundary"], true)
	if err != nil {
		return nil
	}
	text, err := json.Marshal(r.object(schema, fields))
	if err != nil {
		return nil
	}
	return text
}

// multipartFields returns the fields of a form in parts: of files, what they hold, or their names.
func multipartFields(body []byte, boundary string, namesFiles bool) (url.Values, error) {
	if boundary == "" {
		return nil, fmt.Errorf("the Content-Type has no boundary")
	}
	fields := url.Values{}
	parts := multipart.NewReader(bytes.NewReader(body), boundary)
	for {
		if len(fields) > maxFields {
			return nil, fmt.Errorf("it has more than %d fields", maxFields)
		}
		part, err := parts.NextPart()
		if err == io.EOF { //nolint:errorlint // NextPart documents the bare value; a wrapped one is a body that was cut
			return fields, nil
		}
		if err != nil {
			return nil, err
		}
		value, err := io.ReadAll(part)
		if err != nil {
			return nil, err
		}
		if name := part.FileName(); namesFiles && name != "" {
			value = []byte(name)
		}
		fields.Add(part.FormName(), string(value))
	}
}

// moveParameters moves the parameters of the query out of a form. They come before those in the query itself.
func (r *Reader) moveParameters(fields url.Values, read *Read) {
	for _, p := range r.parameters {
		values, found := fields[p.name]
		if !found || bodyMember(r.body, p.name) != nil {
			continue
		}
		if read.Query == nil {
			read.Query = url.Values{}
		}
		delete(fields, p.name)
		read.Query[p.name], read.Changed.Query = values, true
	}
}
