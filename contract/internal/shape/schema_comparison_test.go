package shape_test

import (
	"encoding/json"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract/internal/body"
	"svc.example/understudy/contract/internal/shape"
)

func TestAgainst(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		kept, schema string
		want         []shape.Break
	}{
		"a shape that fits": {
			`{"a":"string","b?":"integer(int32)|null","c":[{"d":"string(date-time)"}],"e":{"*":"boolean"}}`,
			`{"type":"object","required":["a","c"],"properties":{"a":{"type":"string"},
				"b":{"type":"integer","format":"int32","nullable":true},
				"c":{"type":"array","items":{"type":"object","properties":{"d":{"type":"string","format":"date-time"}}}},
				"e":{"type":"object","additionalProperties":{"type":"boolean"}}}}`, nil,
		},
		"a field that is gone": {
			`{"a":"string","b":"string"}`, `{"type":"object","properties":{"a":{"type":"string"}}}`,
			[]shape.Break{{Path: "/b", Reason: "is not documented"}},
		},
		"another type": {
			`{"a":["string"]}`,
			`{"type":"object","properties":{"a":{"type":"array","items":{"type":"integer"}}}}`,
			[]shape.Break{{Path: "/a/*", Reason: "was string, but is documented as integer"}},
		},
		"an object where a list was": {
			`[{}]`, `{"type":"object"}`,
			[]shape.Break{{Path: "/", Reason: "was array, but is documented as object"}},
		},
		"null is allowed no more": {
			`{"a":"string|null"}`, `{"type":"object","properties":{"a":{"type":"string"}}}`,
			[]shape.Break{{Path: "/a", Reason: "was null, but is documented as string"}},
		},
		"another format, and other values": {
			`{"a":"string","b":"string(on, off)"}`,
			`{"type":"object","properties":{"a":{"type":"string","format":"uuid"},"b":{"type":"string","enum":["on","off","auto"]}}}`,
			[]shape.Break{
				{Path: "/a", Reason: "was string, but is documented as string(uuid)"},
				{Path: "/b", Reason: "was string(on, off), but is documented as string(on, off, auto)"},
			},
		},
		"values with bars and brackets": {
			`{"b":"string(a|b, c)|null"}`,
			`{"type":"object","properties":{"b":{"type":"string","enum":["a|b","c"],"nullable":true}}}`, nil,
		},
		"fields that are required now": {
			`{"a?":"string"}`,
			`{"allOf":[{"type":"object","required":["a","b"],"properties":{"a":{"type":"string"}}}]}`,
			[]shape.Break{
				{Path: "/a", Reason: "is required, but was not always present"},
				{Path: "/b", Reason: "is required, but was never present"},
			},
		},
		"an integer where any number may be": {
			`{"a":"integer"}`, `{"type":"object","properties":{"a":{"type":"number"}}}`, nil,
		},
		"one of several": {
			`{"a":{"anyOf":["string",{"x":"boolean"}]}}`,
			`{"type":"object","properties":{"a":{"oneOf":[{"type":"string"},{"type":"object","properties":{"x":{"type":"boolean"}}}]}}}`,
			nil,
		},
		"a map of which the values changed": {
			`{"m":{"*":"string"}}`,
			`{"type":"object","properties":{"m":{"type":"object","additionalProperties":{"type":"integer"}}}}`,
			[]shape.Break{{Path: "/m/*", Reason: "was string, but is documented as integer"}},
		},
		"nothing is said":      {`{"a":[1]}`, `{}`, nil},
		"what is not JSON":     {`"text/csv"`, `{"type":"object"}`, nil},
		"an object left alone": {`{"a":"object"}`, `{"type":"object","properties":{"a":{"type":"object"}}}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var kept any
			var schema openapi3.Schema
			if err := json.Unmarshal([]byte(tt.kept), &kept); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(tt.schema), &schema); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, shape.Against(kept, &schema)); diff != "" {
				t.Errorf("breaks (-want +got):\n%s", diff)
			}
		})
	}
}

// What Of writes under a schema fits that schema: no snapshot breaks by itself.
func TestNoShapeBreaksByItself(t *testing.T) {
	t.Parallel()
	const text = `{"type":"object","required":["id"],"properties":{"id":{"type":"string","format":"uuid"},
		"state":{"type":"string","enum":["on","off"],"nullable":true},"n":{"type":"number"},
		"tags":{"type":"array","items":{"type":"string"}},"any":{},"map":{"type":"object","additionalProperties":{"type":"integer"}},
		"free":{"type":"object"},"self":{"oneOf":[{"type":"string"},{"type":"array","items":{"type":"integer"}}]}}}`
	var schema openapi3.Schema
	if err := json.Unmarshal([]byte(text), &schema); err != nil {
		t.Fatal(err)
	}
	for _, value := range []string{
		`{"id":"5a0d3c1e-7b62-4f0e-9d14-1c8e62f0a7b3"}`,
		`{"id":"x","state":"on","n":1,"tags":["a"],"any":[1,"b",null],"map":{"k":1},"free":{"deep":{}},"self":"s"}`,
		`{"id":"x","state":null,"n":1.5,"tags":[],"any":{"x":1},"map":{},"free":{},"self":[1]}`,
	} {
		var union shape.Union
		v, err := body.DecodeJSON([]byte(value))
		if err != nil {
			t.Fatal(err)
		}
		union.Add(v, &schema)
		kept, err := json.Marshal(union.Shape())
		if err != nil {
			t.Fatal(err)
		}
		var again any
		if err := json.Unmarshal(kept, &again); err != nil {
			t.Fatal(err)
		}
		if breaks := shape.Against(again, &schema); len(breaks) > 0 {
			t.Errorf("%s\nis %s\nwhich breaks at %+v", value, kept, breaks)
		}
	}
}
