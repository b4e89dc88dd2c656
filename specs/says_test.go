package specs_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/specs"
)

func TestSays(t *testing.T) {
	t.Parallel()
	const text = `openapi: 3.0.3
info: {title: T, version: '1'}
paths:
  /things:
    get:
      operationId: listThings
      responses:
        '200': {description: "All things,\n  in order", content: {application/json: {schema: {$ref: '#/components/schemas/Thing'}}}}
        '404': {description: none}
components:
  schemas:
    Thing:
      type: object
      x-provenance: assumed
      required: [id, name]
      properties:
        id: {type: integer, description: Its number}
        name: {type: string, enum: [LONG]}
`
	d, err := specs.Parse(specs.Workflow, "own.yaml", []byte(strings.ReplaceAll(text, "LONG", strings.Repeat("ä", 300))),
		specs.Neutral)
	if err != nil {
		t.Fatal(err)
	}
	for pointer, want := range map[string]string{
		"/components/schemas/Thing/properties/id/type":           "type: integer, Its number",
		"/components/schemas/Thing/properties/id":                "Its number",
		"/components/schemas/Thing/required":                     "required: [id, name]",
		"/components/schemas/Thing":                              "properties: id, name",
		"/paths":                                                 "",
		"/paths/~1things/get/responses":                          "responses: 200, 404",
		"/paths/~1things/get/responses/200":                      "All things, in order",
		"/paths/~1things/get/responses/200/description":          "All things, in order",
		"/paths/~1things/get/responses/200/content":              "content: application/json",
		"/paths/~1things/get/responses/500":                      "",
		"":                                                       "",
		"/components/schemas/Thing/properties/name/enum/0/1/2/3": "",
	} {
		if diff := cmp.Diff(want, d.Says(pointer)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", pointer, diff)
		}
	}
	if got := d.Says("/components/schemas/Thing/properties/name/enum"); utf8.RuneCountInString(got) != 120 ||
		!strings.HasSuffix(got, "…") {
		t.Errorf("a long line is not cut: %q", got)
	}
}
