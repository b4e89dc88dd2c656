package learn

import (
	"slices"

	"svc.example/understudy/internal/jsontree"
)

const integrationKind = "dwh.integration"

// dwh returns the section of the data warehouse integration interface.
func (l *learner) dwh() *mapping {
	return mappingOf("integrations", l.sequenceOf(integrationKind, func(m *mapping, t *entity) {
		if t.first().Exists() {
			l.integration(m, t)
		} else {
			l.notes = append(l.notes, "integration "+t.id+": no answer shows it")
		}
	}))
}

func (l *learner) integration(m *mapping, t *entity) {
	o, configs, sessions := t.first(), l.configsOf(t, "dwh.getDwhConfigs"), l.configsOf(t, "dwh.listDwhBulkloadSessions")
	m.set("id", idOf(t.id))
	author := l.people.withID(o.Get("user_id").Text())
	if author != nil && (configs.Exists() || author.role != restricted) {
		m.set("user", author.ref()) // who may have no rights on a database that is guessed
	}
	m.copy(o, "createdAt=created_at", "updatedAt=updated_at", "configId=dwh_config_id", "name")
	m.copy(configs, "configCreatedAt=created_at", "configUpdatedAt=updated_at")
	if id := o.Get("workflow_project_id").Text(); l.showsProject(id) {
		m.set("project", o.Get("workflow_project_name"))
	}
	ids := newMapping()
	for session := range sessions.List {
		ids.set(session.Get("target_table").Text(), session.Get("bulkload_session_id").Int())
	}
	m.set("sessionIds", ids)
	if configs.Exists() {
		for _, name := range []string{"basic_configs", "advanced_configs", "output_config", "filter_configs"} {
			if value := configs.Get(name); value.IsObject() || value.Len() > 0 {
				m.set(name, value)
			}
		}
	} else {
		l.guessConfigs(m, t)
	}
	for _, name := range []string{"schedule_type", "schedule_option", "timezone"} {
		isChanged := slices.Contains(t.sights[0].changed, name) && o.Get(name).Text() != ""
		m.guess(name, o.Get(name), when(isChanged, setBefore))
	}
}

// guessConfigs sets the configurations that an integration cannot be without: a load for each of its targets.
func (l *learner) guessConfigs(m *mapping, t *entity) {
	database, tables := l.targets(t)
	m.guess("basic_configs", jsontree.Parse(`{"type":"snowflake","svc_authentication_id":1,"role":"LOADER",`+
		`"warehouse":"LOADING","db":"DATA","schema":"PUBLIC","incremental":false}`), unseen)
	s := newSequence()
	for _, table := range tables {
		s.add(mappingOf("target_table", table, "config", jsontree.Parse(
			`{"source_type":"table_view","select":"*","table":"DATA","incremental":false,"invalid_value_option":"fail_job"}`)))
	}
	m.guess("advanced_configs", s, unseen)
	m.guess("output_config", mappingOf("database", database, "mode", "append"), unseen)
}

// Where integrations load to if the recording does not show it.
const (
	assumedTarget      = "warehouse"
	assumedTargetTable = "data"
)

// targets returns the database and the tables that an integration loads into.
func (l *learner) targets(t *entity) (database string, tables []string) {
	if configs := l.configsOf(t, "dwh.getDwhConfigs"); configs.Exists() {
		for entry := range configs.Get("advanced_configs").List {
			tables = append(tables, entry.Get("target_table").Text())
		}
		return configs.Get("output_config", "database").Text(), tables
	}
	for session := range l.configsOf(t, "dwh.listDwhBulkloadSessions").List {
		tables = append(tables, session.Get("target_table").Text())
	}
	if len(tables) == 0 {
		tables = []string{assumedTargetTable}
	}
	for _, d := range l.entities.of(databaseKind) {
		isUnknown := func(table string) bool { return l.entities.find(tableKind, d.id+"/"+table) == nil }
		if !slices.ContainsFunc(tables, isUnknown) {
			return d.id, tables
		}
	}
	for _, d := range l.entities.of(databaseKind) {
		if d.first().Exists() && d.gone == nil && !l.listsTables(d.id) {
			return d.id, tables
		}
	}
	return assumedTarget, tables
}

// listsTables reports whether an answer lists the tables of a database.
func (l *learner) listsTables(database string) bool {
	return l.firstOn("core.listTables", database) != nil
}

// implyTargets adds the tables that integrations of the beginning load into: each must be there.
func (l *learner) implyTargets() {
	for _, t := range l.entities.of(integrationKind) {
		if !t.first().Exists() {
			continue
		}
		database, tables := l.targets(t)
		for _, table := range tables {
			l.entities.mention(tableKind, database+"/"+table)
		}
	}
}

// configsOf returns the first answer of an operation about an integration, unless it was changed before.
func (l *learner) configsOf(t *entity, operation string) jsontree.Value {
	return l.shownOf(t.id, operation, "dwh.updateDwhIntegration", "dwh.deleteDwhIntegration")
}

// seeIntegrations adds the workflows of integrations to the projects that are shown.
func (p *projects) seeIntegrations() {
	for _, t := range p.entities.all(attemptKind) {
		if o := t.first(); t.made != nil && t.made.name() == "dwh.runDwhWorkflow" {
			p.seeWorkflow(o.Get("project", "id").Text(), o.Get("workflow", "name").Text(), o.Get("workflow", "id").Text())
		}
	}
	for _, t := range p.entities.of(integrationKind) {
		if id := t.text("workflow_project_id"); p.showsProject(id) {
			p.see(id, t.text("workflow_project_name"))
		}
		p.seeWorkflow(t.text("workflow_project_id"), t.text("name"), "")
	}
}
