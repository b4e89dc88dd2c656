package body

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime/multipart"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/specs"
)

const eventStream = "text/event-stream"

// EventSchema returns the schema of the events of a stream and its JSON pointer: the component that the media type
// names by x-event. It is nil if there is none.
func EventSchema(d *specs.Document, media *openapi3.MediaType) (*openapi3.SchemaRef, string) {
	name, _ := media.Extensions["x-event"].(string)
	if name == "" || d.T.Components == nil || d.T.Components.Schemas[name] == nil {
		return nil, ""
	}
	return d.T.Components.Schemas[name], "/components/schemas/" + specs.EscapePointer(name)
}

// decodeEvents reads the JSON of each event of a stream.
func decodeEvents(text []byte) (d Decoded, reason string) {
	events, whole := events(text)
	switch {
	case !whole:
		return d, fmt.Sprintf("the stream ends unexpectedly after %d events", len(events))
	case len(events) == 0:
		return d, "the stream has no events"
	}
	d.Lines, d.Raw = true, events
	for i, data := range events {
		value, err := DecodeJSON(data)
		if err != nil {
			return d, fmt.Sprintf("event %d of the stream is %v", i+1, err)
		}
		d.Values = append(d.Values, value)
	}
	return d, ""
}

// events takes a stream of server-sent events apart, as the HTML standard has it: lines end in LF, CR or both; the data
// of an event are its data lines; comments and other fields are ignored; an empty line ends the event. A stream is
// whole if it ends with an event.
func events(text []byte) (list [][]byte, whole bool) {
	var data [][]byte
	isOpen := false // there are fields after the last event
	for len(text) > 0 {
		line, rest, ended := cutLine(text)
		text = rest
		name, value, _ := bytes.Cut(line, []byte(":"))
		switch {
		case !ended:
			return list, false
		case len(line) == 0:
			if data != nil {
				list = append(list, bytes.Join(data, []byte("\n")))
			}
			data, isOpen = nil, false
		case len(name) == 0: // a comment
		case string(name) == "data":
			data, isOpen = append(data, bytes.TrimPrefix(value, []byte(" "))), true
		default:
			isOpen = true
		}
	}
	return list, !isOpen
}

// cutLine cuts a text after its first line.
func cutLine(text []byte) (line, rest []byte, ended bool) {
	i := bytes.IndexAny(text, "\r\n")
	if i < 0 {
		return text, nil, false
	}
	line, rest = text[:i], text[i+1:]
	if text[i] == '\r' {
		rest = bytes.TrimPrefix(rest, []byte("\n"))
	}
	return line, rest, true
}

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
