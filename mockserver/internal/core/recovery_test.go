package core_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/mockserver/internal/core"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// deletedPage reads a page of deleted tables: their names, with their databases, and the cursor.
func (c *client) deletedPage(query string) (names []string, cursor *int64) {
	c.Helper()
	var page struct {
		Tables []struct {
			Name         string
			DatabaseName string `json:"database_name"`
		}
		CursorID *int64 `json:"cursor_id"`
	}
	c.get("/table/deleted" + query).want(200).into(&page)
	for _, table := range page.Tables {
		names = append(names, table.DatabaseName+"."+table.Name)
	}
	return names, page.CursorID
}

func (c *client) deleted(query string, want ...string) {
	c.Helper()
	names, _ := c.deletedPage(query)
	if diff := cmp.Diff(want, names); diff != "" {
		c.Errorf("deleted tables (-want +got):\n%s", diff)
	}
}

func TestDeletedTables(t *testing.T) {
	t.Parallel()
	t.Run("a deleted table is listed, with its place and its times", func(t *testing.T) {
		t.Parallel()
		c := newShop(t)
		c.get("/table/deleted").same(`{"tables":[],"cursor_id":null}`)
		c.advance(time.Hour)
		c.post("/table/delete/shop/carts", "").want(200)
		c.get("/table/deleted").same(`{"tables":[{"id":2,"name":"carts","database_id":1,"database_name":"shop",
			"created_at":"2026-01-15 09:30:00 UTC","deleted_at":"2026-01-15 10:30:00 UTC"}],"cursor_id":null}`)
	})
	t.Run("the tables of a deleted database are listed, too", func(t *testing.T) {
		t.Parallel()
		c := newShop(t)
		c.post("/table/delete/shop/carts", "").want(200)
		c.post("/database/delete/shop", "").want(200)
		c.post("/table/delete/archive/carts", "").want(200)
		c.deleted("", "shop.orders", "shop.carts", "archive.carts")
		c.deleted("?database_id=1", "shop.orders", "shop.carts")
		c.deleted("?database_id=2", "archive.carts")
		c.deleted("?database_id=3")
	})
	t.Run("pages go on from the cursor until it is null", func(t *testing.T) {
		t.Parallel()
		c := newShop(t)
		for i := range 4 {
			c.post(fmt.Sprintf("/table/create/shop/table_%d", i), "").want(200)
			c.post(fmt.Sprintf("/table/delete/shop/table_%d", i), "").want(200)
		}
		var pages [][]string
		for query := "?page_size=2"; query != ""; {
			names, cursor := c.deletedPage(query)
			pages, query = append(pages, names), ""
			if cursor != nil {
				query = fmt.Sprintf("?page_size=2&cursor_id=%d", *cursor)
			}
		}
		want := [][]string{{"shop.table_0", "shop.table_1"}, {"shop.table_2", "shop.table_3"}}
		if diff := cmp.Diff(want, pages); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if names, cursor := c.deletedPage("?cursor_id=99"); names != nil || cursor != nil {
			t.Errorf("beyond the end: %v, cursor %v", names, cursor)
		}
	})
	t.Run("a page has 25 unless the client says otherwise", func(t *testing.T) {
		t.Parallel()
		c := newShop(t)
		for i := range 26 {
			c.post(fmt.Sprintf("/table/create/shop/table_%d", i), "").want(200)
			c.post(fmt.Sprintf("/table/delete/shop/table_%d", i), "").want(200)
		}
		names, cursor := c.deletedPage("")
		if len(names) != 25 || cursor == nil {
			t.Errorf("%d tables, cursor %v", len(names), cursor)
		}
		if names, cursor = c.deletedPage("?page_size=100"); len(names) != 26 || cursor != nil {
			t.Errorf("with page_size=100: %d tables, cursor %v", len(names), cursor)
		}
	})
	t.Run("a user sees those of the databases that it sees", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		r.post("/table/delete/shop/carts", "").want(200)
		importer := world.User{ID: 9, Role: world.Restricted, Permissions: databasesGrant("import", "1")}
		for _, test := range []struct {
			user world.User
			want int
		}{{importer, 1}, {world.User{ID: 9, Role: world.Restricted}, 0}} {
			var page struct{ Tables []any }
			r.as(test.user).get("/table/deleted").want(200).into(&page)
			if len(page.Tables) != test.want {
				t.Errorf("%d tables, want %d", len(page.Tables), test.want)
			}
		}
	})
	t.Run("after seven days it is gone for good, with its records and an empty database", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		r.store(1, `{"id":"7"}`)
		r.post("/database/delete/shop", "").want(200)
		r.world.Clock = r.world.Clock.To(now.Add(7*24*time.Hour - time.Second))
		var page struct{ Tables []any }
		if r.get("/table/deleted").want(200).into(&page); len(page.Tables) != 2 {
			t.Errorf("a second before: %v", page.Tables)
		}
		r.world.Clock = r.world.Clock.To(now.Add(7 * 24 * time.Hour))
		r.get("/table/deleted").same(`{"tables":[],"cursor_id":null}`)
		r.post("/table/recover/1", "").refused(404, "deleted table", "1")

		r.post("/table/create/archive/last", "").want(200)
		r.post("/table/delete/archive/last", "").want(200)
		if x := r.world.Core; x.RecordBytes != 0 || x.Tables.Len() != 1 || x.Databases.Len() != 1 {
			t.Errorf("left: %d bytes of records, %d tables, %d databases", x.RecordBytes, x.Tables.Len(), x.Databases.Len())
		}
	})
	t.Run("an empty database that is deleted leaves nothing", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		r.post("/database/delete/archive", "").want(200)
		if n := r.world.Core.Databases.Len(); n != 1 {
			t.Errorf("%d databases", n)
		}
	})
}

func TestRecoverTable(t *testing.T) {
	t.Parallel()
	t.Run("it is back with its records, and shown without its schema", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		r.post("/table/update/shop/orders", `{"schema":[["id","long"]]}`).want(200)
		r.store(1, `{"id":"7"}`)
		r.post("/table/delete/shop/orders", "").want(200)
		r.world.Clock = r.world.Clock.To(now.Add(time.Hour))
		r.post("/table/recover/1", "").same(`{"id":1,"name":"orders","type":"log","count":1,
			"created_at":"2026-01-15 09:30:00 UTC","updated_at":"2026-01-15 10:30:00 UTC",
			"counter_updated_at":null,"last_log_timestamp":"2026-01-15T09:30:00Z","delete_protected":false,
			"estimated_storage_size":10,"expire_days":null,"include_v":true}`)
		if got := r.get("/table/show/shop/orders").want(200).object()["schema"]; got != `[["id","long"]]` {
			t.Errorf("schema %v", got)
		}
		r.get("/table/tail/shop/orders").same(`[{"id":"7","time":1768469400}]`)
		r.get("/table/deleted").same(`{"tables":[],"cursor_id":null}`)
		r.post("/table/recover/1", "").refused(404, "deleted table", "1")
	})
	t.Run("a deleted database comes back with it, while its other tables stay deleted", func(t *testing.T) {
		t.Parallel()
		c := newShop(t)
		id := c.tableID("shop/carts")
		c.post("/database/delete/shop", "").want(200)
		c.advance(time.Minute)
		c.post("/table/recover/"+id, "").want(200)
		if got := c.databaseNames() + ": " + c.tableNames("shop"); got != "shop archive: carts" {
			t.Errorf("got %s", got)
		}
		got := c.get("/database/show/shop").want(200).object()
		if got["id"] != "1" || got["updated_at"] != dateTimeOf(now.Add(time.Minute)) {
			t.Errorf("got %v", got)
		}
		c.deleted("", "shop.orders")
	})
	t.Run("another name where its own is in use", func(t *testing.T) {
		t.Parallel()
		c := newShop(t)
		id := c.tableID("shop/carts")
		c.post("/table/delete/shop/carts", "").want(200)
		c.post("/table/create/shop/carts", "").want(200)
		c.post("/table/recover/"+id, "").refused(409, "carts", "shop")
		c.post("/table/recover/"+id, "table_name=old_carts").want(200)
		if got := c.tableNames("shop"); got != "orders old_carts carts" {
			t.Errorf("tables %s", got)
		}
	})
	t.Run("into another database", func(t *testing.T) {
		t.Parallel()
		c := newShop(t)
		id := c.tableID("shop/orders")
		c.post("/database/delete/shop", "").want(200)
		c.post("/table/recover/"+id, `{"database_name":"archive"}`).want(200)
		if got := c.databaseNames() + ": " + c.tableNames("archive"); got != "archive: orders carts" {
			t.Errorf("got %s", got)
		}
	})
	t.Run("where the database's name is in use, it comes back under another, or the table goes there", func(t *testing.T) {
		t.Parallel()
		c := newShop(t)
		orders, carts := c.tableID("shop/orders"), c.tableID("shop/carts")
		c.post("/database/delete/shop", "").want(200)
		c.post("/database/create/shop", "").want(200)
		c.post("/table/recover/"+orders, "").refused(409, "shop", "database_name")
		c.post("/table/recover/"+orders, `{"database_name":"old_shop"}`).want(200)
		c.post("/table/recover/"+carts, `{"database_name":"shop"}`).want(200)
		got := c.databaseNames() + ": " + c.tableNames("old_shop") + ", " + c.tableNames("shop")
		if got != "old_shop archive shop: orders, carts" {
			t.Errorf("got %s", got)
		}
	})
	t.Run("without the right to the deleted database nothing is recovered", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		r.post("/database/delete/shop", "").want(200)
		editor := r.as(world.User{ID: 9, Role: world.Restricted, Permissions: databasesGrant("edit", "1,2")})
		editor.post("/table/recover/1", "").refused(403, "recovery", "shop")
		editor.post("/table/recover/1", `{"database_name":"old_shop"}`).refused(403, "recovery", "shop")
		r.get("/database/show/shop").refused(404, "shop")
		var page struct{ Tables []any }
		if r.get("/table/deleted").want(200).into(&page); len(page.Tables) != 2 {
			t.Errorf("deleted tables: %v", page.Tables)
		}
		editor.post("/table/recover/1", `{"database_name":"archive"}`).want(200)
	})
	t.Run("into a database that the caller may not change it is refused", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		r.post("/table/delete/shop/orders", "").want(200)
		editor := r.as(world.User{ID: 9, Role: world.Restricted, Permissions: databasesGrant("edit", "1")})
		editor.post("/table/recover/1", `{"database_name":"archive"}`).refused(403, "edit", "archive")
		editor.post("/table/recover/1", "").want(200)
	})
}

// What a test may switch off is switched off, and nothing else.
func TestSkippedTableRules(t *testing.T) {
	t.Parallel()
	skipping := func(t *testing.T, name string) *room {
		t.Helper()
		r := newRoom(t)
		r.skip = op.Skips{name: true}
		return r
	}
	t.Run("deletions that do nothing", func(t *testing.T) {
		t.Parallel()
		r := skipping(t, core.SkipTableDeletion)
		r.post("/table/delete/shop/orders", "").want(200)
		r.get("/table/show/shop/orders").want(200)
		r = skipping(t, core.SkipDatabaseDeletion)
		r.post("/database/delete/shop", "").want(200)
		r.get("/table/show/shop/orders").want(200)
	})
	t.Run("a deleted table is not listed", func(t *testing.T) {
		t.Parallel()
		r := skipping(t, core.SkipDeletedList)
		r.post("/table/delete/shop/orders", "").want(200)
		r.get("/table/deleted").same(`{"tables":[],"cursor_id":null}`)
		r.post("/table/recover/1", "").want(200)
	})
	t.Run("a recovery that does nothing, or not all", func(t *testing.T) {
		t.Parallel()
		r := skipping(t, core.SkipRecovery)
		r.post("/table/delete/shop/orders", "").want(200)
		r.post("/table/recover/1", "").want(200)
		r.get("/table/show/shop/orders").refused(404, "orders")
		r = skipping(t, core.SkipRecoveryParent)
		r.post("/table/delete/shop/carts", "").want(200)
		r.post("/table/recover/2", "").want(200)
		r.get("/table/show/shop/carts").want(200)
		r.post("/database/delete/shop", "").want(200)
		r.post("/table/recover/1", "").want(200)
		r.get("/database/show/shop").refused(404, "shop")
	})
}
