package dwh_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// products is a further entry of advanced configurations.
const products = `{"target_table": "products", "config": {"table": "PRODUCTS"}}`

// advanced are the entries of orders, to be sent alone.
const (
	ordersEntry = `{"config": {"incremental_columns": ["UPDATED_AT"], "incremental": true, "table": "ORDERS"},
		"target_table": "orders"}`
	customersEntry = `{"target_table": "customers", "config": {"source_type": "query", "query": "SELECT 1"}}`
)

func TestUpdate(t *testing.T) {
	t.Parallel()
	const sessionIDs = "#.bulkload_session_id"
	t.Run("what is left out stays, and a change has its time", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		path := c.create()
		before := c.Get(path + "/configs").Want(200)
		c.Advance(time.Hour)
		c.Put(path, `{"schedule_type": "hourly", "schedule_option": "30"}`).Want(200).Wants(
			"name", "orders_from_warehouse", "schedule_type", "hourly", "schedule_option", "30", "timezone", "UTC",
			"created_at", "2026-01-15T09:30:00Z", "updated_at", "2026-01-15T10:30:00Z",
		)
		if after := c.Get(path + "/configs"); after.Body != before.Body {
			t.Errorf("the configurations have become %s, they were %s", after.Body, before.Body)
		}
	})
	t.Run("what changes nothing leaves no trace", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		path := c.create()
		revisions := c.project(path) + "/revisions"
		c.Advance(time.Hour)
		for _, same := range []string{
			`{}`, `{"name": "orders_from_warehouse", "id": 77, "colour": "red"}`, `{"schedule_type": "none"}`,
			`{"output_config": {"mode":   "append", "database": "sales"}}`, `{"output_config": {"database": "sales"}}`,
		} {
			c.Put(path, same).Want(200).Wants("updated_at", "2026-01-15T09:30:00Z", "id", "1")
		}
		c.At("workflow").Get(revisions).Want(200).Wants("revisions.#", "1")
	})
	t.Run("a part is replaced as a whole, with a new digest and time", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		path := c.create()
		before := c.Get(path + "/configs").Want(200)
		c.Advance(time.Hour)
		c.Put(path, `{"output_config": {"database": "sales", "mode": "replace"}}`).Want(200).
			Wants("updated_at", "2026-01-15T10:30:00Z")
		after := c.Get(path+"/configs").Want(200).Wants(
			"output_config", `{"database":"sales","mode":"replace"}`, "id", before.Value("id").Text(),
			"basic_configs", before.Value("basic_configs").Raw(), "created_at", "2026-01-15T09:30:00Z",
			"updated_at", "2026-01-15T10:30:00Z",
		)
		if digest := after.Value("config_digest").Text(); digest == before.Value("config_digest").Text() {
			t.Errorf("the digest is still %s", digest)
		}
		c.Put(path, `{"output_config": {"database": "sales"}}`).Want(200)
		c.Get(path+"/configs").Wants("config_digest", before.Value("config_digest").Text())
	})
	t.Run("a session stays with its table, whatever comes and goes", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		path := c.create()
		before := c.Get(path+"/bulkload_sessions").Wants(sessionIDs, "[1,2]", "#.target_table", `["orders","customers"]`)
		c.Put(path, `{"advanced_configs": `+list(products, customersEntry, ordersEntry)+`}`).Want(200)
		after := c.Get(path+"/bulkload_sessions").Wants(sessionIDs, "[3,2,1]")
		for table, changed := range map[string]bool{"orders": false, "customers": true} {
			digest := `#(target_table=="` + table + `").configs_digest`
			if (before.Value(digest).Text() != after.Value(digest).Text()) != changed {
				t.Errorf("the digest of %s was %s and is %s", table, before.Value(digest).Text(), after.Value(digest).Text())
			}
		}
		c.Put(path, `{"advanced_configs": `+list(products)+`}`).Want(200)
		c.Get(path+"/bulkload_sessions").Wants(sessionIDs, "[3]")
		c.Put(path, `{"advanced_configs": `+list(products, ordersEntry)+`}`).Want(200)
		c.Get(path+"/bulkload_sessions").Wants(sessionIDs, "[3,4]")
	})
	t.Run("what all loads share is in all digests", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		path := c.create()
		digests := func() (all []string) {
			for digest := range c.Get(path + "/bulkload_sessions").Value("#.configs_digest").Each {
				all = append(all, digest.Text())
			}
			return all
		}
		before := digests()
		if cmp.Equal(before[0], before[1]) {
			t.Errorf("two loads have one digest: %s", before)
		}
		for _, change := range []string{
			`{"basic_configs": {"type": "snowflake", "svc_authentication_id": 42, "warehouse": "L", "db": "S", "schema": "P"}}`,
			`{"output_config": {"database": "sales", "mode": "replace"}}`, `{"filter_configs": [{"type": "rename"}]}`,
		} {
			c.Put(path, change).Want(200)
			after := digests()
			if before[0] == after[0] || before[1] == after[1] {
				t.Errorf("after %s they are %s, before they were %s", change, after, before)
			}
			before = after
		}
	})
	t.Run("a new name reaches the sessions, and the project keeps its own", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		path := c.create()
		c.Put(path, `{"name": "sales"}`).Want(200).Wants("name", "sales",
			"workflow_project_name", "dwh_orders_from_warehouse", "workflow_project_id", "1")
		c.Get(path+"/bulkload_sessions").Wants("#.name", `["sales_orders","sales_customers"]`, sessionIDs, "[1,2]")
		c.Put(path+"/run_workflow", "").Want(200).Wants("workflow.name", "orders_from_warehouse")
	})
	t.Run("a refused one changes nothing", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		path := c.create()
		before := state(c)
		for word, body := range map[string]string{
			"database sails does not exist":    `{"output_config": {"database": "sails"}}`,
			"table sales.carts does not exist": `{"advanced_configs": [{"target_table": "carts", "config": {"table": "C"}}]}`,
			"name: is missing":                 `{"name": ""}`,
			"Mars/Olympus":                     `{"timezone": "Mars/Olympus"}`,
			"schedule_option":                  `{"schedule_type": "daily"}`,
			"output_config.database":           `{"name": "n", "output_config": {"mode": "append"}}`,
			"basic_configs":                    `{"basic_configs": {"type": "databricks", "svc_authentication_id": 1}}`,
		} {
			c.Put(path, body).Refused(400, word)
		}
		if after := state(c); after != before {
			t.Errorf("the world has changed from %s to %s", before, after)
		}
	})
	t.Run("targets are looked for when the body names some", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		path := c.create()
		c.At("core").Post("/table/delete/sales/customers", "").Want(200)
		c.Put(path, `{"name": "renamed"}`).Want(200)
		c.Put(path, `{"output_config": {"database": "sales"}}`).Refused(400, "table sales.customers does not exist")
	})
	t.Run("a new target needs the right to import", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		path := c.as("1/analyst").create()
		c.At("core").Post("/database/create/secret", "").Want(200)
		c.At("core").Post("/table/create/secret/orders", "").Want(200)
		c.At("core").Post("/table/create/secret/customers", "").Want(200)
		body := `{"output_config": {"database": "secret"}}`
		c.As("1/analyst").Put(path, body).Refused(403, "import on database secret")
		c.Put(path, body).Want(200)
	})
}
