package validate

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json/jsontext"
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
