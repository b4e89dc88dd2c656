package learn_test

import (
	"cmp"
	"fmt"
	"strings"
	"sync"
	"testing"

	"svc.example/understudy/contract"
)

// said is an exchange of a recording: a request, a status and an answer.
type said struct {
	at, method, path, request string
	status                    int
	answer                    string
	media                     string // of the answer; default: JSON, or a stream of events
	key                       string // default: 1/admin
}

var checkers = sync.OnceValues(func() (*contract.Checker, error) { return contract.NewChecker() })

func mustChecker(t *testing.T) *contract.Checker {
	t.Helper()
	checker, err := checkers()
	if err != nil {
		t.Fatal(err)
	}
	return checker
}

// learned returns what is learned from a recording, without trying it.
func learned(t *testing.T, list ...said) *contract.Learned {
	t.Helper()
	scenario, err := mustChecker(t).Learn(t.Context(), recordingOf(list...)(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return scenario
}

// recordingOf returns a recording of exchanges.
func recordingOf(list ...said) func() contract.Source {
	var lines strings.Builder
	for i, s := range list {
		at := s.at
		if at == "" {
			at = "09:30:00"
		}
		media := "application/json"
		switch {
		case s.media != "":
			media = s.media
		case strings.HasPrefix(s.answer, "data: "):
			media = "text/event-stream"
		}
		body := ""
		if s.request != "" {
			body = fmt.Sprintf(`,"body":{"text":%q}`, s.request)
		}
		fmt.Fprintf(&lines, `{"seq":%d,"start":"2026-01-15T%sZ","end":"2026-01-15T%[2]sZ","request":{"method":%q,`+
			`"url":"http://127.0.0.1:4010%s","headers":[["Authorization","SVC1 %s"],["Content-Type","application/json"]]%s},`+
			`"response":{"status":%d,"headers":[["Content-Type",%q]],"body":{"text":%q}}}`+"\n",
			i+1, at, s.method, s.path, cmp.Or(s.key, "1/admin"), body, s.status, media, s.answer)
	}
	return func() contract.Source { return contract.Read("made.ndjson", strings.NewReader(lines.String())) }
}

// wants reports what a scenario lacks.
func wants(t *testing.T, scenario *contract.Learned, texts ...string) {
	t.Helper()
	for _, want := range texts {
		if !strings.Contains(string(scenario.Scenario), want) {
			t.Errorf("the scenario lacks\n%s\n%s", want, scenario.Scenario)
		}
	}
}

const (
	agentID   = "5dd290e9-2766-453c-8b7f-77e8f8d2b920"
	chatID    = "0e29f7ff-2ea0-45b6-839a-f7677d18167c"
	projectID = "501cce9d-3fdb-4258-9466-616fec7a75ef"
	baseID    = "33794435-4ab4-48e1-93f3-58ebba9a691e"
)

func TestAgents(t *testing.T) {
	t.Parallel()
	const agent = `{"data":{"id":"` + agentID + `","type":"agents","attributes":{"projectId":"` + projectID +
		`","name":"Helper","modelType":"gpt-5","isManaged":false,"createdAt":"2025-12-06T09:30:00.000Z","tools":[{` +
		`"toolTargetId":"` + baseID + `","toolTargetType":"knowledge_base","targetFunction":"QUERY_DATA_DIRECT",` +
		`"functionName":"ask","targetType":"KnowledgeBase","targetKnowledgeBaseId":"` + baseID + `"}]}}}`
	get := said{method: "GET", path: "/llm/api/agents/" + agentID, status: 200, answer: agent}
	t.Run("what only the server sets stands apart", func(t *testing.T) {
		t.Parallel()
		s := learned(t, get)
		wants(t, s, "serverAttributes: {isManaged: false}")
		if strings.Contains(string(s.Scenario), "targetType") {
			t.Errorf("the scenario has what only the server sets:\n%s", s.Scenario)
		}
	})
	t.Run("what they refer to is there, and marked as guessed", func(t *testing.T) {
		t.Parallel()
		s := learned(t, get)
		wants(t, s, "- id: "+projectID, "- id: "+baseID, "# guessed: no answer shows more than its id")
		if len(s.Guesses) == 0 {
			t.Error("the scenario has guesses, and none is listed")
		}
	})
	t.Run("what is created in the recording was not there", func(t *testing.T) {
		t.Parallel()
		s := learned(t, said{
			method: "POST", path: "/llm/api/agents", status: 201,
			request: `{"data":{"type":"agents","attributes":{"name":"Helper"}}}`,
			answer:  strings.Replace(agent, "2025-12-06", "2026-01-15", 1),
		})
		if strings.Contains(string(s.Scenario), agentID) {
			t.Errorf("the scenario has the agent that the recording creates:\n%s", s.Scenario)
		}
	})
}

func TestTurns(t *testing.T) {
	t.Parallel()
	history := func(entries string) said {
		return said{method: "GET", path: "/llm/api/chats/" + chatID + "/history", status: 200, answer: `{"data":[` + entries + `]}`}
	}
	say := said{
		method: "POST", path: "/llm/api/chats/" + chatID + "/continue", status: 200, request: `{"input":"How much?"}`,
		answer: `data: {"user_content":"How much?","at":"2026-01-15T09:30:00Z"}` + "\n\n" +
			`data: {"content":"Ten.","at":"2026-01-15T09:30:00Z"}` + "\n\n",
	}
	const old = `{"input":"Hello","at":"2026-01-14T09:30:00Z"},{"content":"Hi","at":"2026-01-14T09:30:00Z"}`
	const added = `{"input":"How much?","at":"2026-01-15T09:30:00Z"},{"content":"Ten.","at":"2026-01-15T09:30:00Z"}`
	t.Run("answer their inputs once", func(t *testing.T) {
		t.Parallel()
		wants(t, learned(t, say), `input: ^How much\?$`, "events: [{content: Ten.}]", "times: 1")
	})
	t.Run("are not in the history of the beginning", func(t *testing.T) {
		t.Parallel()
		s := learned(t, say, history(old+","+added))
		wants(t, s, "input: Hello", "content: Hi")
		if strings.Contains(string(s.Scenario), "input: How much?") {
			t.Errorf("the scenario begins with what the recording says:\n%s", s.Scenario)
		}
	})
}

func TestAudienceAnswers(t *testing.T) {
	t.Parallel()
	const path = "/audience/audiences/61/segments/queries"
	const request = `{"columns":["name"],"rule":{"type":"And","conditions":[{"type":"Reference","id":"72"}]}}`
	answer := func(status, count string) string {
		return `{"id":"64d2ec81-4102-4327-aa86-30ef84e46ca4","queryId":"64d2ec81-4102-4327-aa86-30ef84e46ca4","status":"` +
			status + `","count":` + count + `,"maxPage":null,"error":null,"jobid":"8","countJobid":null}`
	}
	s := learned(t,
		said{method: "POST", path: path, request: request, status: 200, answer: answer("running", "null")},
		said{at: "09:30:20", method: "POST", path: path, request: request, status: 200, answer: answer("success", "2000")},
		said{
			at: "09:30:30", method: "POST", path: "/audience/audiences/61/segments", status: 200,
			request: `{"name":"Far","countPopulation":true}`,
			answer:  `{"code":"200","message":"OK","id":73,"audienceId":61,"name":"Far","population":12}`,
		},
	)
	wants(t, s,
		"count: 2000", "takes: 20s", // what the query found, and when
		"segment: Far", "count: 12", // what the new segment counts
		"name: Segment 72",         // what a rule refers to
		"schema: [[name, string]]", // the columns that are asked for
	)
}

func TestIntegrations(t *testing.T) {
	t.Parallel()
	const integration = `{"id":81,"name":"orders","user_id":1,"workflow_project_id":201,"workflow_project_name":"dwh_orders",` +
		`"dwh_config_id":91,"schedule_type":"none","schedule_option":"","timezone":"UTC",` +
		`"created_at":"2026-01-10T09:30:00Z","updated_at":"2026-01-10T09:30:00Z"}`
	s := learned(t,
		said{method: "GET", path: "/dwh/v1/dwh/81", status: 200, answer: integration},
		said{
			method: "GET", path: "/dwh/v1/dwh/81/bulkload_sessions", status: 200,
			answer: `[{"name":"orders_orders","bulkload_session_id":95,"target_table":"orders","configs_digest":"4b1f"}]`,
		},
	)
	wants(t, s, "id: 81", "configId: 91", "sessionIds: {orders: 95}", "target_table: orders",
		"{name: warehouse, tables: [{name: orders}]}")
}

// Of a long recording the first exchanges are learned from, by their times, and the others are counted.
func TestLongRecordings(t *testing.T) {
	t.Parallel()
	const kept, later = 10_000, 10_003
	pools := func(name string) string {
		return `{"pools":[{"id":"1","name":"default","default":true,"concurrencyLimit":10},` +
			`{"id":"2","name":"` + name + `","default":false,"concurrencyLimit":1}]}`
	}
	list := make([]said, kept+later)
	for i := range list {
		list[i] = said{at: "10:30:00", method: "GET", path: "/workflow/api/pools", status: 200, answer: pools("late")}
	}
	list[len(list)-1].at, list[len(list)-1].answer = "09:30:00", pools("early")
	learned, err := mustChecker(t).Learn(t.Context(), recordingOf(list...)(), nil)
	if err != nil {
		t.Fatal(err)
	}
	wants(t, learned, "name: early")
	if notes := strings.Join(learned.Notes, "\n"); !strings.Contains(notes, fmt.Sprint(later, " later ones were left out")) {
		t.Errorf("notes %q, want how many exchanges were left out", notes)
	}
}
