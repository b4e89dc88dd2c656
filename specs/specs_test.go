package specs_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/specs"
)

func TestCatalogue(t *testing.T) {
	t.Parallel()
	t.Run("lists the operations of all documents, in its own order", func(t *testing.T) {
		t.Parallel()
		var want strings.Builder
		for _, name := range specs.Interfaces() {
			for _, op := range load(t, name).Operations {
				fmt.Fprintf(&want, "%s %s %s\n", op.Name(), op.Method, op.Path)
			}
		}
		if os.Getenv("UPDATE") != "" {
			if err := os.WriteFile("operations.txt", []byte(want.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile("operations.txt")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.String(), string(got)); diff != "" {
			t.Errorf("task golden writes operations.txt anew (-want +got):\n%s", diff)
		}
	})
	t.Run("names each operation once", func(t *testing.T) {
		t.Parallel()
		names := map[string]bool{}
		for _, entry := range specs.Catalogue() {
			if names[entry.Name()] {
				t.Errorf("%s is there twice", entry.Name())
			}
			names[entry.Name()] = true
		}
	})
}

func TestDocuments(t *testing.T) {
	t.Parallel()
	for _, name := range slices.Concat(specs.Interfaces(), specs.Extras(), []specs.Interface{specs.Control}) {
		doc := whole(t, name)
		t.Run(string(name+" is right, examples included"), func(t *testing.T) {
			t.Parallel()
			if err := doc.Validate(t.Context()); err != nil {
				t.Error(err)
			}
		})
		t.Run(string(name+" says of every operation what it does, what refuses it, and how sure that is"),
			func(t *testing.T) {
				t.Parallel()
				for _, op := range doc.Operations {
					if op.Spec.Summary == "" || op.Spec.Description == "" {
						t.Errorf("%s has no summary or no description", op.Name())
					}
					refusal := "401"
					if strings.HasSuffix(string(name), string(specs.Ingestion)) { // looks at the key after the answer; without any it is 403
						refusal = "403"
					}
					keyless := op.Spec.Security != nil && len(*op.Spec.Security) == 0
					if !keyless && op.Spec.Responses.Value(refusal) == nil {
						t.Errorf("%s does not document %s", op.Name(), refusal)
					}
					place, err := op.Document.Place(op.Pointer)
					if err != nil || place.Provenance == "" || place.Pointer != op.Pointer || place.Line == 0 {
						t.Errorf("%s: place %+v, error %v", op.Name(), place, err)
					}
					for status, response := range op.Spec.Responses.Map() {
						for media, content := range response.Value.Content {
							if media == "application/json" && content.Example == nil && len(content.Examples) == 0 {
								t.Errorf("%s: %s answer has no example", op.Name(), status)
							}
						}
					}
				}
			})
	}
}

// Generators of clients, such as openapi-typescript, take all keys of these maps for names that an author chose.
func TestNamesAreNotExtensions(t *testing.T) {
	t.Parallel()
	named := map[string]bool{
		"responses": true, "properties": true, "schemas": true, "parameters": true, "requestBodies": true,
		"headers": true, "content": true, "encoding": true, "examples": true, "callbacks": true, "links": true,
		"securitySchemes": true, "variables": true,
	}
	for _, name := range slices.Concat(specs.Interfaces(), specs.Extras(), []specs.Interface{specs.Control}) {
		tree, err := load(t, name).Tree()
		if err != nil {
			t.Fatal(err)
		}
		var walk func(node any, pointer string, names bool)
		walk = func(node any, pointer string, names bool) {
			switch node := node.(type) {
			case map[string]any:
				for key, value := range node {
					at := pointer + "/" + specs.EscapePointer(key)
					if names && strings.HasPrefix(key, "x-") {
						t.Errorf("%s: %s is read as a name; want it in the object around", name, at)
					}
					if key != "example" && key != "default" && key != "enum" {
						walk(value, at, !names && named[key])
					}
				}
			case []any:
				for i, item := range node {
					walk(item, fmt.Sprintf("%s/%d", pointer, i), false)
				}
			}
		}
		walk(tree, "", false)
	}
}

// Names that differ in case or separators only are one in Go, as are those of a schema and of a parameter.
func TestNamesAreUniqueInGo(t *testing.T) {
	t.Parallel()
	plain := func(name string) string { return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name)) }
	for _, name := range slices.Concat(specs.Interfaces(), specs.Extras(), []specs.Interface{specs.Control}) {
		components := load(t, name).T.Components
		for parameter, ref := range components.Parameters {
			if components.Schemas[parameter] != nil && ref.Value.Extensions["x-go-name"] == nil {
				t.Errorf("%s: the parameter %s is named as a schema; want x-go-name", name, parameter)
			}
		}
		for body, ref := range components.RequestBodies {
			if components.Schemas[body] != nil && ref.Value.Extensions["x-go-name"] == nil {
				t.Errorf("%s: the body %s is named as a schema; want x-go-name", name, body)
			}
		}
		var walk func(schema *openapi3.SchemaRef, pointer string, seen map[string]string)
		walk = func(schema *openapi3.SchemaRef, pointer string, seen map[string]string) {
			if schema == nil {
				return
			}
			for property, ref := range schema.Value.Properties {
				other, taken := seen[plain(property)]
				if taken && other != property && ref.Value.Extensions["x-go-name"] == nil {
					t.Errorf("%s: %s has %s and %s; want x-go-name at one of them", name, pointer, other, property)
				}
				if ref.Value.Extensions["x-go-name"] == nil {
					seen[plain(property)] = property
				}
				if ref.Ref == "" {
					walk(ref, pointer+"/properties/"+property, map[string]string{})
				}
			}
			for _, part := range schema.Value.AllOf {
				walk(part, pointer, seen)
			}
			if items := schema.Value.Items; items != nil && items.Ref == "" {
				walk(items, pointer+"/items", map[string]string{})
			}
		}
		for schema, ref := range components.Schemas {
			walk(ref, schema, map[string]string{})
		}
	}
}

func TestExtras(t *testing.T) {
	t.Parallel()
	const path = "/table/import/shop/orders/msgpack.gz"
	core := load(t, specs.Core)
	t.Run("are found where the document has no such path, and lead to their own document", func(t *testing.T) {
		t.Parallel()
		m := core.Find("PUT", path)
		if m.Operation == nil || m.Operation.Name() != "core.importTable" || !m.Operation.IsExtra() ||
			m.Param("table_name") != "orders" {
			t.Fatalf("found %+v", m.Operation)
		}
		place, err := m.Operation.Document.Place(m.Operation.Pointer)
		if err != nil || m.Operation.Document.File != "extras/core.yaml" || place.Line == 0 ||
			place.Provenance != specs.Client {
			t.Errorf("it stands at %+v of %s, error %v", place, m.Operation.Document.File, err)
		}
		if m := core.Find("GET", path); m.Operation != nil || m.Allow != "PUT" {
			t.Errorf("GET finds %v, allowed is %q", m.Operation, m.Allow)
		}
		if m := core.Find("GET", "/table/list/shop"); m.Operation == nil || m.Operation.IsExtra() {
			t.Errorf("an operation of the document is %v", m.Operation)
		}
	})
	t.Run("can be left out", func(t *testing.T) {
		t.Parallel()
		if m := core.WithoutExtras().Find("PUT", path); m.Operation != nil || m.Allow != "" {
			t.Errorf("found %v, allowed %q", m.Operation, m.Allow)
		}
		if core.Extras == nil {
			t.Error("the document itself lost them")
		}
	})
	t.Run("stand beside a document of the user's own, and carry its brand", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "own.yaml")
		own := "openapi: 3.0.3\ninfo: {title: own, version: '1'}\npaths:\n  /a:\n    get: {operationId: a, responses: " +
			"{'200': {description: fine}}}\n"
		if err := os.WriteFile(file, []byte(own), 0o600); err != nil {
			t.Fatal(err)
		}
		doc, err := specs.LoadFile(specs.Core, file, "ACME")
		if err != nil {
			t.Fatal(err)
		}
		m := doc.Find("PUT", path)
		if m.Operation == nil || !bytes.Contains(m.Operation.Document.Source(), []byte("ACME1")) {
			t.Errorf("found %v", m.Operation)
		}
	})
	t.Run("have paths and ids of their own, and are marked", func(t *testing.T) {
		t.Parallel()
		for _, name := range specs.Interfaces() {
			doc := load(t, name)
			for _, op := range doc.All()[len(doc.Operations):] {
				filled := strings.NewReplacer("{", "", "}", "").Replace(op.Path)
				if m := doc.WithoutExtras().Find(op.Method, filled); m.Operation != nil || m.Allow != "" ||
					doc.WithoutExtras().Operation(op.ID) != nil {
					t.Errorf("%s is in the document as well", op.Name())
				}
				if doc.Operation(op.ID) != op || !op.IsExtra() {
					t.Errorf("%s is not known for an extra", op.Name())
				}
			}
		}
	})
}

func TestPlace(t *testing.T) {
	t.Parallel()
	doc, err := specs.Parse("workflow", "own.yaml", []byte(`openapi: 3.0.3
x-provenance: documented
info: {title: own, version: '1'}
paths:
  /a:
    get:
      operationId: getA
      x-provenance-responses: {'409': public}
      responses:
        '200':
          description: fine
          content:
            application/json:
              schema: {$ref: '#/components/schemas/A'}
        '404': {$ref: '#/components/responses/Gone'}
        '409': {$ref: '#/components/responses/Gone'}
components:
  responses:
    Gone: {description: gone, x-provenance: client}
  schemas:
    A:
      x-provenance: public
      type: object
      properties:
        name: {type: string}
        kind: {type: string, enum: [x], x-provenance-enum: assumed}
        next: {$ref: '#/components/schemas/A'}
`), "")
	if err != nil {
		t.Fatal(err)
	}
	answers := "/paths/~1a/get/responses/"
	body := answers + "200/content/application~1json/schema"
	for _, test := range []struct {
		name, pointer string
		want          specs.Place
	}{
		{"the root", "", specs.Place{Line: 1, Provenance: specs.Documented, File: "own.yaml"}},
		{"inherited from the root", answers + "200", specs.Place{answers + "200", 10, specs.Documented, "own.yaml"}},
		{"a reference is followed", body, specs.Place{"/components/schemas/A", 21, specs.Public, "own.yaml"}},
		{
			"also on the way", body + "/properties/next/properties/name",
			specs.Place{"/components/schemas/A/properties/name", 25, specs.Public, "own.yaml"},
		},
		{
			"one keyword", body + "/properties/kind/enum",
			specs.Place{"/components/schemas/A/properties/kind/enum", 26, specs.Assumed, "own.yaml"},
		},
		{"a response by reference", answers + "404", specs.Place{"/components/responses/Gone", 19, specs.Client, "own.yaml"}},
		{"what the referring place says holds", answers + "409", specs.Place{"/components/responses/Gone", 19, specs.Public, "own.yaml"}},
		{
			"the longest part that exists", answers + "500/content",
			specs.Place{"/paths/~1a/get/responses", 9, specs.Documented, "own.yaml"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := doc.Place(test.pointer)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("place (-want +got):\n%s", diff)
			}
		})
	}
}

func load(tb testing.TB, name specs.Interface) *specs.Document {
	tb.Helper()
	doc, err := specs.Load(name, "")
	if err != nil {
		tb.Fatal(err)
	}
	return doc
}

// whole is a document with its texts and examples.
func whole(tb testing.TB, name specs.Interface) *specs.Document {
	tb.Helper()
	doc, err := specs.Parse(name, string(name+".yaml"), load(tb, name).Source(), "")
	if err != nil {
		tb.Fatal(err)
	}
	return doc
}
