package audience_test

import (
	"encoding/json"
	"strings"
	"testing"
)

const plain = `{"name":"To the lake","connectionId":1,"connectorConfig":{"path":"in/","password":"s3cret"}}`

// with adds members to the plain activation.
func with(members string) string { return strings.TrimSuffix(plain, "}") + "," + members + "}" }

func TestActivations(t *testing.T) {
	t.Parallel()
	t.Run("answer their creation with code, message and what was sent", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		a := c.As("1/analyst").Post(activations,
			with(`"description":"daily","allColumns":false,"notifyOn":["onSuccess","onFailure"],
			"emailRecipients":[1,3],"repeatUnit":"week","repeatFrequency":2,"repeatSubFrequency":[1,7],
			"startAt":"2026-01-16T06:00:00",
			"timezone":"Asia/Tokyo","lockEnabled":true,"activationTemplateId":"5","nestedWorkflowName":"w","unknown":1,
			"columns":[{"column":"who","source":{"string":"$2: $1, $2","parameters":[{"type":"SegmentName"},{"type":"String","string":"x"}]}},
				{"column":"city","source":{"column":"city","functions":[{"function":"lower","n":1}]}}],
			"syndicationBehaviors":[{"behaviorTableName":"orders","joinStrategy":"Top-N","joinRow":3,"formatting":"cols",
				"columns":[{"column":"total","source":{"column":"total"}}],"orderBy":[{"key":"total","order":"descending"}]}]`)).Want(200)
		a.Wants("code", "200", "message", "OK", "id", "1", "audienceId", "61", "segmentId", "70", "name", "To the lake",
			"connectionId", "1", "connectorConfig.path", "in/", "description", "daily", "allColumns", "false",
			"notifyOn", `["onSuccess","onFailure"]`, "emailRecipients", "[1,3]", "repeatUnit", "week", "repeatFrequency", "2",
			"repeatSubFrequency", "[1,7]", "startAt", "2026-01-16T06:00:00", "timezone", "Asia/Tokyo", "lockEnabled", "true",
			"activationTemplateId", "5", "nestedWorkflowName", "w", "unknown", "", "scheduleType", "", "createdAt",
			"2026-01-15T09:30:00Z",
			"createdBy", `{"id":"3","name":"Ana Analyst"}`, "columns.0.source.string", "$2: $1, $2",
			"columns.0.source.parameters.1", `{"type":"String","string":"x"}`, "columns.1.source.functions.0.n", "1",
			"syndicationBehaviors.0.joinRow", "3", "syndicationBehaviors.0.orderBy.0.order", "descending")
		c.Get(segments).Wants("0.numSyndications", "1")
	})
	t.Run("take connection and settings under another spelling, too", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		c.Post(activations, `{"name":"a","connection_id":1,"connector_config":{"a":1}}`).Want(200).
			Wants("connectionId", "1", "connectorConfig.a", "1", "connection_id", "")
		c.Post(activations, `{"name":"a","connectionId":null,"connection_id":1,"connectorConfig":null,"connector_config":{}}`).Want(200)
		c.Post(activations, `{"name":"a","connectionId":1,"connection_id":9,"connectorConfig":{"a":1},"connector_config":{"a":2}}`).Want(200).
			Wants("connectorConfig.a", "1")
	})
	t.Run("keep the settings of the connector out of the journal", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		c.Post(activations, plain).Want(200).Wants("connectorConfig.password", "s3cret")
		c.Post(activations, strings.Replace(plain, "connectorConfig", "connector_config", 1)).Want(200)
		journal, err := c.World().Journal("audience.createActivation")
		if err != nil || len(journal) != 2 {
			t.Fatalf("%d exchanges, error %v", len(journal), err)
		}
		for _, exchange := range journal {
			text, err := json.Marshal(exchange)
			if err != nil || strings.Contains(string(text), "s3cret") || !strings.Contains(string(text), "To the lake") {
				t.Errorf("error %v, or the journal has the password: %s", err, text)
			}
		}
	})
	t.Run("take columns of customer groups as they are", func(t *testing.T) {
		t.Parallel()
		newClient(t).Post(activations,
			with(`"columns":[{"column":"a","source":{"column":"size","customerGroup":"family"}}]`)).Want(200)
	})
	t.Run("run on schedules of all kinds", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		for _, schedule := range []string{
			`"scheduleType":"none"`, `"scheduleType":"daily","runAt":"07:30"`,
			`"scheduleType":"daily","runAt":"07:30:05","timezone":"UTC"`,
			`"scheduleType":"hourly","runAt":"30:00"`, `"scheduleType":"weekly","scheduleOption":"Mon","runAt":""`,
			`"scheduleType":"minutes_interval","scheduleOption":"30"`, `"scheduleType":"cron","cron":"*/5 9-17 * * mon-fri"`,
			`"repeatUnit":"once","startAt":"2026-02-28T23:59:59"`, `"repeatUnit":"none","startAt":null,"repeatSubFrequency":[]`,
		} {
			c.Post(activations, with(schedule)).Want(200)
		}
	})
}

func TestActivationRefusals(t *testing.T) {
	t.Parallel()
	column := func(source string) string { return with(`"columns":[{"column":"a","source":` + source + `}]`) }
	for _, test := range []struct{ name, body, want string }{
		{"no name", `{"connectionId":1,"connectorConfig":{}}`, "name"},
		{"an empty name", `{"name":"","connectionId":1,"connectorConfig":{}}`, "name: is missing"},
		{"no connection", `{"name":"a","connectorConfig":{}}`, "connectionId: is missing"},
		{"a connection that is null", `{"name":"a","connectionId":null,"connectorConfig":{}}`, "connectionId: is missing"},
		{"no settings", `{"name":"a","connectionId":1}`, "connectorConfig: is missing"},
		{
			"all of it", `{"name":"a"}`,
			"connectionId: is missing: want the id of a connection of the core data interface; connectorConfig: is missing",
		},
		{"settings that are no object", `{"name":"a","connectionId":1,"connectorConfig":[]}`, "connectorConfig"},
		{
			"an unknown connection", `{"name":"a","connectionId":9,"connectorConfig":{}}`,
			"connectionId: connection 9 not found",
		},
		{"an unknown recipient", with(`"emailRecipients":[1,9]`), "emailRecipients.1: user 9 not found"},
		{"another end of a run", with(`"notifyOn":["always"]`), "notifyOn"},
		{
			"both forms of behaviors", with(`"syndicationBehavior":{},"syndicationBehaviors":[]`),
			"syndicationBehavior: cannot be sent together",
		},
		{"five behaviors", with(`"syndicationBehaviors":[{},{},{},{},{}]`), "syndicationBehaviors"},
		{
			"a marker without a parameter", column(`{"string":"$1 and $2 and $2","parameters":[{"type":"SegmentId"}]}`),
			"columns.0.source.string: has the marker $2, but parameters has a length of 1",
		},
		{
			"a parameter without a marker", column(`{"string":"$1","parameters":[{"type":"SegmentId"},{"type":"AudienceId"}]}`),
			"columns.0.source.parameters.1: is not used: want its marker $2",
		},
		{"a marker that is no number", column(`{"string":"$99999999999999999999"}`), "has the marker $99999999999999999999"},
		{
			"a text parameter without a text", column(`{"string":"$1","parameters":[{"type":"String"}]}`),
			"parameters.0.string: is missing",
		},
		{
			"a time without a format", column(`{"string":"$1","parameters":[{"type":"Timestamp"}]}`),
			"parameters.0.format: is missing",
		},
		{"a parameter of another type", column(`{"string":"$1","parameters":[{"type":"Weather"}]}`), "type"},
		{"a parameter of no type", column(`{"string":"$1","parameters":[{}]}`), "parameters.0.type: want one of String"},
		{"a source of neither form", column(`{}`), "columns.0.source: want a string with its parameters, or a column"},
		{"a source of both forms", column(`{"string":"a","column":"name"}`), "columns.0.source: has both"},
		{"a parameter of a template without text", column(`{"parameters":[]}`), "columns.0.source: want a string"},
		{"a column that profiles lack", column(`{"column":"shoe"}`), "columns.0.source.column: unknown column"},
		{
			"a column without a name", with(`"columns":[{"column":"","source":{"column":"name"}}]`),
			"columns.0.column: is missing",
		},
		{
			"a wrong template of a behavior",
			with(`"syndicationBehavior":{"columns":[{"column":"a","source":{"string":"$1"}}]}`),
			"syndicationBehavior.columns.0.source.string",
		},
		{
			"of one of several", with(`"syndicationBehaviors":[{},{"columns":[{"column":"a","source":{"string":"$1"}}]}]`),
			"syndicationBehaviors.1.columns.0.source.string",
		},
		{"another schedule type", with(`"scheduleType":"yearly"`), "scheduleType"},
		{"cron without an expression", with(`"scheduleType":"cron"`), "cron: is missing"},
		{"a wrong expression", with(`"scheduleType":"cron","cron":"every day"`), "cron: must have five fields"},
		{
			"minutes that are none", with(`"scheduleType":"minutes_interval","scheduleOption":"few"`),
			"scheduleOption: want a number of minutes",
		},
		{"a time that no day has", with(`"scheduleType":"daily","runAt":"24:01"`), "runAt: want a time of day"},
		{"a zone that is none", with(`"timezone":"Tokyo"`), "timezone: want the name of an IANA time zone"},
		{"the zone of some machine", with(`"timezone":"Local"`), "timezone"},
		{"no time between runs", with(`"repeatUnit":"day","repeatFrequency":0`), "repeatFrequency: want 1 or more"},
		{"an eighth day", with(`"repeatUnit":"week","repeatSubFrequency":[8]`), "repeatSubFrequency"},
		{"a start with an offset", with(`"startAt":"2026-01-16T06:00:00Z"`), "startAt"},
		{"a start on a day that no month has", with(`"startAt":"2026-02-30T06:00:00"`), "startAt: want local time"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := newClient(t)
			c.Post(activations, test.body).Refused(400, `"code":"400"`, test.want)
			c.Get(segments).Wants("0.numSyndications", "0")
		})
	}
	c := newClient(t)
	c.Post("/audiences/9/segments/70/syndications", plain).Refused(404, "audience with id 9")
	c.Post("/audiences/x/segments/70/syndications", plain).Refused(404, "audience with id x")
	c.Post("/audiences/61/segments/99/syndications", plain).Refused(404, "segment with id 99")
	c.Post("/audiences/61/segments/all/syndications", plain).Refused(404, "segment with id all")
	c.Post("/audiences/61/segments/80/syndications", plain).Refused(404, "segment with id 80")
	c.As("1/delegate").Post(activations, plain).Refused(403, "database crm, which you may not query")
	c.At("core").Post("/result/delete/lake", "").Want(200)
	c.Post(activations, plain).Refused(400, "connection 1 not found")
	c.Get(segments).Wants("0.numSyndications", "0")
}
