package data_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/mockserver"
)

func TestTables(t *testing.T) {
	t.Parallel()
	t.Run("a new one is shown with the members that a strict client takes, and no other", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		c.Post("/database/create/shop", "").Want(200)
		c.Post("/table/create/shop/orders/log", "").Want(200).Same(`{"database":"shop","table":"orders","type":"log"}`)
		const orders = `{"id":1,"name":"orders","type":"log","count":0,"created_at":"2026-01-15 09:30:00 UTC",
			"updated_at":"2026-01-15 09:30:00 UTC","counter_updated_at":null,"last_log_timestamp":null,
			"delete_protected":false,"estimated_storage_size":0,"expire_days":null,"include_v":true,"schema":"[]"`
		c.Get("/table/show/shop/orders").Want(200).Same(orders + `}`)
		c.Get("/table/list/shop").Want(200).Same(`{"database":"shop","tables":[` + orders + `}]}`)
		c.Get("/table/show/shop/orders?include_descriptions=true").Want(200).Same(orders + `,"description":null}`)
		c.Get("/table/list/shop?include_descriptions=true").Want(200).Same(
			`{"database":"shop","tables":[` + orders + `,"description":null}]}`)
	})
	t.Run("its records are counted", func(t *testing.T) {
		t.Parallel()
		r := newShop(t)
		r.put("/table/import/shop/orders/json.gz",
			packed(t, `{"a":"1","time":1768469400}{"a":"22","time":1768469401}`)).Want(200)
		got := r.Get("/table/show/shop/orders").Want(200).Object()
		want := map[string]any{
			"count": 2.0, "estimated_storage_size": 19.0, "counter_updated_at": "2026-01-15T09:30:00Z",
			"last_log_timestamp": "2026-01-15T09:30:01Z",
		}
		for key, value := range want {
			if got[key] != value {
				t.Errorf("%s is %v, want %v", key, got[key], value)
			}
		}
		list := r.Get("/table/list/shop").Want(200).Object()["tables"].([]any)
		if got := list[0].(map[string]any)["last_log_timestamp"]; got != "2026-01-15T09:30:01Z" {
			t.Errorf("in the list, last_log_timestamp is %v", got)
		}
	})
	t.Run("a deleted one is gone, and its name is free at once", func(t *testing.T) {
		t.Parallel()
		c := newShop(t)
		before := c.tableID("shop/orders")
		c.Post("/table/delete/shop/orders", "").Want(200).Same(`{"database":"shop","table":"orders","type":"log"}`)
		c.Get("/table/show/shop/orders").Refused(404, "table", "orders")
		if got := c.tableNames("shop"); got != "carts" {
			t.Errorf("tables %s", got)
		}
		c.Post("/table/create/shop/orders", "").Want(200)
		if after := c.tableID("shop/orders"); after == before {
			t.Errorf("the new one has the id of the old one, %s", after)
		}
	})
	t.Run("one that is protected is neither deleted nor overwritten", func(t *testing.T) {
		t.Parallel()
		r := newStock(t, "deleteProtected: true")
		r.Post("/table/delete/shop/orders", "").Refused(403, "orders", "protected")
		r.Post("/table/update/shop/carts", `{"name":"orders","overwrite":true}`).Refused(403, "orders", "protected")
		r.Post("/table/update-schema/shop/carts", `{"schema":[],"name":"orders","overwrite":true}`).
			Refused(403, "orders", "protected")
		if got := r.Get("/table/show/shop/orders").Want(200).Object()["delete_protected"]; got != true {
			t.Errorf("delete_protected %v", got)
		}
	})
	t.Run("only one that is spread has a distribution", func(t *testing.T) {
		t.Parallel()
		r := newStock(t, "distribution: {buckets: 512, function: hash, columns: [{key: id, type: long, name: id}]}")
		r.Get("/table/distribution/shop/orders").Want(200).Same(
			`{"bucket_count":512,"partition_function":"hash","columns":[{"key":"id","type":"long","name":"id"}]}`)
		r.Get("/table/distribution/shop/carts").Refused(404, "carts", "distribution")
	})
}

// The documents of the operations on tables name these refusals, and none of the refusals changes anything.
func TestTableRefusals(t *testing.T) {
	t.Parallel()
	c := newShop(t)
	c.Post("/table/create/shop/old", "").Want(200)
	old := c.tableID("shop/old")
	c.Post("/table/delete/shop/old", "").Want(200)
	before := fmt.Sprint(c.Get("/table/list/shop").Body, c.Get("/table/list/archive").Body)

	c.Advance(time.Minute)
	const schema, to = `{"schema":[]}`, `{"dest_database_name":"archive"}`
	for _, test := range []struct {
		key, method, path, body string
		status                  int
		words                   []string
	}{
		{"1/admin", "GET", "/table/list/shop?include_descriptions=%zz", "", 400, []string{"query"}},
		{"1/analyst", "GET", "/table/list/shop", "", 403, []string{"shop"}},
		{"1/admin", "GET", "/table/list/none", "", 404, []string{"database", "none"}},

		{"1/admin", "GET", "/table/show/shop/orders?include_descriptions=%zz", "", 400, []string{"query"}},
		{"1/analyst", "GET", "/table/show/shop/orders", "", 403, []string{"shop"}},
		{"1/admin", "GET", "/table/show/none/orders", "", 404, []string{"database", "none"}},
		{"1/admin", "GET", "/table/show/shop/none", "", 404, []string{"table", "none"}},

		{"1/analyst", "POST", "/table/delete/shop/orders", "", 403, []string{"edit", "shop"}},
		{"1/admin", "POST", "/table/delete/none/orders", "", 404, []string{"database", "none"}},
		{"1/admin", "POST", "/table/delete/shop/none", "", 404, []string{"table", "none"}},

		{"1/admin", "POST", "/table/create/shop/visits/item", "", 400, []string{"table_type"}},
		{"1/analyst", "POST", "/table/create/shop/visits/log", "", 403, []string{"edit", "shop"}},
		{"1/admin", "POST", "/table/create/none/visits/log", "", 404, []string{"database", "none"}},
		{"1/admin", "POST", "/table/create/shop/orders/log", "", 409, []string{"orders", "shop"}},
		{"1/admin", "POST", "/table/create/shop/visits/log", "text", 415, []string{"text/plain"}},

		{"1/admin", "POST", "/table/create/shop/visits", `{"expire_days":-1}`, 400, []string{"expire_days", "-1"}},
		{
			"1/admin", "POST", "/table/create/shop/visits", `{"schema":[["a","int"],["a","long"]]}`, 422,
			[]string{"a", "twice"},
		},
		{"1/admin", "POST", "/table/create/shop/visits?source_table=none", "", 404, []string{"table", "none"}},
		{"1/analyst", "POST", "/table/create/shop/visits", "", 403, []string{"edit", "shop"}},
		{"1/admin", "POST", "/table/create/none/visits", "", 404, []string{"database", "none"}},
		{"1/admin", "POST", "/table/create/shop/orders", "", 409, []string{"orders", "shop"}},
		{"1/admin", "POST", "/table/create/shop/visits", "text", 415, []string{"text/plain"}},

		{
			"1/admin", "POST", "/table/update/shop/orders", `{"schema":[["a","int"],["a","long"]]}`, 422,
			[]string{"a", "twice"},
		},
		{"1/admin", "POST", "/table/update/shop/orders", `{"expire_days":-1}`, 400, []string{"expire_days", "-1"}},
		{"1/analyst", "POST", "/table/update/shop/orders", `{}`, 403, []string{"edit", "shop"}},
		{"1/admin", "POST", "/table/update/none/orders", `{}`, 404, []string{"database", "none"}},
		{"1/admin", "POST", "/table/update/shop/none", `{}`, 404, []string{"table", "none"}},
		{"1/admin", "POST", "/table/update/shop/orders", `{"name":"carts"}`, 409, []string{"carts", "shop"}},
		{"1/admin", "POST", "/table/update/shop/orders", "text", 415, []string{"text/plain"}},

		{"1/analyst", "POST", "/table/rename/shop/orders/visits", "", 403, []string{"edit", "shop"}},
		{"1/admin", "POST", "/table/rename/none/orders/visits", "", 404, []string{"database", "none"}},
		{"1/admin", "POST", "/table/rename/shop/none/visits", "", 404, []string{"table", "none"}},
		{"1/admin", "POST", "/table/rename/shop/orders/carts", "", 409, []string{"carts", "shop"}},

		{"1/analyst", "POST", "/table/swap/shop/orders/carts", "", 403, []string{"edit", "shop"}},
		{"1/admin", "POST", "/table/swap/none/orders/carts", "", 404, []string{"database", "none"}},
		{"1/admin", "POST", "/table/swap/shop/none/carts", "", 404, []string{"table", "none"}},
		{"1/admin", "POST", "/table/swap/shop/orders/none", "", 404, []string{"table", "none"}},

		{"1/admin", "GET", "/table/tail/shop/orders?count=0", "", 400, []string{"count", "0"}},
		{"1/admin", "GET", "/table/tail/shop/orders?count=many", "", 400, []string{"count", "many"}},
		{"1/admin", "GET", "/table/tail/shop/orders?format=csv", "", 400, []string{"format"}},
		{"1/analyst", "GET", "/table/tail/shop/orders", "", 403, []string{"query", "shop"}},
		{"1/admin", "GET", "/table/tail/none/orders", "", 404, []string{"database", "none"}},
		{"1/admin", "GET", "/table/tail/shop/none.json", "", 404, []string{"table", "none"}},

		{"1/analyst", "GET", "/table/distribution/shop/orders", "", 403, []string{"shop"}},
		{"1/admin", "GET", "/table/distribution/none/orders", "", 404, []string{"database", "none"}},
		{"1/admin", "GET", "/table/distribution/shop/orders", "", 404, []string{"orders", "distribution"}},

		{"1/admin", "POST", "/table/change_database/shop/orders", `{}`, 400, []string{"dest_database_name"}},
		{"1/analyst", "POST", "/table/change_database/shop/orders", to, 403, []string{"edit", "shop"}},
		{"1/admin", "POST", "/table/change_database/shop/carts", to, 403, []string{"carts", "archive"}},
		{
			"1/admin", "POST", "/table/change_database/shop/orders", `{"dest_database_name":"none"}`, 404,
			[]string{"database", "none"},
		},
		{"1/admin", "POST", "/table/change_database/none/orders", to, 404, []string{"database", "none"}},
		{"1/admin", "POST", "/table/change_database/shop/none", to, 404, []string{"table", "none"}},
		{"1/admin", "POST", "/table/change_database/shop/orders", "text", 415, []string{"text/plain"}},

		{"1/admin", "POST", "/table/append-schema/shop/orders", `{}`, 400, []string{"schema"}},
		{"1/analyst", "POST", "/table/append-schema/shop/orders", schema, 403, []string{"edit", "shop"}},
		{"1/admin", "POST", "/table/append-schema/none/orders", schema, 404, []string{"database", "none"}},
		{"1/admin", "POST", "/table/append-schema/shop/none", schema, 404, []string{"table", "none"}},
		{"1/admin", "POST", "/table/append-schema/shop/orders", "text", 415, []string{"text/plain"}},

		{"1/admin", "POST", "/table/update-schema/shop/orders", `{}`, 400, []string{"schema"}},
		{"1/analyst", "POST", "/table/update-schema/shop/orders", schema, 403, []string{"edit", "shop"}},
		{"1/admin", "POST", "/table/update-schema/none/orders", schema, 404, []string{"database", "none"}},
		{"1/admin", "POST", "/table/update-schema/shop/none", schema, 404, []string{"table", "none"}},
		{"1/admin", "POST", "/table/update-schema/shop/orders", "text", 415, []string{"text/plain"}},
		{
			"1/admin", "POST", "/table/update-schema/shop/orders", `{"schema":[],"name":"carts"}`, 422,
			[]string{"carts", "shop"},
		},

		{"1/admin", "GET", "/table/deleted?page_size=0", "", 400, []string{"page_size"}},
		{"1/admin", "GET", "/table/deleted?page_size=101", "", 400, []string{"page_size"}},
		{"1/admin", "GET", "/table/deleted?cursor_id=x", "", 400, []string{"cursor_id"}},
		{"1/admin", "GET", "/table/deleted?database_id=x", "", 400, []string{"database_id"}},

		{"1/analyst", "POST", "/table/recover/" + old, "", 403, []string{"edit", "shop"}},
		{"1/admin", "POST", "/table/recover/999", "", 404, []string{"deleted table", "999"}},
		{"1/admin", "POST", "/table/recover/x", "", 404, []string{"deleted table", "x"}},
		{"1/admin", "POST", "/table/recover/" + c.tableID("shop/orders"), "", 404, []string{"deleted table"}},
		{"1/admin", "POST", "/table/recover/" + old, `{"database_name":"none"}`, 404, []string{"database", "none"}},
		{"1/admin", "POST", "/table/recover/" + old, `{"table_name":"carts"}`, 409, []string{"carts", "shop"}},
		{"1/admin", "POST", "/table/recover/" + old, "text", 415, []string{"text/plain"}},
	} {
		headers := []string{}
		if test.body == "text" {
			headers = []string{"Content-Type", "text/plain"}
		}
		c.as(test.key).Call(test.method, test.path, test.body, headers...).Refused(test.status, test.words...)
	}
	after := fmt.Sprint(c.Get("/table/list/shop").Body, c.Get("/table/list/archive").Body)
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("the refusals have changed something (-before +after):\n%s", diff)
	}
}

// Without the validation of requests, the handlers themselves refuse unreadable requests.
func TestTablesWithoutValidation(t *testing.T) {
	t.Parallel()
	c := newClient(t, mockserver.WithValidation(mockserver.Off))
	for _, path := range []string{"/database/create/shop", "/table/create/shop/orders", "/table/create/shop/old"} {
		c.Post(path, "").Want(200)
	}
	old := c.tableID("shop/old")
	c.Post("/table/delete/shop/old", "").Want(200)
	for _, test := range []struct{ method, path, body, word string }{
		{"POST", "/table/create/shop/visits/item", "", "table_type"},
		{"POST", "/table/create/shop/visits", `{"expire_days":"x"}`, "expire_days"},
		{"POST", "/table/create/shop/visits", `{"schema":5}`, "schema"},
		{"POST", "/table/update/shop/orders", `{"description":5}`, "description"},
		{"POST", "/table/append-schema/shop/orders", `{}`, "schema"},
		{"POST", "/table/append-schema/shop/orders", `{`, "body"},
		{"POST", "/table/update-schema/shop/orders", `{}`, "schema"},
		{"POST", "/table/update-schema/shop/orders", `{"schema":[],"overwrite":1}`, "overwrite"},
		{"POST", "/table/change_database/shop/orders", `{}`, "dest_database_name"},
		{"POST", "/table/change_database/shop/orders", `{"dest_database_name":5}`, "dest_database_name"},
		{"POST", "/table/transfer/shop/orders", `{"dest_table_name":5}`, "dest_table_name"},
		{"GET", "/table/tail/shop/orders?count=many", "", "count"},
		{"GET", "/table/tail/shop/orders?format=csv", "", "format"},
		{"GET", "/table/deleted?page_size=0", "", "page_size"},
		{"GET", "/table/deleted?page_size=101", "", "page_size"},
		{"GET", "/table/deleted?cursor_id=x", "", "cursor_id"},
		{"GET", "/table/deleted?database_id=x", "", "database_id"},
		{"POST", "/table/recover/" + old, `{"table_name":5}`, "table_name"},
	} {
		c.Call(test.method, test.path, test.body).Refused(400, test.word)
	}
	if got := c.tableNames("shop"); got != "orders" {
		t.Errorf("tables %s", got)
	}
}
