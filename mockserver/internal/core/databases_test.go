package core_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/mockserver"
)

func TestDatabases(t *testing.T) {
	t.Parallel()
	t.Run("a new one is listed with the members that a strict client takes, and no other", func(t *testing.T) {
		t.Parallel()
		c := newClient(t).load("")
		c.post("/database/create/shop", "").same(`{"database":"shop"}`)
		c.get("/database/list").same(`{"databases":[{"name":"shop","count":0,"created_at":"2026-01-15 09:30:00 +0000",
			"updated_at":"2026-01-15 09:30:00 +0000","organization":null,"permission":"administrator",
			"delete_protected":false}]}`)
	})
	t.Run("permissions are told one by one where they are asked for", func(t *testing.T) {
		t.Parallel()
		c := newClient(t).load("")
		c.post("/database/create/shop", "").want(200)
		const all = `"database_permissions":{"edit":true,"delete":true,"query":true,"import":true,"download":true}`
		c.get("/database/list?require_permissions=true").same(`{"databases":[{"name":"shop","count":0,
			"created_at":"2026-01-15 09:30:00 +0000","updated_at":"2026-01-15 09:30:00 +0000","organization":null,
			"permission":"administrator","delete_protected":false,` + all + `}]}`)
		c.get("/database/show/shop?require_permissions=true").same(`{"id":"1","name":"shop","count":0,
			"created_at":"2026-01-15 09:30:00 UTC","updated_at":"2026-01-15 09:30:00 UTC","organization":null,
			"permission":"administrator","delete_protected":false,"datatank":false,` + all + `}`)
	})
	t.Run("one on its own has an id, as text", func(t *testing.T) {
		t.Parallel()
		c := newShop(t)
		got := c.get("/database/show/archive").want(200).object()
		_, told := got["database_permissions"]
		if got["id"] != "2" || got["datatank"] != false || told {
			t.Errorf("got %v", got)
		}
	})
	t.Run("the count is the records of all live tables", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		r.store(1, `{"a":"1"}`, `{"a":"2"}`)
		r.store(2, `{"a":"3"}`)
		counts := func() []any {
			var list struct{ Databases []map[string]any }
			r.get("/database/list").want(200).into(&list)
			one := r.get("/database/show/shop").want(200).object()
			return []any{list.Databases[0]["count"], list.Databases[1]["count"], one["count"]}
		}
		if diff := cmp.Diff([]any{3.0, 0.0, 3.0}, counts()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		r.post("/table/delete/shop/carts", "").want(200)
		if diff := cmp.Diff([]any{2.0, 0.0, 2.0}, counts()); diff != "" {
			t.Errorf("after a deletion (-want +got):\n%s", diff)
		}
	})
	t.Run("updated_at moves when its tables change", func(t *testing.T) {
		t.Parallel()
		c := newShop(t)
		c.advance(time.Minute)
		for i, path := range []string{
			"/table/create/shop/visits", "/table/rename/shop/visits/views", "/table/swap/shop/views/orders",
			"/table/delete/shop/views",
		} {
			c.post(path, "").want(200)
			want := dateTimeOf(now.Add(time.Duration(i+1) * time.Minute))
			if got := c.get("/database/show/shop").want(200).object()["updated_at"]; got != want {
				t.Errorf("after %s: %v, want %s", path, got, want)
			}
			c.advance(time.Minute)
		}
	})
	t.Run("a deleted one is gone with its tables, and its name is free at once", func(t *testing.T) {
		t.Parallel()
		c := newShop(t)
		c.post("/database/delete/shop", "").same(`{"database":"shop"}`)
		if got := c.databaseNames(); got != "archive" {
			t.Errorf("databases %s", got)
		}
		for _, path := range []string{"/database/show/shop", "/table/list/shop", "/table/show/shop/orders"} {
			c.get(path).refused(404, "database", "shop")
		}
		c.post("/database/create/shop", "").want(200)
		if got := c.tableNames("shop"); got != "" {
			t.Errorf("the new one has the tables %s", got)
		}
		if got := c.get("/database/show/shop").want(200).object()["id"]; got != "3" {
			t.Errorf("the new one has the id %v", got)
		}
	})
	t.Run("one that is protected is not deleted", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		d, _ := r.world.Core.Databases.Get(1)
		d.DeleteProtected = true
		r.world.Core.Databases.Put(1, d)
		r.post("/database/delete/shop", "").refused(403, "shop", "protected")
		if got := r.get("/database/show/shop").want(200).object()["delete_protected"]; got != true {
			t.Errorf("delete_protected %v", got)
		}
	})
	t.Run("refusals", func(t *testing.T) {
		t.Parallel()
		c := newShop(t)
		analyst := c.as("1/analyst")
		c.get("/database/list?require_permissions=yes").refused(400, "require_permissions")
		c.get("/database/show/shop?require_permissions=yes").refused(400, "require_permissions")
		c.get("/database/show/none").refused(404, "database", "none")
		c.post("/database/create/shop", "").refused(409, "shop")
		c.post("/database/delete/none", "").refused(404, "database", "none")
		analyst.get("/database/list").same(`{"databases":[]}`)
		analyst.get("/database/show/shop").refused(403, "shop")
		analyst.post("/database/create/mine", "").refused(403, "databases")
		analyst.post("/database/delete/shop", "").refused(403, "delete", "shop")
		if got := c.databaseNames(); got != "shop archive" {
			t.Errorf("databases %s", got)
		}
	})
}

// Names are refused with their length and what would be right, whatever the validation of requests is set to.
func TestNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 256)
	for _, mode := range []mockserver.Validation{mockserver.Strict, mockserver.Report, mockserver.Off} {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			c := newClient(t, mockserver.WithValidation(mode)).load("")
			c.post("/database/create/shop", "").want(200)
			c.post("/table/create/shop/orders", "").want(200)
			c.post("/table/create/shop/old", "").want(200)
			id := c.tableID("shop/old")
			c.post("/table/delete/shop/old", "").want(200)
			for name, length := range map[string]string{
				"ab": "2", long: "256", "Shop": "4", "my-shop": "7", "caf%C3%A9": "4", "my%20shop": "7", "a.b": "3",
			} {
				plain := strings.NewReplacer("%C3%A9", "é", "%20", " ").Replace(name)
				for _, a := range []answer{
					c.post("/database/create/"+name, ""),
					c.post("/table/create/shop/"+name, ""),
					c.post("/table/create/shop/"+name+"/log", ""),
					c.post("/table/rename/shop/orders/"+name, ""),
					c.post("/table/update/shop/orders", `{"name":"`+plain+`"}`),
					c.post("/table/update-schema/shop/orders", `{"schema":[],"name":"`+plain+`"}`),
					c.post("/table/recover/"+id, `{"table_name":"`+plain+`"}`),
					c.post("/table/recover/"+id, `{"database_name":"`+plain+`"}`),
				} {
					a.refused(400, "3 to 255", length, plain)
				}
			}
			if got := c.databaseNames() + ": " + c.tableNames("shop"); got != "shop: orders" {
				t.Errorf("the refusals have changed something: %s", got)
			}
			for _, name := range []string{"abc", "0_9", strings.Repeat("a", 255)} {
				c.post("/database/create/"+name, "").want(200)
				c.post("/table/create/shop/"+name, "").want(200)
			}
		})
	}
}

func dateTimeOf(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") + " UTC" }
