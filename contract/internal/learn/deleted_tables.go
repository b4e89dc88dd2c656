package learn

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/tidwall/gjson"
)

// deletions are what answers show of deleted tables and databases.
type deletions struct {
	tables map[string]gjson.Result // as they are listed, by id
	absent map[string]bool         // databases that were not found
	listed []gjson.Result          // the databases of the last list
}

// take takes what an answer shows.
func (d *deletions) take(e *Exchange) {
	if d.tables == nil {
		d.tables, d.absent = map[string]gjson.Result{}, map[string]bool{}
	}
	body, _ := e.JSONResponse()
	switch e.name() {
	case "core.listDeletedTables":
		for _, table := range body.Get("tables").Array() {
			d.tables[table.Get("id").String()] = table
		}
	case "core.getDatabase", "core.listTables":
		d.absent[param(e, "database_name")] = e.Status() == http.StatusNotFound
	case "core.listDatabases":
		if e.ok() {
			d.listed = body.Get("databases").Array()
		}
	}
}

// isAbsent reports whether the last answers lack a database.
func (d *deletions) isAbsent(name string) bool {
	isIt := func(o gjson.Result) bool { return o.Get("name").String() == name }
	return d.absent[name] || d.listed != nil && !slices.ContainsFunc(d.listed, isIt)
}

// recoverTable takes a table that is there again. The recording shows its database in the request, or in a list of
// deleted tables; if in neither, the table is recognized by its id.
func recoverTable(s *things, e *Exchange) {
	body, _ := e.JSONResponse()
	request, _ := e.JSONRequest()
	id := param(e, "table_id")
	s.recovered[id] = true
	was := s.deleted.tables[id].Get("database_name").String()
	name := cmp.Or(request.Get("database_name").String(), body.Get("database_name").String(), was)
	if name == "" {
		return
	}
	if s.current[nameOf(databaseKind, name)] == nil && name == was && s.deleted.isAbsent(name) {
		d := s.get(databaseKind, name)
		d.late, d.isRestored = true, true
	}
	if at := name + "/" + body.Get("name").String(); s.current[nameOf(tableKind, at)] == nil {
		t := s.get(tableKind, at)
		t.late, t.recoveredFrom = true, id
	}
}

// deletedTable returns a deleted table. Its contents are known if it is recovered later.
func (l *learner) deletedTable(d gjson.Result) *mapping {
	m, id := newMapping(), d.Get("id").String()
	m.set("name", d.Get("name"))
	m.set("id", idOf(id))
	m.set("createdAt", timeOf(d.Get("created_at")))
	m.set("deletedAt", timeOf(d.Get("deleted_at")))
	if i := slices.IndexFunc(l.things.list, func(t *thing) bool { return t.recoveredFrom == id }); i >= 0 {
		l.addContents(m, l.things.list[i])
	}
	return m
}

// deletedTables lists the tables that had been deleted before the recording began, as answers show them.
func (l *learner) deletedTables() (list []gjson.Result) {
	seen := map[string]bool{}
	for _, e := range l.exchanges {
		if e.name() != "core.listDeletedTables" || !e.ok() {
			continue
		}
		body, _ := e.JSONResponse()
		for _, d := range body.Get("tables").Array() {
			at := instant(d.Get("deleted_at").String())
			if id := d.Get("id").String(); !seen[id] && !at.After(l.begin) && !l.wasDeletedHere(d) {
				seen[id] = true
				list = append(list, d)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b gjson.Result) int { return cmp.Compare(a.Get("id").Int(), b.Get("id").Int()) })
	return list
}

// wasDeletedHere reports whether a request of the recording deleted a table.
func (l *learner) wasDeletedHere(d gjson.Result) bool {
	for _, t := range l.things.of(tableKind) {
		if id := t.first().Get("id").String(); id != "" && id == d.Get("id").String() {
			return true
		}
	}
	id := d.Get("database_name").String() + "/" + d.Get("name").String()
	at := instant(d.Get("deleted_at").String())
	return slices.ContainsFunc(l.things.all(tableKind), func(t *thing) bool {
		return t.id == id && t.gone != nil && !at.Before(t.gone.At.Truncate(1e9))
	})
}
