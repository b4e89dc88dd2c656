package data_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestCreateTable(t *testing.T) {
	t.Parallel()
	t.Run("a body has schema and options", func(t *testing.T) {
		t.Parallel()
		c := newShop(t)
		c.Post("/table/create/shop/visits", `{"schema":[["path","string"]],"expire_days":90,"include_v":false,
			"description":"One record per visit."}`).Want(200).Same(`{"database":"shop","table":"visits","type":"log"}`)
		want := map[string]any{
			"schema": `[["path","string","path",""]]`, "expire_days": 90.0, "include_v": false,
			"description": "One record per visit.",
		}
		got := c.table("shop/visits?include_descriptions=true", "schema", "expire_days", "include_v", "description")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	t.Run("a source table gives its schema and, where that is asked for, its options; the body comes first",
		func(t *testing.T) {
			t.Parallel()
			c := newShop(t)
			c.Post("/table/update/shop/orders", `{"schema":[["id","long"]],"expire_days":30,"description":"Orders."}`).Want(200)
			c.Post("/table/create/shop/bare/log?source_table=orders", "").Want(200)
			c.Post("/table/create/shop/full?source_table=orders&including_properties=true", "").Want(200)
			c.Post("/table/create/shop/own?source_table=orders&including_properties=true",
				`{"schema":[["sku","string"]],"expire_days":null}`).Want(200)
			for path, want := range map[string]map[string]any{
				"shop/bare": {"schema": `[["id","long","id",""]]`, "expire_days": nil, "description": nil},
				"shop/full": {"schema": `[["id","long","id",""]]`, "expire_days": 30.0, "description": "Orders."},
				"shop/own":  {"schema": `[["sku","string","sku",""]]`, "expire_days": nil, "description": "Orders."},
			} {
				got := c.table(path+"?include_descriptions=true", "schema", "expire_days", "description")
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", path, diff)
				}
			}
		})
	t.Run("a copy does not follow its source", func(t *testing.T) {
		t.Parallel()
		c := newShop(t)
		c.Post("/table/update/shop/orders", `{"schema":[["id","long"]]}`).Want(200)
		c.Post("/table/create/shop/copy?source_table=orders", "").Want(200)
		c.Post("/table/append-schema/shop/orders", `{"schema":[["total","double"]]}`).Want(200)
		c.Post("/table/append-schema/shop/copy", `{"schema":[["state","string"]]}`).Want(200)
		got := []any{c.table("shop/orders", "schema")["schema"], c.table("shop/copy", "schema")["schema"]}
		want := []any{`[["id","long"],["total","double"]]`, `[["id","long"],["state","string"]]`}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	t.Run("an idempotent key gives the first answer again, and only to repetitions", func(t *testing.T) {
		t.Parallel()
		c := newShop(t)
		const path = "/table/create/shop/visits?idempotent_key="
		c.Post(path+"k1", "").Want(200)
		id := c.tableID("shop/visits")
		c.Post(path+"k1", "").Want(200).Same(`{"database":"shop","table":"visits","type":"log"}`)
		c.Post("/table/create/shop/visits/log?idempotent_key=k1", "").Want(200)
		if again := c.tableID("shop/visits"); again != id {
			t.Errorf("the repetition has made another table: id %s, was %s", again, id)
		}
		c.Post(path+"k2", "").Refused(409, "visits")
		c.Post("/table/create/shop/visits", "").Refused(409, "visits")
		c.Post("/table/create/shop/orders?idempotent_key=k1", "").Refused(409, "orders")
		c.Post("/table/create/shop/orders?idempotent_key=", "").Refused(409, "orders")
	})
	t.Run("a copy with properties is distributed like its source", func(t *testing.T) {
		t.Parallel()
		c := newClient(t).load(`
core:
  databases:
  - name: shop
    tables:
    - name: orders
      schema: [[id, long]]
      distribution: {buckets: 4, function: hash, columns: [{key: id, type: long, name: id}]}
`)
		c.Post("/table/create/shop/copy?source_table=orders&including_properties=true", "").Want(200)
		c.Post("/table/create/shop/bare?source_table=orders&including_properties=false", "").Want(200)
		c.Get("/table/distribution/shop/copy").Want(200).Same(`{"bucket_count":4,"partition_function":"hash",
			"columns":[{"key":"id","type":"long","name":"id"}]}`)
		c.Get("/table/distribution/shop/bare").Refused(404, "bare", "no distribution")
		c.Post("/table/delete/shop/orders", "").Want(200)
		c.Get("/table/distribution/shop/copy").Want(200)
	})
	t.Run("the same name is free in another database", func(t *testing.T) {
		t.Parallel()
		c := newShop(t)
		c.Post("/table/create/archive/orders", "").Want(200)
		if got := c.tableNames("archive"); got != "carts orders" {
			t.Errorf("tables %s", got)
		}
	})
}

func TestUpdateTable(t *testing.T) {
	t.Parallel()
	t.Run("what is sent changes, the rest stays", func(t *testing.T) {
		t.Parallel()
		c := newShop(t)
		keys := []string{"schema", "expire_days", "include_v", "description", "updated_at"}
		change := func(body string, want map[string]any) {
			t.Helper()
			c.Advance(time.Minute)
			c.Post("/table/update/shop/orders", body).Want(200).Same(`{"database":"shop","table":"orders","type":"log"}`)
			want["updated_at"] = dateTimeOf(c.World().Now())
			if diff := cmp.Diff(want, c.table("shop/orders?include_descriptions=true", keys...)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", body, diff)
			}
		}
		const id = `[["id","long","id",""]]`
		change(`{"expire_days":30,"description":"Orders."}`,
			map[string]any{"schema": "[]", "expire_days": 30.0, "include_v": true, "description": "Orders."})
		change(`{"schema":[["id","long"]],"include_v":false,"detect_schema":false}`,
			map[string]any{"schema": id, "expire_days": 30.0, "include_v": false, "description": "Orders."})
		change(`{"expire_days":null,"description":null}`,
			map[string]any{"schema": id, "expire_days": nil, "include_v": false, "description": nil})
		change(`expire_days=0`,
			map[string]any{"schema": id, "expire_days": 0.0, "include_v": false, "description": nil})
		change(``, map[string]any{"schema": id, "expire_days": 0.0, "include_v": false, "description": nil})
	})
	t.Run("detect_schema is remembered", func(t *testing.T) {
		t.Parallel()
		c := newShop(t)
		for i, want := range []string{`[["c0","long"]]`, `[]`, `[["c0","string"],["c1","string"],["c2","long"]]`} {
			if want != "[]" {
				c.Post("/table/update/shop/orders", `{"schema":[],"detect_schema":true}`).Want(200)
			} else {
				c.Post("/table/update-schema/shop/orders", `{"schema":[],"detect_schema":false}`).Want(200)
			}
			c.put("/table/import/shop/orders/json.gz", packed(t, fmt.Sprintf(`{"c%d":1}`, i))).Want(200)
			c.Get("/table/show/shop/orders").Want(200).Wants("schema", want)
		}
	})
	t.Run("a name renames", func(t *testing.T) {
		t.Parallel()
		c := newShop(t)
		id := c.tableID("shop/orders")
		c.Post("/table/update/shop/orders",
			`{"name":"sales"}`).Want(200).Same(`{"database":"shop","table":"sales","type":"log"}`)
		c.Post("/table/update-schema/shop/sales", `{"schema":[["id","long"]],"name":"deals"}`).
			Want(200).Same(`{"database":"shop","table":"deals","type":"log"}`)
		c.Post("/table/update/shop/deals",
			`{"name":"deals"}`).Want(200).Same(`{"database":"shop","table":"deals","type":"log"}`)
		if got := c.tableNames("shop"); got != "deals carts" || c.tableID("shop/deals") != id {
			t.Errorf("tables %s, id %s, was %s", got, c.tableID("shop/deals"), id)
		}
		c.Get("/table/show/shop/orders").Refused(404, "orders")
	})
	t.Run("with overwrite it takes the place of the table that has the name, which can be recovered", func(t *testing.T) {
		t.Parallel()
		for _, path := range []string{"/table/update/shop/orders", "/table/update-schema/shop/orders"} {
			c := newShop(t)
			id, other := c.tableID("shop/orders"), c.tableID("shop/carts")
			c.Post(path, `{"schema":[],"name":"carts","overwrite":true}`).Want(200)
			if got := c.tableNames("shop"); got != "carts" || c.tableID("shop/carts") != id {
				t.Errorf("%s: tables %s, id %s, was %s", path, got, c.tableID("shop/carts"), id)
			}
			c.Post("/table/recover/"+other, `{"table_name":"old_carts"}`).Want(200)
		}
	})
}
