package simulation_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"
)

type database struct {
	id   int
	name string
	born time.Time
	gone time.Time
}

func (d *database) json(isAlone bool) object {
	o := object{
		"name": d.name, "count": 0, "created_at": coreTime(d.born), "updated_at": coreTime(d.born), "organization": nil,
		"permission": "administrator", "delete_protected": false,
	}
	if isAlone {
		o["id"] = strconv.Itoa(d.id)
	}
	return o
}

type record struct {
	time   time.Time
	values map[string]string
}

type table struct {
	id      int
	name    string
	in      *database
	born    time.Time
	gone    time.Time
	records []record
}

func (t *table) isThere() bool { return t.gone.IsZero() && t.in.gone.IsZero() }

func (t *table) json() object {
	return object{
		"id": t.id, "name": t.name, "count": len(t.records), "created_at": coreTime(t.born), "updated_at": coreTime(t.born),
		"counter_updated_at": nil, "delete_protected": false, "estimated_storage_size": 0, "expire_days": nil, "include_v": true,
		"last_log_timestamp": nil, "type": "log", "schema": "[]",
	}
}

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

func (w *world) addDatabase(a *account) *database {
	d := &database{id: w.next("database", a), born: w.birth()}
	d.name = fmt.Sprintf("base%d", d.id)
	a.databases = append(a.databases, d)
	w.touch(a, "database", d.name)
	return d
}

func (w *world) addTable(a *account, in *database) *table {
	t := &table{id: w.next("table", a), in: in, born: w.birth()}
	t.name = fmt.Sprintf("table%d", t.id)
	a.tables = append(a.tables, t)
	w.touch(a, "table", t.path())
	return t
}

func (t *table) path() string { return t.in.name + "/" + t.name }

func (a *account) database(name string) *database {
	return find(a.databases, func(d *database) bool { return d.name == name && d.gone.IsZero() })
}

func (a *account) table(path string) *table {
	return find(a.tables, func(t *table) bool { return t.path() == path && t.isThere() })
}

func (a *account) liveTables() []*table {
	return slices.DeleteFunc(slices.Clone(a.tables), func(t *table) bool { return !t.isThere() })
}

func (a *account) goneTables() []*table {
	return slices.DeleteFunc(slices.Clone(a.tables), func(t *table) bool { return t.isThere() })
}

func (a *account) liveDatabases() []*database {
	return slices.DeleteFunc(slices.Clone(a.databases), func(d *database) bool { return !d.gone.IsZero() })
}

func (w *world) listDatabases(c *client) int {
	status, _ := w.ask(c, request{method: "GET", url: core + "/database/list"}, func(a *account) (int, any) {
		list := []object{}
		for _, d := range a.databases {
			if d.gone.IsZero() || d == w.victim && w.cheats("deleted database listed") {
				list = append(list, d.json(false))
			}
		}
		w.showAll(a, "database")
		return http.StatusOK, object{"databases": list}
	})
	return status
}

func (w *world) showDatabase(c *client, name string) {
	w.ask(c, request{method: "GET", url: core + "/database/show/" + name}, func(a *account) (int, any) {
		w.show(a, "database", name)
		if d := a.database(name); d != nil && !w.cheats("database of a recovered table is not there") {
			return http.StatusOK, d.json(true)
		}
		return http.StatusNotFound, coreError(http.StatusNotFound)
	})
}

func (w *world) createDatabase(c *client) *database {
	var made *database
	name := fmt.Sprintf("made%d", w.next("name", c.account))
	w.ask(c, request{method: "POST", url: core + "/database/create/" + name}, func(a *account) (int, any) {
		made = w.addDatabase(a)
		made.name = name
		w.touch(a, "database", name)
		return http.StatusOK, object{"database": name}
	})
	return made
}

func (w *world) deleteDatabase(c *client, name string) {
	w.ask(c, request{method: "POST", url: core + "/database/delete/" + name}, func(a *account) (int, any) {
		d := a.database(name)
		if d == nil {
			w.show(a, "database", name)
			return http.StatusNotFound, coreError(http.StatusNotFound)
		}
		d.gone = w.now
		w.touch(a, "database", name)
		for _, t := range a.tables {
			if t.in == d {
				w.touch(a, "table", t.path())
			}
		}
		return http.StatusOK, object{"database": name}
	})
}

func (w *world) listTables(c *client, in string) {
	w.ask(c, request{method: "GET", url: core + "/table/list/" + in}, func(a *account) (int, any) {
		w.show(a, "database", in)
		if a.database(in) == nil {
			return http.StatusNotFound, coreError(http.StatusNotFound)
		}
		list := []object{}
		for _, t := range a.tables {
			if t.in.name == in {
				w.show(a, "table", t.path())
			}
			if t.in.name != in || !t.isThere() && (t != w.victim || !w.cheats("deleted table listed")) ||
				t == w.victim && w.cheats("recovered table is not listed") {
				continue
			}
			list = append(list, t.json())
		}
		return http.StatusOK, object{"database": in, "tables": list}
	})
}

func (w *world) showTable(c *client, path string) {
	w.ask(c, request{method: "GET", url: core + "/table/show/" + path}, func(a *account) (int, any) {
		w.show(a, "table", path)
		t := a.table(path)
		if t == nil && w.cheats("deleted table read") {
			t = find(a.tables, func(t *table) bool { return t.path() == path })
		}
		if t == nil || w.cheats("recovered table is not there") {
			return http.StatusNotFound, coreError(http.StatusNotFound)
		}
		return http.StatusOK, t.json()
	})
}

func (w *world) createTable(c *client, in, name string) {
	if name == "" {
		name = fmt.Sprintf("made%d", w.next("name", c.account))
	}
	w.ask(c, request{method: "POST", url: core + "/table/create/" + in + "/" + name}, func(a *account) (int, any) {
		d := a.database(in)
		if d == nil {
			w.show(a, "database", in)
			return http.StatusNotFound, coreError(http.StatusNotFound)
		}
		if a.table(in+"/"+name) != nil {
			w.show(a, "table", in+"/"+name)
			return http.StatusConflict, coreError(http.StatusConflict)
		}
		t := &table{id: w.next("table", a), in: d, born: w.now, name: name}
		a.tables = append(a.tables, t)
		w.touch(a, "table", t.path())
		return http.StatusOK, object{"database": in, "table": name, "type": "log"}
	})
}

func (w *world) deleteTable(c *client, path string) {
	w.ask(c, request{method: "POST", url: core + "/table/delete/" + path}, func(a *account) (int, any) {
		t := a.table(path)
		if t == nil {
			w.show(a, "table", path)
			return http.StatusNotFound, coreError(http.StatusNotFound)
		}
		t.gone = w.now
		w.touch(a, "table", path)
		return http.StatusOK, object{"database": t.in.name, "table": t.name, "type": "log"}
	})
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

func (w *world) recoverTable(c *client, id int) int {
	status, _ := w.ask(c, request{method: "POST", url: fmt.Sprintf("%s/table/recover/%d", core, id)}, func(a *account) (int, any) {
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
	return status
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
