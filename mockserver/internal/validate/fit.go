package validate

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/op"
)

// Fit removes optional members that are null from an answer's JSON body, where the document does not allow null, and
// reports whether there were any. Everything else stays as it is written.
func (o *Operation) Fit(a Answer) (Answer, bool) {
	documented, _ := o.answer(a.Status)
	m, ok := documented.media.find(MediaType(a.Type))
	if !ok || !m.json || m.schema == nil {
		return a, false
	}
	var out bytes.Buffer
	options := []jsontext.Options{jsontext.AllowInvalidUTF8(true), jsontext.PreserveRawStrings(true)}
	f := fitter{in: jsontext.NewDecoder(bytes.NewReader(a.Body), options...), out: jsontext.NewEncoder(&out, options...)}
	if err := f.copyValue(withCombined([]*openapi3.Schema{m.schema.Schema})); err != nil || !f.changed {
		return a, false
	}
	if _, err := f.in.ReadToken(); !errors.Is(err, io.EOF) {
		return a, false
	}
	a.Body = bytes.TrimSuffix(out.Bytes(), []byte("\n"))
	return a, true
}

// fitter copies JSON without the members to leave out.
type fitter struct {
	in      *jsontext.Decoder
	out     *jsontext.Encoder
	changed bool
}

// copyValue copies a value that schemas describe.
func (f *fitter) copyValue(schemas []*openapi3.Schema) error {
	switch f.in.PeekKind() {
	case '{':
		return f.copyBetween(func() error { return f.copyMember(schemas) })
	case '[':
		items := partsOf(schemas, func(s *openapi3.Schema) *openapi3.SchemaRef { return s.Items })
		return f.copyBetween(func() error { return f.copyValue(items) })
	}
	value, err := f.in.ReadValue()
	if err != nil {
		return err
	}
	return f.out.WriteValue(value)
}

func (f *fitter) copyBetween(each func() error) error {
	err := f.copyToken()
	for err == nil && f.in.PeekKind() != '}' && f.in.PeekKind() != ']' {
		err = each()
	}
	if err != nil {
		return err
	}
	return f.copyToken()
}

func (f *fitter) copyToken() error {
	token, err := f.in.ReadToken()
	if err != nil {
		return err
	}
	return f.out.WriteToken(token)
}

func (f *fitter) copyMember(schemas []*openapi3.Schema) error {
	token, err := f.in.ReadToken()
	if err != nil {
		return err
	}
	name := token.Clone()
	parts := partsOf(schemas, func(s *openapi3.Schema) *openapi3.SchemaRef { return property(s, name.String()) })
	if f.in.PeekKind() == 'n' && isLeftOut(schemas, parts, name.String()) {
		f.changed = true
		return f.in.SkipValue()
	}
	if err := f.out.WriteToken(name); err != nil {
		return err
	}
	return f.copyValue(parts)
}

// isLeftOut reports whether a member that is null should be left out: no schema allows null, and none requires the
// member.
func isLeftOut(schemas, parts []*openapi3.Schema, name string) bool {
	for _, schema := range schemas {
		if slices.Contains(schema.Required, name) {
			return false
		}
	}
	for _, part := range parts {
		if !refusesNull(part) {
			return false
		}
	}
	return len(parts) > 0
}

// property returns the schema of a member of an object, or nil.
func property(schema *openapi3.Schema, name string) *openapi3.SchemaRef {
	if stated := schema.Properties[name]; stated != nil {
		return stated
	}
	return schema.AdditionalProperties.Schema
}

// partsOf returns the schemas of a part, with all schemas that they combine.
func partsOf(schemas []*openapi3.Schema, part func(*openapi3.Schema) *openapi3.SchemaRef) []*openapi3.Schema {
	var parts []*openapi3.Schema
	for _, schema := range schemas {
		if ref := part(schema); ref != nil && ref.Value != nil {
			parts = append(parts, ref.Value)
		}
	}
	return withCombined(parts)
}

// withCombined returns schemas with all schemas that they combine.
func withCombined(schemas []*openapi3.Schema) []*openapi3.Schema {
	seen := map[*openapi3.Schema]bool{}
	var all []*openapi3.Schema
	var add func(*openapi3.Schema)
	add = func(schema *openapi3.Schema) {
		if schema == nil || seen[schema] {
			return
		}
		seen[schema] = true
		all = append(all, schema)
		for _, refs := range []openapi3.SchemaRefs{schema.AllOf, schema.AnyOf, schema.OneOf} {
			for _, ref := range refs {
				add(ref.Value)
			}
		}
	}
	for _, schema := range schemas {
		add(schema)
	}
	return all
}

// The limits of a request's body. They are the mock's own.
const (
	maxValues = 200_000  // names and values in JSON, lists and objects included
	maxWord   = 64 << 10 // bytes of a name or a number

	// Of an operation that takes whole worlds: how many values there may be for each byte that was received, and how few
	// bytes of JSON for each value.
	valuesPerByte, bytesPerValue = 4, 4
)

// refuseHuge refuses a JSON body whose values would take many times the bytes that were received. It passes invalid
// JSON, which its reader refuses.
func refuseHuge(body []byte, received int) error {
	if len(body) <= maxWord {
		return nil
	}
	most := max(maxValues, min(valuesPerByte*received, len(body)/bytesPerValue))
	values := 0
	for rest := body; len(rest) > 0; {
		word := firstWord(rest)
		rest = rest[max(len(word), 1):]
		if len(word) == 0 {
			continue
		}
		if values++; values > most {
			return tooLarge("has more than %d values; send fewer at a time", most)
		}
		if len(word) > maxWord && (word[0] != '"' || bytes.HasPrefix(bytes.TrimLeft(rest, blanks), []byte(":"))) {
			return tooLarge("has a name or a number of %d bytes; want at most %d", len(word), maxWord)
		}
	}
	return nil
}

func tooLarge(format string, args ...any) error {
	return &op.Error{Code: op.CodeTooLarge, Message: "the request body " + fmt.Sprintf(format, args...)}
}

const blanks = " \t\r\n"

// firstWord returns what a JSON text begins with: a text with its quotes, a number or a name such as null, or the sign
// that begins a list or an object; nothing if it begins with another sign or a blank.
func firstWord(text []byte) []byte {
	switch text[0] {
	case '"':
		return text[:endOfText(text)]
	case '[', '{':
		return text[:1]
	case ']', '}', ',', ':', ' ', '\t', '\r', '\n':
		return nil
	}
	end := 1
	for end < len(text) && isPlain(text[end]) {
		end++
	}
	return text[:end]
}

// endOfText returns where a text ends that begins with a quote.
func endOfText(text []byte) int {
	for end := 1; ; {
		quote := bytes.IndexByte(text[end:], '"')
		if quote < 0 {
			return len(text)
		}
		end += quote + 1
		before := bytes.TrimRight(text[1:end-1], `\`)
		if escapes := end - 2 - len(before); escapes%2 == 0 {
			return end
		}
	}
}

// isPlain reports whether a character may stand in a number, or in a name such as null.
func isPlain(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || c == '.' || c == '-' || c == '+' || c == 'E'
}
