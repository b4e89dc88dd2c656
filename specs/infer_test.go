package specs_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/specs"
)

// described lists what the operations of a document do to resources, a line each.
func described(doc *specs.Document) string {
	var lines []string
	for _, o := range doc.Operations {
		line := o.Method + " " + o.Template + ":"
		for _, a := range o.Actions() {
			line += fmt.Sprintf(" %s %s", a.Verb, strings.TrimPrefix(a.Resource.Name, "shop."))
			for _, at := range a.At {
				line += fmt.Sprintf(" at %q", at)
			}
			if len(a.Within) > 0 {
				line += fmt.Sprintf(" within %v", a.Within)
			}
			if a.Reads && a.Verb != specs.Get && a.Verb != specs.List {
				line += " reads"
			}
			if a.Changes && a.Verb != specs.Update {
				line += " changes"
			}
		}
		lines = append(lines, strings.TrimSuffix(line, ":"))
	}
	return strings.Join(lines, "\n")
}

const inferable = `openapi: 3.0.3
info: {title: Shop, version: '1'}
paths:
  /shops:
    get: {responses: {'200': {$ref: '#/components/responses/Shops'}}}
    post: {responses: {'201': {$ref: '#/components/responses/Shop'}}}
  /shops/{shopId}:
    get: {responses: {'200': {$ref: '#/components/responses/Shop'}}}
    put: {responses: {'204': {description: x}}}
    delete: {responses: {'204': {description: x}}}
  /shops/{shop}/products:
    get: {responses: {'200': {$ref: '#/components/responses/Products'}}}
    post: {responses: {'201': {$ref: '#/components/responses/Product'}}}
  /shops/{shop}/products/{sku}:
    get: {responses: {'200': {$ref: '#/components/responses/Product'}}}
    patch: {responses: {'200': {$ref: '#/components/responses/Product'}}}
    delete: {responses: {'200': {$ref: '#/components/responses/Product'}}}
  /shops/{shop}/products/{sku}/discontinue:
    post: {responses: {'200': {$ref: '#/components/responses/Product'}}}
  /shops/{shop}/products/{sku}/image:
    get: {responses: {'200': {description: x, content: {image/png: {}}}}}
  /shops/findByTown:
    get: {responses: {'200': {$ref: '#/components/responses/Shops'}}}
  /shops/count:
    get: {responses: {'200': {description: x, content: {application/json: {schema: {type: integer, items: {$ref: '#/components/schemas/Shop'}}}}}}}
  /settings/{name}:
    get: {responses: {'200': {$ref: '#/components/responses/Setting'}}}
    put: {requestBody: {content: {application/json: {}}}, responses: {'200': {$ref: '#/components/responses/Setting'}}}
  /reports/{reportId}:
    get: {responses: {'200': {$ref: '#/components/responses/Shop'}}}
  /health:
    get: {responses: {'200': {description: x}}}
components:
  responses:
    Shop: {description: x, content: {application/json: {schema: {$ref: '#/components/schemas/Shop'}}}}
    Shops: {description: x, content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Shop'}}}}}
    Product: {description: x, content: {application/json: {schema: {properties: {data: {$ref: '#/components/schemas/Product'}}}}}}
    Products:
      description: x
      content:
        application/json:
          schema: {properties: {page: {properties: {items: {type: array, items: {$ref: '#/components/schemas/Product'}}}}}}
    Setting: {description: x, content: {application/json: {schema: {properties: {name: {type: string}, value: {type: string}}}}}}
  schemas:
    Shop: {type: object, properties: {id: {type: integer}, town: {type: string}}}
    Product: {allOf: [{properties: {sku: {type: string}}}, {properties: {price: {type: number}}}]}
`

func TestInferredResources(t *testing.T) {
	t.Parallel()
	doc := mustLoadShop(t, inferable, nil)
	want := `GET /health
GET /reports/{reportId}
GET /settings/{name}: get setting at ""
PUT /settings/{name}: update setting at ""
GET /shops: list shop at "/*"
POST /shops: create shop at ""
GET /shops/count
GET /shops/findByTown: list shop at "/*"
GET /shops/{shopId}: get shop at ""
PUT /shops/{shopId}: update shop
DELETE /shops/{shopId}: delete shop
GET /shops/{shop}/products: list product at "/page/items/*" within [shop]
POST /shops/{shop}/products: create product at "/data" within [shop]
GET /shops/{shop}/products/{sku}: get product at "/data" within [shop]
PATCH /shops/{shop}/products/{sku}: update product at "/data" within [shop]
DELETE /shops/{shop}/products/{sku}: delete product at "/data" within [shop]
POST /shops/{shop}/products/{sku}/discontinue: discontinue product at "/data" within [shop] changes
GET /shops/{shop}/products/{sku}/image: image product within [shop] reads`
	if diff := cmp.Diff(want, described(doc)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !doc.Inferred || doc.Resource("product").Provenance != specs.Assumed {
		t.Error("what was inferred does not say so")
	}
	t.Run("whose collection is the root of the service", func(t *testing.T) {
		t.Parallel()
		doc := mustLoadShop(t, strings.NewReplacer("/shops/{shop}:", "/{shop}:", "/shops/{", "/{", "/shops:", "/:").Replace(inferable), nil)
		for _, want := range []string{
			`GET /: list thing at "/*"`, `POST /: create thing at ""`, `GET /{shopId}: get thing at ""`, `DELETE /{shopId}: delete thing`,
			`GET /{shop}/products/{sku}: get product at "/data" within [shop]`,
		} {
			if got := described(doc); !strings.Contains(got+"\n", want+"\n") {
				t.Errorf("no %q in\n%s", want, got)
			}
		}
	})
	t.Run("whose id has two names", func(t *testing.T) {
		t.Parallel()
		text := strings.Replace(inferable, "    delete:", "  /shops/{id}:\n    delete:", 1)
		if got := described(mustLoadShop(t, text, nil)); !strings.Contains(got+"\n", "DELETE /shops/{id}: delete shop\n") ||
			!strings.Contains(got, "GET /shops/{shopId}: get shop at") || strings.Contains(got, "-2") {
			t.Errorf("not one resource:\n%s", got)
		}
	})
	for kind, isResource := range map[string]bool{"string": true, "integer": false, "number": false} {
		t.Run("whose names do not stand for a number, with a parameter that is a "+kind, func(t *testing.T) {
			t.Parallel()
			text := strings.NewReplacer("  /settings/{name}:\n", "  /settings/{settingId}:\n    parameters: "+
				"[{name: settingId, in: path, required: true, schema: {type: "+kind+"}}]\n").Replace(inferable)
			if got := described(mustLoadShop(t, text, nil)); strings.Contains(got, "get setting") != isResource {
				t.Errorf("want a resource %t:\n%s", isResource, got)
			}
		})
	}
	t.Run("are those of the document where it describes any", func(t *testing.T) {
		t.Parallel()
		own := strings.Replace(inferable, "paths:", "x-resources: {shop: {path: [shopId]}}\npaths:", 1)
		doc := mustLoadShop(t, own, nil)
		if doc.Inferred || len(doc.Resources()) != 1 {
			t.Errorf("resources %v", doc.Resources())
		}
	})
}
