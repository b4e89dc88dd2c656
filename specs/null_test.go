package specs_test

import (
	"testing"

	"svc.example/understudy/specs"
)

// In version 3.0 nullable adds null to the type of its own schema, and to nothing else (3.0.4, Schema Object).
func TestNullableBesideWhatRefusesNull(t *testing.T) {
	t.Parallel()
	const before = `{"openapi":"3.0.3","info":{"title":"t","version":"1"},"paths":{"/x":{"get":{"responses":{"200":{` +
		`"description":"a","content":{"application/json":{"schema":`
	const after = `}}}}}}},"components":{"schemas":{"Name":{"type":"string"},"Text":{"type":"string","nullable":true},"Any":{}}}}`
	for schema, isNullable := range map[string]bool{
		`{"type":"string","nullable":true}`:                                                            true,
		`{"type":"string","nullable":true,"enum":["a",null]}`:                                          true,
		`{"type":"string","nullable":true,"enum":["a"]}`:                                               false,
		`{"nullable":true,"allOf":[{"$ref":"#/components/schemas/Text"}]}`:                             true,
		`{"nullable":true,"allOf":[{"$ref":"#/components/schemas/Name"}]}`:                             false,
		`{"nullable":true,"allOf":[{"$ref":"#/components/schemas/Any"}]}`:                              true,
		`{"nullable":true,"allOf":[{"properties":{"a":{"type":"string"}}}]}`:                           true,
		`{"type":"object","nullable":true,"allOf":[{"type":"object"}]}`:                                false,
		`{"nullable":true,"oneOf":[{"$ref":"#/components/schemas/Name"},{"type":"integer"}]}`:          false,
		`{"nullable":true,"anyOf":[{"$ref":"#/components/schemas/Text"},{"type":"integer"}]}`:          true,
		`{"nullable":true,"allOf":[{"nullable":true,"allOf":[{"$ref":"#/components/schemas/Name"}]}]}`: false,
	} {
		d, err := specs.Parse("shop", "shop.json", []byte(before+schema+after), specs.Neutral)
		if err != nil {
			t.Errorf("%s: %v", schema, err)
			continue
		}
		_, _, media := d.Operations[0].Success()
		if got := media.Schema.Value.Nullable; got != isNullable {
			t.Errorf("%s: nullable is %t", schema, got)
		}
	}
}
