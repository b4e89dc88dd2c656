package own_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/mockserver"
)

// writeFiles writes files into a new folder and returns it.
func writeFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

const shopScenario = `now: 2026-01-15T09:30:00Z
interfaces:
  shop:
    products:
      - {id: 71, name: rose, price: 2.50, stock: 3, created_at: "2025-12-01T00:00:00Z"}
      - {name: lily, price: 3}
    reviews:
      - {productId: 71, id: 0b8e6d0c-3a53-4b3c-9f5e-1c8a1d3b7a11, stars: 5}
    /products/71/reviews:
      - {stars: 1, text: thorns}
    order:
      - {id: ord_1, productId: 71, quantity: 2, status: placed}
    users: {file: users.csv}
    /users/ann/settings: {newsletter: true}
`

const shopUsers = "userName,email\nann,ann@shop.example\n007,bond@shop.example\n"

func shopFixture(t *testing.T) string {
	t.Helper()
	folder := writeFiles(t, map[string]string{"scenario.yaml": shopScenario, "users.csv": shopUsers})
	return filepath.Join(folder, "scenario.yaml")
}

func TestOwnFixtures(t *testing.T) {
	t.Parallel()
	t.Run("what a scenario has, clients see, and what they make is added", func(t *testing.T) {
		t.Parallel()
		c := newOwnShop(t, mockserver.WithScenario(shopFixture(t)))
		c.story(`
			GET /products/71 -> 200 {"id":71,"name":"rose","price":2.50,"stock":3,"created_at":"2025-12-01T00:00:00Z"}
			GET /products?limit=1&offset=1 -> 200 {"has_more":false,"items":[{"id":2,"name":"lily","price":3,"created_at":"2026-01-15T09:30:00Z","stock":0,…
			GET /products/71/reviews/0b8e6d0c-3a53-4b3c-9f5e-1c8a1d3b7a11 -> 200 {"id":"0b8e6d0c-3a53-4b3c-9f5e-1c8a1d3b7a11","productId":71,"stars":5}
			GET /products/72/reviews -> 404 …
			GET /orders/ord_1 -> 200 {"order":{"id":"ord_1","productId":71,"quantity":2,"status":"placed"}}
			POST /orders/ord_1/cancel -> 200 {"order":{"id":"ord_1","productId":71,"quantity":2,"status":"cancelled"}}
			GET /users/ann -> 200 {"userName":"ann","email":"ann@shop.example"}
			GET /users/007 -> 200 {"userName":"007","email":"bond@shop.example"}
			GET /users/ann/settings -> 200 {"newsletter":true}
			POST /products {"name":"tulip","price":1} -> 201 {"id":72,…
			DELETE /products/71 -> 204
			GET /products/71/reviews -> 404 …
		`)
	})
	t.Run("NDJSON has an object a line", func(t *testing.T) {
		t.Parallel()
		folder := writeFiles(t, map[string]string{
			"s.yaml":     "interfaces: {shop: {products: {file: all.ndjson}}}\n",
			"all.ndjson": "{\"id\":3,\"name\":\"rose\",\"price\":1}\n\n{\"id\":1,\"name\":\"lily\",\"price\":2}\n",
		})
		c := newOwnShop(t, mockserver.WithScenario(filepath.Join(folder, "s.yaml")))
		_, answer, _ := c.call("GET /products", "")
		if !strings.Contains(answer, `"id":3,"name":"rose"`) || strings.Index(answer, "rose") > strings.Index(answer, "lily") {
			t.Error(answer)
		}
	})
	t.Run("a world can be given them at any time", func(t *testing.T) {
		t.Parallel()
		c := newOwnShop(t)
		if err := c.transport.World().Load([]byte(`{"interfaces":{"shop":{"product":[{"id":5,"name":"rose","price":1}]}}}`)); err != nil {
			t.Fatal(err)
		}
		c.story(`GET /products/5 -> 200 {"id":5,"name":"rose",…`)
	})
}

func TestOwnFixturesSayWhatIsWrong(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ text, want string }{
		"an interface without a document": {
			"interfaces:\n  shpo: {products: []}\n",
			"2: interfaces.shpo: shpo: unknown interface; want shop, or its document, with --spec shpo=FILE or WithSpec",
		},
		"an interface of the platform": {
			"interfaces:\n  core: {databases: []}\n",
			"2: interfaces.core: core: is an interface of the platform: want what it has under core, beside interfaces",
		},
		"a resource that the document lacks": {
			"interfaces:\n  shop:\n    prodcts: []\n",
			`3: interfaces.shop.prodcts: prodcts: unknown resource "prodcts"; want products, or one of orders, reviews, users, ` +
				"or the path of a collection",
		},
		"a path that the document lacks": {
			"interfaces:\n  shop:\n    /product: []\n",
			"3: interfaces.shop./product: /product: no operation has this path; the nearest one is GET /products",
		},
		"an unknown member": {
			"interfaces:\n  shop:\n    products:\n      - name: rose\n        price: 1\n        pirce: 2\n",
			`6: interfaces.shop.products[0].pirce: product: unknown member "pirce"; want price, or one of category, created_at, ` +
				"id, name, stock, tags, updated_at",
		},
		"a member of another type": {
			"interfaces:\n  shop:\n    products:\n      - {id: 1, name: rose, price: much}\n",
			`4: interfaces.shop.products[0].price: product 1: value must be a number`,
		},
		"a member that is missing": {
			"interfaces:\n  shop:\n    products:\n      - {id: 1, name: rose}\n",
			"4: interfaces.shop.products[0]: product 1: the member price is missing",
		},
		"a member that answers never show": {
			"interfaces:\n  shop:\n    users:\n      - {userName: ann, email: ann@shop.example, password: p}\n",
			"4: interfaces.shop.users[0].password: user ann: is writeOnly: answers do not show it, so that it cannot be given",
		},
		"two of one key": {
			"interfaces:\n  shop:\n    products:\n      - {id: 1, name: rose, price: 1}\n      - {id: 1, name: lily, price: 1}\n",
			"5: interfaces.shop.products[1].id: product 1: is given twice, first in FILE:4",
		},
		"a part without its whole": {
			"interfaces:\n  shop:\n    products: [{id: 1, name: rose, price: 1}]\n    reviews:\n      - {productId: 2, stars: 1}\n",
			"5: interfaces.shop.reviews[0]: reviews: product 2 is missing, but review is a part of it: want it as well, " +
				"or one of 1",
		},
		"a part that does not say of what": {
			"interfaces:\n  shop:\n    reviews:\n      - {stars: 1}\n",
			"4: interfaces.shop.reviews[0]: review: the member productId is missing, which says of what it is a part: " +
				"want it, or the path of the collection, such as /products/{productId}/reviews, in place of reviews",
		},
		"a path below what is not there": {
			"interfaces:\n  shop:\n    /products/9/reviews: [{stars: 1}]\n",
			"3: interfaces.shop./products/9/reviews: /products/9/reviews: product 9 is missing, but review is a part of it: " +
				"want it as well",
		},
		"a list where there is one object": {
			"interfaces:\n  shop:\n    users: [{userName: ann, email: ann@shop.example}]\n    /users/ann/settings: [{}]\n",
			"4: interfaces.shop./users/ann/settings[0]: /users/ann/settings: each path has one such object: " +
				"want it in place of a list",
		},
		"one object where there is a list": {
			"interfaces:\n  shop:\n    products: {name: rose}\n",
			"3: interfaces.shop.products: products: want a list of objects, or {file: NAME}",
		},
		"a state beside them": {
			"interfaces: {shop: {}}\nstate: {understudy: 2}\n",
			"1: a state stands alone: want no interfaces beside it",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(writeFiles(t, map[string]string{"s.yaml": test.text}), "s.yaml")
			err := mockserver.CheckScenario(mockserver.WithScenario(file),
				mockserver.WithSpec("shop", "../../testdata/own/shop.yaml"))
			if err == nil {
				t.Fatal("it is accepted")
			}
			got := strings.ReplaceAll(err.Error(), file, "FILE")
			if diff := cmp.Diff("FILE:"+test.want, got); diff != "" {
				t.Error("(-want +got)\n" + diff)
			}
		})
	}
	t.Run("lines of data files", func(t *testing.T) {
		t.Parallel()
		folder := writeFiles(t, map[string]string{
			"s.yaml":     "interfaces: {shop: {products: {file: all.csv}, users: {file: all.ndjson}}}\n",
			"all.csv":    "id,name,price\n1,rose,2.50\n2,lily,much\n",
			"all.ndjson": "{\"userName\":\"ann\",\"email\":\"a@shop.example\"}\n{\"userName\":\"bob\"}\n",
		})
		err := mockserver.CheckScenario(mockserver.WithScenario(filepath.Join(folder, "s.yaml")),
			mockserver.WithSpec("shop", "../../testdata/own/shop.yaml"))
		want := "all.ndjson:2: user bob: the member email is missing\nall.csv:3: price: product 2: value must be a number"
		if err == nil || strings.ReplaceAll(err.Error(), folder+"/", "") != want {
			t.Errorf("%v\nwant %s", err, want)
		}
	})
}

func TestOwnFixturesReferToWhatIsThere(t *testing.T) {
	t.Parallel()
	const document = `openapi: 3.0.3
info: {title: Orders, version: "1"}
x-resources:
  customer: {path: [customerId]}
  order: {path: [orderId], refers: [{resource: customer, at: /customerId}, {resource: customer, at: /watchers/*}]}
paths:
  /customers:
    post:
      operationId: addCustomer
      x-resource: {resource: customer, verb: create, at: ""}
      responses: {"201": {description: It., content: {application/json: {schema: {$ref: "#/components/schemas/Customer"}}}}}
  /orders:
    post:
      operationId: addOrder
      x-resource: {resource: order, verb: create, at: ""}
      responses: {"201": {description: It., content: {application/json: {schema: {$ref: "#/components/schemas/Order"}}}}}
components:
  schemas:
    Customer: {type: object, required: [id], properties: {id: {type: integer}}}
    Order:
      type: object
      required: [id]
      properties:
        id: {type: integer}
        customerId: {type: integer, nullable: true}
        watchers: {type: array, items: {type: integer}}
`
	for name, test := range map[string]struct{ orders, want string }{
		"what is there, however late":     {"{id: 1, customerId: 7, watchers: [7]}", ""},
		"what does not say to whom":       {"{id: 1, customerId: null}", ""},
		"what is not there":               {"{id: 1, customerId: 8}", "customerId: orders: customer 8 is missing"},
		"one of a list that is not there": {"{id: 1, watchers: [7, 9]}", "watchers[1]: orders: customer 9 is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := writeFiles(t, map[string]string{
				"openapi.yaml": document,
				"s.yaml":       "interfaces:\n  shop:\n    orders: [" + test.orders + "]\n    /customers: [{id: 7}]\n",
			})
			err := mockserver.CheckScenario(mockserver.WithScenario(filepath.Join(folder, "s.yaml")),
				mockserver.WithSpec("shop", filepath.Join(folder, "openapi.yaml")))
			got := ""
			if err != nil {
				got = err.Error()
			}
			if test.want == "" && got != "" || !strings.Contains(got, test.want) {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}
