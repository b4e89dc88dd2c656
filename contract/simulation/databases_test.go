package simulation_test

import (
	"fmt"
	"net/http"
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

func (w *world) addDatabase(a *account) *database {
	d := &database{id: w.next("database", a), born: w.birth()}
	d.name = fmt.Sprintf("base%d", d.id)
	a.databases = append(a.databases, d)
	w.touch(a, "database", d.name)
	return d
}

func (a *account) database(name string) *database {
	return find(a.databases, func(d *database) bool { return d.name == name && d.gone.IsZero() })
}

func (w *world) listDatabases(c *client) {
	w.ask(c, request{method: "GET", url: core + "/database/list"}, func(a *account) (int, any) {
		list := []object{}
		for _, d := range a.databases {
			if d.gone.IsZero() || d == w.victim && w.cheats("deleted database listed") {
				list = append(list, d.json(false))
			}
		}
		w.showAll(a, "database")
		return http.StatusOK, object{"databases": list}
	})
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
		if a.database(name) != nil {
			return http.StatusConflict, coreError(http.StatusConflict)
		}
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
