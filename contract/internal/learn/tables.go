package learn

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"
	"go.yaml.in/yaml/v4"
)

func (l *learner) table(t *thing) *mapping {
	m := newMapping()
	o := t.first()
	m.set("name", t.key())
	m.set("id", idOf(o.Get("id").String()))
	m.set("createdAt", timeOf(o.Get("created_at")))
	if o.Exists() && !l.isChanged(t) {
		m.set("updatedAt", timeOf(o.Get("updated_at")))
	}
	l.addContents(m, t)
	return m
}

// isChanged reports whether a table may have been changed before it was first shown.
func (l *learner) isChanged(t *thing) bool { return t.changed["schema"] || l.wasTouched(t) }

// addContents adds the settings of a table, and what is in it.
func (l *learner) addContents(m *mapping, t *thing) {
	o, isChanged := t.first(), l.isChanged(t)
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
	if o.Exists() && !isChanged {
		m.set("counterUpdatedAt", timeOf(o.Get("counter_updated_at")))
		m.set("lastRecordAt", timeOf(o.Get("last_log_timestamp")))
		m.set("storageSize", o.Get("estimated_storage_size").Int())
		m.set("count", o.Get("count").Int())
	}
	m.set("records", l.records(t))
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
				return l.recordsIn(t, s)
			}
		}
	}
	return nil
}

// maxRecords is the number of records that stand in the scenario itself.
const maxRecords = 20

// recordsIn returns records, or the file that they are in if there are many.
func (l *learner) recordsIn(t *thing, s *sequence) any {
	if len(s.node.Content) <= maxRecords {
		return s
	}
	var lines bytes.Buffer
	for _, row := range s.node.Content {
		lines.Write(jsonLine(row))
	}
	name := strings.ReplaceAll(t.id, "/", ".") + ".ndjson"
	l.files[name] = lines.Bytes()
	m := newMapping()
	m.set("file", name)
	return m
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
