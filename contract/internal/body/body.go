// Package body reads the bodies of messages: it undoes content codings and charsets, and decodes JSON, lines of JSON,
// streams of events, forms and parts. If it cannot read a body it returns the reason. It does not
// judge by schemas.
package body

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"iter"
	"mime"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"
	"go.yaml.in/yaml/v4"

	"svc.example/understudy/internal/coding"
	"svc.example/understudy/specs/recording"
)

// JSONType is the media type of JSON.
const JSONType = "application/json"

// Decoded holds the values of a body.
type Decoded struct {
	Values []any    // one value, or one for each line of NDJSON or event of a stream
	Raw    [][]byte // the texts of the events of a stream, if they are JSON
	Lines  bool
	JSON   []byte // the text of a JSON body, after codings; nil for others
	Broken bool   // the body should be JSON, and no reader would accept it as JSON
	Early  bool   // a broken body may be the beginning of one that is not
	Wrong  []Fault
	Plain  any    // the object of a form, with texts where its schema may want texts or others; nil if that is the same
	Parts  []Part // of a form, whose headers are documented
}

// Fault is a part of a body that is wrong, whatever the schema.
type Fault struct {
	Name, Message string
}

// Format describes bodies with a Content-Type: what they hold, and what is documented of them.
type Format struct {
	kind      string
	params    map[string]string
	media     *openapi3.MediaType
	isAny     bool // the media type stands for all types
	isJSON    bool // one JSON value
	hasStyles bool // of the parts of a form, which are ignored before version 3.1
}

// FormatOf returns the format of a Content-Type. Media is the documentation of that media type, or of all types if
// isAny.
func FormatOf(header string, media *openapi3.MediaType, isAny bool) *Format {
	kind, params, err := mime.ParseMediaType(header)
	if err != nil {
		kind = MediaType(header)
	}
	isJSON := IsJSON(kind) && !isBinary(media) && !IsLined(media)
	return &Format{kind: kind, params: params, media: media, isAny: isAny, isJSON: isJSON}
}

// WithStyles returns the format in documents from version 3.1 on, where the parts of a form may have styles (Encoding
// Object, style).
func (f *Format) WithStyles() *Format {
	f.hasStyles = true
	return f
}

// Decode reads a body without content codings by its Content-Type, with what FormatOf takes. Reason states why the body
// cannot be read.
func Decode(plain []byte, header string, media *openapi3.MediaType, isAny bool) (d Decoded, reason string) {
	return FormatOf(header, media, isAny).decode(plain)
}

func (f *Format) decode(plain []byte) (d Decoded, reason string) {
	kind, media := f.kind, f.media
	switch {
	case kind == "multipart/mixed" && !typesOf(media.Schema)["object"]:
		return decodeParts(plain, f.params["boundary"], media)
	case isBinary(media), isArchive(kind), isOpaque(kind, media) && !f.isAny:
		return decodeBytes(kind, plain)
	case kind == "multipart/form-data", kind == "multipart/mixed": // which is not one text (RFC 2046, 5.1; RFC 7578, 4.4)
		return f.decodeMultipart(plain)
	}
	text, reason := ToUTF8(f.params["charset"], plain)
	if reason != "" {
		d.Broken = reason == notUTF8 && (IsJSON(kind) || IsLines(kind))
		d.Early = true // or of another charset
		return d, reason
	}
	switch {
	case kind == "application/x-www-form-urlencoded" && media.Schema != nil && media.Schema.Value != nil &&
		media.Schema.Value.Type.Is(openapi3.TypeString):
		return Decoded{Values: []any{string(text)}}, ""
	case kind == "application/x-www-form-urlencoded":
		return decodeForm(string(text), media)
	case IsLined(media), IsLines(kind):
		return decodeLined(text, media, Lines)
	case kind == "application/json-seq", strings.HasSuffix(kind, "+json-seq"):
		return decodeLined(text, media, sequence)
	case kind == eventStream && (media.ItemSchema != nil || media.Extensions["x-event"] != nil):
		return decodeEvents(text, media.ItemSchema != nil)
	case IsJSON(kind):
		return JSON(text)
	case isYAML(kind) && takesText(media.Schema, 0):
		return decodeYAML(text)
	case f.isAny && !(strings.HasPrefix(kind, "text/") && takesText(media.Schema, 0)): // its text decides its type
		if d, reason = JSON(text); reason != "" && f.isText() {
			return Decoded{Values: []any{string(text)}}, ""
		}
		d.Early = true
		d.Broken = d.Broken && kind == ""
		return d, reason
	case (strings.HasPrefix(kind, "text/") || isYAML(kind)) && !takesText(media.Schema, 0):
		return d, fmt.Sprintf("the schema is not one of a string, and how %s stands for another value is not defined", kind)
	case strings.HasPrefix(kind, "text/"):
		return Decoded{Values: []any{string(text)}}, ""
	}
	return d, fmt.Sprintf("no decoder for %s", kind)
}

// isText reports whether a body of a media type that is not JSON may be a string, as its schema says.
func (f *Format) isText() bool {
	return f.kind != "" && f.media.Schema != nil && takesText(f.media.Schema, 0)
}

// takesText reports whether a string may fit a schema, as far as its types say.
func takesText(ref *openapi3.SchemaRef, depth int) bool {
	if ref == nil || ref.Value == nil || depth > maxCombined {
		return true
	}
	s := ref.Value
	takes := func(part *openapi3.SchemaRef) bool { return takesText(part, depth+1) }
	refuses := func(part *openapi3.SchemaRef) bool { return !takes(part) }
	return s.Type.Permits(openapi3.TypeString) && !slices.ContainsFunc(s.AllOf, refuses) &&
		(len(s.OneOf) == 0 || slices.ContainsFunc(s.OneOf, takes)) &&
		(len(s.AnyOf) == 0 || slices.ContainsFunc(s.AnyOf, takes)) &&
		(s.Type != nil || len(s.Properties) == 0 && s.Items == nil)
}

// maxCombined is the number of levels of combined schemas that are looked at for types.
const maxCombined = 8

// MediaType returns the media type of a Content-Type, in lower case and without parameters.
func MediaType(header string) string {
	kind, _, _ := strings.Cut(header, ";")
	return strings.ToLower(strings.TrimSpace(kind))
}

// IsJSON reports whether a media type is JSON.
func IsJSON(kind string) bool {
	return kind == JSONType || kind == "text/json" ||
		strings.HasPrefix(kind, "application/") && strings.HasSuffix(kind, "+json")
}

// IsLines reports whether a media type is one JSON value a line.
func IsLines(kind string) bool {
	return kind == "application/x-ndjson" || kind == "application/ndjson" || kind == "application/jsonl"
}

func isYAML(kind string) bool { return kind == "application/x-yaml" || kind == "application/yaml" }

// decodeYAML checks that a text is YAML. Its schemas describe a string.
func decodeYAML(text []byte) (d Decoded, reason string) {
	var node yaml.Node
	if err := yaml.Unmarshal(text, &node); err != nil {
		return d, "the body is not YAML"
	}
	return Decoded{Values: []any{string(text)}}, ""
}

func isArchive(kind string) bool { return kind == "application/gzip" || kind == "application/x-gzip" }

func isBinary(media *openapi3.MediaType) bool {
	return media.Schema != nil && media.Schema.Value != nil && media.Schema.Value.Format == "binary"
}

// isOpaque reports whether a body is bytes that a document says no more of (3.1, Considerations for File Uploads).
func isOpaque(kind string, media *openapi3.MediaType) bool {
	general, _, _ := strings.Cut(kind, "/")
	return media.Schema == nil &&
		(kind == "application/octet-stream" || slices.Contains([]string{"audio", "image", "video"}, general))
}

// decodeBytes checks that an archive can be opened; other bytes always pass.
func decodeBytes(kind string, plain []byte) (d Decoded, reason string) {
	if isArchive(kind) && len(plain) > 0 {
		if _, err := gunzip(plain); err != nil {
			return d, "cannot open the archive: " + err.Error()
		}
	}
	return Decoded{Values: []any{string(plain)}}, ""
}

// JSON reads a body that is one JSON value.
func JSON(text []byte) (d Decoded, reason string) { return jsonOf(text, DecodeJSON) }

func jsonOf(text []byte, decode func([]byte) (any, error)) (d Decoded, reason string) {
	value, err := decode(text)
	if err != nil {
		d.Broken, d.Early = isBroken(err), errors.Is(err, errEarly) || errors.Is(err, errTrailing)
		return d, "the body is " + err.Error()
	}
	return Decoded{Values: []any{value}, JSON: text}, ""
}

// Lines reads a body that is one JSON value a line.
func Lines(text []byte) (d Decoded, reason string) { return values(bytes.Lines(text), "line") }

// sequence reads a body that is a sequence of JSON values, each behind a record separator (RFC 7464, 2.1).
func sequence(text []byte) (d Decoded, reason string) {
	return values(bytes.SplitSeq(bytes.TrimPrefix(text, []byte{0x1e}), []byte{0x1e}), "record")
}

// values reads one JSON value of each part of a body that has a noun, but of those that are empty.
func values(parts iter.Seq[[]byte], noun string) (d Decoded, reason string) {
	d.Lines = true
	n := 0
	for part := range parts {
		n++
		if len(bytes.TrimSpace(part)) == 0 {
			continue
		}
		value, err := DecodeJSON(part)
		if err != nil {
			d.Broken, d.Early = isBroken(err), errors.Is(err, errEarly) || errors.Is(err, errTrailing)
			return d, fmt.Sprintf("%s %d of the body is %v", noun, n, err)
		}
		d.Values = append(d.Values, value)
	}
	return d, ""
}

// IsLined reports whether a document states, by x-lines, that bodies of a media type are one JSON value a line.
func IsLined(media *openapi3.MediaType) bool {
	lined, _ := media.Extensions["x-lines"].(bool)
	return lined
}

// decodeLined reads the lines, or the records of a sequence. A schema of type string applies to the text as a whole,
// and any other one to each line, unless it is one of lists, of which the document does not say that lines are (3.2,
// Sequential Media Types).
func decodeLined(text []byte, media *openapi3.MediaType, read func([]byte) (Decoded, string)) (
	d Decoded, reason string,
) {
	d, reason = read(text)
	switch {
	case reason != "" || media.Schema == nil || media.Schema.Value == nil:
	case media.Schema.Value.Type.Is("string"):
		return Decoded{Values: []any{string(text)}}, ""
	case media.Schema.Value.Type.Is("array") && !IsLined(media):
		return Decoded{Values: []any{d.Values}}, ""
	}
	return d, reason
}

const notUTF8 = "the body is not UTF-8"

// ToUTF8 converts text from a charset to UTF-8.
func ToUTF8(charset string, text []byte) (plain []byte, reason string) {
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

// maxInflated is the largest size of a body in bytes after decompression.
const maxInflated = 64 << 20

var errInflated = fmt.Errorf("it grows beyond %d MiB", maxInflated>>20)

// Codings undoes the content codings of an exchange's bodies. It remembers small results and failures. Its zero value
// is ready for use.
type Codings struct{ undone map[*recording.Body]uncoded }

type uncoded struct {
	plain  []byte
	reason string
}

// Undo returns a body without its content codings, or why they cannot be undone.
func (c *Codings) Undo(headers recording.Headers, body *recording.Body) (plain []byte, reason string) {
	const worthKeeping = 1 << 20
	header := headers.Value("Content-Encoding")
	if header == "" {
		return body.Bytes, ""
	}
	u, isKnown := c.undone[body]
	if !isKnown {
		if u.plain, u.reason = Uncode(header, body.Bytes); len(u.plain) <= worthKeeping {
			if c.undone == nil {
				c.undone = map[*recording.Body]uncoded{}
			}
			c.undone[body] = u
		}
	}
	return u.plain, u.reason
}

// Uncode undoes the content codings of a body. Recordings often hold the plain body although a header names a coding:
// only bytes that begin as the coding does are decoded.
func Uncode(header string, coded []byte) (plain []byte, reason string) {
	plain = coded
	if header == "" {
		return plain, ""
	}
	codings := strings.Split(strings.ToLower(header), ",")
	for _, name := range slices.Backward(codings) {
		var err error
		switch name = strings.TrimSpace(name); name {
		case "", "identity":
		case "gzip", "x-gzip":
			if bytes.HasPrefix(plain, []byte{0x1f, 0x8b}) {
				plain, err = gunzip(plain)
			}
		case "deflate":
			plain, err = inflate(plain)
		default:
			if !looksPlain(plain) {
				r, unknown := coding.Decode(name, bytes.NewReader(plain))
				if unknown != nil {
					return nil, unknown.Error()
				}
				plain, err = readAll(r)
			}
		}
		if err != nil {
			return nil, fmt.Sprintf("the body cannot be decoded as %s: %v", name, err)
		}
	}
	return plain, ""
}

// looksPlain reports whether bytes are text already.
func looksPlain(b []byte) bool {
	b = bytes.TrimLeft(b, " \t\r\n")
	return len(b) == 0 || b[0] == '{' || b[0] == '[' || b[0] == '"'
}

func gunzip(coded []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(coded))
	if err != nil {
		return nil, errors.New("it is not gzip")
	}
	return readAll(r)
}

// inflate reads deflate as the standard has it, in a zlib wrapper, and as some servers send it, bare.
func inflate(coded []byte) ([]byte, error) {
	if looksPlain(coded) {
		return coded, nil
	}
	if r, err := zlib.NewReader(bytes.NewReader(coded)); err == nil {
		return readAll(r)
	}
	return readAll(flate.NewReader(bytes.NewReader(coded)))
}

func readAll(r io.Reader) ([]byte, error) {
	if c, isCloser := r.(io.Closer); isCloser {
		defer c.Close()
	}
	var plain bytes.Buffer // it grows in fewer steps than io.ReadAll
	if _, err := plain.ReadFrom(io.LimitReader(r, maxInflated+1)); err != nil {
		return nil, errors.New("it is damaged or cut off")
	}
	if plain.Len() > maxInflated {
		return nil, errInflated
	}
	return plain.Bytes(), nil
}
