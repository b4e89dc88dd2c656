package simulation_test

import (
	"fmt"
	"net/http"
	"slices"
	"time"
)

type tableRecord struct {
	time   time.Time
	values map[string]string
}

type table struct {
	id      int
	name    string
	in      *database
	born    time.Time
	gone    time.Time
	records []tableRecord
}

func (t *table) isThere() bool { return t.gone.IsZero() && t.in.gone.IsZero() }

func (t *table) json() object {
	return object{
		"id": t.id, "name": t.name, "count": len(t.records), "created_at": coreTime(t.born), "updated_at": coreTime(t.born),
		"counter_updated_at": nil, "delete_protected": false, "estimated_storage_size": 0, "expire_days": nil,
		"include_v":          true,
		"last_log_timestamp": nil, "type": "log", "schema": "[]",
	}
}

func (w *world) addTable(a *account, in *database) *table {
	t := &table{id: w.next("table", a), in: in, born: w.birth()}
	t.name = fmt.Sprintf("table%d", t.id)
	a.tables = append(a.tables, t)
	w.touch(a, "table", t.path())
	return t
}

func (t *table) path() string { return t.in.name + "/" + t.name }

func (a *account) table(path string) *table {
	return find(a.tables, func(t *table) bool { return t.path() == path && t.isThere() })
}

func (a *account) liveTables() []*table {
	return slices.DeleteFunc(slices.Clone(a.tables), func(t *table) bool { return !t.isThere() })
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
