package learn

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"svc.example/understudy/internal/jsontree"
)

// deletedTables lists the tables that had been deleted before the recording began, as answers show them.
func (l *learner) deletedTables() []jsontree.Value {
	if l.deleted == nil {
		l.deleted = l.findDeletedTables()
	}
	return l.deleted
}

func (l *learner) findDeletedTables() []jsontree.Value {
	list := []jsontree.Value{}
	seen := map[string]bool{}
	for _, body := range l.successes("core.listDeletedTables") {
		for d := range body.Get("tables").List {
			at := instant(d.Get("deleted_at").Text())
			if id := d.Get("id").Text(); !seen[id] && !at.After(l.begin) && !l.wasDeletedHere(d) {
				seen[id] = true
				list = append(list, d)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b jsontree.Value) int { return cmp.Compare(a.Get("id").Int(), b.Get("id").Int()) })
	return list
}

// addDeleted adds the tables that only a list of deleted ones shows, of databases that requests had deleted by then.
func (s *entities) addDeleted(before []*Exchange, list *Exchange) {
	for o := range list.answer().Get("tables").List {
		at, database := instant(o.Get("deleted_at").Text()), o.Get("database_name").Text()
		id := database + "/" + o.Get("name").Text()
		for _, e := range before {
			isThen := !at.Before(e.At.Truncate(time.Second)) && at.Before(e.At.Add(2*time.Second))
			isIt := e.name() == "core.deleteDatabase" && e.ok() && param(e, "database_name") == database
			if isIt && isThen && !s.knowsDeleted(o) {
				s.add(&entity{
					kind: tableKind, id: id, gone: e, sights: []sighting{{list, o, nil}}, changed: map[string]bool{},
					late: instant(o.Get("created_at").Text()).After(s.begin),
				})
			}
		}
	}
}

// wasDeletedHere reports whether a request of the recording deleted a table.
func (l *learner) wasDeletedHere(d jsontree.Value) bool {
	for _, t := range l.entities.of(tableKind) {
		if id := t.text("id"); id != "" && id == d.Get("id").Text() {
			return true
		}
	}
	return l.entities.knowsDeleted(d)
}

// knowsDeleted reports whether a request deleted a table that is listed as deleted.
func (s *entities) knowsDeleted(d jsontree.Value) bool {
	at, id := instant(d.Get("deleted_at").Text()), d.Get("database_name").Text()+"/"+d.Get("name").Text()
	return slices.ContainsFunc(s.byKind[tableKind], func(t *entity) bool {
		return t.id == id && t.gone != nil && !at.Before(t.gone.At.Truncate(time.Second))
	})
}

// deletedTable returns a table that had been deleted before the recording began, with what answers show of it after a
// request has recovered it.
func (l *learner) deletedTable(d jsontree.Value) *mapping {
	for _, t := range l.entities.all(tableKind) {
		if id := t.text("id"); id != "" && id == d.Get("id").Text() {
			return l.tableNamed(d.Get("name").Text(), t)
		}
	}
	m := newMapping()
	m.copy(d, "name", "id", "createdAt=created_at")
	return m
}

func (l *learner) table(t *entity) *mapping { return l.tableNamed(t.key(), t) }

func (l *learner) tableNamed(name string, t *entity) *mapping {
	m := newMapping()
	o := t.first()
	m.set("name", name)
	m.copy(o, "id", "description", "expireDays=expire_days", "deleteProtected=delete_protected", "createdAt=created_at")
	isChanged := t.changed["schema"] || isWrittenBefore(t, l.tableCalls[t.id])
	if schema := jsontree.Parse(o.Get("schema").Text()); schema.Len() > 0 {
		m.guess("schema", schema, when(isChanged, "it may have been changed before an answer showed it"))
	}
	if !o.Get("schema").Exists() && t.id == l.profilesAt {
		m.guess("schema", l.assumedColumns(), "no answer shows it, and requests name these columns")
	}
	if v := o.Get("include_v"); v.Exists() && !v.Bool() {
		m.set("includeV", plain("false", "!!bool"))
	}
	if o.Exists() && !isChanged {
		if at := instant(o.Get("updated_at").Text()); !at.After(l.begin) {
			m.set("updatedAt", timeText(at))
		}
		m.copy(o, "counterUpdatedAt=counter_updated_at", "lastRecordAt=last_log_timestamp",
			"storageSize=estimated_storage_size", "count")
	}
	m.set("records", l.records(t))
	return m
}

// isWrittenBefore reports whether a request wrote before an entity was first shown, if it was.
func isWrittenBefore(t *entity, calls []*Exchange) bool {
	i := slices.IndexFunc(calls, isWrite)
	return i >= 0 && (len(t.sights) == 0 || calls[i].N < t.sights[0].N)
}

// records lists the records of a table that answers show and no recorded request added.
func (l *learner) records(t *entity) any {
	for _, e := range l.tableCalls[t.id] {
		if isWrite(e) {
			return nil
		}
		if e.name() == "core.tailTable" && e.answer().Len() > 0 {
			return l.recordsIn(t, recordsOf(e))
		}
	}
	return nil
}

// maxRecords is the number of records that stand in the scenario itself.
const maxRecords = 20

// recordsIn returns records, or the file that they are in if there are many.
func (l *learner) recordsIn(t *entity, s *sequence) any {
	if len(s.node.Content) <= maxRecords {
		return s
	}
	var lines bytes.Buffer
	for _, row := range s.node.Content {
		lines.Write(jsonLine(row))
	}
	name := strings.ReplaceAll(t.id, "/", ".") + ".ndjson"
	l.files[name] = lines.Bytes()
	return mappingOf("file", name)
}

// jsonLine returns a mapping as one line of JSON, with the members in their order.
func jsonLine(m *yaml.Node) []byte {
	var line bytes.Buffer
	line.WriteByte('{')
	for i := 0; i+1 < len(m.Content); i += 2 {
		if i > 0 {
			line.WriteString(", ")
		}
		var value any
		_ = m.Content[i+1].Decode(&value) // a value of JSON
		if m.Content[i+1].Tag == "!!timestamp" {
			value = m.Content[i+1].Value
		}
		name, _ := json.Marshal(m.Content[i].Value)
		text, _ := json.Marshal(value)
		fmt.Fprintf(&line, "%s: %s", name, text)
	}
	line.WriteString("}\n")
	return line.Bytes()
}

func recordsOf(e *Exchange) *sequence {
	s := newSequence()
	for row := range e.answer().List {
		m := newMapping()
		for value := range row.Each {
			node := jsonNode(value)
			if value.Name() == "time" {
				node = scalar(timeText(unix(value)))
			}
			m.set(value.Name(), node)
		}
		s.add(m)
	}
	return s
}
