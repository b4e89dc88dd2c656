package data_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

func TestDatabases(t *testing.T) {
	t.Parallel()
	t.Run("a new one is listed with the members that a strict client takes, and no other", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		c.Post("/database/create/shop", "").Want(200).Same(`{"database":"shop"}`)
		c.Get("/database/list").Want(200).Same(
			`{"databases":[{"name":"shop","count":0,"created_at":"2026-01-15 09:30:00 +0000",
			"updated_at":"2026-01-15 09:30:00 +0000","organization":null,"permission":"administrator",
			"delete_protected":false}]}`)
	})
	t.Run("permissions are told one by one where they are asked for", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		c.Post("/database/create/shop", "").Want(200)
		const all = `"database_permissions":{"edit":true,"delete":true,"query":true,"import":true,"download":true}`
		c.Get("/database/list?require_permissions=true").Want(200).Same(`{"databases":[{"name":"shop","count":0,
			"created_at":"2026-01-15 09:30:00 +0000","updated_at":"2026-01-15 09:30:00 +0000","organization":null,
			"permission":"administrator","delete_protected":false,` + all + `}]}`)
		c.Get("/database/show/shop?require_permissions=true").Want(200).Same(`{"id":"1","name":"shop","count":0,
			"created_at":"2026-01-15 09:30:00 UTC","updated_at":"2026-01-15 09:30:00 UTC","organization":null,
			"permission":"administrator","delete_protected":false,"datatank":false,` + all + `}`)
	})
	t.Run("one on its own has an id, as text", func(t *testing.T) {
		t.Parallel()
		c := newShop(t)
		got := c.Get("/database/show/archive").Want(200).Object()
		_, told := got["database_permissions"]
		if got["id"] != "2" || got["datatank"] != false || told {
			t.Errorf("got %v", got)
		}
	})
	t.Run("the count is the records of all live tables", func(t *testing.T) {
		t.Parallel()
		r := newClient(t).load(`
core:
  databases:
  - {name: shop, tables: [{name: orders, records: [{a: '1'}, {a: '2'}]}, {name: carts, records: [{a: '3'}]}]}
  - {name: archive}
`)
		counts := func() []any {
			var list struct{ Databases []map[string]any }
			r.Get("/database/list").Want(200).Into(&list)
			one := r.Get("/database/show/shop").Want(200).Object()
			return []any{list.Databases[0]["count"], list.Databases[1]["count"], one["count"]}
		}
		if diff := cmp.Diff([]any{3.0, 0.0, 3.0}, counts()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		r.Post("/table/delete/shop/carts", "").Want(200)
		if diff := cmp.Diff([]any{2.0, 0.0, 2.0}, counts()); diff != "" {
			t.Errorf("after a deletion (-want +got):\n%s", diff)
		}
	})
	t.Run("updated_at moves when its tables change", func(t *testing.T) {
		t.Parallel()
		c := newShop(t)
		c.Advance(time.Minute)
		for i, path := range []string{
			"/table/create/shop/visits", "/table/rename/shop/visits/views", "/table/swap/shop/views/orders",
			"/table/delete/shop/views",
		} {
			c.Post(path, "").Want(200)
			want := dateTimeOf(mocktest.Now.Add(time.Duration(i+1) * time.Minute))
			if got := c.Get("/database/show/shop").Want(200).Object()["updated_at"]; got != want {
				t.Errorf("after %s: %v, want %s", path, got, want)
			}
			c.Advance(time.Minute)
		}
	})
	t.Run("a deleted one is gone with its tables, and its name is free at once", func(t *testing.T) {
		t.Parallel()
		c := newShop(t)
		c.Post("/database/delete/shop", "").Want(200).Same(`{"database":"shop"}`)
		if got := c.databaseNames(); got != "archive" {
			t.Errorf("databases %s", got)
		}
		for _, path := range []string{"/database/show/shop", "/table/list/shop", "/table/show/shop/orders"} {
			c.Get(path).Refused(404, "database", "shop")
		}
		c.Post("/database/create/shop", "").Want(200)
		if got := c.tableNames("shop"); got != "" {
			t.Errorf("the new one has the tables %s", got)
		}
		if got := c.Get("/database/show/shop").Want(200).Object()["id"]; got != "3" {
			t.Errorf("the new one has the id %v", got)
		}
	})
	t.Run("one that is protected is not deleted", func(t *testing.T) {
		t.Parallel()
		r := newClient(t).load("core: {databases: [{name: shop, deleteProtected: true}]}\n")
		r.Post("/database/delete/shop", "").Refused(403, "shop", "protected")
		if got := r.Get("/database/show/shop").Want(200).Object()["delete_protected"]; got != true {
			t.Errorf("delete_protected %v", got)
		}
	})
	t.Run("refusals", func(t *testing.T) {
		t.Parallel()
		c := newShop(t)
		analyst := c.as("1/analyst")
		c.Get("/database/list?require_permissions=yes").Refused(400, "require_permissions")
		c.Get("/database/show/shop?require_permissions=yes").Refused(400, "require_permissions")
		c.Get("/database/show/none").Refused(404, "database", "none")
		c.Post("/database/create/shop", "").Refused(409, "shop")
		c.Post("/database/delete/none", "").Refused(404, "database", "none")
		analyst.Get("/database/list").Want(200).Same(`{"databases":[]}`)
		analyst.Get("/database/show/shop").Refused(403, "shop")
		analyst.Post("/database/create/mine", "").Refused(403, "databases")
		analyst.Post("/database/delete/shop", "").Refused(403, "delete", "shop")
		if got := c.databaseNames(); got != "shop archive" {
			t.Errorf("databases %s", got)
		}
	})
}

// Names are refused with their length and the right form, whatever the setting for the validation of requests.
func TestNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 256)
	for _, mode := range []mockserver.Validation{mockserver.Strict, mockserver.Report, mockserver.Off} {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			c := newClient(t, mockserver.WithValidation(mode))
			c.Post("/database/create/shop", "").Want(200)
			c.Post("/table/create/shop/orders", "").Want(200)
			c.Post("/table/create/shop/old", "").Want(200)
			id := c.tableID("shop/old")
			c.Post("/table/delete/shop/old", "").Want(200)
			for name, length := range map[string]string{
				"ab": "2", long: "256", "Shop": "4", "my-shop": "7", "caf%C3%A9": "4", "my%20shop": "7", "a.b": "3",
			} {
				plain := strings.NewReplacer("%C3%A9", "é", "%20", " ").Replace(name)
				for _, a := range []mocktest.Answer{
					c.Post("/database/create/"+name, ""),
					c.Post("/table/create/shop/"+name, ""),
					c.Post("/table/create/shop/"+name+"/log", ""),
					c.Post("/table/rename/shop/orders/"+name, ""),
					c.Post("/table/update/shop/orders", `{"name":"`+plain+`"}`),
					c.Post("/table/update-schema/shop/orders", `{"schema":[],"name":"`+plain+`"}`),
					c.Post("/table/recover/"+id, `{"table_name":"`+plain+`"}`),
					c.Post("/table/recover/"+id, `{"database_name":"`+plain+`"}`),
				} {
					a.Refused(400, "3 to 255", length, plain)
				}
			}
			if got := c.databaseNames() + ": " + c.tableNames("shop"); got != "shop: orders" {
				t.Errorf("the refusals have changed something: %s", got)
			}
			for _, name := range []string{"abc", "0_9", strings.Repeat("a", 255)} {
				c.Post("/database/create/"+name, "").Want(200)
				c.Post("/table/create/shop/"+name, "").Want(200)
			}
		})
	}
}

func dateTimeOf(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") + " UTC" }
