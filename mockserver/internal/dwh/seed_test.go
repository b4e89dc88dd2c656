package dwh_test

import (
	"strings"
	"testing"

	"svc.example/understudy/internal/mocktest"
)

const integrations = `
dwh:
  integrations:
  - id: 81
    name: orders_from_warehouse
    basic_configs: {type: snowflake, svc_authentication_id: 42, warehouse: LOADING, db: SALES, schema: PUBLIC}
    advanced_configs:
    - {target_table: orders, config: {table: ORDERS}}
    output_config: {database: sales}
    schedule_type: daily
    schedule_option: '10:00'
    timezone: Asia/Tokyo
  - name: customers_from_lake
    user: analyst@shop.example
    basic_configs: {type: databricks, svc_authentication_id: '42', catalog: main}
    advanced_configs:
    - {target_table: customers, config: {use_custom_query: true, query: SELECT 1}}
    output_config: {database: sales, mode: replace}
`

func TestSeed(t *testing.T) {
	t.Parallel()
	const owned = "user: analyst@shop.example"
	t.Run("a fixture's integrations have everything that belongs to them", func(t *testing.T) {
		t.Parallel()
		c := mocktest.New(t, "dwh").Load(sales + with(t, integrations, owned, "user: owner@shop.example"))
		c.Get("/v1/dwh/").Want(200).Wants("items.#.id", "[81,82]", "items.#.user_id", "[1,2]",
			"items.#.workflow_project_name", `["dwh_orders_from_warehouse","dwh_customers_from_lake"]`)
		c.Get("/v1/dwh/81/bulkload_sessions").Want(200).Wants("#.target_table", `["orders"]`)
		c.At("workflow").Get("/api/schedules").Want(200).Wants("schedules.0.nextRunTime", "2026-01-16T01:00:00Z")
		c.Put("/v1/dwh/82/run_workflow", "").Want(200).Wants("status", "running")
		c.Post("/v1/dwh/", orders).Want(200).Wants("id", "83")
	})
	t.Run("they survive a dump", func(t *testing.T) {
		t.Parallel()
		c := mocktest.New(t, "dwh").Load(sales + with(t, integrations, owned, "user: owner@shop.example",
			"SELECT 1", `SELECT '<&>', "a"`))
		paths := []string{"/v1/dwh/", "/v1/dwh/82/configs", "/v1/dwh/82/bulkload_sessions"}
		var before []string
		for _, path := range paths {
			before = append(before, c.Get(path).Want(200).Body)
		}
		dump, err := c.World().State()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.World().Load(dump); err != nil {
			t.Fatal(err)
		}
		for i, path := range paths {
			if after := c.Get(path).Want(200).Body; after != before[i] {
				t.Errorf("%s has become %s, it was %s", path, after, before[i])
			}
		}
		c.Put("/v1/dwh/82", `{"output_config": {"mode": "replace", "database": "sales"}}`).Want(200).
			Wants("updated_at", "2026-01-15T09:30:00Z")
		c.Post("/v1/dwh/", orders).Want(200).Wants("id", "83", "dwh_config_id", "3")
	})
	for name, test := range map[string]struct {
		edits []string
		words []string
	}{
		"a user without the right to import": {nil, []string{"integration customers_from_lake", "do not include import"}},
		"an unknown user": {
			[]string{owned, "user: analist@shop.example"},
			[]string{`dwh.integrations[1].user: unknown user "analist@shop.example"; want analyst@shop.example`},
		},
		"an unknown database": {
			[]string{"{database: sales}", "{database: sails}"},
			[]string{`dwh.integrations[0].output_config.database: unknown database "sails"; want sales`},
		},
		"an unknown table": {
			[]string{"target_table: orders", "target_table: order"},
			[]string{`dwh.integrations[0].advanced_configs[0].target_table: unknown table "order"; want orders`},
		},
		"an id twice": {[]string{"- name: customers", "- id: 81\n    name: customers"}, []string{"81 is given twice"}},
		"a schedule that is none": {
			[]string{"'10:00'", "'10'"}, []string{"integration orders_from_warehouse", "schedule_option"},
		},
		"a body off the document": {
			[]string{"warehouse: LOADING, ", ""}, []string{"dwh.integrations[0].basic_configs", "dwh.yaml"},
		},
		"an unknown key": {[]string{"schedule_type", "scheduleType"}, []string{"scheduleType"}},
	} {
		t.Run(name+" is refused", func(t *testing.T) {
			t.Parallel()
			c := mocktest.New(t, "dwh")
			err := c.World().Load([]byte(mocktest.People + sales + with(t, integrations, test.edits...)))
			if err == nil {
				t.Fatal("it is taken")
			}
			for _, word := range test.words {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("the error lacks %q: %v", word, err)
				}
			}
		})
	}
}
