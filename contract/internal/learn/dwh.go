package learn

import (
	"slices"

	"github.com/tidwall/gjson"
)

const integrationKind = "dwh.integration"

// dwh returns the section of the data warehouse integration interface.
func (l *learner) dwh() *mapping {
	return mappingOf("integrations", l.sequenceOf(integrationKind, func(m *mapping, t *thing) {
		if t.first().Exists() {
			l.integration(m, t)
		} else {
			l.notes = append(l.notes, "integration "+t.id+": no answer shows it")
		}
	}))
}

func (l *learner) integration(m *mapping, t *thing) {
	o, configs, sessions := t.first(), l.configsOf(t, "dwh.getDwhConfigs"), l.configsOf(t, "dwh.listDwhBulkloadSessions")
	m.set("id", idOf(t.id))
	author := l.people.withID(o.Get("user_id").String())
	if author != nil && (configs.Exists() || author.role != restricted) {
		m.set("user", author.ref()) // who may have no rights on a database that is guessed
	}
	m.copy(o, "createdAt=created_at", "updatedAt=updated_at", "configId=dwh_config_id", "name")
	m.copy(configs, "configCreatedAt=created_at", "configUpdatedAt=updated_at")
	if id := o.Get("workflow_project_id").String(); l.showsProject(id) {
		m.set("project", o.Get("workflow_project_name"))
	}
	ids := newMapping()
	for _, session := range sessions.Array() {
		ids.set(session.Get("target_table").String(), session.Get("bulkload_session_id").Int())
	}
	m.set("sessionIds", ids)
	if configs.Exists() {
		for _, name := range []string{"basic_configs", "advanced_configs", "output_config", "filter_configs"} {
			if value := configs.Get(name); value.IsObject() || len(value.Array()) > 0 {
				m.set(name, value)
			}
		}
	} else {
		l.guessConfigs(m, t)
	}
	for _, name := range []string{"schedule_type", "schedule_option", "timezone"} {
		if slices.Contains(t.sights[0].changed, name) && o.Get(name).String() != "" {
			m.guess(name, o.Get(name), "it was set before an answer showed it")
		} else {
			m.set(name, o.Get(name))
		}
	}
}

// guessConfigs sets the configurations that an integration cannot be without: a load for each of its targets.
func (l *learner) guessConfigs(m *mapping, t *thing) {
	database, tables := l.targets(t)
	m.guess("basic_configs", gjson.Parse(`{"type":"snowflake","svc_authentication_id":1,"role":"LOADER",`+
		`"warehouse":"LOADING","db":"DATA","schema":"PUBLIC","incremental":false}`), unseen)
	s := newSequence()
	for _, table := range tables {
		s.add(mappingOf("target_table", table, "config", gjson.Parse(
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
func (l *learner) targets(t *thing) (database string, tables []string) {
	if configs := l.configsOf(t, "dwh.getDwhConfigs"); configs.Exists() {
		for _, entry := range configs.Get("advanced_configs").Array() {
			tables = append(tables, entry.Get("target_table").String())
		}
		return configs.Get("output_config.database").String(), tables
	}
	for _, session := range l.configsOf(t, "dwh.listDwhBulkloadSessions").Array() {
		tables = append(tables, session.Get("target_table").String())
	}
	if len(tables) == 0 {
		tables = []string{assumedTargetTable}
	}
	for _, d := range l.things.of(databaseKind) {
		isUnknown := func(table string) bool { return l.things.find(tableKind, d.id+"/"+table) == nil }
		if !slices.ContainsFunc(tables, isUnknown) {
			return d.id, tables
		}
	}
	for _, d := range l.things.of(databaseKind) {
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
	for _, t := range l.things.of(integrationKind) {
		if !t.first().Exists() {
			continue
		}
		database, tables := l.targets(t)
		for _, table := range tables {
			l.things.mention(tableKind, database+"/"+table)
		}
	}
}

// configsOf returns the first answer of an operation about an integration, unless it was changed before.
func (l *learner) configsOf(t *thing, operation string) gjson.Result {
	return l.shownOf(t.id, operation, "dwh.updateDwhIntegration", "dwh.deleteDwhIntegration")
}

// seeIntegrations adds the workflows of integrations to the projects that are shown.
func (p *projects) seeIntegrations() {
	for _, t := range p.things.all(attemptKind) {
		if o := t.first(); t.made != nil && t.made.name() == "dwh.runDwhWorkflow" {
			p.seeWorkflow(o.Get("project.id").String(), o.Get("workflow.name").String(), o.Get("workflow.id").String())
		}
	}
	for _, t := range p.things.of(integrationKind) {
		if id := t.first().Get("workflow_project_id").String(); p.showsProject(id) {
			p.see(id, t.first().Get("workflow_project_name").String())
		}
		p.seeWorkflow(t.first().Get("workflow_project_id").String(), t.first().Get("name").String(), "")
	}
}
