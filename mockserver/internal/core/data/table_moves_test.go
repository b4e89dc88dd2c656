package data_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/mockserver"
	"svc.example/understudy/specs"
)

func TestRenameTable(t *testing.T) {
	t.Parallel()
	t.Run("the table keeps its id under the new name, and the old one is free", func(t *testing.T) {
		t.Parallel()
		c := newShop(t)
		id := c.tableID("shop/orders")
		c.Post("/table/rename/shop/orders/sales", "").Want(200).Same(`{"database":"shop","table":"sales","type":"log"}`)
		c.Get("/table/show/shop/orders").Refused(404, "orders")
		if got := c.tableID("shop/sales"); got != id {
			t.Errorf("id %s, was %s", got, id)
		}
		c.Post("/table/create/shop/orders", "").Want(200)
	})
	t.Run("its own name is no conflict", func(t *testing.T) {
		t.Parallel()
		newShop(t).Post("/table/rename/shop/orders/orders",
			"").Want(200).Same(`{"database":"shop","table":"orders","type":"log"}`)
	})
}

func TestSwapTables(t *testing.T) {
	t.Parallel()
	t.Run("names stay; ids, schemas and records change places", func(t *testing.T) {
		t.Parallel()
		r := newStock(t, "schema: [[id, long]], records: [{id: '7'}]")
		r.Post("/table/swap/shop/orders/carts", "").Want(200).Same(`{"database":"shop","table1":"orders","table2":"carts"}`)
		for name, want := range map[string]map[string]any{
			"orders": {"id": 2.0, "schema": "[]", "count": 0.0},
			"carts":  {"id": 1.0, "schema": `[["id","long"]]`, "count": 1.0},
		} {
			object := r.Get("/table/show/shop/" + name).Want(200).Object()
			got := map[string]any{"id": object["id"], "schema": object["schema"], "count": object["count"]}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
		r.Get("/table/tail/shop/orders").Want(200).Same(`[]`)
		r.Get("/table/tail/shop/carts").Want(200).Same(`[{"id":"7","time":1768469400}]`)
	})
	t.Run("a table with itself stays as it is", func(t *testing.T) {
		t.Parallel()
		c := newShop(t)
		c.Post("/table/swap/shop/orders/orders", "").Want(200).Same(`{"database":"shop","table1":"orders","table2":"orders"}`)
		if got := c.tableNames("shop"); got != "orders carts" {
			t.Errorf("tables %s", got)
		}
	})
}

func TestChangeTableDatabase(t *testing.T) {
	t.Parallel()
	t.Run("the table goes with its name, its id and its records", func(t *testing.T) {
		t.Parallel()
		r := newStock(t, "records: [{id: '7'}]")
		r.Post("/table/change_database/shop/orders", `{"dest_database_name":"archive"}`).
			Want(200).Same(`{"database":"archive","table":"orders","type":"log"}`)
		r.Get("/table/show/shop/orders").Refused(404, "orders")
		if got := r.Get("/table/show/archive/orders").Want(200).Object(); got["id"] != 1.0 || got["count"] != 1.0 {
			t.Errorf("got %v", got)
		}
		r.Get("/table/tail/archive/orders").Want(200).Same(`[{"id":"7","time":1768469400}]`)
	})
	t.Run("as a form", func(t *testing.T) {
		t.Parallel()
		c := newShop(t)
		c.Post("/table/change_database/shop/orders", "dest_database_name=archive").Want(200)
		if got := c.tableNames("archive"); got != "orders carts" {
			t.Errorf("tables %s", got)
		}
	})
	t.Run("both databases must be open to the caller", func(t *testing.T) {
		t.Parallel()
		c := newStock(t, "")
		const path, body = "/table/change_database/shop/orders", `{"dest_database_name":"archive"}`
		c.grant("edit", "1").Post(path, body).Refused(403, "archive")
		c.grant("edit", "2").Post(path, body).Refused(403, "shop")
		c.grant("edit", "1,2").Post(path, body).Want(200)
	})
}

func TestTransferTable(t *testing.T) {
	t.Parallel()
	const path, body = "/table/transfer/shop/orders", `{"dest_database_name":"lake","dest_table_name":"sales"}`
	const header, key = "Secondary-Authorization", "SVC1 2/4567cdef"
	const partner = "  features: [table-transfer]\n  partners: [{account: 2, key: 2/4567cdef, databases: [lake]}]\n"
	large := strings.Repeat("7", 600)
	newPartner := func(t *testing.T, opts ...mockserver.Option) client {
		t.Helper()
		return newClient(t, append(opts, mockserver.WithRecordLimit(1000))...).
			load(partner + "core: {databases: [{name: shop, tables: [{name: orders, records: [{id: '" + large + "'}]}]}]}\n")
	}
	t.Run("the table is in the other account then, and no longer in this one", func(t *testing.T) {
		t.Parallel()
		r := newPartner(t)
		r.Call("POST", path, body, header, key).Want(200).Same(`{"database_name":"lake","table_name":"sales"}`)
		r.Get("/table/show/shop/orders").Refused(404, "orders")
		r.Get("/table/deleted").Want(200).Same(`{"tables":[],"cursor_id":null}`)
		r.Post("/table/create/shop/next", "").Want(200)
		r.put("/table/import/shop/next/json.gz", packed(t, strings.Repeat(`{"id":"`+large[:300]+`"}`, 2))).Want(200)
		r.Get("/table/tail/shop/next?count=2").Wants("#", "2") // for which there is room
	})
	t.Run("a repetition with the same idempotent key transfers nothing more", func(t *testing.T) {
		t.Parallel()
		r := newPartner(t)
		const keyed = `{"dest_database_name":"lake","dest_table_name":"sales","idempotent_key":"k1"}`
		const other = `{"dest_database_name":"lake","dest_table_name":"sales","idempotent_key":"k2"}`
		r.Call("POST", path, keyed, header, key).Want(200)
		r.Post("/table/create/shop/orders", "").Want(200)
		r.Call("POST", path, keyed, header, key).Want(200).Same(`{"database_name":"lake","table_name":"sales"}`)
		r.Get("/table/show/shop/orders").Want(200)
		r.Call("POST", path, other, header, key).Want(200)
		r.Call("POST", path, body, header, key).Refused(404, "orders")
	})
	t.Run("over HTTP, with a form and the second key in the platform's own form", func(t *testing.T) {
		t.Parallel()
		c := newPartner(t)
		c.Call("POST", path, "dest_database_name=lake&dest_table_name=sales", header,
			"SVC1 "+specs.PlatformKey(2, "2/4567cdef")).
			Want(200).Same(`{"database_name":"lake","table_name":"sales"}`)
		if got := c.tableNames("shop"); got != "" {
			t.Errorf("tables %s", got)
		}
	})
	t.Run("an account that is not enabled is refused, whatever it sends", func(t *testing.T) {
		t.Parallel()
		c := newShop(t)
		c.Call("POST", path, body, header, key).Refused(403, "not enabled")
		c.Call("POST", "/table/transfer/none/orders", body, header, key).Refused(404, "database", "none")
		c.as("1/analyst").Call("POST", path, body, header, key).Refused(403, "edit", "shop")
		c.Call("POST", path, body).Refused(400, header)
		c.Call("POST", path, body, header, "Bearer 2/4567cdef").Refused(400, header)
		c.Call("POST", path, `{}`, header, key).Refused(400, "dest_database_name")
		c.Call("POST", path, "text", header, key, "Content-Type", "text/plain").Refused(415, "text/plain")
	})
	t.Run("the second key is that of an account, which has the database", func(t *testing.T) {
		t.Parallel()
		r := newPartner(t)
		r.Call("POST", path, body, header, "SVC1 2/0000").Refused(401, header)
		newPartner(t, mockserver.WithValidation(mockserver.Off)).Call("POST", path, body).Refused(401, header)
		r.Call("POST", path, `{"dest_database_name":"shop","dest_table_name":"sales"}`, header, key).
			Refused(404, "other account", "shop")
		r.Call("POST", path, `{"dest_database_name":"lake","dest_table_name":"S"}`, header, key).
			Refused(400, "3 to 255", "1", "S")
		r.Call("POST", "/table/transfer/shop/none", body, header, key).Refused(404, "table", "none")
		r.Get("/table/show/shop/orders").Want(200)
	})
}
