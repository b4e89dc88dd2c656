package validate

import (
	"fmt"
	"strings"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/specs"
)

const (
	mediaJSON      = "application/json"
	mediaForm      = "application/x-www-form-urlencoded"
	mediaMultipart = "multipart/form-data"
)

// Read reads a request in the way of the platform's framework, in place: its query and its body get the form that
// handlers receive. A form becomes the JSON object that it stands for.
func (o *Operation) Read(r *Request) error {
	r.media = o.mediaOf(r)
	if o.isJSON(r.media) {
		if err := refuseHuge(r.Body, r.Received); err != nil {
			return err
		}
	}
	read, err := o.spec.Reader.Read(specs.Sent{Query: r.Query, ContentType: r.contentType(), Body: r.Body})
	if err != nil {
		return op.Invalid("", "the request body is not a valid form: %v", err)
	}
	r.Query, r.Body, r.read = read.Query, read.Body, read.Changed.Body
	return nil
}

// isJSON reports whether a body of a media type is read as JSON.
func (o *Operation) isJSON(name string) bool {
	m, ok := o.body.media.find(name)
	return isJSON(name) || ok && m.json
}

// contentType returns the header, or the guessed media type of a body without one.
func (r *Request) contentType() string {
	if header := r.Header.Get("Content-Type"); header != "" {
		return header
	}
	return r.media
}

// mediaOf returns the media type of a request's body. Without a header it is guessed from the document and the body.
func (o *Operation) mediaOf(r *Request) string {
	name := MediaType(o.spec.Reader.ContentType(r.Header.Get("Content-Type")))
	if name != "" {
		return name
	}
	if len(o.body.media) == 1 && !o.spec.Reader.Accepts(mediaForm) {
		return o.body.media[0].name
	}
	return specs.GuessType(r.Body)
}

// requestBody returns an error for the deviations of the body, as Read has left it, from the document.
func (o *Operation) requestBody(r *Request) error {
	if !o.body.declared {
		return nil // an unwanted body is ignored, as by the platform
	}
	if len(r.Body) == 0 {
		if o.body.required {
			return op.Invalid("", "the request has no body; want %s", o.body.media.names())
		}
		return nil
	}
	name := r.media
	if r.read { // the platform reads the type although the document may not list it
		name = o.spec.Reader.MediaType()
	}
	m, ok := o.body.media.find(name)
	if !ok {
		return &op.Error{
			Code: op.CodeMediaType, Field: "Content-Type",
			Message: fmt.Sprintf("%q is not accepted; want %s", r.media, o.body.media.names()),
		}
	}
	if m.schema == nil {
		return nil
	}
	text := r.Body
	switch content := o.spec.Spec.RequestBody.Value.Content[mediaMultipart]; {
	case r.media == mediaMultipart && content != nil && o.spec.Interface.IsOwn():
		parts, err := o.spec.Reader.Multipart(content, r.contentType(), r.Body)
		if err != nil {
			return op.Invalid("", "the request body is not a valid form: %v", err)
		}
		text = parts
	case !r.read && !m.json && r.media != mediaJSON:
		return nil
	}
	if m.schema.acceptsText(text) {
		return nil
	}
	value, err := decodeJSON(text)
	if err != nil {
		return op.Invalid("", "the request body is not valid JSON: %v", strings.TrimPrefix(err.Error(), "jsontext: "))
	}
	return m.schema.check("", value)
}

// MediaTypes returns the media types that a body may have, as a text for messages.
func (o *Operation) MediaTypes() string { return o.body.media.names() }
