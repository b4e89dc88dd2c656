package dwh_test

import "testing"

// What clients leave open of configurations is filled in where answers show it.
func TestDefaults(t *testing.T) {
	t.Parallel()
	const kinds, mode = "advanced_configs.#.config.type", "output_config.mode"
	const bothLoads = `["snowflake","snowflake"]`
	t.Run("the mode of the output is append, and each configuration has the kind of the warehouse", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		path := c.create(`"database": "sales", "mode": "append"`, `"database": "sales"`)
		c.Get(path+"/configs").Want(200).Wants(mode, "append", kinds, bothLoads,
			"output_config", `{"database":"sales","mode":"append"}`,
			"advanced_configs.1", `{"target_table":"customers","config":{"source_type":"query",`+
				`"query":"SELECT * FROM C WHERE A < 1","type":"snowflake"}}`)
	})
	t.Run("what the client says stays, and further members do, too", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		path := c.create(`"mode": "append"`, `"mode": "replace", "more": [1, null]`,
			`"config": {"table": "ORDERS"`, `"config": {"type": "snowflake", "table": "ORDERS"`)
		c.Get(path+"/configs").Want(200).Wants("output_config", `{"database":"sales","mode":"replace","more":[1,null]}`,
			kinds, bothLoads)
	})
	t.Run("an update fills in what it leaves open", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		path := c.create(`"mode": "append"`, `"mode": "replace"`)
		c.Put(path, `{"output_config": {"database": "sales"}, "advanced_configs": `+list(customersEntry)+`}`).Want(200)
		c.Get(path+"/configs").Want(200).Wants(mode, "append", kinds, `["snowflake"]`)
	})
	t.Run("configurations that stay follow the kind of the warehouse, those that are sent must fit it",
		func(t *testing.T) {
			t.Parallel()
			c := newClient(t)
			path := c.create()
			c.Put(path, `{"basic_configs": `+lake+`}`).Want(200)
			c.Get(path+"/configs").Want(200).Wants(kinds, `["databricks","databricks"]`)
			c.Put(path, `{"advanced_configs": [{"target_table": "orders", "config": {"type": "snowflake"}}]}`).
				Refused(400, "advanced_configs.0.config.type")
		})
	t.Run("a fixture may leave them open", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		c.Load(sales + `
dwh:
  integrations:
  - id: 82
    name: seeded
    basic_configs: {type: databricks, svc_authentication_id: '42', catalog: main}
    advanced_configs: [{target_table: orders, config: {table: ORDERS}}]
    output_config: {database: sales}
`)
		c.Get("/v1/dwh/82/configs").Want(200).Wants(mode, "append", kinds, `["databricks"]`)
	})
}
