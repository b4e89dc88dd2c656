package learn

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// Kinds of the core interface.
const (
	databaseKind    = "core.database"
	tableKind       = "core.table"
	connectionKind  = "core.connection"
	jobKind         = "core.job"
	jobScheduleKind = "core.schedule"
)

// core returns the section of the core interface.
func (l *learner) core() *mapping {
	m := newMapping()
	m.set("databases", l.databases())
	m.set("connections", l.connections())
	m.set("results", l.results())
	m.set("schedules", l.jobSchedules())
	m.set("jobs", l.jobs())
	return m
}

// databases lists the databases with their tables, and those of which only a table is known.
func (l *learner) databases() *sequence {
	s := newSequence()
	names := []string{}
	for _, t := range l.things.of(databaseKind) {
		if !slices.Contains(names, t.id) {
			names = append(names, t.id)
		}
	}
	for _, t := range l.things.of(tableKind) {
		database, _, _ := strings.Cut(t.id, "/")
		if d := l.things.find(databaseKind, database); d == nil && !slices.Contains(names, database) {
			names = append(names, database)
		}
	}
	for _, d := range l.deletedTables() {
		if name := d.Get("database_name").String(); !slices.Contains(names, name) && l.things.find(databaseKind, name) == nil {
			names = append(names, name)
		}
	}
	for _, name := range l.mentionedDatabases() {
		if l.things.find(databaseKind, name) == nil && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		s.add(l.database(name))
	}
	if l.needsAssumedTable() {
		tables, table, m := newSequence(), newMapping(), newMapping()
		table.set("name", assumedTable)
		table.set("schema", l.assumedColumns())
		tables.add(table)
		m.set("name", assumedDatabase)
		m.set("tables", tables)
		s.addGuessed(m, "something refers to a table that no answer shows")
	}
	return s
}

// mentionedDatabases lists the databases in which jobs ran or schedules run.
func (l *learner) mentionedDatabases() (names []string) {
	add := func(name string) {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, t := range l.things.all(jobKind) {
		add(t.first().Get("database").String())
	}
	for _, t := range l.things.of(jobScheduleKind) {
		add(t.first().Get("database").String())
	}
	for _, e := range l.exchanges {
		if e.name() == "core.issueJob" && e.ok() {
			add(param(e, "database_name"))
		}
	}
	return names
}

func (l *learner) database(name string) *mapping {
	m := newMapping()
	m.set("name", name)
	deleted := ""
	if t := l.things.find(databaseKind, name); t != nil {
		o := t.first()
		m.set("id", idOf(o.Get("id").String()))
		m.set("deleteProtected", o.Get("delete_protected").Bool())
		m.set("createdAt", timeOf(o.Get("created_at")))
		if at := timeOf(o.Get("updated_at")); at != timeOf(o.Get("created_at")) && !l.wasTouchedBefore(t) {
			m.set("updatedAt", at)
		}
	}
	tables := newSequence()
	if t := l.things.find(databaseKind, name); t != nil && l.unseenRecords(t) > 0 && !l.wasTouchedBefore(t) {
		one := newMapping()
		one.set("name", "unknown")
		one.set("createdAt", timeOf(t.first().Get("created_at")))
		one.set("count", l.unseenRecords(t))
		tables.addGuessed(one, "the database counts records, and no answer shows its tables")
	}
	for _, t := range l.things.of(tableKind) {
		if in, _, _ := strings.Cut(t.id, "/"); in == name {
			tables.add(l.table(t))
		}
	}
	for _, d := range l.deletedTables() {
		if d.Get("database_name").String() == name {
			one := newMapping()
			one.set("id", idOf(d.Get("id").String()))
			one.set("name", d.Get("name"))
			one.set("createdAt", timeOf(d.Get("created_at")))
			one.set("deletedAt", timeOf(d.Get("deleted_at")))
			tables.add(one)
			if l.wasDeleted(name) {
				deleted = timeOf(d.Get("deleted_at"))
			}
		}
	}
	if deleted != "" {
		m.guess("deletedAt", deleted, "it is not in the list of databases")
	}
	m.set("tables", tables)
	return m
}

// wasTouchedBefore reports whether a database was shown first after a request that wrote to it, or to a table in it.
func (l *learner) wasTouchedBefore(t *thing) bool {
	if len(t.sights) == 0 {
		return false
	}
	return slices.ContainsFunc(l.exchanges[:t.sights[0].N-1], func(e *Exchange) bool {
		return isWrite(e) && e.ok() && param(e, "database_name") == t.id
	})
}

// unseenRecords returns how many records a database has in tables that no answer shows.
func (l *learner) unseenRecords(t *thing) int64 {
	left := t.first().Get("count").Int()
	for _, e := range l.exchanges {
		if e.name() == "core.listTables" && e.ok() && param(e, "database_name") == t.id {
			return 0
		}
	}
	for _, table := range l.things.of(tableKind) {
		if in, _, _ := strings.Cut(table.id, "/"); in == t.id {
			left -= table.first().Get("count").Int()
		}
	}
	return left
}

// wasDeleted reports whether a whole list of databases lacks one, before a request could have made it.
func (l *learner) wasDeleted(name string) bool {
	for _, e := range l.exchanges {
		switch {
		case e.name() == "core.recoverTable":
			return false
		case e.name() == "core.listDatabases" && e.ok():
			return l.things.find(databaseKind, name) == nil
		}
	}
	return false
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

func (l *learner) table(t *thing) *mapping {
	m := newMapping()
	o := t.first()
	m.set("name", t.key())
	m.set("id", idOf(o.Get("id").String()))
	isChanged := t.changed["schema"] || l.wasTouched(t)
	if schema := gjson.Parse(o.Get("schema").String()); schema.IsArray() && len(schema.Array()) > 0 {
		if isChanged {
			m.guess("schema", schema, "it may have been changed before an answer showed it")
		} else {
			m.set("schema", schema)
		}
	}
	m.set("description", o.Get("description"))
	m.set("expireDays", o.Get("expire_days").Int())
	m.set("deleteProtected", o.Get("delete_protected").Bool())
	if v := o.Get("include_v"); v.Exists() && !v.Bool() {
		m.add("includeV", plain("false", "!!bool"), "")
	}
	m.set("createdAt", timeOf(o.Get("created_at")))
	if o.Exists() && !isChanged {
		m.set("updatedAt", timeOf(o.Get("updated_at")))
		m.set("counterUpdatedAt", timeOf(o.Get("counter_updated_at")))
		m.set("lastRecordAt", timeOf(o.Get("last_log_timestamp")))
		m.set("storageSize", o.Get("estimated_storage_size").Int())
		m.set("count", o.Get("count").Int())
	}
	m.set("records", l.records(t))
	return m
}

// wasTouched reports whether a request of the recording wrote to a table before it was first shown.
func (l *learner) wasTouched(t *thing) bool {
	for _, e := range l.exchanges {
		if len(t.sights) > 0 && e.N >= t.sights[0].N {
			return false
		}
		at := param(e, "database_name") + "/" + param(e, "table_name")
		if at == t.id && e.ok() && isWrite(e) {
			return true
		}
	}
	return false
}

// records lists the records of a table that answers show and no recorded request added.
func (l *learner) records(t *thing) any {
	added := false
	for _, e := range l.exchanges {
		at := param(e, "database_name") + "/" + param(e, "table_name")
		if at != t.id || !e.ok() {
			continue
		}
		switch {
		case isWrite(e):
			added = true
		case e.name() == "core.tailTable" && !added:
			if s := recordsOf(e); s != nil {
				return s
			}
		}
	}
	return nil
}

func recordsOf(e *Exchange) *sequence {
	body, ok := e.JSONResponse()
	if !ok || !body.IsArray() || len(body.Array()) == 0 {
		return nil
	}
	s := newSequence()
	for _, row := range body.Array() {
		m := newMapping()
		row.ForEach(func(name, value gjson.Result) bool {
			if name.String() == "time" {
				m.set("time", timeText(unix(value)))
				return true
			}
			m.add(name.String(), jsonNode(value), "")
			return true
		})
		s.add(m)
	}
	return s
}

func (l *learner) connections() *sequence {
	s := newSequence()
	for _, t := range l.things.of(connectionKind) {
		m := newMapping()
		m.set("name", t.id)
		switch address := t.first().Get("url").String(); {
		case address == "":
			m.guess("url", "https://"+word(t.id)+".example/", unseen)
		case isRedacted(address):
			m.guess("url", "https://"+word(t.id)+".example/", "it is a secret")
		default:
			m.set("url", address)
		}
		s.add(m)
	}
	return s
}

func (l *learner) jobSchedules() *sequence {
	s := newSequence()
	for _, t := range l.things.of(jobScheduleKind) {
		o := t.first()
		if !o.Exists() {
			continue
		}
		m := newMapping()
		m.set("id", idOf(o.Get("id").String()))
		m.set("name", t.id)
		for _, pair := range [][2]string{
			{"cron", "cron"}, {"timezone", "timezone"}, {"delay", "delay"}, {"database", "database"}, {"type", "type"},
			{"query", "query"}, {"priority", "priority"}, {"retryLimit", "retry_limit"}, {"engineVersion", "engine_version"},
		} {
			value, isChanged := t.value(pair[1])
			if value.Raw == "0" || value.String() == "" {
				continue
			}
			if isChanged {
				m.guess(pair[0], value, "it was set before an answer showed it")
				continue
			}
			m.set(pair[0], value)
		}
		m.set("target", target(o.Get("result")))
		m.set("user", l.people.referByName(o.Get("user_name").String()))
		m.set("createdAt", timeOf(o.Get("created_at")))
		s.add(m)
	}
	return s
}

// target returns the target of a result without what is secret in it.
func target(v gjson.Result) string {
	if isRedacted(v.String()) {
		return ""
	}
	return clean(v.String())
}
