package simulation_test

import (
	"fmt"
	"net/http"
	"slices"
	"time"
)

func (t *table) deleted() object {
	gone := t.gone
	if gone.IsZero() {
		gone = t.in.gone
	}
	return object{
		"id": t.id, "name": t.name, "database_id": t.in.id, "database_name": t.in.name,
		"created_at": coreTime(t.born), "deleted_at": coreTime(gone),
	}
}

func (a *account) goneTables() []*table {
	return slices.DeleteFunc(slices.Clone(a.tables), func(t *table) bool { return t.isThere() })
}

// listDeleted reads the deleted tables to the end, or only the first pages.
func (w *world) listDeleted(c *client, size int) {
	cursor := 0
	for range 30 {
		url, separator := core+"/table/deleted", "?"
		if size > 0 {
			url, separator = url+fmt.Sprintf("?page_size=%d", size), "&"
		}
		if cursor > 0 {
			url += fmt.Sprintf("%scursor_id=%d", separator, cursor)
		}
		w.ask(c, request{method: "GET", url: url, isPage: true}, func(a *account) (int, any) {
			var body object
			body, cursor = w.deletedPage(a, cursor, size)
			return http.StatusOK, body
		})
		if cursor == 0 {
			return
		}
	}
}

func (w *world) deletedPage(a *account, after, size int) (page object, cursor int) {
	if size == 0 {
		size = 25
	}
	list, last := []object{}, 0
	for _, t := range a.tables {
		isIn := !t.isThere() && (t != w.victim || !w.cheats("deleted table is not among the deleted")) ||
			t == w.victim && w.cheats("recovered table is still among the deleted")
		if !isIn || t.id <= after {
			continue
		}
		if len(list) == size {
			return object{"tables": list, "cursor_id": last}, last
		}
		list, last = append(list, t.deleted()), t.id
		w.show(a, "table", t.path())
	}
	return object{"tables": list, "cursor_id": nil}, 0
}

func (w *world) recoverTable(c *client, id int) {
	w.ask(c, request{method: "POST", url: fmt.Sprintf("%s/table/recover/%d", core, id)}, func(a *account) (int, any) {
		t := find(a.tables, func(t *table) bool { return t.id == id })
		if t == nil || t.isThere() {
			if t != nil {
				w.show(a, "table", t.path())
			}
			return http.StatusNotFound, coreError(http.StatusNotFound)
		}
		if a.table(t.path()) != nil || t.in.gone != (time.Time{}) && a.database(t.in.name) != nil {
			return http.StatusConflict, coreError(http.StatusConflict)
		}
		t.revive(w)
		w.touch(a, "table", t.path())
		if !t.in.gone.IsZero() {
			t.in.gone = time.Time{}
			w.touch(a, "database", t.in.name)
		}
		o := t.json()
		delete(o, "schema")
		return http.StatusOK, o
	})
}

// revive takes a table out of the deleted ones, and leaves the others of its database there.
func (t *table) revive(w *world) {
	for _, a := range w.accounts {
		for _, other := range a.tables {
			if other.in == t.in && other.gone.IsZero() && !t.in.gone.IsZero() {
				other.gone = t.in.gone
			}
		}
	}
	t.gone = time.Time{}
}
