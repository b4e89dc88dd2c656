package learn

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/specs"
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
	jobs := l.jobs() // which may be in a database that no answer shows
	return mappingOf("databases", l.databases(), "connections", l.connections(), "restrictions", l.restrictions(),
		"results", l.results(), "schedules", l.jobSchedules(), "jobs", jobs)
}

// databases lists the databases with their tables.
func (l *learner) databases() *sequence {
	s := newSequence()
	l.profilesAt = ""
	if len(l.audienceIDs()) > 0 {
		database, table := l.profiles()
		l.profilesAt = database + "/" + table
	}
	seen, shown := map[string]bool{}, l.shownDatabaseIDs()
	for _, t := range l.entities.of(databaseKind) {
		if !seen[t.id] {
			seen[t.id] = true
			s.add(l.database(t, shown[t.id]))
		}
	}
	l.llm() // which finds what refers to such a table
	if l.assumes && l.entities.find(tableKind, assumedDatabase+"/"+assumedTable) == nil {
		table := mappingOf("name", assumedTable, "schema", l.assumedColumns())
		m := mappingOf("name", assumedDatabase, "tables", newSequence(table))
		s.addGuessed(m, "something refers to a table that no answer shows")
	}
	return s
}

// someDatabase returns the name of a database that is there.
func (l *learner) someDatabase() string {
	for _, t := range l.entities.of(databaseKind) {
		return t.id
	}
	l.assumes = true
	return assumedDatabase
}

// implyDatabases adds the databases of which no more is known than that something is, ran or runs in them.
func (l *learner) implyDatabases() {
	for _, t := range append(l.entities.all(jobKind), l.entities.of(jobScheduleKind)...) {
		l.entities.mention(databaseKind, t.text("database"))
	}
	for _, t := range l.entities.of(tableKind) {
		l.entities.mention(databaseKind, t.parent())
	}
	for _, d := range l.deletedTables() {
		l.entities.mention(databaseKind, d.Get("database_name").Text())
	}
	for e := range l.successes("core.issueJob") {
		l.entities.mention(databaseKind, param(e, "database_name"))
	}
	for _, body := range l.successes(string(specs.LLM)) {
		for _, path := range []string{"data", "data.*", "included.*"} {
			for name := range values(body, path+".attributes.svcDatabaseName") {
				l.entities.mention(databaseKind, name.Text())
			}
		}
	}
}

func (l *learner) database(t *entity, shownID string) *mapping {
	m := mappingOf("name", t.id, "id", idOf(shownID))
	m.copy(t.first(), "deleteProtected=delete_protected", "createdAt=created_at")
	m.guess("createdAt", timeText(l.earliestIn(t.id)), "it was there before what is in it")
	isWritten := isWrittenBefore(t, l.databaseCalls[t.id])
	if at := t.time("updated_at"); !isWritten && !at.After(l.begin) {
		m.set("updatedAt", timeText(at))
	}
	tables, unseen, uncounted := newSequence(), l.unseenRecords(t), l.uncountedTable(t.id)
	hasUnseen := unseen > 0 && !isWritten
	if hasUnseen && uncounted == nil {
		one := mappingOf("name", "unknown", "createdAt", timeOf(t.first().Get("created_at")), "count", unseen)
		tables.addGuessed(one, "the database counts records, and no answer shows its tables")
	}
	seen := map[string]bool{}
	for _, in := range l.entities.tablesOf(t.id) {
		if !seen[in.id] {
			seen[in.id] = true
			table := l.table(in)
			if hasUnseen && in == uncounted {
				table.guess("count", unseen, "the database counts them")
			}
			tables.add(table)
		}
	}
	deleted := ""
	for _, d := range l.deletedTables() {
		if d.Get("database_name").Text() == t.id {
			one := l.deletedTable(d)
			one.set("deletedAt", timeOf(d.Get("deleted_at")))
			tables.add(one)
			if l.wasDeleted(t.id) {
				deleted = timeOf(d.Get("deleted_at"))
			}
		}
	}
	m.guess("deletedAt", deleted, "it is not in the list of databases")
	m.set("tables", tables)
	return m
}

// earliestIn returns when the oldest entity in a database was made, or zero if nothing in it shows that.
func (l *learner) earliestIn(name string) (earliest time.Time) {
	see := func(database, created string) {
		if at := instant(created); database == name && !at.IsZero() && (earliest.IsZero() || at.Before(earliest)) {
			earliest = at
		}
	}
	for _, t := range l.entities.list {
		switch o := t.first(); t.kind {
		case jobKind, jobScheduleKind:
			see(o.Get("database").Text(), o.Get("created_at").Text())
		case tableKind:
			see(t.parent(), o.Get("created_at").Text())
		}
	}
	for _, d := range l.deletedTables() {
		see(d.Get("database_name").Text(), d.Get("created_at").Text())
	}
	return earliest
}

// unseenRecords returns how many records a database has in tables that no answer shows.
func (l *learner) unseenRecords(t *entity) int64 {
	left := t.first().Get("count").Int()
	if l.listsTables(t.id) {
		return 0
	}
	for _, table := range l.entities.tablesOf(t.id) {
		left -= table.first().Get("count").Int()
	}
	return left
}

// uncountedTable returns the first table of a database whose records only the database counts, or nil.
func (l *learner) uncountedTable(database string) *entity {
	for _, t := range l.entities.tablesOf(database) {
		if t.first().Exists() && !t.first().Get("count").Exists() {
			return t
		}
	}
	return nil
}

// isIn reports whether a deleted table was in a database.
func (l *learner) isIn(table, database string) bool {
	return slices.ContainsFunc(l.deletedTables(), func(d jsontree.Value) bool {
		return d.Get("id").Text() == table && d.Get("database_name").Text() == database
	})
}

// wasDeleted reports whether a whole list of databases lacks one, before a request could have made it.
func (l *learner) wasDeleted(name string) bool {
	inIt := func(t *entity) bool {
		return t.kind == tableKind && strings.HasPrefix(t.id, name+"/") && t.wasThere() ||
			t.kind == jobScheduleKind && t.text("database") == name
	}
	if slices.ContainsFunc(l.entities.list, inIt) {
		return false
	}
	for _, e := range l.exchanges {
		isAsked := e.name() == "core.getDatabase" && param(e, "database_name") == name
		isRecovered := e.name() == "core.recoverTable" && l.isIn(param(e, "table_id"), name)
		switch {
		case e.ok() && (isAsked || isRecovered):
			return false
		case !l.people.isAdministrator(e):
		case isAsked && e.Status() == http.StatusNotFound:
			return true
		case e.ok() && e.name() == "core.listDatabases":
			return !slices.Contains(textsAt(e.answer(), "databases.*.name"), name)
		}
	}
	return false
}

func (l *learner) connections() *sequence {
	return l.sequenceOf(connectionKind, func(m *mapping, t *entity) {
		m.set("id", l.connectionID(t.id))
		m.set("name", t.id)
		if address := t.text("url"); !isRedacted(address) {
			m.set("url", address)
		}
		m.guess("url", "https://"+word(t.id)+".example/", "no answer shows it, or it is a secret")
	})
}

// restrictions returns what connectors may do, as answers show it.
func (l *learner) restrictions() *mapping {
	for _, body := range l.successes("core.getDataConnectorRestrictions") {
		if m := (&mapping{jsonNode(body)}); !m.isEmpty() {
			return m
		}
	}
	return nil
}
