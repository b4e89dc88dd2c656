package judge

import (
	"errors"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/contract/internal/body"
)

// describing are schemas that describe fields in all ways, each with bodies that have only those, and others.
var describing = []struct {
	schema               string
	declared, undeclared []string
}{
	{
		`{"properties":{"a":{},"b":{"properties":{"c":{}}}}}`,
		[]string{`{"a":{"x":1}}`, `{"b":{"c":1}}`, `{"b":[{"x":1}]}`, `1`, `[{"x":1}]`, `{}`},
		[]string{`{"x":1}`, `{"b":{"x":1}}`},
	},
	{`{"properties":{"a":{}},"additionalProperties":true}`, []string{`{"x":{"y":1}}`}, nil},
	{
		`{"properties":{"a":{"properties":{"b":{}}}},"additionalProperties":{"properties":{"c":{}}}}`,
		[]string{`{"a":{"b":1},"x":{"c":1}}`},
		[]string{`{"a":{"c":1}}`, `{"x":{"b":1}}`},
	},
	{`{"items":{"properties":{"a":{}}}}`, []string{`[{"a":1},1,[{"x":1}]]`, `{"x":1}`}, []string{`[1,{"x":1}]`}},
	{`{"items":{"items":{"properties":{"a":{}}}}}`, []string{`[[{"a":1}]]`}, []string{`[[{"x":1}]]`}},
	{
		`{"allOf":[{"properties":{"a":{"properties":{"b":{}}}}},{"properties":{"a":{"properties":{"c":{}}},"d":{}}}]}`,
		[]string{`{"a":{"b":1,"c":1},"d":1}`},
		[]string{`{"a":{"d":1}}`, `{"b":1}`},
	},
	{`{"oneOf":[{"properties":{"a":{}}},{"anyOf":[{"properties":{"b":{}}}]}]}`, []string{`{"a":1,"b":1}`}, []string{`{"x":1}`}},
	{
		`{"discriminator":{"propertyName":"t","mapping":{"a":"#/a","b":"#/b"}},
			"oneOf":[{"properties":{"t":{},"a":{}}},{"properties":{"t":{},"b":{}}}]}`,
		[]string{`{"t":"a","a":1}`, `{"t":"x","a":1,"b":1}`, `{"t":"b","b":1}`},
		[]string{`{"t":"a","b":1}`, `{"t":"b","a":1}`},
	},
	{`{"properties":{"":{}},"additionalProperties":{"properties":{"a":{}}},"items":{}}`, []string{`{"x":{"a":1}}`}, []string{`{"x":{"b":1}}`}},
	{`{}`, []string{`{"x":1}`, `[{"x":1}]`, `null`}, nil},
}

// fieldsSchema reads a schema. References that a discriminator names are written into the options.
func fieldsSchema(t *testing.T, text []byte) (*openapi3.Schema, error) {
	t.Helper()
	schema := &openapi3.Schema{}
	if err := errors.Join(schema.UnmarshalJSON(text), schema.Validate(t.Context())); err != nil {
		return nil, err
	}
	for i, ref := range schema.OneOf {
		ref.Ref = "#/" + string(rune('a'+i))
	}
	return schema, nil
}

// describingSchema reads a schema of the list.
func describingSchema(t *testing.T, text string) *openapi3.Schema {
	t.Helper()
	schema, err := fieldsSchema(t, []byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return schema
}

// compareFields holds the quick look for undeclared fields against the search. It reports whether there are any.
func compareFields(t *testing.T, schema *openapi3.Schema, value string) (found bool) {
	t.Helper()
	b, reason := body.ReadJSON([]byte(value))
	if reason != "" {
		t.Errorf("%s cannot be read: %s", value, reason)
		return false
	}
	defer b.Free()
	media := &openapi3.MediaType{Schema: &openapi3.SchemaRef{Value: schema}}
	c := &content{bodySchema: &bodySchema{media: media, schemaPointer: "/schema"}, decoded: b}
	found = len(searchFields(c).found) > 0
	if m := (&fieldsMemo{}); found && !m.mayHaveUndeclared(b, describe([]locatedSchema{{schema: schema}})) {
		t.Errorf("%s has undeclared fields that were not noticed", value)
	}
	return found
}

func TestUndeclaredFieldsAreNoticed(t *testing.T) {
	t.Parallel()
	for _, tt := range describing {
		schema := describingSchema(t, tt.schema)
		for _, value := range tt.declared {
			if compareFields(t, schema, value) {
				t.Errorf("%s of %s has fields that are not documented", value, tt.schema)
			}
		}
		for _, value := range tt.undeclared {
			if !compareFields(t, schema, value) {
				t.Errorf("%s of %s has only documented fields", value, tt.schema)
			}
		}
	}
}

// Only what schemas leave open, and what they describe in strange ways, is searched.
func TestDeclaredFieldsAreNotSearched(t *testing.T) {
	t.Parallel()
	for _, tt := range describing[:len(describing)-2] {
		m, root := &fieldsMemo{}, describe([]locatedSchema{{schema: describingSchema(t, tt.schema)}})
		for _, value := range tt.declared {
			b, _ := body.ReadJSON([]byte(value))
			if m.mayHaveUndeclared(b, root) {
				t.Errorf("%s of %s is searched", value, tt.schema)
			}
			b.Free()
		}
	}
}

// FuzzUndeclaredFields looks for undeclared fields in any value of any schema.
func FuzzUndeclaredFields(f *testing.F) {
	for _, tt := range describing {
		for _, value := range append(tt.declared, tt.undeclared...) {
			f.Add([]byte(tt.schema), value)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, value string) {
		schema, err := fieldsSchema(t, text)
		b, reason := body.ReadJSON([]byte(value))
		if b.Free(); err == nil && reason == "" {
			compareFields(t, schema, value)
		}
	})
}
