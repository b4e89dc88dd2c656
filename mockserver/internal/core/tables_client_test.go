package core_test

import (
	"strings"
	"testing"

	"svc.example/understudy/mockserver"
)

// newShop is a client of a world with the databases shop, with the tables orders and carts, and archive, with carts.
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

// newStock is a client of a world with the databases shop, with the tables orders and carts, and archive, which is empty.
// More members of orders are in the words of a fixture.
func newStock(t *testing.T, orders string, opts ...mockserver.Option) client {
	t.Helper()
	return newClient(t, opts...).load(`
core:
  databases:
  - {name: shop, createdAt: now, tables: [{name: orders, ` + orders + `}, {name: carts}]}
  - {name: archive, createdAt: now}
`)
}

// grant gives the analyst a right on databases, in the place of others, and is the same mock with the analyst's key.
func (c client) grant(operation, ids string) client {
	c.Helper()
	policy := c.Post("/access_control/policies", `{"policy":{"name":"`+operation+ids+`"}}`).Want(200).Value("id").String()
	c.Patch("/access_control/policies/"+policy+"/permissions", `{"Databases":[{"operation":"`+operation+`","ids":"`+ids+`"}]}`).Want(200)
	c.Patch("/access_control/users/3/policies", `{"policy_ids":["`+policy+`"]}`).Want(200)
	return c.as("1/analyst")
}

// tableNames are the names of a database's tables.
func (c client) tableNames(database string) string {
	c.Helper()
	return strings.Join(names(c.Get("/table/list/"+database).Want(200), "tables", "name"), " ")
}

func (c client) databaseNames() string {
	c.Helper()
	return strings.Join(names(c.Get("/database/list").Want(200), "databases", "name"), " ")
}

// table reads what a table has under some keys.
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
	return c.Get("/table/show/" + path).Want(200).Value("id").Raw
}
