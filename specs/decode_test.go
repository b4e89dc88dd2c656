package specs_test

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/specs"
)

func TestShortFormsAreReadAsKinReadsThem(t *testing.T) {
	t.Parallel()
	for _, name := range slices.Concat(specs.Interfaces(), specs.Extras(), []specs.Interface{specs.Control}) {
		t.Run(string(name), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(filepath.Join("compiled", string(name+".json")))
			if err != nil {
				t.Fatal(err)
			}
			compareWithKin(t, text)
		})
	}
	for name, rest := range map[string]string{
		"references with others beside them": `"components": {"schemas": {
			"A": {"$ref": "#/components/schemas/B", "x-of": "a", "description": "an A"},
			"B": {"type": "object", "x-list": [1, {"two": null}], "additionalProperties": {"$ref": "#/components/schemas/C"}},
			"C": {"additionalProperties": false, "not": {}, "items": {"additionalProperties": {}}}}}, "paths": {}`,
		"schemas of 3.1": `"components": {"schemas": {
			"A": {"$comment": "c", "$ref": "#/components/schemas/B", "type": ["object", "null"]},
			"B": {"$defs": {"D": true, "E": {"$ref": "#/components/schemas/C"}}, "$id": "b", "const": null, "examples": [1, {"a": 2}]},
			"C": {"properties": {"yes": true, "no": false}, "items": false, "exclusiveMinimum": 1.5, "prefixItems": [true],
				"if": {}, "then": false, "unevaluatedProperties": {"type": "string"}, "contentEncoding": "base64"}}}, "paths": {}`,
		"all that may stand elsewhere": `"components": {
			"parameters": {"P": {"name": "p", "in": "query", "x-p": 1, "schema": {"type": "integer", "exclusiveMinimum": true}}},
			"headers": {"H": {"x-h": 1, "schema": {"enum": ["a", 1, null]}}},
			"requestBodies": {"R": {"x-r": 1, "content": {"text/plain": {"x-m": {}, "encoding": {"a": {"style": "form"}}}}}},
			"responses": {"S": {"description": "", "x-s": [], "headers": {"H": {"$ref": "#/components/headers/H"}}}}},
			"paths": {"x-paths": 1, "/a": {"x-item": 1, "parameters": [{"$ref": "#/components/parameters/P"}], "post": {
				"x-op": 1, "requestBody": {"$ref": "#/components/requestBodies/R"}, "security": [],
				"responses": {"x-all": 1, "200": {"$ref": "#/components/responses/S"}, "default": {"description": "d"}}}, "put": {"responses": {}}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := jsontext.Value(
				`{"x-source":"","openapi":"3.0.3","info":{"title":"t","version":"1","x-info":1},"x-top":{"a":1},` + rest + `}`)
			if err := text.Compact(); err != nil {
				t.Fatal(err)
			}
			compareWithKin(t, text)
		})
	}
}

func compareWithKin(t *testing.T, text []byte) {
	t.Helper()
	want, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		t.Fatal(err)
	}
	got, err := specs.LoadText(text)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) { // cmp cannot look into their unexported fields
		t.Error("the document is read otherwise")
	}
}

func TestBrokenShortForm(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"x-source":""`, `{"x-source":"","paths":{"/a":{"get":1}}}`, `{"x-source":"","paths":{"/a"`,
		`{"x-source":"","paths":[]}`,
		`{"x-source":"","components":{"schemas":{"A":{"additionalProperties":1}}}}`,
		`{"x-source":"","components":{"schemas":{"A":{"$ref":"#/components/schemas/B"}}}}`,
	} {
		if _, err := specs.LoadText([]byte(text)); err == nil {
			t.Errorf("%s is read", text)
		}
	}
}
