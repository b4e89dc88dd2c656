package body

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

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

// decodeEvents reads the events of a stream: each as the object of its fields (3.2, Special Considerations for
// text/event-stream Content), or else the JSON that its data are.
func decodeEvents(text []byte, asObjects bool) (d Decoded, reason string) {
	events, whole := events(text)
	switch {
	case !whole:
		return d, fmt.Sprintf("the stream ends unexpectedly after %d events", len(events))
	case len(events) == 0:
		return d, "the stream has no events"
	}
	d.Lines = true
	for i, event := range events {
		if asObjects {
			d.Values = append(d.Values, event)
			continue
		}
		data := []byte(event["data"].(string))
		value, err := DecodeJSON(data)
		if err != nil {
			return d, fmt.Sprintf("event %d of the stream is %v", i+1, err)
		}
		d.Values, d.Raw = append(d.Values, value), append(d.Raw, data)
	}
	return d, ""
}

// events takes a stream of server-sent events apart, as the HTML standard has it: lines end in LF, CR or both; the data
// of an event are its data lines; comments and unknown fields are ignored; an empty line ends the event, which is none
// without data. A stream is whole if it ends with an empty line.
func events(text []byte) (list []map[string]any, whole bool) {
	event := map[string]any{}
	isOpen := false // there are fields after the last event
	for len(text) > 0 {
		line, rest, ended := cutLine(text)
		text = rest
		name, value, _ := bytes.Cut(line, []byte(":"))
		switch {
		case !ended:
			return list, false
		case len(line) == 0:
			if event["data"] != nil {
				list = append(list, event)
			}
			event, isOpen = map[string]any{}, false
		case len(name) == 0: // a comment
		default:
			addField(event, string(name), string(bytes.TrimPrefix(value, []byte(" "))))
			isOpen = true
		}
	}
	return list, !isOpen
}

// addField adds a field to an event.
func addField(event map[string]any, name, value string) {
	switch name {
	case "data":
		if before, isMore := event[name].(string); isMore {
			value = before + "\n" + value
		}
		event[name] = value
	case "event":
		event[name] = value
	case "id":
		if !strings.Contains(value, "\x00") {
			event[name] = value
		}
	case "retry":
		if strings.Trim(value, "0123456789") == "" && jsonNumber.MatchString(value) {
			event[name] = json.Number(value)
		}
	}
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
