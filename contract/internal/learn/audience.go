package learn

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// Kinds of the audience interface.
const (
	segmentKind    = "audience.segment"
	activationKind = "audience.activation"
)

// audience returns the section of the audience interface.
func (l *learner) audience() *mapping {
	m := newMapping()
	ids := l.audienceIDs()
	m.set("audiences", l.audiences(ids))
	m.set("segments", l.segments())
	return m
}

// audienceIDs lists the audiences that requests name with success.
func (l *learner) audienceIDs() (ids []string) {
	for _, e := range l.exchanges {
		id := param(e, "audienceId")
		if id != "" && e.ok() && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

func audienceName(id string) string { return "Audience " + id }

func (l *learner) audiences(ids []string) *sequence {
	s := newSequence()
	for _, id := range ids {
		m := newMapping()
		database, table := l.profiles()
		m.set("id", idOf(id))
		m.guess("name", audienceName(id), "no operation shows an audience")
		m.guess("database", database, "no operation shows where the profiles are")
		m.guess("table", table, "no operation shows where the profiles are")
		s.add(m)
	}
	return s
}

// profiles returns the table that the profiles of an audience are assumed in: the first that is known to have the
// columns that rules name, or one that is made up.
func (l *learner) profiles() (database, table string) {
	columns := l.ruleColumns()
	for _, t := range l.things.of(tableKind) {
		schema := gjson.Parse(t.first().Get("schema").String()).Array()
		has := func(name string) bool {
			return slices.ContainsFunc(schema, func(c gjson.Result) bool {
				return c.Get("0").String() == name || c.Get("2").String() == name
			})
		}
		if !slices.ContainsFunc(columns, func(name string) bool { return !has(name) }) {
			database, table, _ = strings.Cut(t.id, "/")
			return database, table
		}
	}
	return assumedDatabase, assumedTable
}

// ruleColumns lists the columns of profiles that the rules of segments name.
func (l *learner) ruleColumns() (names []string) {
	var find func(rule gjson.Result)
	find = func(rule gjson.Result) {
		left := rule.Get("leftValue")
		name := left.Get("name").String()
		if name != "" && !left.Get("source").Exists() && !slices.Contains(names, name) {
			names = append(names, name)
		}
		for _, condition := range rule.Get("conditions").Array() {
			find(condition)
		}
	}
	for _, e := range l.exchanges {
		if e.Operation().Interface != "audience" || !e.ok() {
			continue
		}
		request, _ := e.JSONRequest()
		answer, _ := e.JSONResponse()
		find(request.Get("rule"))
		for _, segment := range answer.Array() {
			find(segment.Get("rule"))
		}
	}
	return names
}

// needsAssumedTable reports whether something refers to a table that no answer shows.
func (l *learner) needsAssumedTable() bool {
	if database, _ := l.profiles(); database != assumedDatabase {
		return false
	}
	l.llm()
	return l.assumes || len(l.audienceIDs()) > 0
}

// assumedColumns returns the columns of the table that is made up.
func (l *learner) assumedColumns() *sequence {
	s := newSequence()
	for _, name := range l.ruleColumns() {
		column := newSequence()
		column.node.Content = append(column.node.Content, scalar(name), scalar("string"))
		s.node.Content = append(s.node.Content, column.node)
	}
	return s
}

// Where the profiles of audiences are if the recording shows no table.
const (
	assumedDatabase = "audience"
	assumedTable    = "profiles"
)

func (l *learner) segments() *sequence {
	s := newSequence()
	for _, t := range byNumber(l.things.of(segmentKind)) {
		o := t.first()
		if !o.Exists() {
			continue
		}
		m := newMapping()
		m.set("id", idOf(t.key()))
		m.set("audience", audienceName(o.Get("audienceId").String()))
		m.set("name", o.Get("name"))
		m.set("kind", o.Get("kind").Int())
		m.set("funnel_stage", o.Get("funnel_stage"))
		m.set("description", o.Get("description"))
		m.set("segmentFolderId", o.Get("segmentFolderId").Int())
		m.set("rule", o.Get("rule"))
		if population := o.Get("population"); population.Type == gjson.Number {
			m.add("population", jsonNode(population), "")
		}
		m.set("user", l.people.refer(o.Get("createdBy")))
		m.set("createdAt", timeOf(o.Get("createdAt")))
		m.set("updatedBy", l.people.refer(o.Get("updatedBy")))
		m.set("updatedAt", timeOf(o.Get("updatedAt")))
		s.add(m)
	}
	return s
}
