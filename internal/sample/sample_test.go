package sample_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/internal/accept"
	"svc.example/understudy/internal/sample"
)

func schemaOf(t *testing.T, text string) *openapi3.Schema {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData([]byte(`{"openapi":"3.0.3","info":{"title":"x","version":"1"},"paths":{},
		"components":{"schemas":{"S":` + text + `,
		"Node":{"type":"object","required":["id"],"properties":{"id":{"type":"integer"},"next":{"$ref":"#/components/schemas/Node"},
			"all":{"type":"array","items":{"$ref":"#/components/schemas/Node"}}}},
		"Cat":{"type":"object","required":["kind","lives"],"properties":{"kind":{"type":"string"},"lives":{"type":"integer"}}},
		"Dog":{"type":"object","required":["kind","name"],"properties":{"kind":{"type":"string"},"name":{"type":"string"}}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	return doc.Components.Schemas["S"].Value
}

// Whatever a schema wants, a sample of it fits it, is the same for the same seed and place, and comes from what the
// document gives as an example before it is made.
func TestSamplesFit(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string]string{ // JSON of the sample; empty: any
		`{"type":"string","example":"rose"}`:                                 `"rose"`,
		`{"type":"string","example":5}`:                                      "", // an example that does not fit
		`{"type":"string","enum":["a"]}`:                                     `"a"`,
		`{"type":"integer","default":7}`:                                     `7`,
		`{"type":"integer","minimum":3,"maximum":3}`:                         `3`,
		`{"type":"integer","minimum":3,"exclusiveMinimum":true,"maximum":4}`: `4`,
		`{"type":"integer","maximum":-5}`:                                    "",
		`{"type":"integer","format":"int8"}`:                                 "",
		`{"type":"integer","format":"uint8","minimum":200}`:                  "",
		`{"type":"integer","format":"int32","multipleOf":7}`:                 "",
		`{"type":"number","minimum":0.2,"maximum":0.3}`:                      "",
		`{"type":"number","multipleOf":0.5}`:                                 "",
		`{"type":"number","multipleOf":0.01,"minimum":0.07,"maximum":0.07}`:  `0.07`, // 7*0.01 is 0.07000000000000001
		`{"type":"string","minLength":40,"maxLength":41}`:                    "",
		`{"type":"string","maxLength":3}`:                                    "",
		`{"type":"string","pattern":"^[A-Z]{2}-\\d{4}$"}`:                    "",
		`{"type":"string","pattern":"^(a|b)+c?$","minLength":9}`:             "",
		`{"type":"string","pattern":"^.{8,}$","allOf":[{"pattern":"[a-z]"},{"pattern":"[A-Z]"},{"pattern":"[0-9]"},{"pattern":"[^a-zA-Z0-9]"}]}`: "",
		`{"type":"string","pattern":"^[\\w!]{8,12}$","allOf":[{"pattern":"[A-Z].*[A-Z]"},{"pattern":"!"}]}`:                                      "",
		`{"type":"string","pattern":"^[a-z0-9-]+$","allOf":[{"not":{"type":"string","pattern":"--"}},{"pattern":"^.{3,20}$"}]}`:                  "",
		`{"type":"string","format":"date-time"}`:                                                           "",
		`{"type":"string","format":"uuid"}`:                                                                "",
		`{"type":"string","format":"email"}`:                                                               "",
		`{"type":"string","format":"ipv6"}`:                                                                "",
		`{"type":"string","format":"byte"}`:                                                                "",
		`{"type":"array","items":{"type":"integer"},"minItems":3,"uniqueItems":true}`:                      "",
		`{"type":"array","items":{"type":"integer"},"maxItems":0}`:                                         `[]`,
		`{"type":"object","additionalProperties":{"type":"integer"},"minProperties":2}`:                    "",
		`{"type":"object","minProperties":1,"propertyNames":{"enum":["a"]}}`:                               `{"a":"sample"}`,
		`{"type":"object","required":["a","b"],"properties":{"a":{"type":"boolean"}}}`:                     "",
		`{"type":"object","maxProperties":1,"properties":{"a":{"type":"integer"},"b":{"type":"integer"}}}`: "",
		`{"allOf":[{"type":"object","required":["a"],"properties":{"a":{"type":"integer"}}},
			{"type":"object","required":["b"],"properties":{"b":{"type":"string"}}}]}`: "",
		`{"allOf":[{"type":"integer","minimum":5},{"maximum":6}]}`:                                                              "",
		`{"allOf":[{"type":"string","format":"date-time","pattern":"^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z$"}]}`: "",
		`{"allOf":[{"type":"object","required":["a"],"properties":{"a":{}},"additionalProperties":false},
			{"properties":{"a":{},"b":{}}}]}`: "",
		`{"oneOf":[{"type":"string"},{"type":"integer"}]}`:                                       "",
		`{"oneOf":[{"type":"object"},{"type":"object","required":["a"]},{"type":"integer"}]}`:    "",
		`{"anyOf":[{"type":"string","maxLength":0},{"type":"integer"}],"not":{"type":"string"}}`: "",
		`{"oneOf":[{"$ref":"#/components/schemas/Cat"},{"$ref":"#/components/schemas/Dog"}],
			"discriminator":{"propertyName":"kind","mapping":{"dog":"#/components/schemas/Dog","cat":"#/components/schemas/Cat"}}}`: "",
		`{"$ref":"#/components/schemas/Node"}`: "",
		`{}`:                                   `{}`,
	} {
		t.Run(schema, func(t *testing.T) {
			t.Parallel()
			s := schemaOf(t, schema)
			for seed := range uint64(20) {
				text, again := made(t, s, seed), made(t, s, seed)
				if text != again {
					t.Fatalf("%s, and %s for the same seed", text, again)
				}
				if want != "" && text != want {
					t.Errorf("%s, want %s", text, want)
				}
			}
		})
	}
}

// made returns the JSON of a sample, which fits the schema as the validator of the mock reads it.
func made(t *testing.T, s *openapi3.Schema, seed uint64) string {
	t.Helper()
	m := sample.Maker{Direction: accept.Response, Seed: seed, Place: "here"}
	value, err := m.Of(s)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var decoded any
	if err := json.Unmarshal(text, &decoded); err != nil {
		t.Fatal(err)
	}
	if err := sample.CheckFormats(s, decoded, accept.Response); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return string(text)
}

func TestSamplesHaveASide(t *testing.T) {
	t.Parallel()
	s := schemaOf(t, `{"type":"object","properties":{"id":{"type":"integer","readOnly":true},"secret":{"type":"string","writeOnly":true}}}`)
	for direction, want := range map[accept.Direction]string{accept.Request: "secret", accept.Response: "id"} {
		m := sample.Maker{Direction: direction}
		value, err := m.Of(s)
		object, _ := value.(map[string]any)
		if _, has := object[want]; err != nil || !has || len(object) != 1 {
			t.Errorf("%v, %v, want %s alone", value, err, want)
		}
	}
}

// Validators disagree whether an answer has a required member that is writeOnly.
func TestListsOfWhatRequiresAHiddenMemberAreEmpty(t *testing.T) {
	t.Parallel()
	const item = `{"type":"object","required":["secret"],"properties":{"secret":{"type":"string","writeOnly":true}}}`
	for schema, want := range map[string]int{
		`{"type":"array","items":` + item + `}`:                                      0,
		`{"type":"array","minItems":2,"items":` + item + `}`:                         2,
		`{"type":"array","items":` + strings.ReplaceAll(item, "write", "read") + `}`: 1,
	} {
		m := sample.Maker{Direction: accept.Response}
		value, err := m.Of(schemaOf(t, schema))
		if list, _ := value.([]any); err != nil || len(list) != want {
			t.Errorf("%s: %v, %v, want %d items", schema, value, err, want)
		}
	}
}

// A schema that no value fits, or that is too large, is an error, and soon.
func TestSchemasWithoutASample(t *testing.T) {
	t.Parallel()
	levels := `{"type":"string"}`
	for range 100 {
		levels = `{"oneOf":[` + levels + `,{"type":"object","required":["x"],"properties":{"x":{"type":"string"}}}]}`
	}
	for name, schema := range map[string]string{
		"nothing fits":               `{"type":"integer","minimum":3,"maximum":2}`,
		"a pattern against a length": `{"type":"string","pattern":"^abc$","maxLength":2}`,
		"it must contain itself":     `{"type":"object","required":["a"],"properties":{"a":{"allOf":[{"$ref":"#/components/schemas/S"}]}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := sample.Maker{}
			if value, err := m.Of(schemaOf(t, schema)); err == nil || len(err.Error()) > 300 || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v, error %v, want a short one", value, err)
			}
		})
	}
	m := sample.Maker{}
	_, _ = m.Of(schemaOf(t, levels)) // which may be found; the test does not end if levels cost their power
}
