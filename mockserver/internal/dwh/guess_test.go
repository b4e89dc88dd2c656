package dwh_test

import "testing"

func TestGuess(t *testing.T) {
	t.Parallel()
	const basic = `{"type":"snowflake","svc_authentication_id":42,"warehouse":"LOADING","db":"SALES","schema":"Public 1"}`
	t.Run("what is open is filled, from the schema", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		c.Post("/v1/guess", `{"basic_configs": `+basic+`, "more": 1}`).Want(200).Wants("basic_configs", basic,
			"advanced_configs", `[{"target_table":"public_1_table","config":{"type":"snowflake","source_type":"table_view",`+
				`"select":"*","table":"Public 1_TABLE","incremental":false,"invalid_value_option":"fail_job"}}]`)
	})
	t.Run("or from the catalog", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		incremental := with(t, lake, `"catalog"`, `"incremental": true, "catalog"`)
		c.Post("/v1/guess", `{"basic_configs": `+incremental+`}`).Want(200).Wants("basic_configs.svc_authentication_id", "42",
			"advanced_configs", `[{"target_table":"main_table","config":{"type":"databricks","use_custom_query":false,`+
				`"select":"*","table":"main_TABLE","incremental":true,"incremental_columns":["UPDATED_AT"],`+
				`"invalid_value_option":"fail_job"}}]`)
	})
	t.Run("and is what a creation takes", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		guess := c.Post("/v1/guess", `{"basic_configs": `+basic+`}`).Want(200)
		c.At("core").Post("/table/create/sales/public_1_table", "").Want(200)
		c.Post("/v1/dwh/", with(t, guess.Body, `"advanced_configs"`,
			`"name": "guessed", "output_config": {"database": "sales"}, "advanced_configs"`)).Want(200)
	})
	t.Run("basic configurations have to be right", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		c.Post("/v1/guess", `{}`).Refused(400, "basic_configs")
		c.Post("/v1/guess", `{"basic_configs": `+with(t, basic, "LOADING", "")+`}`).
			Refused(400, "basic_configs.warehouse: is missing")
		c.Post("/v1/guess", `{"basic_configs": {"type": "databricks", "svc_authentication_id": 1}}`).Refused(400, "catalog")
	})
	t.Run("nothing is stored", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		before := state(c)
		c.Post("/v1/guess", `{"basic_configs": `+basic+`}`).Want(200)
		if after := state(c); after != before {
			t.Errorf("the world has changed from %s to %s", before, after)
		}
	})
}
