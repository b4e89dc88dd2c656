package dwh_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

func TestIntegrations(t *testing.T) {
	t.Parallel()
	t.Run("a new one has everything that belongs to it", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		made := c.Post("/v1/dwh/", orders).Want(200).Wants(
			"name", "orders_from_warehouse", "user_id", "1", "account_id", "1",
			"workflow_project_name", "dwh_orders_from_warehouse",
			"schedule_type", "none", "schedule_option", "", "timezone", "UTC",
			"created_at", "2026-01-15T09:30:00Z", "updated_at", "2026-01-15T09:30:00Z",
		)
		path := "/v1/dwh/" + made.Value("id").Text()
		if got := c.Get(path).Want(200); got.Body != made.Body {
			t.Errorf("read again it is %s, not %s", got.Body, made.Body)
		}
		c.Get(path+"/configs").Want(200).Wants("id", made.Value("dwh_config_id").Text())
		c.Get(path+"/bulkload_sessions").Want(200).Wants("#", "2")
		c.At("workflow").Get(c.project(path)).Want(200).Wants("name", "dwh_orders_from_warehouse")
	})
	t.Run("two may have one name, and each has a project of its own", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		c.Post("/v1/dwh/", orders).Want(200).Wants("workflow_project_name", "dwh_orders_from_warehouse")
		c.Post("/v1/dwh/", orders).Want(200).Wants("workflow_project_name", "dwh_orders_from_warehouse_2")
	})
	t.Run("a name that no project may have makes one", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		for name, project := range map[string]string{
			"Orders: 10:00 / daily.dig": "dwh_Orders__10_00___daily_dig", "注文": "dwh_注文", "..": "dwh___",
			strings.Repeat("x", 255): "dwh_" + strings.Repeat("x", 200),
		} {
			path := c.create("orders_from_warehouse", name)
			c.Get(path).Wants("name", name, "workflow_project_name", project)
			c.Put(path+"/run_workflow", "").Want(200)
		}
	})
	t.Run("they are listed page by page", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		c.Get("/v1/dwh/").Want(200).Wants("items.#", "0", "pagination.page", "1", "pagination.size", "20",
			"pagination.total_pages", "0")
		for n := range 5 {
			c.create("orders_from_warehouse", fmt.Sprint("n", n))
		}
		c.Get("/v1/dwh/?size=2").Want(200).Wants("items.#.name", `["n0","n1"]`, "pagination.total_pages", "3")
		c.Get("/v1/dwh/?size=2&page=3").Want(200).Wants("items.#.name", `["n4"]`, "pagination.page", "3",
			"pagination.size", "2", "pagination.total_pages", "3")
		c.Get("/v1/dwh/?page=9").Want(200).Wants("items.#", "0", "pagination.page", "9", "pagination.total_pages", "1")
		for _, query := range []string{"page=0", "page=-1", "page=x", "size=0", "size=1.5", "page=1&page=2"} {
			c.Get("/v1/dwh/?"+query).Refused(400, query[:4])
		}
	})
	t.Run("a restricted user has those that it made, administrators have all", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		mine := c.create()
		theirs := c.as("1/analyst").create("orders_from_warehouse", "theirs")
		c.As("1/analyst").Get("/v1/dwh/").Wants("items.#.name", `["theirs"]`, "items.0.user_id", "3",
			"pagination.total_pages", "1")
		c.As("1/owner").Get("/v1/dwh/").Wants("items.#", "2")
		c.As("1/analyst").Get(theirs).Want(200)
		c.As("1/owner").Put(theirs, `{"name": "ours"}`).Want(200).Wants("user_id", "3")
		for _, rest := range []string{"", "/configs", "/bulkload_sessions", "/session_attempts"} {
			c.As("1/analyst").Get(mine+rest).Refused(403, "belongs to another user")
		}
		c.As("1/analyst").Put(mine, `{"name": "mine"}`).Refused(403, "belongs to another user")
		c.As("1/analyst").Put(mine+"/run_workflow", "").Refused(403, "belongs to another user")
		c.As("1/analyst").Delete(mine).Refused(403, "belongs to another user")
		c.Get(mine).Want(200).Wants("name", "orders_from_warehouse")
	})
	t.Run("may come without the way into their targets, and get it later", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		body := with(t, orders, "],\n\t\"output_config\": {\"database\": \"sales\", \"mode\": \"append\"}", "]",
			`"customers"`, `"visitors"`)
		path := "/v1/dwh/" + c.Post("/v1/dwh/", body).Want(200).Value("id").Text()
		c.Get(path+"/configs").Want(200).Wants("output_config", `{"mode":"append"}`)
		c.Put(path, `{"name": "other"}`).Want(200)
		c.Put(path+"/run_workflow", "").Want(200)
		c.Put(path, `{"output_config": {"database": "sales"}}`).Refused(400, "table sales.visitors does not exist")
		c.Put(path, `{"output_config": {}}`).Refused(400, "output_config.database", "is missing")
	})
	t.Run("with validation off, what is missing is named all the same", func(t *testing.T) {
		t.Parallel()
		c := newClient(t, mockserver.WithValidation(mockserver.Off))
		c.Post("/v1/dwh/", "").Refused(400, "basic_configs: is missing", "advanced_configs: is missing")
		c.Post("/v1/dwh/", with(t, orders, `"orders_from_warehouse"`, "null", `"svc_authentication_id": 42, `, "")).
			Refused(400, "name: is missing", "basic_configs.svc_authentication_id: is missing")
		c.Post("/v1/dwh/", with(t, orders, `"snowflake"`, `"oracle"`)).Refused(400, "snowflake or databricks", "oracle")
		c.Post("/v1/dwh/", with(t, orders, `"sales"`, "7")).Refused(400, "output_config")
		c.Post("/v1/dwh/", with(t, orders, `"name"`, `"schedule_type": "yearly", "name"`)).Refused(400, "yearly", "cron")
		c.Post("/v1/guess", "").Refused(400, "basic_configs: is missing")
	})
	t.Run("a brand reaches the credentials", func(t *testing.T) {
		t.Parallel()
		c := mocktest.New(t, "dwh", mockserver.WithBrand("acme")).Load(sales)
		send := func(method, path, body string) string {
			a := c.Call(method, path, body, "Authorization", "ACME1 1/admin").Want(200)
			return a.Body
		}
		send("POST", "/v1/dwh/", with(t, orders, "svc_authentication_id", "acme_authentication_id"))
		for _, answer := range []string{
			send("GET", "/v1/dwh/1/configs", ""),
			send("POST", "/v1/guess", with(t, `{"basic_configs": `+lake+`}`, "svc_", "acme_")),
		} {
			if !strings.Contains(answer, `"acme_authentication_id":`) || strings.Contains(answer, "svc_") {
				t.Errorf("the credentials are not branded: %s", answer)
			}
		}
	})
}

func TestCreation(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		edits []string
		words []string
	}{
		"an unknown database": {
			[]string{`"sales"`, `"sails"`},
			[]string{"output_config.database", "database sails does not exist"},
		},
		"no database": {[]string{`"database": "sales", `, ""}, []string{"output_config.database", "is missing"}},
		"unknown tables": {
			[]string{`"orders"`, `"carts"`, `"customers"`, `"visitors"`},
			[]string{
				"advanced_configs.0.target_table", "table sales.carts does not exist", "advanced_configs.1.target_table",
				"table sales.visitors does not exist",
			},
		},
		"a table without a name": {
			[]string{`"target_table": "orders", `, ""}, []string{"advanced_configs.0.target_table: is missing"},
		},
		"a table twice": {
			[]string{`"customers"`, `"orders"`}, []string{"advanced_configs.1.target_table", "orders has entry 0 twice"},
		},
		"a load without a query": {
			[]string{`"query": "SELECT * FROM C WHERE A < 1"`, `"select": "*"`},
			[]string{"advanced_configs.1.config.query: is missing"},
		},
		"a load of another kind": {
			[]string{`"table": "ORDERS"`, `"table": "ORDERS", "type": "databricks"`},
			[]string{"advanced_configs.0.config.type", "snowflake", "databricks"},
		},
		"no name":              {[]string{`"name": "orders_from_warehouse"`, `"name": ""`}, []string{"name: is missing"}},
		"too long a name":      {[]string{"orders_from_warehouse", strings.Repeat("x", 256)}, []string{"1 to 255", "256"}},
		"an empty warehouse":   {[]string{`"LOADING"`, `""`}, []string{"basic_configs.warehouse: is missing"}},
		"no credentials":       {[]string{"42", `""`}, []string{"basic_configs.svc_authentication_id: is missing"}},
		"a kind without terms": {[]string{`"snowflake"`, `"databricks"`}, []string{"catalog"}},
		"an unknown kind": {
			[]string{`"snowflake"`, `"oracle"`},
			[]string{"basic_configs.type: want one of databricks, snowflake"},
		},
		"an unknown field": {[]string{`"name"`, `"id": 7, "name"`}, []string{"id"}},
		"a field of another type": {
			[]string{`"PUBLIC"`, "7"}, []string{"basic_configs"},
		},
		"a schedule without its option": {
			[]string{`"name"`, `"schedule_type": "daily", "name"`}, []string{"schedule_option", "10:00"},
		},
	} {
		t.Run(name+" is refused, and nothing is made", func(t *testing.T) {
			t.Parallel()
			c := newClient(t)
			before := state(c)
			c.Post("/v1/dwh/", with(t, orders, test.edits...)).Refused(400, test.words...)
			if after := state(c); after != before {
				t.Errorf("the world has changed from %s to %s", before, after)
			}
		})
	}
	t.Run("what to load, and how, may be left open", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		body := `{"name": "n", "output_config": {"database": "sales"}, "advanced_configs": ADVANCED,
			"basic_configs": ` + lake + `}`
		for advanced, want := range map[string]struct{ sessions, configs string }{
			`[]`:                          {"0", `[]`},
			`[{"target_table":"orders"}]`: {"1", `[{"target_table":"orders"}]`},
			`[{"target_table":"orders","config":{}}]`: {
				"1", `[{"target_table":"orders","config":{"type":"databricks"}}]`,
			},
		} {
			made := "/v1/dwh/" + c.Post("/v1/dwh/", with(t, body, "ADVANCED", advanced)).Want(200).Value("id").Text()
			c.Get(made+"/configs").Wants("advanced_configs", want.configs)
			c.Get(made+"/bulkload_sessions").Wants("#", want.sessions)
			c.Put(made+"/run_workflow", "").Want(200)
			c.Advance(time.Hour)
			c.Get(made+"/session_attempts").Wants("items.#.status", `["success"]`)
		}
		c.Post("/v1/dwh/", with(t, body, "ADVANCED", `[{"target_table": "orders", "config": {"use_custom_query": true}}]`)).
			Refused(400, "advanced_configs.0.config.query: is missing")
	})
	t.Run("a user needs the right to import", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		c.As("1/delegate").Post("/v1/dwh/", orders).Refused(403, "do not include import on database sales")
		c.As("1/analyst").Post("/v1/dwh/", orders).Want(200)
	})
	t.Run("a deleted table is none", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		c.At("core").Post("/table/delete/sales/customers", "").Want(200)
		c.Post("/v1/dwh/", orders).Refused(400, "table sales.customers does not exist")
		c.At("core").Post("/database/delete/sales", "").Want(200)
		c.Post("/v1/dwh/", orders).Refused(400, "database sales does not exist")
	})
}

func TestDeletion(t *testing.T) {
	t.Parallel()
	t.Run("answers what it removes, from then on every operation on it is 404", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		path := c.create()
		before := c.Get(path).Want(200)
		if after := c.Delete(path).Want(200); after.Body != before.Body {
			t.Errorf("answered %s, want it as it was: %s", after.Body, before.Body)
		}
		for _, rest := range []string{"", "/configs", "/bulkload_sessions", "/session_attempts"} {
			c.Get(path+rest).Refused(404, "not found")
		}
		c.Put(path, `{"name": "n"}`).Refused(404, "not found")
		c.Put(path+"/run_workflow", "").Refused(404, "not found")
		c.Delete(path).Refused(404, "not found")
		c.Get("/v1/dwh/").Wants("items.#", "0")
	})
	t.Run("its project goes with its schedule, and leaves its name", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		path := c.create(`"name"`, `"schedule_type": "daily", "schedule_option": "10:00", "name"`)
		project := c.project(path)
		c.Delete(path).Want(200)
		c.At("workflow").Get(project).Refused(404, "was deleted")
		c.At("workflow").Get("/api/schedules").Wants("schedules.#", "0")
		c.Get(c.create()).Wants("workflow_project_name", "dwh_orders_from_warehouse")
	})
	t.Run("an attempt that is under way goes on, and its history stays", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		path := c.create()
		attempt := "/api/attempts/" + c.Put(path+"/run_workflow", "").Want(200).Value("id").Text()
		c.Delete(path).Want(200)
		c.At("workflow").Get(attempt).Want(200).Wants("status", "running")
		c.Advance(time.Minute)
		c.At("workflow").Get(attempt).Want(200).Wants("status", "success")
	})
	t.Run("the target tables stay", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		c.Delete(c.create()).Want(200)
		c.At("core").Get("/table/list/sales").Wants("tables.#", "3")
	})
}
