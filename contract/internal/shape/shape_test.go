package shape_test

import (
	"encoding/json"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract/internal/body"
	"svc.example/understudy/contract/internal/shape"
)

func TestOf(t *testing.T) {
	t.Parallel()
	var schema openapi3.Schema
	if err := json.Unmarshal([]byte(`{"type":"object","properties":{
		"at":{"type":"string","format":"date-time"},"state":{"type":"string","enum":["on","off"]},"n":{"type":"number"},
		"map":{"type":"object","additionalProperties":{"type":"integer","format":"int32"}},
		"free":{"type":"object","additionalProperties":true},
		"list":{"type":"array","items":{"type":"object","properties":{"a":{"type":"string"}}}}}}`), &schema); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		`{"at":"2026-05-04T00:00:00Z","state":"on","n":1}`: `{"at":"string(date-time)","state":"string(on, off)","n":"number"}`,
		`{"at":null,"state":3}`:                            `{"at":"null","state":"integer"}`,
		`{"map":{"x":1,"y":2},"free":{"z":1}}`:             `{"map":{"*":"integer(int32)"},"free":"object"}`,
		`{"list":[{"a":"x","b":1},{"a":null},{"a":"y"}]}`:  `{"list":[{"a":"null|string","b?":"integer"}]}`,
		`{"list":[]}`:                     `{"list":[]}`,
		`{"list":[1,"x",{"a":"y"}]}`:      `{"list":[{"anyOf":["integer|string",{"a":"string"}]}]}`,
		`{"new":{"deep":[[true],[1.5]]}}`: `{"new":{"deep":[["boolean|number"]]}}`,
		`9007199254740993`:                `"integer"`,
	} {
		value, err := body.DecodeJSON([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(shape.Of(value, &schema))
		if err != nil {
			t.Fatal(err)
		}
		var a, b any
		_, _ = json.Unmarshal(got, &a), json.Unmarshal([]byte(want), &b)
		if diff := cmp.Diff(b, a); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}
