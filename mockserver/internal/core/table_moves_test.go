package core_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
)

func TestRenameTable(t *testing.T) {
	t.Parallel()
	t.Run("the table keeps its id under the new name, and the old one is free", func(t *testing.T) {
		t.Parallel()
		c := newShop(t)
		id := c.tableID("shop/orders")
		c.post("/table/rename/shop/orders/sales", "").same(`{"database":"shop","table":"sales","type":"log"}`)
		c.get("/table/show/shop/orders").refused(404, "orders")
		if got := c.tableID("shop/sales"); got != id {
			t.Errorf("id %s, was %s", got, id)
		}
		c.post("/table/create/shop/orders", "").want(200)
	})
	t.Run("its own name is no conflict", func(t *testing.T) {
		t.Parallel()
		newShop(t).post("/table/rename/shop/orders/orders", "").same(`{"database":"shop","table":"orders","type":"log"}`)
	})
}

func TestSwapTables(t *testing.T) {
	t.Parallel()
	t.Run("names stay; ids, schemas and records change places", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		r.post("/table/update/shop/orders", `{"schema":[["id","long"]]}`).want(200)
		r.store(1, `{"id":"7"}`)
		r.post("/table/swap/shop/orders/carts", "").same(`{"database":"shop","table1":"orders","table2":"carts"}`)
		for name, want := range map[string]map[string]any{
			"orders": {"id": 2.0, "schema": "[]", "count": 0.0},
			"carts":  {"id": 1.0, "schema": `[["id","long"]]`, "count": 1.0},
		} {
			object := r.get("/table/show/shop/" + name).want(200).object()
			got := map[string]any{"id": object["id"], "schema": object["schema"], "count": object["count"]}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
		r.get("/table/tail/shop/orders").same(`[]`)
		r.get("/table/tail/shop/carts").same(`[{"id":"7","time":1768469400}]`)
	})
	t.Run("a table with itself stays as it is", func(t *testing.T) {
		t.Parallel()
		c := newShop(t)
		c.post("/table/swap/shop/orders/orders", "").same(`{"database":"shop","table1":"orders","table2":"orders"}`)
		if got := c.tableNames("shop"); got != "orders carts" {
			t.Errorf("tables %s", got)
		}
	})
}

func TestChangeTableDatabase(t *testing.T) {
	t.Parallel()
	t.Run("the table goes with its name, its id and its records", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		r.store(1, `{"id":"7"}`)
		r.post("/table/change_database/shop/orders", `{"dest_database_name":"archive"}`).
			same(`{"database":"archive","table":"orders","type":"log"}`)
		r.get("/table/show/shop/orders").refused(404, "orders")
		if got := r.get("/table/show/archive/orders").want(200).object(); got["id"] != 1.0 || got["count"] != 1.0 {
			t.Errorf("got %v", got)
		}
		r.get("/table/tail/archive/orders").same(`[{"id":"7","time":1768469400}]`)
	})
	t.Run("as a form", func(t *testing.T) {
		t.Parallel()
		c := newShop(t)
		c.post("/table/change_database/shop/orders", "dest_database_name=archive").want(200)
		if got := c.tableNames("archive"); got != "orders carts" {
			t.Errorf("tables %s", got)
		}
	})
	t.Run("both databases must be open to the caller", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		editor := func(ids string) *room {
			return r.as(world.User{ID: 9, Role: world.Restricted, Permissions: databasesGrant("edit", ids)})
		}
		const path, body = "/table/change_database/shop/orders", `{"dest_database_name":"archive"}`
		editor("1").post(path, body).refused(403, "archive")
		editor("2").post(path, body).refused(403, "shop")
		editor("1,2").post(path, body).want(200)
	})
}

func TestTransferTable(t *testing.T) {
	t.Parallel()
	const path, body = "/table/transfer/shop/orders", `{"dest_database_name":"lake","dest_table_name":"sales"}`
	const header, key = "Secondary-Authorization", "SVC1 2/4567cdef"
	newPartnerRoom := func(t *testing.T) *room {
		t.Helper()
		r := newRoom(t)
		r.world.Account.Features = []string{world.FeatureTableTransfer}
		r.world.Account.Partners = []world.Partner{{Account: 2, Key: "2/4567cdef", Databases: []string{"lake"}}}
		return r
	}
	t.Run("the table is in the other account then, and no longer in this one", func(t *testing.T) {
		t.Parallel()
		r := newPartnerRoom(t)
		r.store(1, `{"id":"7"}`)
		r.call("POST", path, body, header, key).same(`{"database_name":"lake","table_name":"sales"}`)
		r.get("/table/show/shop/orders").refused(404, "orders")
		r.get("/table/deleted").same(`{"tables":[],"cursor_id":null}`)
		if r.world.Core.RecordBytes != 0 {
			t.Errorf("%d bytes of records are left", r.world.Core.RecordBytes)
		}
	})
	t.Run("a repetition with the same idempotent key transfers nothing more", func(t *testing.T) {
		t.Parallel()
		r := newPartnerRoom(t)
		const keyed = `{"dest_database_name":"lake","dest_table_name":"sales","idempotent_key":"k1"}`
		const other = `{"dest_database_name":"lake","dest_table_name":"sales","idempotent_key":"k2"}`
		r.call("POST", path, keyed, header, key).want(200)
		r.post("/table/create/shop/orders", "").want(200)
		r.call("POST", path, keyed, header, key).same(`{"database_name":"lake","table_name":"sales"}`)
		r.get("/table/show/shop/orders").want(200)
		r.call("POST", path, other, header, key).want(200)
		r.call("POST", path, body, header, key).refused(404, "orders")
	})
	t.Run("over HTTP, with a form and the second key in the platform's own form", func(t *testing.T) {
		t.Parallel()
		c := newClient(t).load("  features: [table-transfer]\n  partners: [{account: 2, key: 2/4567cdef, databases: [lake]}]\n")
		c.post("/database/create/shop", "").want(200)
		c.post("/table/create/shop/orders", "").want(200)
		c.call("POST", path, "dest_database_name=lake&dest_table_name=sales", header, "SVC1 "+specs.PlatformKey(2, "2/4567cdef")).
			same(`{"database_name":"lake","table_name":"sales"}`)
		if got := c.tableNames("shop"); got != "" {
			t.Errorf("tables %s", got)
		}
	})
	t.Run("an account that is not enabled is refused, whatever it sends", func(t *testing.T) {
		t.Parallel()
		c := newShop(t)
		c.call("POST", path, body, header, key).refused(403, "not enabled")
		c.call("POST", "/table/transfer/none/orders", body, header, key).refused(404, "database", "none")
		c.as("1/analyst").call("POST", path, body, header, key).refused(403, "edit", "shop")
		c.call("POST", path, body).refused(400, header)
		c.call("POST", path, body, header, "Bearer 2/4567cdef").refused(400, header)
		c.call("POST", path, `{}`, header, key).refused(400, "dest_database_name")
		c.call("POST", path, "text", header, key, "Content-Type", "text/plain").refused(415, "text/plain")
	})
	t.Run("the second key is that of an account, which has the database", func(t *testing.T) {
		t.Parallel()
		r := newPartnerRoom(t)
		r.call("POST", path, body, header, "SVC1 2/0000").refused(401, header)
		r.call("POST", path, body).refused(401, header)
		r.call("POST", path, `{"dest_database_name":"shop","dest_table_name":"sales"}`, header, key).
			refused(404, "other account", "shop")
		r.call("POST", path, `{"dest_database_name":"lake","dest_table_name":"S"}`, header, key).
			refused(400, "3 to 255", "1", "S")
		r.call("POST", "/table/transfer/shop/none", body, header, key).refused(404, "table", "none")
		r.get("/table/show/shop/orders").want(200)
	})
}
