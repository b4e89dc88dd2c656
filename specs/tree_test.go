package specs_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/specs"
)

func loadFile(t *testing.T, name, text string) (*specs.Document, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return specs.LoadFile(specs.Workflow, file, "")
}

// careless is a document with common mistakes: schemas that nothing needs and that are invalid, defaults and examples
// of the wrong type, an operation without answers.
const careless = `openapi: 3.0.3
info: {title: &title own, version: '1'}
paths:
  /api/pools:
    get:
      summary: *title
      parameters:
      - {name: limit, in: query, schema: {type: integer, default: many}, example: many}
      responses:
        200:
          description: pools
          content:
            application/json:
              schema: {$ref: '#/components/schemas/Pools'}
              example: [no pools]
    post: {}
components:
  schemas:
    Pools:
      type: object
      properties:
        description: {type: string}
        example: {$ref: '#/components/schemas/example'}
        kind: {enum: [{description: a, example: b}]}
    example: &example {type: object, properties: {created: {type: string, format: date, example: 2026-01-15}}}
    Unneeded: {type: [], items: 7, $ref: 7}
    Unresolved: {$ref: '#/components/schemas/Nowhere'}
    Merged: {<<: *example, nullable: true}
`

func TestLoadFile(t *testing.T) {
	t.Parallel()
	t.Run("a document is read as far as it is needed", func(t *testing.T) {
		t.Parallel()
		doc, err := loadFile(t, "careless.yaml", careless)
		if err != nil {
			t.Fatal(err)
		}
		pools := doc.Operation("listPools").JSONAnswer(200)
		if pools == nil || pools.Properties["description"] == nil ||
			pools.Properties["example"].Value.Properties["created"] == nil {
			t.Errorf("properties that are named like texts for people are gone: %+v", pools)
		}
		if got := fmt.Sprint(pools.Properties["kind"].Value.Enum); got != "[map[description:a example:b]]" {
			t.Errorf("values that are allowed are %s", got)
		}
		if len(doc.T.Components.Schemas) != 2 {
			t.Errorf("the schemas that nobody needs are there: %v", doc.T.Components.Schemas)
		}
		if string(doc.Source()) != careless {
			t.Error("its text is not what the file holds")
		}
		place, err := doc.Place("/paths/~1api~1pools/get/responses/200/content/application~1json/schema/properties/kind")
		if err != nil || place.Line != 24 {
			t.Errorf("place %+v, error %v", place, err)
		}
	})
	t.Run("JSON is read as YAML is, and its lines are known", func(t *testing.T) {
		t.Parallel()
		text := "\n{\"openapi\": \"3.1.0\", \"info\": {\"title\": \"a\", \"version\": \"1\"},\n \"paths\": " +
			"{\"/api/pools\": {\n  \"get\": {\"responses\": {\"200\": {\"description\": \"x\",\n   \"headers\": {\"N\": " +
			"{\"schema\": {\"maximum\": 9007199254740993, \"minimum\": -1.50}}}}}}}}}\n"
		doc, err := loadFile(t, "own.json", text)
		if err != nil {
			t.Fatal(err)
		}
		place, err := doc.Place("/paths/~1api~1pools/get/responses/200/headers/N/schema/minimum")
		if err != nil || place.Line != 5 ||
			place.Pointer != "/paths/~1api~1pools/get/responses/200/headers/N/schema/minimum" {
			t.Errorf("place %+v, error %v", place, err)
		}
		if place, _ := doc.Place("/paths/~1api~1pools/get"); place.Line != 4 {
			t.Errorf("place %+v", place)
		}
	})
	for name, tt := range map[string]struct{ text, want string }{
		"a key that is there twice": {
			"openapi: 3.0.3\npaths:\n  /api/pools: {get: {}}\n  /api/pools: {post: {}}\n",
			`line 4: the key "/api/pools" is given twice`,
		},
		"another file": {
			"openapi: 3.0.3\npaths:\n  /api/pools: {$ref: 'paths/pools.yaml'}\n",
			"line 3: /paths/~1api~1pools/$ref: it refers to paths/pools.yaml, which cannot be read",
		},
		"a list":            {"- openapi\n", "the document is not an object"},
		"nothing":           {"\n", "the document is empty"},
		"cut JSON":          {`{"openapi": "3.0.3", "paths": {`, "yaml: "},
		"aliases that grow": {"a: &a [x,x,x,x,x,x,x,x]\n" + grown('b', 'h') + "paths: {}\n", "too many values"},
	} {
		t.Run(name+" is refused, and the file named", func(t *testing.T) {
			t.Parallel()
			_, err := loadFile(t, "own.yaml", tt.text)
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "own.yaml") {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

// grown returns lists, each of which has the one before eight times.
func grown(from, to rune) string {
	var text strings.Builder
	for name := from; name <= to; name++ {
		alias := fmt.Sprintf("*%c", name-1)
		fmt.Fprintf(&text, "%c: &%[1]c [%s]\n", name, strings.Repeat(alias+",", 7)+alias)
	}
	return text.String()
}

func TestExtract(t *testing.T) {
	t.Parallel()
	t.Run("has one operation, and all that it refers to", func(t *testing.T) {
		t.Parallel()
		doc, err := loadFile(t, "own.yaml", `openapi: 3.1.0
jsonSchemaDialect: https://spec.openapis.org/oas/3.1/dialect/base
info: {title: own, version: '1'}
paths:
  /api/pools/{p}:
    parameters: [{$ref: '#/components/parameters/P'}]
    get: {responses: {'200': {$ref: '#/components/responses/Pool'}}}
    delete: {responses: {'404': {$ref: '#/components/responses/Gone'}}}
components:
  parameters: {P: {name: p, in: path, required: true, schema: {$ref: '#/components/schemas/Id'}}}
  responses:
    Pool: {description: x, content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}, text/event-stream: {x-event: Event}}}
    Gone: {description: x, content: {application/json: {schema: {$ref: '#/components/schemas/Error'}}}}
  schemas:
    Id: {type: string}
    Pet: {discriminator: {propertyName: kind, mapping: {cat: Cat, dog: '#/components/schemas/Dog'}}, oneOf: [{$ref: '#/components/schemas/Cat'}]}
    Cat: {properties: {next: {$ref: '#/components/schemas/Pet'}}}
    Dog: {type: object}
    Event: {type: object}
    Error: {type: object}
`)
		if err != nil {
			t.Fatal(err)
		}
		text, err := doc.Extract(doc.Operation("getPool"))
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Dialect    string `json:"jsonSchemaDialect"`
			Paths      map[string]map[string]any
			Components map[string]map[string]any
		}
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, kind := range []string{"parameters", "responses", "schemas"} {
			for _, name := range []string{"P", "Pool", "Gone", "Id", "Pet", "Cat", "Dog", "Event", "Error"} {
				if got.Components[kind][name] != nil {
					names = append(names, kind+" "+name)
				}
			}
		}
		want := []string{
			"parameters P", "responses Pool", "schemas Id", "schemas Pet", "schemas Cat", "schemas Dog", "schemas Event",
		}
		if diff := cmp.Diff(want, names); diff != "" {
			t.Errorf("components (-want +got):\n%s", diff)
		}
		item := got.Paths["/api/pools/{p}"]
		if got.Dialect == "" || item["get"] == nil || item["delete"] != nil || item["parameters"] == nil {
			t.Errorf("dialect %q, path %v", got.Dialect, item)
		}
	})
	t.Run("has everything when references need it", func(t *testing.T) {
		t.Parallel()
		doc, err := loadFile(t, "own.yaml", `openapi: 3.0.3
info: {title: own, version: '1'}
paths:
  /api/pools: {get: {responses: {'200': {$ref: '#/paths/~1api~1sessions/get/responses/200'}}}}
  /api/sessions: {get: {responses: {'200': {description: x}}}}
components: {schemas: {A: {type: string}}}
`)
		if err != nil {
			t.Fatal(err)
		}
		text, err := doc.Extract(doc.Operation("listPools"))
		if err != nil || !strings.Contains(string(text), "/api/sessions") || !strings.Contains(string(text), `"A"`) {
			t.Errorf("%s, error %v", text, err)
		}
	})
}
