package specs_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/specs"
)

// loadShop loads a document of an interface of the user's own, which stands beside other files.
func loadShop(t *testing.T, text string, beside map[string]string) (*specs.Document, error) {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "shop")
	for name, content := range beside {
		file := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(folder, "shop.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return specs.LoadFile("shop", file, specs.Neutral)
}

func mustLoadShop(t *testing.T, text string, beside map[string]string) *specs.Document {
	t.Helper()
	doc, err := loadShop(t, text, beside)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func names(doc *specs.Document) (list []string) {
	for _, o := range doc.Operations {
		list = append(list, o.Method+" "+o.Path)
	}
	return list
}

const swagger = `swagger: "2.0"
info: {title: Shop, version: "1"}
host: shop.example
basePath: /v2
schemes: [https]
produces: [application/json]
paths:
  /pets/{petId}:
    get:
      operationId: getPet
      parameters: [{name: petId, in: path, required: true, type: integer}]
      responses: {"200": {description: a pet, schema: {$ref: '#/definitions/Pet'}}}
definitions:
  Pet: {type: object, properties: {id: {type: integer}, name: {type: string}}}
`

func TestForms(t *testing.T) {
	t.Parallel()
	const head = "openapi: 3.1.0\ninfo: {title: Shop, version: '1'}\n"
	t.Run("Swagger 2.0 is read as OpenAPI 3, and keeps the lines of its text", func(t *testing.T) {
		t.Parallel()
		doc := mustLoadShop(t, swagger, nil)
		if diff := cmp.Diff([]string{"GET /pets/{petId}"}, names(doc)); diff != "" || doc.BasePath != "/v2" {
			t.Errorf("base path %s, operations (-want +got):\n%s", doc.BasePath, diff)
		}
		if pet := doc.Operation("getPet").JSONAnswer(200); pet == nil || pet.Properties["name"] == nil {
			t.Errorf("the answer is %+v", pet)
		}
		if place, err := doc.Place("/paths/~1pets~1{petId}/get/responses/200"); err != nil || place.Line != 12 {
			t.Errorf("place %+v, error %v", place, err)
		}
		if got := doc.ServerURLs(); !slices.Equal(got, []string{"https://shop.example/v2"}) {
			t.Errorf("servers %v", got)
		}
	})
	t.Run("operations that only OpenAPI 3.2 has are read", func(t *testing.T) {
		t.Parallel()
		doc := mustLoadShop(t, strings.Replace(head, "3.1.0", "3.2.0", 1)+
			"paths:\n  /pets:\n    get: {responses: {'200': {description: x}}}\n    query: {responses: {'200': {description: x}}}\n", nil)
		if len(doc.Operations) != 2 || len(doc.Ignored) != 0 {
			t.Errorf("operations %v, ignored %+v", names(doc), doc.Ignored)
		}
	})
	t.Run("files below the folder are read, and what they refer to from where they stand", func(t *testing.T) {
		t.Parallel()
		doc := mustLoadShop(t, head+"paths:\n  /pets: {$ref: 'paths/pets.yaml'}\n", map[string]string{
			"paths/pets.yaml": "get: {operationId: listPets, responses: {'200': {description: x, content: {application/json: " +
				"{schema: {type: array, items: {$ref: '../schemas/pet.yaml#/Pet'}}}}}}}\n",
			"schemas/pet.yaml": "Pet: {type: object, properties: {owner: {$ref: '#/Owner'}}}\nOwner: {type: string}\n",
		})
		answer := doc.Operation("listPets").JSONAnswer(200)
		if answer == nil || answer.Items.Value.Properties["owner"].Value.Type.Slice()[0] != "string" {
			t.Errorf("the answer is %+v", answer)
		}
	})
	outside := "  /pets: {get: {operationId: listPets, responses: {'200': {description: x, content: {application/json: " +
		"{schema: {$ref: REF}}}}}}}\n"
	good := "  /owners: {get: {operationId: listOwners, responses: {'200': {description: x}}}}\n"
	for name, test := range map[string]struct{ ref, want string }{
		"into nowhere":                  {"'#/components/schemas/Pet'", "which is not there"},
		"to a file that is not there":   {"'pet.yaml#/Pet'", "cannot be read"},
		"into nowhere in another file":  {"'other.yaml#/Owner'", "which is not there"},
		"that another file has":         {"'broken.yaml'", "which is not there"},
		"to a file outside the folder":  {"'../secret.yaml'", "outside of the document's folder"},
		"to itself":                     {"'#/components/schemas/Loop'", "which leads to nothing but references"},
		"to a file by its full path":    {"'/etc/hostname'", "outside of the document's folder"},
		"to a link that leads outside":  {"'link.yaml'", "cannot be read"},
		"to a folder":                   {"'.'", "cannot be read"},
		"to an address":                 {"'https://example.com/pet.yaml'", "it refers to an address"},
		"to a file that grows too much": {"'bomb.yaml'", "too many values"},
	} {
		t.Run("a reference "+name+" costs its operation, told once with the line", func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			if err := os.WriteFile(filepath.Join(folder, "secret.yaml"), []byte("type: string\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			text := head + "paths:\n" + good + strings.Replace(outside, "REF", test.ref, 1) +
				"components: {schemas: {Loop: {$ref: '#/components/schemas/Loop'}}}\n"
			if name == "to a link that leads outside" {
				shop := filepath.Join(folder, "shop")
				if err := os.Mkdir(shop, 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink(filepath.Join(folder, "secret.yaml"), filepath.Join(shop, "link.yaml")); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(shop, "shop.yaml"), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				doc, err := specs.LoadFile("shop", filepath.Join(shop, "shop.yaml"), specs.Neutral)
				checkIgnored(t, doc, err, test.want)
				return
			}
			doc, err := loadShop(t, text, map[string]string{
				"other.yaml": "Pet: {type: object}\n", "broken.yaml": "{$ref: '#/nothing'}\n",
				"bomb.yaml": "a: &a [x,x,x,x,x,x,x,x]\n" + grown('b', 'h'),
			})
			checkIgnored(t, doc, err, test.want)
		})
	}
	t.Run("values of a discriminator that lead nowhere cost nothing else", func(t *testing.T) {
		t.Parallel()
		text := head + "paths:\n  /pets: {post: {requestBody: {content: {application/json: {schema: {oneOf: [" +
			"{$ref: '#/components/schemas/Cat'}], discriminator: {propertyName: kind, mapping: {a: models/cat.yml#/Cat, " +
			"b: '#/components/schemas/Dog', c: '#/components/schemas/Cat', d: Cat, e: beside.yaml#/Cat}}}}}}, " +
			"responses: {'200': {description: x}}}}\n" +
			"components: {schemas: {Cat: {type: object, properties: {kind: {type: string}}}}}\n"
		doc := mustLoadShop(t, text, map[string]string{"beside.yaml": "Cat: {type: object}\n"})
		var left []string
		for _, i := range doc.Ignored {
			left = append(left, path.Base(i.Pointer))
		}
		if len(doc.Operations) != 1 || !slices.Equal(left, []string{"a", "b"}) {
			t.Errorf("operations %v, ignored %+v", names(doc), doc.Ignored)
		}
	})
	t.Run("slashes around a pattern are none of it", func(t *testing.T) {
		t.Parallel()
		text := head + "paths:\n  /pets: {get: {parameters: [{name: zip, in: query, schema: {type: string, pattern: '/^a+$/i'}}, " +
			"{name: path, in: query, schema: {type: string, pattern: '/a/', example: {pattern: '/^b$/'}}}], " +
			"responses: {'200': {description: x}}}}\n"
		doc := mustLoadShop(t, text, nil)
		if len(doc.Operations) != 1 || len(doc.Ignored) != 1 ||
			!strings.Contains(doc.Ignored[0].Reason, "(?i)^a+$ is taken") ||
			doc.Ignored[0].Pointer != "/paths/~1pets/get/parameters/0/schema/pattern" || doc.Ignored[0].Line == 0 {
			t.Fatalf("operations %v, ignored %+v", names(doc), doc.Ignored)
		}
		for i, want := range []string{"(?i)^a+$", "/a/"} {
			if got := doc.Operations[0].Parameters[i].Value.Schema.Value.Pattern; got != want {
				t.Errorf("pattern %q, want %q", got, want)
			}
		}
	})
	const both = `{"a":1,"b":1}`
	for schema, want := range map[string]struct{ pointer, accepted, refused string }{
		// the members of all parts are meant
		"{additionalProperties: false, required: [a], allOf: [{properties: {a: {}}, additionalProperties: false}]}": {
			"/additionalProperties", `{"a":1}`, both,
		},
		"{required: [b], properties: {b: {}}, allOf: [{$ref: '#/components/schemas/A'}]}": {"/allOf/0", both, `{"a":1}`},
		"{allOf: [{$ref: '#/components/schemas/A'}, {allOf: [{required: [b]}]}]}":         {"/allOf/0", both, `{"a":1}`},
		// some object fits
		"{additionalProperties: false, properties: {a: {}}, allOf: [{$ref: '#/components/schemas/A'}]}": {"", `{"a":1}`, both},
		"{required: [a], allOf: [{$ref: '#/components/schemas/A'}]}":                                    {"", `{"a":1}`, both},
		// any form is meant
		"{type: object, oneOf: [{properties: {a: {}}}, {properties: {b: {}}}]}":                      {"/oneOf", `{"a":1}`, `1`},
		"{oneOf: [{$ref: '#/components/schemas/A'}, {type: object, required: [c]}, {type: object}]}": {"/oneOf", `{"a":1}`, `1`},
		"{oneOf: [{required: [a], properties: {a: {}}}, {allOf: [{$ref: '#/components/schemas/A'}]}]}": {
			"/oneOf", `{"a":1}`, `{"b":1}`,
		},
		"{oneOf: [" + strings.Repeat("{type: string}, ", 98) + "{type: object, required: [c]}, {type: object}]}": {
			"/oneOf", `{"a":1}`, `1`,
		},
		// one form is
		"{oneOf: [" + strings.Repeat("{type: integer}, ", 99) + "{type: object, required: [a]}, {type: object}]}": {
			"", `{}`, `{"a":1}`, // only the first hundred are looked at
		},
		"{oneOf: [{required: [a], properties: {a: {}}}, {required: [b], properties: {b: {}}}]}":       {"", `{"a":1}`, both},
		"{oneOf: [{properties: {a: {type: string}}}, {properties: {a: {type: number}}}]}":             {"", `{"a":1}`, `{}`},
		"{oneOf: [{$ref: '#/components/schemas/A'}, {required: [a, b], properties: {a: {}, b: {}}}]}": {"", `{"a":1}`, `{"b":1}`},
		"{oneOf: [{type: object, minProperties: 2}, {type: object}]}":                                 {"", `{"a":1}`, both},
		"{oneOf: [{type: object}, {type: [object, 'null']}]}":                                         {"", `null`, `{}`},
		"{oneOf: [{type: integer}, {type: number}]}":                                                  {"", `1.5`, `1`},
	} {
		t.Run("what nothing fits is opened, "+schema, func(t *testing.T) {
			t.Parallel()
			doc := mustLoadShop(t, head+"paths:\n  /pets: {get: {responses: {'200': {description: x, content: "+
				"{application/json: {schema: "+schema+"}}}}}}\ncomponents: {schemas: {A: {type: object, required: [a], "+
				"properties: {a: {}}, additionalProperties: false}}}\n", nil)
			for text, isRight := range map[string]bool{want.accepted: true, want.refused: false} {
				var value any
				if err := json.Unmarshal([]byte(text), &value); err != nil {
					t.Fatal(err)
				}
				if err := doc.Operations[0].JSONAnswer(200).VisitJSON(value); (err == nil) != isRight {
					t.Errorf("%s: %v, want it right %t", text, err, isRight)
				}
			}
			var at []string
			for _, i := range doc.Ignored {
				_, pointer, _ := strings.Cut(i.Pointer, "/schema")
				at = append(at, pointer)
			}
			if got := strings.Join(at, " "); got != want.pointer {
				t.Errorf("opened %q, want %q", got, want.pointer)
			}
		})
	}
	t.Run("the parts of an allOf are looked at once, however often they are parts", func(t *testing.T) {
		t.Parallel()
		text := head + "paths:\n" + strings.Replace(outside, "REF", "'#/components/schemas/S12'", 1) +
			"components:\n  schemas:\n    S0: {required: [a]}\n"
		for n := range 12 { // each has the last one thirty times, and itself
			text += fmt.Sprintf("    S%d: {additionalProperties: false, allOf: [%s{$ref: '#/components/schemas/S%[1]d'}]}\n", n+1,
				strings.Repeat(fmt.Sprintf("{allOf: [{$ref: '#/components/schemas/S%d'}]}, ", n), 30))
		}
		if doc := mustLoadShop(t, text, nil); len(doc.Ignored) == 0 {
			t.Error("nothing was opened")
		}
	})
	for name, pets := range map[string]string{
		"alone":         "{get: {parameters: [PARAMETER], responses: {'200': {description: x}}}}",
		"with its path": "{get: {responses: {'200': {description: x}}}, parameters: [PARAMETER]}",
	} {
		t.Run("a parameter that is wrong costs its operation, "+name, func(t *testing.T) {
			t.Parallel()
			text := head + "paths:\n" + good + "  /pets: " + strings.Replace(pets, "PARAMETER",
				"{name: a, in: query, schema: {type: string}, content: {text/plain: {}}}", 1) + "\n"
			doc, err := loadShop(t, text, nil)
			checkIgnored(t, doc, err, "both schema and content")
		})
	}
	t.Run("a part that nothing needs may be wrong", func(t *testing.T) {
		t.Parallel()
		doc := mustLoadShop(t, head+"paths:\n"+good+"components: {schemas: {Pet: {$ref: '#/nothing'}}}\n", nil)
		if len(doc.Ignored) != 0 || len(doc.Operations) != 1 {
			t.Errorf("ignored %v, operations %v", doc.Ignored, names(doc))
		}
	})
	t.Run("parameters of the query may stand in the path", func(t *testing.T) {
		t.Parallel()
		doc := mustLoadShop(t, head+`paths:
  /shops/{id}/pets?tag={kind}&sorted=true:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    get:
      parameters: [{name: kind, in: path, required: true, schema: {type: string}}]
      responses: {'200': {description: a}}
  /pets{?tag,page}: {get: {parameters: [{name: page, in: path, required: true, schema: {type: integer}}], responses: {'200': {description: a}}}}
`, nil)
		var got []string
		for _, o := range doc.Operations {
			line := o.Method + " " + o.Path
			for _, p := range o.Parameters {
				line += " " + p.Value.In + " " + p.Value.Name
			}
			got = append(got, line)
		}
		want := []string{"GET /pets query page", "GET /shops/{id}/pets query tag path id"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("operations (-want +got):\n%s", diff)
		}
	})
	t.Run("an extension may hold anything", func(t *testing.T) {
		t.Parallel()
		doc := mustLoadShop(t, head+"paths:\n  x-all: {get: {$ref: '#/gone'}}\n  /pets: {get: {responses: "+
			"{'200': {description: a}, x-more: {$ref: '#/gone'}}}}\n", nil)
		if diff := cmp.Diff([]string{"GET /pets"}, names(doc)); diff != "" || len(doc.Ignored) != 0 {
			t.Errorf("ignored %v, operations (-want +got):\n%s", doc.Ignored, diff)
		}
	})
	t.Run("names that an author chose are names, whatever they are", func(t *testing.T) {
		t.Parallel()
		doc := mustLoadShop(t, head+`paths:
  /pets:
    get:
      operationId: listPets
      parameters: [{$ref: '#/components/parameters/x-page'}]
      responses:
        default: {$ref: '#/components/responses/default'}
components:
  examples: {enum: {value: {description: a}}}
  parameters: {x-page: {name: page, in: query, schema: {$ref: '#/components/schemas/x-number'}}}
  responses: {default: {description: x, content: {application/json: {schema: {$ref: '#/components/schemas/default'},
    examples: {default: {$ref: '#/components/examples/enum'}}}}}}
  schemas:
    x-number: {type: integer}
    default: {type: object, properties: {enum: {$ref: '#/components/schemas/x-number'}}}
`, nil)
		o := doc.Operation("listPets")
		media := o.Spec.Responses.Default().Value.Content["application/json"]
		answer := media.Schema.Value
		if diff := cmp.Diff(map[string]any{"description": "a"}, media.Examples["default"].Value.Value); diff != "" {
			t.Errorf("example (-want +got):\n%s", diff)
		}
		if o.Parameters[0].Value.Schema.Value == nil || answer == nil || answer.Properties["enum"].Value == nil {
			t.Errorf("parameters %+v, answer %+v", o.Parameters[0].Value, answer)
		}
	})
	t.Run("servers of paths and operations are where these are", func(t *testing.T) {
		t.Parallel()
		doc := mustLoadShop(t, head+`servers: [{url: 'https://shop.example/v2'}]
paths:
  /pets: {get: {responses: {'200': {description: x}}}}
  /owners: {servers: [{url: 'https://shop.example/v3'}], get: {responses: {'200': {description: x}}}}
`, nil)
		want := []string{"GET /v2/pets", "GET /v3/owners"}
		if diff := cmp.Diff(want, names(doc)); diff != "" || doc.BasePath != "" {
			t.Errorf("base path %q, operations (-want +got):\n%s", doc.BasePath, diff)
		}
	})
	for name, text := range map[string]string{
		"another version":          "swagger: '1.2'\npaths: {/a: {get: {}}}\n",
		"no version":               "paths: {/a: {get: {}}}\n",
		"an unknown version":       "openapi: 4.0.0\npaths: {/a: {get: {}}}\n",
		"nothing that can be read": "openapi: 3.0.3\npaths: {/a: {$ref: gone.yaml}}\n",
	} {
		t.Run("a document of "+name+" is refused", func(t *testing.T) {
			t.Parallel()
			if doc, err := loadShop(t, text, nil); err == nil {
				t.Errorf("it has %v", names(doc))
			}
		})
	}
}

func checkIgnored(t *testing.T, doc *specs.Document, err error, want string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"GET /owners"}, names(doc)); diff != "" {
		t.Errorf("operations (-want +got):\n%s", diff)
	}
	if len(doc.Ignored) != 1 || !strings.Contains(doc.Ignored[0].Reason, want) || doc.Ignored[0].Line != 5 ||
		doc.Ignored[0].Pointer != "/paths/~1pets/get" {
		t.Errorf("ignored %+v, want one with %q in line 5", doc.Ignored, want)
	}
}

func TestNamesOfInterfaces(t *testing.T) {
	t.Parallel()
	for name, isGood := range map[specs.Interface]bool{
		"shop": true, "shop-2": true, "workflow": true, "s": true, "": false, "Shop": false, "control": false, "2shop": false,
		"shop-": false, "a--b": false, "a_b": false, "a.b": false, "../x": false,
		specs.Interface(strings.Repeat("a", 64)): false,
	} {
		if err := specs.CheckName(name); (err == nil) != isGood {
			t.Errorf("%q: %v", name, err)
		}
	}
	if specs.Interface(specs.Core).IsOwn() || specs.Interface(specs.Control).IsOwn() || !specs.Interface("shop").IsOwn() {
		t.Error("an interface is taken for one of the user's own, or the other way round")
	}
}
