package specs

import (
	"bytes"
	"cmp"
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
		fields, err = multipartFields(sent.Body, parameters["boundary"], nil)
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

// Multipart returns the JSON object that the parts of a body stand for, with the names of files in place of what they
// hold; nil if the body is not of that kind. An error says why it cannot be read, or which part has a media type that
// the document does not want.
func (r *Reader) Multipart(media *openapi3.MediaType, contentType string, body []byte) ([]byte, error) {
	mediaType, parameters, err := mime.ParseMediaType(contentType)
	if err != nil || mediaType != mediaMultipart || media.Schema == nil {
		return nil, nil //nolint:nilerr // it is no form in parts
	}
	fields, err := multipartFields(body, parameters["boundary"], media)
	if err != nil {
		return nil, err
	}
	return json.Marshal(r.object(media.Schema.Value, fields))
}

// multipartFields returns the fields of a form in parts: of files, what they hold, or their names where the document
// describes the parts.
func multipartFields(body []byte, boundary string, media *openapi3.MediaType) (url.Values, error) {
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
		name, kind := part.FormName(), part.Header.Get("Content-Type")
		if file := part.FileName(); media != nil && file != "" {
			value = []byte(file)
		}
		if media != nil && !TakesPart(media.Encoding[name], kind) {
			return nil, fmt.Errorf("%s: want %s, not %s", name, media.Encoding[name].ContentType, TypeOfPart(kind))
		}
		fields.Add(name, string(value))
	}
}

// TypeOfPart returns the media type in the Content-Type of a part, which is a plain text without one (RFC 7578, 4.4).
func TypeOfPart(contentType string) string {
	name, _, _ := strings.Cut(strings.ToLower(cmp.Or(contentType, "text/plain")), ";")
	return strings.TrimSpace(name)
}

// TakesPart reports whether a part may have a Content-Type. An encoding may list several media types, and ranges such
// as image/* (3.0 and 3.1, Encoding Object); nil and an empty list have all.
func TakesPart(encoding *openapi3.Encoding, contentType string) bool {
	if encoding == nil || encoding.ContentType == "" {
		return true
	}
	kind := TypeOfPart(contentType)
	return slices.ContainsFunc(strings.Split(encoding.ContentType, ","), func(wanted string) bool {
		wanted = TypeOfPart(wanted)
		family, isRange := strings.CutSuffix(wanted, "*")
		return wanted == kind || isRange && strings.HasPrefix(kind, strings.TrimPrefix(family, "*/"))
	})
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
