package core_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestCreateTable(t *testing.T) {
	t.Parallel()
	t.Run("a body has schema and options", func(t *testing.T) {
		t.Parallel()
		c := newShop(t)
		c.post("/table/create/shop/visits", `{"schema":[["path","string"]],"expire_days":90,"include_v":false,
			"description":"One record per visit."}`).same(`{"database":"shop","table":"visits","type":"log"}`)
		want := map[string]any{
			"schema": `[["path","string","path",""]]`, "expire_days": 90.0, "include_v": false,
			"description": "One record per visit.",
		}
		got := c.table("shop/visits?include_descriptions=true", "schema", "expire_days", "include_v", "description")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	t.Run("a source table gives its schema and, where that is asked for, its options; the body comes first", func(t *testing.T) {
		t.Parallel()
		c := newShop(t)
		c.post("/table/update/shop/orders", `{"schema":[["id","long"]],"expire_days":30,"description":"Orders."}`).want(200)
		c.post("/table/create/shop/bare/log?source_table=orders", "").want(200)
		c.post("/table/create/shop/full?source_table=orders&including_properties=true", "").want(200)
		c.post("/table/create/shop/own?source_table=orders&including_properties=true",
			`{"schema":[["sku","string"]],"expire_days":null}`).want(200)
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
		c.post("/table/update/shop/orders", `{"schema":[["id","long"]]}`).want(200)
		c.post("/table/create/shop/copy?source_table=orders", "").want(200)
		c.post("/table/append-schema/shop/orders", `{"schema":[["total","double"]]}`).want(200)
		c.post("/table/append-schema/shop/copy", `{"schema":[["state","string"]]}`).want(200)
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
		c.post(path+"k1", "").want(200)
		id := c.tableID("shop/visits")
		c.post(path+"k1", "").same(`{"database":"shop","table":"visits","type":"log"}`)
		c.post("/table/create/shop/visits/log?idempotent_key=k1", "").want(200)
		if again := c.tableID("shop/visits"); again != id {
			t.Errorf("the repetition has made another table: id %s, was %s", again, id)
		}
		c.post(path+"k2", "").refused(409, "visits")
		c.post("/table/create/shop/visits", "").refused(409, "visits")
		c.post("/table/create/shop/orders?idempotent_key=k1", "").refused(409, "orders")
		c.post("/table/create/shop/orders?idempotent_key=", "").refused(409, "orders")
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
		c.post("/table/create/shop/copy?source_table=orders&including_properties=true", "").want(200)
		c.post("/table/create/shop/bare?source_table=orders&including_properties=false", "").want(200)
		c.get("/table/distribution/shop/copy").same(`{"bucket_count":4,"partition_function":"hash",
			"columns":[{"key":"id","type":"long","name":"id"}]}`)
		c.get("/table/distribution/shop/bare").refused(404, "bare", "no distribution")
		c.post("/table/delete/shop/orders", "").want(200)
		c.get("/table/distribution/shop/copy").want(200)
	})
	t.Run("the same name is free in another database", func(t *testing.T) {
		t.Parallel()
		c := newShop(t)
		c.post("/table/create/archive/orders", "").want(200)
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
			c.advance(time.Minute)
			c.post("/table/update/shop/orders", body).same(`{"database":"shop","table":"orders","type":"log"}`)
			want["updated_at"] = dateTimeOf(c.server.World("").Now())
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
		r := newRoom(t)
		for _, want := range []bool{true, false, true} {
			if want {
				r.post("/table/update/shop/orders", `{"detect_schema":true}`).want(200)
			} else {
				r.post("/table/update-schema/shop/orders", `{"schema":[],"detect_schema":false}`).want(200)
			}
			if table, _ := r.world.Core.Tables.Get(1); table.DetectSchema != want {
				t.Errorf("detect_schema is %v, want %v", table.DetectSchema, want)
			}
		}
	})
	t.Run("a name renames", func(t *testing.T) {
		t.Parallel()
		c := newShop(t)
		id := c.tableID("shop/orders")
		c.post("/table/update/shop/orders", `{"name":"sales"}`).same(`{"database":"shop","table":"sales","type":"log"}`)
		c.post("/table/update-schema/shop/sales", `{"schema":[["id","long"]],"name":"deals"}`).
			same(`{"database":"shop","table":"deals","type":"log"}`)
		c.post("/table/update/shop/deals", `{"name":"deals"}`).same(`{"database":"shop","table":"deals","type":"log"}`)
		if got := c.tableNames("shop"); got != "deals carts" || c.tableID("shop/deals") != id {
			t.Errorf("tables %s, id %s, was %s", got, c.tableID("shop/deals"), id)
		}
		c.get("/table/show/shop/orders").refused(404, "orders")
	})
	t.Run("with overwrite it takes the place of the table that has the name, which can be recovered", func(t *testing.T) {
		t.Parallel()
		for _, path := range []string{"/table/update/shop/orders", "/table/update-schema/shop/orders"} {
			c := newShop(t)
			id, other := c.tableID("shop/orders"), c.tableID("shop/carts")
			c.post(path, `{"schema":[],"name":"carts","overwrite":true}`).want(200)
			if got := c.tableNames("shop"); got != "carts" || c.tableID("shop/carts") != id {
				t.Errorf("%s: tables %s, id %s, was %s", path, got, c.tableID("shop/carts"), id)
			}
			c.post("/table/recover/"+other, `{"table_name":"old_carts"}`).want(200)
		}
	})
}
