package audience_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/specs"
)

func TestSegments(t *testing.T) {
	t.Parallel()
	t.Run("are listed by id, those of the audience only", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		c.Get(segments).Want(200).Wants("#.id", "[70,71]", "0.audienceId", "61", "0.name", "From Lima",
			"0.kind", "0", "0.realtime", "false", "0.description", "", "0.population", "", "0.isVisible", "true",
			"0.createdAt", "2026-01-15T09:30:00Z", "0.createdBy", `{"id":"1","name":"Ada Admin"}`, "0.rule.type", "And",
			"1.population", "4", "1.segmentFolderId", "65", "1.rule", "", "1.createdBy.id", "3")
		c.Get("/audiences/62/segments").Want(200).Wants("#.id", "[80]")
	})
	t.Run("are listed by users who may not query the profiles, too", func(t *testing.T) {
		t.Parallel()
		newClient(t).As("1/delegate").Get(segments).Want(200)
	})
	t.Run("answer their creation with code, message and themselves, and are in the listing", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		made := c.As("1/analyst").Post(segments, `{"audienceId":61,"name":"Young","kind":1,"description":"under 40",
			"segmentFolderId":7,"more":1,"rule":`+one("age", `{"type":"Less","rightValue":40}`)+`}`).Want(200)
		made.Wants("code", "200", "message", "OK", "id", "81", "audienceId", "61", "kind", "1", "realtime", "true",
			"description", "under 40", "segmentFolderId", "7", "population", "", "createdBy.name", "Ana Analyst", "more", "")
		listed := c.Get(segments).Want(200).Wants("#.id", "[70,71,81]")
		if got, want := listed.Value("2.rule").Raw(), made.Value("rule").Raw(); got != want || got == "" {
			t.Errorf("listed with the rule %s, want %s", got, want)
		}
	})
	t.Run("have a population when it is to be counted", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		c.Post(segments, `{"name":"a","countPopulation":true,"rule":`+of("And", lima)+`}`).Want(200).Wants("population", "2")
		c.Post(segments, `{"name":"b","countPopulation":true}`).Want(200).Wants("population", "6", "rule", "")
		c.Post(segments, `{"name":"c","countPopulation":true,"rule":{}}`).Want(200).Wants("population", "6", "rule", "")
		c.Post(segments, `{"name":"d","countPopulation":false}`).Want(200).Wants("population", "")
	})
	t.Run("that cannot be counted say why in the journal", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		c.At("core").Post("/table/delete/crm/people", "").Want(200)
		made := c.Post(segments, `{"name":"a","countPopulation":true,"rule":`+one("shoe", `{"type":"IsNull"}`)+`}`)
		made.Want(200).Wants("population", "")
		if got := notes(c); !strings.Contains(got, "not counted: table with name people not found") {
			t.Errorf("the journal says %q", got)
		}
	})
	t.Run("may be told to be realtime by the older flag", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		c.Post(segments, `{"name":"a","realtime":true}`).Want(200).Wants("kind", "1", "realtime", "true")
		c.Post(segments, `{"name":"b","kind":0,"realtime":true}`).Want(200).Wants("kind", "0", "realtime", "false")
	})
	t.Run("of kind 2 need a funnel stage", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		for _, stage := range []string{"", `,"funnel_stage":{}`, `,"funnel_stage":{"funnel_id":1}`} {
			c.Post(segments, `{"name":"a","kind":2`+stage+`}`).Refused(400, "funnel_stage: is required for kind 2")
		}
		c.Post(segments, `{"name":"a","kind":2,"funnel_stage":{"funnel_id":1,"stage_id":2}}`).Want(200).Wants("kind", "2")
	})
	t.Run("know who refers to them", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		twice := of("Or", `{"type":"Reference","id":"70"}`, of("And", `{"type":"Reference","id":"70","exclude":true}`))
		c.Post(segments, `{"name":"Either","rule":`+twice+`}`).Want(200)
		c.Get(segments).Wants("0.referencedBy", `[{"id":81,"name":"Either"}]`, "1.referencedBy", "[]")
	})
	t.Run("count their activations", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		c.Post(activations, plain).Want(200)
		c.Post(activations, plain).Want(200)
		c.Get(segments).Wants("0.numSyndications", "2", "1.numSyndications", "0")
	})
	t.Run("that are referred to many times are counted once", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		id := int64(70)
		for range 40 { // two to the power of forty, otherwise
			rule := of("And", strings.TrimSuffix(strings.Repeat(fmt.Sprintf(`{"type":"Reference","id":"%d"},`, id), 2), ","))
			id = c.Post(segments, `{"name":"a","countPopulation":true,"rule":`+rule+`}`).Want(200).Wants("population",
				"2").Value("id").Int()
		}
	})
}

func TestSegmentRefusals(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	const body = `{"name":"a"}`
	for _, path := range []string{"/audiences/9/segments", "/audiences/x/segments", "/audiences/-1/segments"} {
		c.Get(path).Refused(404, `"code":"404"`, "audience with id")
		c.Post(path, body).Refused(404, "audience with id")
	}
	c.Call("GET", segments, "", "Content-Type", "application/json").Want(200)
	c.Call("GET", segments, "{}", "Content-Encoding", "br").Refused(400, `"code":"400"`, "gzip")
	c.Call("DELETE", segments, "").Refused(405, `"code":"405"`)
	c.Post(segments, `{}`).Refused(400, `"code":"400"`, "name")
	c.Post(segments, `{"name":" "}`).Refused(400, "name: is missing")
	c.Post(segments, `{"name":"a","audienceId":62}`).Refused(400, "audienceId: is 62, but the path has 61")
	c.Post(segments, `{"name":"a","segmentFolderId":-1}`).Refused(400, "segmentFolderId")
	c.Post(segments, `{"name":"a","kind":3}`).Refused(400, "kind")
	c.Post(segments, `[]`).Refused(400)
	c.Post(segments, ``).Refused(400, "no body")
	c.As("1/delegate").Post(segments, body).Refused(403, `"code":"403"`, "database crm, which you may not query")
	c.Get(segments).Wants("#", "2")
}

// Without the validation of requests, the rules still refuse what they cannot use.
func TestUnvalidated(t *testing.T) {
	t.Parallel()
	c := newClient(t, mockserver.WithValidation(mockserver.Off))
	c.Post(segments, `{"name":"a","kind":3}`).Refused(400, "kind: want 0")
	c.Post(segments, `{"name":"a","rule":5}`).Refused(400, "rule")
	c.Post(segments, `{"name":"a","rule":{"a":1}}`).Refused(400, `rule.type: want And, Or or Composite, not \"\"`)
	c.Post(segments, `{"name":"a","rule":`+of("And", `{"type":"Near"}`)+`}`).Refused(400, "rule.conditions.0.type")
	c.Post(segments, `{"name":"a","rule":`+of("And", of("And", `{"type":"Value","operator":5}`))+`}`).Refused(400, "rule")
	for body, want := range map[string]string{
		`{"type":"And"}`: "rule.conditions: is missing",
		`{"type":"And","conditions":[],"limit":{"type":"Most","number":1}}`:                                                       "rule.limit.type: want Count or Percent",
		`{"type":"And","conditions":[],"limit":{"type":"Count","number":1,"orderColumns":[{"type":"Rank","order":"ascending"}]}}`: "orderColumns.0.type: want Column",
		`{"type":"And","conditions":[],"limit":{"type":"Count","number":1,"orderColumns":[{"type":"Column","order":"up"}]}}`:      "orderColumns.0.order: want ascending",
		of("And", `{"type":"Value","leftValue":{"name":"age"},"operator":{"type":"In","rightValues":[null]}}`):                    "rightValues: is missing",
		of("And", `{"type":"Value","leftValue":{"name":"age"},"operator":{"type":"Near"}}`):                                       "operator.type: want a kind of comparison",
		of("And", `{"type":"Value","leftValue":{"name":""},"operator":{"type":"IsNull"}}`):                                        "want the name of a column",
	} {
		c.Post(segments, `{"name":"a","rule":`+body+`}`).Refused(400, want)
	}
	c.Post(queries, `{"columns":5}`).Refused(400, "request body")
	c.Post(queries, `{"a":1,"a":2}`).Refused(400, "request body")
	c.Post(activations, `{"name":"a","connectionId":1,"connectorConfig":[]}`).Refused(400,
		"connectorConfig: want a JSON object")
	c.Post(segments, `{nonsense`).Refused(400, "request body")
	c.Post(queries, `{nonsense`).Refused(400, "request body")
	c.Post(activations, `{nonsense`).Refused(400, "request body")
	c.Post(activations, strings.Replace(plain, "{", `{"startAt":"2026-01-16T06:00:00Z",`, 1)).Refused(400,
		"startAt: want local time")
	c.Post(activations, strings.Replace(plain, "{", `{"repeatSubFrequency":[8],`, 1)).Refused(400, "repeatSubFrequency.0")
	c.Post(activations, strings.Replace(plain, "{", `{"syndicationBehaviors":[{},{},{},{},{}],`, 1)).Refused(400,
		"want at most 4, not 5")
}

// A failure of the server is reported in a form of its own.
func TestServerErrors(t *testing.T) {
	t.Parallel()
	source, err := specs.Source("audience", "")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "own.yaml")
	more := "paths:\n  /audiences:\n    get:\n      operationId: listAudiences\n      responses: {'200': {description: " +
		"all}}\n"
	if err := os.WriteFile(file, []byte(strings.Replace(string(source), "paths:\n", more, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	server, err := mockserver.New(mockserver.WithSpec("audience", file))
	if err != nil {
		t.Fatal(err)
	}
	c := &mocktest.Client{TB: t, Server: server, Iface: "audience", Key: "1/admin"}
	c.Get("/audiences").Want(501).Wants("status", "501", "error", "Not Implemented").Refused(501,
		`"details":"audience.listAudiences`)
}
