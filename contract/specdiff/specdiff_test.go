package specdiff_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract"
)

// planted is a change of the shop's documents, and the severity and the kind of a change that must be found for it.
type planted struct {
	name      string
	from, to  string // of the text of shop.yaml, or else of parts.yaml
	want      string
	andNoMore bool // it is the only one that is not a notice
}

var plantedChanges = []planted{
	{"a server is removed", ", {url: 'https://shop.example/v0'}", "", "error server-removed", true},
	{"a server is added", "{url: 'https://shop.example/v0'}", "{url: 'https://shop.example/v0'}, {url: 'https://eu.shop.example/v1'}", "notice server-added", true},
	{"the version is in the path", "https://shop.example/v1", "https://shop.example/v2", "error server-removed", true},
	{"an operation has servers of its own", "operationId: restoreProduct", "operationId: restoreProduct\n      servers: [{url: 'https://other.example/v1'}]", "notice operation-server-added", true},
	{"another credential is asked for", "name: X-Key", "name: X-Api-Key", "error security-removed", false},
	{"a way to log in is removed", ", {login: [read, write]}", "", "error security-removed", false},
	{"a scope is asked for", "[read, write]", "[read, write, admin]", "error security-removed", false},
	{"a scope is no longer asked for", "[read, write]", "[read]", "notice security-added", true},
	{"no credentials are needed", "security: [{key: []}", "security: [{}, {key: []}", "notice security-added", true},
	{"an operation is removed", "    delete:", "    x-delete:", "error operation-removed", true},
	{"a path is renamed", "/products/{productId}/restore:", "/products/{productId}/undelete:", "error operation-removed", true},
	{"an operation has another method", "    delete:", "    put:", "error operation-removed", true},
	{"an operation is added", "    delete:", "    patch: {operationId: patchProduct, responses: {'204': {description: Ok}}}\n    delete:", "notice operation-added", true},
	{"an operation has another id", "operationId: getProduct", "operationId: readProduct", "warning operation-id-changed", true},
	{"an operation is deprecated", "operationId: getProduct", "operationId: getProduct\n      deprecated: true", "notice deprecated", true},
	{"a path parameter is renamed", "{productId}/restore:\n    post:\n      operationId: restoreProduct\n      parameters:\n        - {name: productId", "{id}/restore:\n    post:\n      operationId: restoreProduct\n      parameters:\n        - {name: id", "", true},
	{"a parameter is removed", "        - {name: sort, in: query, schema: {type: string, enum: [name, price, age]}}\n", "", "error parameter-removed", true},
	{"a parameter that nobody sends is removed", "        - {name: since, in: query, schema: {type: string}}\n", "", "error parameter-removed", true},
	{"a parameter is added", "      parameters:\n        - {name: limit", "      parameters:\n        - {name: more, in: query, schema: {type: string}}\n        - {name: limit", "notice parameter-added", true},
	{"a required parameter is added", "      parameters:\n        - {name: limit", "      parameters:\n        - {name: more, in: query, required: true, schema: {type: string}}\n        - {name: limit", "error required-parameter-added", true},
	{"a parameter becomes required", "name: sort, in: query", "name: sort, required: true, in: query", "error parameter-required", true},
	{"a parameter has another style", "style: form, explode: false", "style: pipeDelimited, explode: false", "error parameter-style", true},
	{"a parameter has another type", "{type: integer, minimum: 1, maximum: 100, default: 20}", "{type: boolean}", "error type", true},
	{"a parameter takes more types", "name: since, in: query, schema: {type: string}", "name: since, in: query, schema: {}", "notice type", true},
	{"a parameter takes less", "maximum: 100,", "maximum: 50,", "error maximum", true},
	{"a parameter takes less, which nobody sends", "minimum: 1, maximum: 100", "minimum: 2, maximum: 100", "error minimum", true},
	{"a parameter takes more", "maximum: 100,", "maximum: 500,", "notice maximum", true},
	{"a bound becomes exclusive", "maximum: 100,", "maximum: 100, exclusiveMaximum: true,", "error maximum", true},
	{"a value of a parameter is removed", "[name, price, age]", "[name, age]", "error enum-value-removed", true},
	{"a value that nobody sends is removed", "[name, price, age]", "[name, price]", "error enum-value-removed", true},
	{"a value of a parameter is added", "[name, price, age]", "[name, price, age, sales]", "notice enum-value-added", true},
	{"a list of a parameter is shorter", "schema: {type: array, maxItems: 3", "schema: {type: array, maxItems: 1", "error maxItems", true},
	{"the pattern of a header changes", "^[a-z0-9-]+$", "^[a-z]+$", "error pattern", true},
	{"a default changes", "default: 20", "default: 10", "warning default", true},
	{"a body becomes required", "required: false", "required: true", "error body-required", true},
	{"a media type of requests is removed", "          application/x-www-form-urlencoded: {schema: {$ref: '#/components/schemas/NewProduct'}}\n", "", "error media-type-removed", true},
	{"a media type of requests is added", "application/x-www-form-urlencoded: {schema: {$ref: '#/components/schemas/NewProduct'}}", "application/x-www-form-urlencoded: {schema: {$ref: '#/components/schemas/NewProduct'}}\n          text/plain: {}", "notice media-type-added", true},
	{"a property of requests is removed", "        note: {type: string, nullable: true}\n", "", "error property-removed", true},
	{"a property of requests becomes required", "required: [name]\n      properties:\n        name", "required: [name, price]\n      properties:\n        name", "error property-required", true},
	{"a required property of requests is added", "required: [name]\n      properties:\n        name", "required: [name, code]\n      properties:\n        code: {type: string}\n        name", "error required-property-added", true},
	{"a property of requests becomes optional", "required: [name]\n      properties:\n        name", "properties:\n        name", "notice property-optional", true},
	{"a property of requests becomes readOnly", "note: {type: string, nullable: true}", "note: {type: string, nullable: true, readOnly: true}", "error property-removed", true},
	{"requests may have no other properties", "required: [name]\n      properties:\n        name", "additionalProperties: false\n      required: [name]\n      properties:\n        name", "error additionalProperties", true},
	{"a property of requests may no longer be null", "note: {type: string, nullable: true}", "note: {type: string}", "error nullable", true},
	{"a text of requests is shorter", "maxLength: 80}\n        price", "maxLength: 8}\n        price", "error maxLength", true},
	{"a text of requests is longer", "minLength: 1", "minLength: 5", "error minLength", true},
	{"a number of requests is smaller", "maximum: 1000", "maximum: 100", "error maximum", true},
	{"a value of requests is removed", "[toy, food, tool]", "[toy, tool]", "error enum-value-removed", true},
	{"a property of requests gets values", "note: {type: string, nullable: true}", "note: {type: string, nullable: true, enum: [a, b, null]}", "error enum-added", true},
	{"a number of requests has a smaller format", "format: int64", "format: int32", "error format", true},
	{"a number of requests has a larger step", "multipleOf: 1}", "multipleOf: 2}", "error multipleOf", true},
	{"a list of requests is longer", "minItems: 0, maxItems: 5", "minItems: 3, maxItems: 5", "error minItems", true},
	{"items of requests must differ", "uniqueItems: false", "uniqueItems: true", "error uniqueItems", true},
	{"items of requests have another type", "uniqueItems: false, items: {type: string}", "uniqueItems: false, items: {type: integer}", "error type", true},
	{"a map of requests is smaller", "maxProperties: 4", "maxProperties: 0", "error maxProperties", true},
	{"values of a map have another type", "additionalProperties: {type: string}", "additionalProperties: {type: integer}", "error type", true},
	{"an alternative of requests is removed", ", {$ref: '#/components/schemas/Cash'}", "", "error oneOf-removed", true},
	{"an alternative of requests changes", "required: [coins]", "required: [coins, notes]", "error required-property-added", false},
	{"a keyword of requests whose effect is not known changes", "required: [name]\n      properties:\n        name", "not: {required: [kind, note]}\n      required: [name]\n      properties:\n        name", "error not", true},
	{"a status of success is removed", "        '202': {description: Later}\n", "", "error status-removed", true},
	{"a status of success is added", "'202': {description: Later}", "'202': {description: Later}\n        '200': {description: Same}", "warning status-added", true},
	{"a status of an error is removed", "        '404': {$ref: '#/components/responses/Error'}\n    post:", "    post:", "warning status-removed", true},
	{"a status of an error is added", "'202': {description: Later}", "'202': {description: Later}\n        '409': {description: Twice}", "notice status-added", true},
	{"a status is written as a range", "        '204': {description: Gone}", "        '2XX': {description: Gone}", "warning status-added", true},
	{"a media type of answers is removed", "            text/csv: {schema: {type: string}}\n", "", "error media-type-removed", true},
	{"a header is removed", "            X-Page: {schema: {type: string}}\n", "", "error header-removed", true},
	{"a header becomes optional", "X-Total: {required: true, ", "X-Total: {", "error header-optional", true},
	{"a header has another type", "X-Page: {schema: {type: string}}", "X-Page: {schema: {type: boolean}}", "error type", true},
	{"a header is added", "X-Page: {schema: {type: string}}", "X-Page: {schema: {type: string}}\n            X-More: {schema: {type: string}}", "notice header-added", true},
	{"a property of an error is removed", ", code: {type: integer}", "", "error property-removed", true},
	{"a property of answers is removed", "    price: {type: number, minimum: 0}\n    state", "    state", "error property-removed", false},
	{"a property that no answer has is removed", "    unused: {type: string}\n", "", "error property-removed", false},
	{"a property of answers becomes writeOnly", "unused: {type: string}", "unused: {type: string, writeOnly: true}", "error property-removed", false},
	{"a property of answers is added", "unused: {type: string}", "unused: {type: string}\n    colour: {type: string}", "notice property-added", true},
	{"a property of answers becomes optional", "required: [id, name, state]", "required: [id, name]", "error property-optional", false},
	{"a property of answers becomes required", "required: [id, name, state]", "required: [id, name, state, count]", "notice property-required", true},
	{"a property of answers has another type", "count: {type: integer", "count: {type: string", "error type", false},
	{"a property of answers has more types", "count: {type: integer", "count: {type: number", "error type", false},
	{"a property of answers may be null", "count: {type: integer", "count: {nullable: true, type: integer", "error nullable", false},
	{"a property of answers has a larger format", "format: int32", "format: int64", "error format", false},
	{"a property of answers has another format", "format: uuid", "format: date", "error format", false},
	{"a property of answers is larger", "maximum: 10}", "maximum: 100}", "warning maximum", false},
	{"a list of answers is longer", "tags: {type: array, maxItems: 3", "tags: {type: array, maxItems: 30", "warning maxItems", false},
	{"a text of answers is longer", "maxLength: 80}\n    price", "maxLength: 200}\n    price", "warning maxLength", false},
	{"a value of answers is added", "[draft, sold]", "[draft, sold, lost]", "warning enum-value-added", false},
	{"a value of answers is removed", "[draft, sold]", "[draft]", "notice enum-value-removed", true},
	{"answers have any value", "state: {type: string, enum: [draft, sold]}", "state: {type: string}", "warning enum-removed", false},
	{"a property within a combined schema is removed", ", properties: {city: {type: string}}", "", "error property-removed", false},
	{"an alternative of answers is added", "{anyOf: [{$ref: '#/Shelf'}, {type: string}]}", "{anyOf: [{$ref: '#/Shelf'}, {type: string}, {type: integer}]}", "error anyOf-added", false},
	{"a property of an alternative is removed", "required: [row], properties: {row: {type: integer}}", "properties: {}", "error property-removed", false},
	{"a property of answers is deprecated", "unused: {type: string}", "unused: {type: string, deprecated: true}", "notice deprecated", true},
	{"a schema is written in its place", "place: {anyOf: [{$ref: '#/Shelf'}, {type: string}]}", "place: {anyOf: [{$ref: '#/Shelf'}, {type: string}]}\n    # nothing", "", true},
}

// Each planted change is found as what it is, and the recording shows who uses it. The table has all that is
// louder than a notice, or else the first notice.
func TestPlantedChanges(t *testing.T) {
	t.Parallel()
	texts := map[string]string{}
	for _, file := range []string{"shop.yaml", "parts.yaml"} {
		text, err := os.ReadFile("testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		texts[file] = string(text)
	}
	rows := make([]string, len(plantedChanges))
	t.Run("each", func(t *testing.T) {
		t.Parallel()
		for i, p := range plantedChanges {
			t.Run(p.name, func(t *testing.T) {
				t.Parallel()
				rows[i] = p.compare(t, texts)
			})
		}
	})
	t.Cleanup(func() {
		got := strings.Join(rows, "")
		if os.Getenv("UPDATE") == "1" {
			if err := os.WriteFile("testdata/planted.txt", []byte(got), 0o600); err != nil {
				t.Error(err)
			}
		}
		want, err := os.ReadFile("testdata/planted.txt")
		if diff := cmp.Diff(string(want), got); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	})
}

func (p planted) compare(t *testing.T, texts map[string]string) (row string) {
	t.Helper()
	folder, changed := t.TempDir(), 0
	for file, text := range texts {
		if n := strings.Count(text, p.from); n == 1 {
			text = strings.Replace(text, p.from, p.to, 1)
			changed++
		}
		if err := os.WriteFile(filepath.Join(folder, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if changed != 1 {
		t.Fatalf("%q stands %d times in the documents, want once", p.from, changed)
	}
	old, err := contract.NewChecker(contract.WithSpec("shop", "testdata/shop.yaml"), contract.WithInterfaces("shop"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := old.SpecDiff(t.Context(), contract.Files("testdata/shop.ndjson"),
		contract.WithSpec("shop", filepath.Join(folder, "shop.yaml")))
	if err != nil {
		t.Fatal(err)
	}
	row = p.name + "\n"
	isFound, notices := p.want == "", ""
	for _, c := range r.Changes {
		found := fmt.Sprintf("%s %s", c.Severity, c.Kind)
		isFound = isFound || found == p.want
		line := fmt.Sprintf("\t%s: %s %s: %s", found, c.Operation, c.Place, c.Message)
		if c.Use != nil {
			line += "; " + c.Use.Text()
		}
		if c.Spec != nil {
			line += fmt.Sprintf(" (%s:%d %s)", filepath.Base(c.Spec.File), c.Spec.Line, c.Spec.Pointer)
		}
		switch {
		case c.Severity == "notice" && notices == "":
			notices = line + "\n"
		case c.Severity == "notice":
		case found != p.want && p.andNoMore:
			t.Errorf("found %s, want nothing but %s and notices", line, p.want)
		default:
			row += line + "\n"
		}
	}
	if !isFound || p.want == "" && len(r.Changes) > 0 {
		t.Errorf("%s: want %q, found %v", p.name, p.want, r.Changes)
	}
	if strings.HasSuffix(row, p.name+"\n") {
		row += notices
	}
	return row
}

// A change of a schema in another file is shown once, with its line there and the places that refer to it.
func TestAChangeInAnotherFileIsShownOnce(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, file := range []string{"shop.yaml", "parts.yaml"} {
		text, err := os.ReadFile("testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		text = bytes.Replace(text, []byte("count: {type: integer"), []byte("count: {type: string"), 1)
		if err := os.WriteFile(filepath.Join(folder, file), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	old, err := contract.NewChecker(contract.WithSpec("shop", "testdata/shop.yaml"), contract.WithInterfaces("shop"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := old.SpecDiff(t.Context(), nil, contract.WithSpec("shop", filepath.Join(folder, "shop.yaml")))
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := r.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	want := "  /Product/properties/count: type integer → string  (" + filepath.Join(folder, "parts.yaml") + `:11)
    shop.listProducts 200 /items/*/count
    shop.createProduct 201 /count
    shop.getProduct 200 /count
`
	if !strings.Contains(text.String(), want) {
		t.Errorf("want\n%s\nin\n%s", want, &text)
	}
}
