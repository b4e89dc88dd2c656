package judge

import (
	"bytes"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"go.yaml.in/yaml/v4"
)

// decoded is what a body holds.
type decoded struct {
	values []any // one, or one a line of NDJSON or an event of a stream
	lines  bool
	json   []byte // the text of a JSON body, after codings; nil for others
	broken bool   // the body should be JSON, and no reader takes it for that
}

// decode undoes content codings and charset, and reads the body by its media type. Reason says why it cannot be read.
func decode(m *message, media *openapi3.MediaType, header string) (d decoded, reason string) {
	if m.joined {
		return decodeJSON(m.body.Bytes)
	}
	plain, reason := m.codings.undo(m.headers, m.body)
	if reason != "" {
		return d, reason
	}
	kind, params, err := mime.ParseMediaType(header)
	if err != nil {
		kind = mediaOf(header)
	}
	switch {
	case kind == "multipart/mixed":
		return decodeParts(plain, params["boundary"])
	case isBinary(media), isArchive(kind):
		return asBytes(kind, plain)
	}
	text, reason := decodeCharset(params["charset"], plain)
	if reason != "" {
		d.broken = reason == notUTF8 && (isJSON(kind) || isLines(kind))
		return d, reason
	}
	switch {
	case isLined(media):
		return decodeLined(text, media)
	case kind == eventStream && media.Extensions["x-event"] != nil:
		return decodeEvents(text)
	case isJSON(kind):
		return decodeJSON(text)
	case isLines(kind):
		return decodeLines(text)
	case kind == "multipart/form-data":
		return decodeMultipart(plain, header, media)
	case isYAML(kind):
		return decodeYAML(text)
	case m.content.Get("*/*") == media: // any type will do: it is what its text looks like
		return decodeJSON(text)
	case strings.HasPrefix(kind, "text/"):
		return decoded{values: []any{string(text)}}, ""
	}
	return d, fmt.Sprintf("no decoder for %s", kind)
}

func mediaOf(header string) string {
	kind, _, _ := strings.Cut(header, ";")
	return strings.ToLower(strings.TrimSpace(kind))
}

func isJSON(kind string) bool {
	return kind == jsonKind || kind == "text/json" ||
		strings.HasPrefix(kind, "application/") && strings.HasSuffix(kind, "+json")
}

func isLines(kind string) bool {
	return kind == "application/x-ndjson" || kind == "application/ndjson" || kind == "application/jsonl"
}

func isYAML(kind string) bool { return kind == "application/x-yaml" || kind == "application/yaml" }

// decodeYAML checks that a text is YAML. Schemas speak of it as a text.
func decodeYAML(text []byte) (d decoded, reason string) {
	var node yaml.Node
	if err := yaml.Unmarshal(text, &node); err != nil {
		return d, "the body is not YAML"
	}
	return decoded{values: []any{string(text)}}, ""
}

func isArchive(kind string) bool { return kind == "application/gzip" || kind == "application/x-gzip" }

func isBinary(media *openapi3.MediaType) bool {
	return media.Schema != nil && media.Schema.Value != nil && media.Schema.Value.Format == "binary"
}

// asBytes checks that an archive can be opened; of other bytes there is nothing to say.
func asBytes(kind string, plain []byte) (d decoded, reason string) {
	if isArchive(kind) && len(plain) > 0 {
		if _, err := gunzip(plain); err != nil {
			return d, "the archive cannot be opened: " + err.Error()
		}
	}
	return decoded{values: []any{string(plain)}}, ""
}

func decodeJSON(text []byte) (d decoded, reason string) {
	value, err := DecodeJSON(text)
	if err != nil {
		d.broken = isBroken(err)
		return d, "the body is " + err.Error()
	}
	return decoded{values: []any{value}, json: text}, ""
}

func decodeLines(text []byte) (d decoded, reason string) {
	d.lines = true
	n := 0
	for line := range bytes.Lines(text) {
		n++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		value, err := DecodeJSON(line)
		if err != nil {
			d.broken = isBroken(err)
			return d, fmt.Sprintf("line %d of the body is %v", n, err)
		}
		d.values = append(d.values, value)
	}
	return d, ""
}

// isLined reports whether a document says of a media type that its body is one JSON value a line, whatever it is called.
func isLined(media *openapi3.MediaType) bool {
	lined, _ := media.Extensions["x-lines"].(bool)
	return lined
}

// decodeLined reads the lines. A schema that wants a string speaks of the text as a whole, another one of each line.
func decodeLined(text []byte, media *openapi3.MediaType) (d decoded, reason string) {
	d, reason = decodeLines(text)
	if reason == "" && media.Schema != nil && media.Schema.Value != nil && media.Schema.Value.Type.Is("string") {
		return decoded{values: []any{string(text)}}, ""
	}
	return d, reason
}

func decodeMultipart(text []byte, header string, media *openapi3.MediaType) (d decoded, reason string) {
	schema := media.Schema
	if schema == nil {
		schema = openapi3.NewSchemaRef("", openapi3.NewSchema())
	}
	encoding := func(name string) *openapi3.Encoding { return media.Encoding[name] }
	value, err := openapi3filter.MultipartBodyDecoder(
		bytes.NewReader(text), http.Header{"Content-Type": {header}}, schema, encoding)
	if err != nil {
		return d, "the form cannot be read"
	}
	return decoded{values: []any{value}}, ""
}

const notUTF8 = "the body is not UTF-8"

// decodeCharset turns text into UTF-8.
func decodeCharset(charset string, text []byte) (plain []byte, reason string) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	switch strings.ToLower(charset) {
	case "", "utf-8", "utf8", "us-ascii", "ascii":
		if !utf8.Valid(text) {
			return nil, notUTF8
		}
		return text, ""
	case "iso-8859-1", "latin1":
		runes := make([]rune, len(text))
		for i, c := range text {
			runes[i] = rune(c)
		}
		return []byte(string(runes)), ""
	}
	return nil, fmt.Sprintf("no decoder for charset %s", charset)
}
