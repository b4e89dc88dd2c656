package dwh_test

import (
	"fmt"
	"strings"
	"testing"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

// sales is a database to load into. The analyst may import into it, the delegate may only query it.
const sales = `
  policies:
  - {id: 21, name: loaders, databases: {import: [sales]}}
  - {id: 22, name: readers, databases: {query: [sales]}}
core:
  databases:
  - name: sales
    tables: [{name: orders}, {name: customers}, {name: products}]
workflow:
  taskTime: 10s
`

// orders is an integration with two loads.
const orders = `{
	"name": "orders_from_warehouse",
	"basic_configs": {
		"type": "snowflake", "svc_authentication_id": 42, "warehouse": "LOADING", "db": "SALES", "schema": "PUBLIC"
	},
	"advanced_configs": [
		{"target_table": "orders", "config": {"table": "ORDERS", "incremental": true, "incremental_columns": ["UPDATED_AT"]}},
		{"target_table": "customers", "config": {"source_type": "query", "query": "SELECT * FROM C WHERE A < 1"}}
	],
	"output_config": {"database": "sales", "mode": "append"}
}`

const lake = `{"type": "databricks", "svc_authentication_id": "42", "catalog": "main"}`

// client calls a mock with a database to load into.
type client struct{ *mocktest.Client }

func newClient(t *testing.T, opts ...mockserver.Option) client {
	t.Helper()
	c := mocktest.New(t, "dwh", opts...).Load(sales)
	for user, policy := range map[int]int{3: 21, 4: 22} {
		c.At("core").Post(fmt.Sprintf("/access_control/users/%d/policies/%d", user, policy), "").Want(200)
	}
	return client{c}
}

func (c client) as(key string) client { return client{c.As(key)} }

// with edits a text: old, new, old, new. Each old must be there.
func with(tb testing.TB, text string, pairs ...string) string {
	tb.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			tb.Fatalf("there is no %s in %s", pairs[i], text)
		}
		text = strings.ReplaceAll(text, pairs[i], pairs[i+1])
	}
	return text
}

// create makes an integration, edited, and returns its path.
func (c client) create(pairs ...string) string {
	c.Helper()
	made := c.Post("/v1/dwh/", with(c.TB, orders, pairs...)).Want(200)
	return "/v1/dwh/" + made.Value("id").Text()
}

// project is the path of an integration's project in the workflow interface.
func (c client) project(path string) string {
	c.Helper()
	return "/api/projects/" + c.Get(path).Want(200).Value("workflow_project_id").Text()
}

// list is a JSON list.
func list(values ...string) string { return "[" + strings.Join(values, ",") + "]" }

// state is everything that is remembered.
func state(c client) string {
	c.Helper()
	dump, err := c.World().State()
	if err != nil {
		c.Fatal(err)
	}
	return string(dump)
}
