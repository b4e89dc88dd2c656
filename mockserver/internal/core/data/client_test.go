package data_test

import (
	"strings"
	"testing"

	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

// client calls the core data interface for the tests of databases and tables.
type client struct{ *mocktest.Client }

func newClient(tb testing.TB, opts ...mockserver.Option) client {
	tb.Helper()
	return client{mocktest.New(tb, "core", opts...)}
}

// load replaces the world's state by people and more of a fixture, in YAML.
func (c client) load(more string) client {
	c.Helper()
	return client{c.Load(more)}
}

// replace replaces the world's state by a whole fixture or a dump.
func (c client) replace(whole string) {
	c.Helper()
	c.Replace(whole)
}

// as returns the same mock with another key.
func (c client) as(key string) client { return client{c.As(key)} }

// in returns the same mock in a subtest.
func (c client) in(t *testing.T) client { t.Helper(); return client{c.In(t)} }

// newShop returns a client of a world with the databases shop, with the tables orders and carts, and archive, with
// carts.
func newShop(tb testing.TB) client {
	tb.Helper()
	c := newClient(tb)
	for _, path := range []string{
		"/database/create/shop", "/database/create/archive", "/table/create/shop/orders/log",
		"/table/create/shop/carts", "/table/create/archive/carts",
	} {
		c.Post(path, "").Want(200)
	}
	return c
}

// newStock returns a client of a world with the databases shop, with the tables orders and carts, and archive, which is
// empty. More members of orders are in the words of a fixture.
func newStock(t *testing.T, orders string, opts ...mockserver.Option) client {
	t.Helper()
	return newClient(t, opts...).load(`
core:
  databases:
  - {name: shop, createdAt: now, tables: [{name: orders, ` + orders + `}, {name: carts}]}
  - {name: archive, createdAt: now}
`)
}

// grant gives the analyst one right on databases, replacing others, and returns the same mock with the analyst's key.
func (c client) grant(operation, ids string) client {
	c.Helper()
	policy := c.Post("/access_control/policies", `{"policy":{"name":"`+operation+ids+`"}}`).Want(200).Value("id").Text()
	c.Patch("/access_control/policies/"+policy+"/permissions",
		`{"Databases":[{"operation":"`+operation+`","ids":"`+ids+`"}]}`).Want(200)
	c.Patch("/access_control/users/3/policies", `{"policy_ids":["`+policy+`"]}`).Want(200)
	return c.as("1/analyst")
}

// tableNames returns the names of a database's tables.
func (c client) tableNames(database string) string {
	c.Helper()
	return words(c.Get("/table/list/" + database).Want(200).Value("tables.#.name"))
}

func (c client) databaseNames() string {
	c.Helper()
	return words(c.Get("/database/list").Want(200).Value("databases.#.name"))
}

// table returns the members of a table with the given keys.
func (c client) table(path string, keys ...string) map[string]any {
	c.Helper()
	object := c.Get("/table/show/" + path).Want(200).Object()
	picked := map[string]any{}
	for _, key := range keys {
		picked[key] = object[key]
	}
	return picked
}

func (c client) tableID(path string) string {
	c.Helper()
	return c.Get("/table/show/" + path).Want(200).Value("id").Raw()
}

// words returns the texts of a list, joined.
func words(list jsontree.Value) string {
	var texts []string
	for text := range list.List {
		texts = append(texts, text.Text())
	}
	return strings.Join(texts, " ")
}

// ingest sends a record to a table of the database shop.
func (c client) ingest(table, record string) {
	c.Helper()
	c.As("1/write").At("ingestion").Post("/postback/v3/event/shop/"+table, record).Want(200)
}
