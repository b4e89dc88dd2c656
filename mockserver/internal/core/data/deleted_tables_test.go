package data_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

// deletedPage returns a page of deleted tables: their names, with their databases, and the cursor.
func (c client) deletedPage(query string) (names []string, cursor *int64) {
	c.Helper()
	var page struct {
		Tables []struct {
			Name         string
			DatabaseName string `json:"database_name"`
		}
		CursorID *int64 `json:"cursor_id"`
	}
	c.Get("/table/deleted" + query).Want(200).Into(&page)
	for _, table := range page.Tables {
		names = append(names, table.DatabaseName+"."+table.Name)
	}
	return names, page.CursorID
}

func (c client) deleted(query string, want ...string) {
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
		c.Get("/table/deleted").Want(200).Same(`{"tables":[],"cursor_id":null}`)
		c.Advance(time.Hour)
		c.Post("/table/delete/shop/carts", "").Want(200)
		c.Get("/table/deleted").Want(200).Same(`{"tables":[{"id":2,"name":"carts","database_id":1,"database_name":"shop",
			"created_at":"2026-01-15 09:30:00 UTC","deleted_at":"2026-01-15 10:30:00 UTC"}],"cursor_id":null}`)
	})
	t.Run("the tables of a deleted database are listed, too", func(t *testing.T) {
		t.Parallel()
		c := newShop(t)
		c.Post("/table/delete/shop/carts", "").Want(200)
		c.Post("/database/delete/shop", "").Want(200)
		c.Post("/table/delete/archive/carts", "").Want(200)
		c.deleted("", "shop.orders", "shop.carts", "archive.carts")
		c.deleted("?database_id=1", "shop.orders", "shop.carts")
		c.deleted("?database_id=2", "archive.carts")
		c.deleted("?database_id=3")
	})
	t.Run("pages go on from the cursor until it is null", func(t *testing.T) {
		t.Parallel()
		c := newShop(t)
		for i := range 4 {
			c.Post(fmt.Sprintf("/table/create/shop/table_%d", i), "").Want(200)
			c.Post(fmt.Sprintf("/table/delete/shop/table_%d", i), "").Want(200)
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
			c.Post(fmt.Sprintf("/table/create/shop/table_%d", i), "").Want(200)
			c.Post(fmt.Sprintf("/table/delete/shop/table_%d", i), "").Want(200)
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
		c := newShop(t)
		c.Post("/table/delete/shop/carts", "").Want(200)
		c.grant("import", "1").deleted("", "shop.carts")
		c.as("1/delegate").deleted("")
	})
	t.Run("after seven days it is gone for good, with its records and an empty database", func(t *testing.T) {
		t.Parallel()
		large := strings.Repeat("7", 600)
		c := newStock(t, "records: [{id: '"+large+"'}]", mockserver.WithRecordLimit(1000))
		c.Post("/database/delete/shop", "").Want(200)
		c.Advance(7*24*time.Hour - time.Second)
		c.deleted("", "shop.orders", "shop.carts")
		c.Advance(time.Second)
		c.Get("/table/deleted").Want(200).Same(`{"tables":[],"cursor_id":null}`)
		c.Post("/table/recover/1", "").Refused(404, "deleted table with id 1")

		c.Post("/table/create/archive/last", "").Want(200)
		c.Post("/table/delete/archive/last", "").Want(200)
		c.WantInState(`"shop"`, false)
		c.WantInState(`"orders"`, false)
		c.WantInState(`"carts"`, false)
		c.Post("/table/create/archive/next", "").Want(200)
		c.put("/table/import/archive/next/json.gz", packed(t, strings.Repeat(`{"id":"`+large[:300]+`"}`, 2))).Want(200)
		c.Get("/table/tail/archive/next?count=2").Wants("#", "2") // for which there was room
	})
	t.Run("an empty database that is deleted leaves nothing", func(t *testing.T) {
		t.Parallel()
		c := newStock(t, "")
		c.WantInState(`"archive"`, true)
		c.Post("/database/delete/archive", "").Want(200)
		c.WantInState(`"archive"`, false)
	})
}

func TestRecoverTable(t *testing.T) {
	t.Parallel()
	t.Run("it is back with its records, and shown without its schema", func(t *testing.T) {
		t.Parallel()
		r := newStock(t, "schema: [[id, long]], records: [{id: '7'}]")
		r.Post("/table/delete/shop/orders", "").Want(200)
		r.Advance(time.Hour)
		r.Post("/table/recover/1", "").Want(200).Same(`{"id":1,"name":"orders","type":"log","count":1,
			"created_at":"2026-01-15 09:30:00 UTC","updated_at":"2026-01-15 10:30:00 UTC",
			"counter_updated_at":"2026-01-15T09:30:00Z","last_log_timestamp":"2026-01-15T09:30:00Z","delete_protected":false,
			"estimated_storage_size":10,"expire_days":null,"include_v":true}`)
		if got := r.Get("/table/show/shop/orders").Want(200).Object()["schema"]; got != `[["id","long"]]` {
			t.Errorf("schema %v", got)
		}
		r.Get("/table/tail/shop/orders").Want(200).Same(`[{"id":"7","time":1768469400}]`)
		r.Get("/table/deleted").Want(200).Same(`{"tables":[],"cursor_id":null}`)
		r.Post("/table/recover/1", "").Refused(404, "deleted table with id 1")
	})
	t.Run("a deleted database comes back with it, while its other tables stay deleted", func(t *testing.T) {
		t.Parallel()
		c := newShop(t)
		id := c.tableID("shop/carts")
		c.Post("/database/delete/shop", "").Want(200)
		c.Advance(time.Minute)
		c.Post("/table/recover/"+id, "").Want(200)
		if got := c.databaseNames() + ": " + c.tableNames("shop"); got != "shop archive: carts" {
			t.Errorf("got %s", got)
		}
		got := c.Get("/database/show/shop").Want(200).Object()
		if got["id"] != "1" || got["updated_at"] != dateTimeOf(mocktest.Now.Add(time.Minute)) {
			t.Errorf("got %v", got)
		}
		c.deleted("", "shop.orders")
	})
	t.Run("another name where its own is in use", func(t *testing.T) {
		t.Parallel()
		c := newShop(t)
		id := c.tableID("shop/carts")
		c.Post("/table/delete/shop/carts", "").Want(200)
		c.Post("/table/create/shop/carts", "").Want(200)
		c.Post("/table/recover/"+id, "").Refused(409, "carts", "shop")
		c.Post("/table/recover/"+id, "table_name=old_carts").Want(200)
		if got := c.tableNames("shop"); got != "orders old_carts carts" {
			t.Errorf("tables %s", got)
		}
	})
	t.Run("into another database", func(t *testing.T) {
		t.Parallel()
		c := newShop(t)
		id := c.tableID("shop/orders")
		c.Post("/database/delete/shop", "").Want(200)
		c.Post("/table/recover/"+id, `{"database_name":"archive"}`).Want(200)
		if got := c.databaseNames() + ": " + c.tableNames("archive"); got != "archive: orders carts" {
			t.Errorf("got %s", got)
		}
	})
	t.Run("where the database's name is in use, it comes back under another, or the table goes there", func(t *testing.T) {
		t.Parallel()
		c := newShop(t)
		orders, carts := c.tableID("shop/orders"), c.tableID("shop/carts")
		c.Post("/database/delete/shop", "").Want(200)
		c.Post("/database/create/shop", "").Want(200)
		c.Post("/table/recover/"+orders, "").Refused(409, "shop", "database_name")
		c.Post("/table/recover/"+orders, `{"database_name":"old_shop"}`).Want(200)
		c.Post("/table/recover/"+carts, `{"database_name":"shop"}`).Want(200)
		got := c.databaseNames() + ": " + c.tableNames("old_shop") + ", " + c.tableNames("shop")
		if got != "old_shop archive shop: orders, carts" {
			t.Errorf("got %s", got)
		}
	})
	t.Run("without the right to the deleted database nothing is recovered", func(t *testing.T) {
		t.Parallel()
		r := newStock(t, "")
		r.Post("/database/delete/shop", "").Want(200)
		editor := r.grant("edit", "1,2")
		editor.Post("/table/recover/1", "").Refused(403, "recovering", "shop")
		editor.Post("/table/recover/1", `{"database_name":"old_shop"}`).Refused(403, "recovering", "shop")
		r.Get("/database/show/shop").Refused(404, "shop")
		r.deleted("", "shop.orders", "shop.carts")
		editor.Post("/table/recover/1", `{"database_name":"archive"}`).Want(200)
	})
	t.Run("into a database that the caller may not change it is refused", func(t *testing.T) {
		t.Parallel()
		r := newStock(t, "")
		r.Post("/table/delete/shop/orders", "").Want(200)
		editor := r.grant("edit", "1")
		editor.Post("/table/recover/1", `{"database_name":"archive"}`).Refused(403, "edit", "archive")
		editor.Post("/table/recover/1", "").Want(200)
	})
}
