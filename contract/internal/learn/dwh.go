package learn

import "github.com/tidwall/gjson"

const integrationKind = "dwh.integration"

// dwh returns the section of the data warehouse integration interface.
func (l *learner) dwh() *mapping {
	s := newSequence()
	for _, t := range byNumber(l.things.of(integrationKind)) {
		if m := l.integration(t); m != nil {
			s.add(m)
		}
	}
	m := newMapping()
	m.set("integrations", s)
	return m
}

func (l *learner) integration(t *thing) *mapping {
	o := t.first()
	if !o.Exists() {
		l.notes = append(l.notes, "integration "+t.id+": no answer shows it")
		return nil
	}
	m := newMapping()
	m.set("id", idOf(t.id))
	m.set("user", l.people.refer(gjson.Parse(`{"id":"`+o.Get("user_id").String()+`"}`)))
	m.set("createdAt", timeOf(o.Get("created_at")))
	m.set("updatedAt", timeOf(o.Get("updated_at")))
	if id := o.Get("workflow_project_id").String(); l.showsProject(id) {
		m.set("project", o.Get("workflow_project_name"))
	}
	database, table := l.profiles()
	m.set("configId", o.Get("dwh_config_id").Int())
	m.set("name", o.Get("name"))
	configs := l.configsOf(t)
	for _, name := range []string{"basic_configs", "advanced_configs", "output_config", "filter_configs"} {
		value := configs.Get(name)
		switch {
		case value.IsObject() || value.IsArray() && len(value.Array()) > 0:
			m.set(name, value)
		case name == "basic_configs":
			m.guess(name, gjson.Parse(`{"type":"snowflake","svc_authentication_id":1,"role":"LOADER","warehouse":"LOADING",`+
				`"db":"DATA","schema":"PUBLIC","incremental":false}`), unseen)
		case name == "advanced_configs":
			m.guess(name, gjson.Parse(`[{"target_table":"`+table+`","config":{"source_type":"table_view","select":"*",`+
				`"table":"DATA","incremental":false,"invalid_value_option":"fail_job"}}]`), unseen)
		case name == "output_config":
			m.guess(name, gjson.Parse(`{"database":"`+database+`","mode":"append"}`), unseen)
		}
	}
	for _, name := range []string{"schedule_type", "schedule_option", "timezone"} {
		m.set(name, o.Get(name))
	}
	return m
}

// configsOf returns the configurations of an integration, as the first answer shows them.
func (l *learner) configsOf(t *thing) gjson.Result {
	for _, e := range l.exchanges {
		if e.name() == "dwh.getDwhConfigs" && e.ok() && param(e, "dwh_id") == t.id {
			body, _ := e.JSONResponse()
			return body
		}
		if e.name() == "dwh.updateDwhIntegration" && e.ok() && param(e, "dwh_id") == t.id {
			return gjson.Result{}
		}
	}
	return gjson.Result{}
}
