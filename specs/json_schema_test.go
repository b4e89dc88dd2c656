package specs_test

import (
	"testing"

	"svc.example/understudy/specs"
)

// Schemas of other operations say nothing of one.
func TestDialectsAreThoseOfAnOperation(t *testing.T) {
	t.Parallel()
	answer := func(schema string) string {
		return `{get: {responses: {"200": {description: a, content: {application/json: {schema: ` + schema + `}}}}}}`
	}
	const old = `{$schema: "http://json-schema.org/draft-07/schema#", type: integer}`
	for name, tt := range map[string]struct {
		version, schema, other string
		want                   bool
	}{
		"its own":                  {"3.1.0", old, "{}", true},
		"of another operation":     {"3.1.0", "{}", old, false},
		"of a component":           {"3.1.0", `{$ref: "#/components/schemas/Old"}`, "{}", true},
		"of a component of others": {"3.1.0", "{}", `{$ref: "#/components/schemas/Old"}`, false},
		"a keyword of 3.1":         {"3.0.3", "{if: {}}", "{}", true},
		"one of others":            {"3.0.3", "{}", "{if: {}}", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := `{openapi: ` + tt.version + `, info: {title: t, version: "1"}, components: {schemas: {Old: ` + old + `}}, paths: {/a: ` +
				answer(tt.schema) + `, /b: ` + answer(tt.other) + `}}`
			d, err := specs.Parse("shop", "shop.yaml", []byte(text), specs.Neutral)
			if err != nil {
				t.Fatal(err)
			}
			if got := d.Operation("getA").HasOtherDialects(); got != tt.want {
				t.Errorf("%t, want %t", got, tt.want)
			}
		})
	}
}
