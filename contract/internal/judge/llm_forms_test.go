package judge_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	someID  = "5dd290e9-2766-453c-8b7f-77e8f8d2b920"
	agentOK = `{"id":"` + someID + `","type":"agents","links":{"self":"https://llm.svc.example/api/agents/` + someID +
		`"},"attributes":{
		"createdAt":"2026-01-15T09:30:00.000Z","updatedAt":"2026-01-15T09:30:00.000Z","projectId":"` + someID + `","name":"A",
		"systemPrompt":"","starterMessage":"","modelType":"gpt-5","maxToolIterations":4,"temperature":0,
		"reasoningEffort":"NONE",
		"isManaged":false,"outputs":[],"variables":[],"tools":[{"toolTargetId":"` + someID + `","toolTargetType":"knowledge_base",
		"targetFunction":"LIST_COLUMNS","functionName":"f","agentOutputMode":"RETURN"}]}}`
	agentSent = `{"data":{"type":"agents","attributes":{"name":"A","projectId":"` + someID +
		`","modelType":"gpt-5","systemPrompt":null,
		"tools":[{"toolTargetId":"` + someID + `","toolTargetType":"knowledge_base","targetFunction":"LIST_COLUMNS",
		"functionName":"f","agentOutputMode":null}]}}}`
	scheduleOK = `{"data":{"id":"` + someID + `","type":"agentSchedules",
		"links":{"self":"https://llm.svc.example/api/agent_schedules/` + someID + `"},"attributes":{
		"createdAt":"2026-01-15T09:30:00.000Z","updatedAt":"2026-01-15T09:30:00.000Z","projectId":"` + someID + `","agentId":"` + someID + `",
		"formInterfaceId":"` + someID + `","chatInterfaceId":null,"interfaceType":"form","name":"S","description":null,"status":"active",
		"repeatUnit":"daily","repeatFrequency":1,"repeatSubFrequency":[],"timezone":"UTC","startAt":"2026-02-01T09:00:00",
		"endAt":"2026-12-31","parameterValues":{},"sendEmailNotification":false,"emailRecipients":[],"textResourceId":null,
		"workflowProjectId":"1","workflowSessionId":null,"workflowAttemptId":null,"lastExecutedAt":null,"executionCount":0,
		"lastRunStatus":null,"lastRunErrorMessage":null}}}`
	scheduleSent = `{"data":{"type":"agent_schedules","attributes":{"projectId":"` + someID + `","agentId":"` + someID +
		`",
		"formInterfaceId":"` + someID + `","name":"S","repeatUnit":"daily","repeatFrequency":1,"timezone":"UTC",
		"startAt":"START","endAt":"END","parameterValues":{}}}}`
	overviewOK = `{"data":{"id":"` + someID +
		`","type":"projects","links":{"self":"https://llm.svc.example/api/projects/` + someID + `"},
		"attributes":{"createdAt":"2026-01-15T09:30:00.000Z","updatedAt":"2026-01-15T09:30:00.000Z","name":"P","description":null,
		"useRuntimeTextResource":false,"useParentSegment":false,"useWorkflowExecutor":false,"isManaged":false,
		"managedType":"NONE"},
		"relationships":{"overview":{"data":{"type":"overviews","id":"` + someID + `"}}}},
		"included":[{"id":"` + someID + `","type":"overviews","attributes":{"firstAgentName":"A","totalAgentCount":2,
		"firstIntegrationServiceType":null,"totalIntegrationCount":0,"firstKnowledgeBaseName":"K","totalKnowledgeBaseCount":1}}]}`
	errorOK = `{"errors":[{"title":"TITLE","detail":"DETAIL","code":"CODE","status":"422","source":{"pointer":"POINTER"},
		"meta":{"validationCode":"VALIDATION"}}]}`
	configsOK = `{"id":1,"config_digest":"d","created_at":"2026-01-15T09:30:00Z","updated_at":"2026-01-15T09:30:00Z",
		"basic_configs":{"type":"databricks","svc_authentication_id":"1","catalog":"main"},
		"advanced_configs":[{"target_table":"t","config":{"type":"databricks","table":"T"}}],
		"output_config":{"database":"d","mode":"append"},"filter_configs":[]}`
)

// What the platform sends and accepts is never a finding, and what it never does is one still.
func TestFormsOfAgentsAndWarehouses(t *testing.T) {
	t.Parallel()
	j := newLLMJudge(t)
	document := func(resource string) string { return `{"data":` + resource + `}` }
	const (
		agents    = "GET /api/agents/" + someID
		chat      = "POST /api/chats/" + someID + "/continue"
		events    = "data: {\"user_content\":\"Hello\",\"at\":\"2026-01-15T09:30:00Z\"}\n\n"
		first     = "https://llm.svc.example/api/agents?page%5Blimit%5D=20&page%5Boffset%5D=0"
		list      = `{"data":[],"meta":{"total":0},"links":{"first":"` + first + `FILTER","last":"` + first + `FILTER"}}`
		overview  = "GET /api/projects/" + someID + "?include=overview"
		schedules = "POST /api/agent_schedules"
	)
	refusal := func(title, detail, code, pointer, validation string) string {
		return with(t, errorOK, "TITLE", title, "DETAIL", detail, "CODE", code, "POINTER", pointer, "VALIDATION", validation)
	}
	missing := func(path, status string) spoken {
		s := spoken{
			line: "POST /api/" + path, status: 404, response: `{"status":` + status + `,"error":"Not Found"}`,
			media: [2]string{plain, plain},
		}
		switch {
		case strings.HasSuffix(path, "continue"):
			s.request = `{"input":"Hello"}`
		case strings.HasSuffix(path, "download_files"):
			s.request = `{"method":"multipart"}`
		case strings.HasSuffix(path, "callback"):
			s.request = `{"session_id":"1","attempt_id":"2","status":"success"}`
		case strings.HasSuffix(path, "chatapp"):
			s.request, s.media[0] = "response_url=https%3A%2F%2Fa.example&text=x&command=%2Fask",
				"application/x-www-form-urlencoded"
		}
		return s
	}
	for name, tt := range map[string]struct {
		spoken
		want []string
	}{
		"a chat goes on with JSON:API": {
			spoken{chat, `{"input":"Hello"}`, 200, events, [2]string{vnd, "text/event-stream"}},
			nil,
		},
		"a chat goes on with JSON": {
			spoken{chat, `{"input":"Hello"}`, 200, events, [2]string{plain, "text/event-stream"}},
			nil,
		},
		"a chat goes on with a form": {
			spoken{
				chat, "input=Hello", 415, `{"status":"415","error":"no"}`,
				[2]string{"application/x-www-form-urlencoded", plain},
			},
			[]string{`notice undocumented-media-type /request/headers/Content-Type: the request has Content-Type ` +
				`"application/x-www-form-urlencoded"; documented: application/json, application/vnd.api+json`},
		},
		"agents of a project": {spoken{
			line: "GET /api/agents?filter[project_id]=" + someID, status: 200,
			response: strings.ReplaceAll(list, "FILTER", "&filter%5Bproject_id%5D="+someID),
		}, nil},
		"agents of a colour": {
			spoken{
				line: "GET /api/agents?filter[colour]=red", status: 200,
				response: strings.ReplaceAll(list, "FILTER", "&filter%5Bcolour%5D=red"),
			},
			[]string{`warning undeclared-field /request/query/filter[colour]: query parameter "filter[colour]" is not documented`},
		},
		"an agent is sent with null": {spoken{
			line: "POST /api/agents", request: agentSent, status: 201,
			response: document(agentOK),
		}, nil},
		"an agent is answered with null": {
			spoken{line: agents, status: 200, response: document(with(t, agentOK, `"systemPrompt":""`, `"systemPrompt":null`))},
			[]string{"error schema /response/body/data/attributes/systemPrompt: Value is not nullable"},
		},
		"a tool is answered with null": {
			spoken{
				line: agents, status: 200,
				response: document(with(t, agentOK, `"agentOutputMode":"RETURN"`, `"agentOutputMode":null`)),
			},
			[]string{`error schema /response/body/data/attributes/tools/0/agentOutputMode: value is not one of the allowed values ["RETURN","SHOW"]`},
		},
		"a tool is answered without an output mode": {
			spoken{line: agents, status: 200, response: document(with(t, agentOK, `,"agentOutputMode":"RETURN"`, ""))},
			[]string{`error schema /response/body/data/attributes/tools/0/agentOutputMode: property "agentOutputMode" is missing`},
		},
		"an overview": {spoken{line: overview, status: 200, response: overviewOK}, nil},
		"an overview that counts in words": {
			spoken{line: overview, status: 200, response: with(t, overviewOK, `AgentCount":2`, `AgentCount":"two"`)},
			[]string{"error schema /response/body/included/0/attributes/totalAgentCount: value must be an integer"},
		},
		"a schedule with Z": {spoken{
			line:    schedules,
			request: with(t, scheduleSent, "START", "2026-02-01T09:00:00Z", "END", "2026-12-31T00:00:00Z"), status: 201,
			response: scheduleOK,
		}, nil},
		"a schedule without Z": {spoken{
			line:    schedules,
			request: with(t, scheduleSent, "START", "2026-02-01T09:00:00", "END", "2026-12-31T00:00:00"), status: 201,
			response: scheduleOK,
		}, nil},
		"a schedule with dates": {spoken{
			line:    schedules,
			request: with(t, scheduleSent, "START", "2026-02-01", "END", "2026-12-31"), status: 201, response: scheduleOK,
		}, nil},
		"a schedule with no end": {spoken{
			line:    schedules,
			request: with(t, scheduleSent, "START", "2026-02-01T09:00:00.000Z", `"END"`, "null"), status: 201,
			response: scheduleOK,
		}, nil},
		"a schedule that is answered with Z": {
			spoken{
				line: schedules, request: with(t, scheduleSent, "START", "2026-02-01", "END", "2026-12-31"), status: 201,
				response: with(t, scheduleOK, `T09:00:00"`, `T09:00:00Z"`),
			},
			[]string{`error schema /response/body/data/attributes/startAt: string doesn't match the regular expression "^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$"`},
		},
		"a schedule that ends at a time": {
			spoken{
				line: schedules, request: with(t, scheduleSent, "START", "2026-02-01", "END", "2026-12-31"), status: 201,
				response: with(t, scheduleOK, `"2026-12-31"`, `"2026-12-31T00:00:00"`),
			},
			[]string{`error schema /response/body/data/attributes/endAt: string doesn't match the regular expression "^\d{4}-\d{2}-\d{2}$"`},
		},
		"a schedule that starts soon": {
			spoken{
				line: schedules, request: with(t, scheduleSent, "START", "soon", "END", "2026-12-31"), status: 201,
				response: scheduleOK,
			},
			[]string{`error schema /request/body/data/attributes/startAt: string doesn't match the regular expression "^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})?)?$"`},
		},
		"no interface": {spoken{
			line: schedules, request: with(t, scheduleSent, "START", "2026-02-01", "END", "2026-12-31"), status: 422,
			response: refusal("x", "exactly one interface", "100", "/data", "LLM_EXACTLY_ONE_INTERFACE_REQUIRED"),
		}, nil},
		"an empty name of a tool target": {spoken{
			line:    "POST /api/datastore_query_tools",
			request: `{"data":{"type":"datastore_query_tools","attributes":{"name":"","projectId":"` + someID + `"}}}`,
			status:  422, response: refusal("can't be blank", "toolTarget/name - can't be blank", "100",
				"/data/attributes/toolTarget/name", "CANNOT_BE_BLANK"),
		}, nil},
		"a record that is not there": {spoken{
			line: agents, status: 404,
			response: `{"errors":[{"title":"Record not found","detail":"The record identified by x could not be found.","code":"404","status":"404"}]}`,
		}, nil},
		"no action, in text":                {missing("actions/"+someID+"/chatapp", `"404"`), nil},
		"no schedule to call back, in text": {missing("agent_schedules/"+someID+"/callback", `"404"`), nil},
		"no schedule to execute":            {missing("agent_schedules/"+someID+"/execute", "404"), nil},
		"no chat to continue":               {missing("chats/"+someID+"/continue", "404"), nil},
		"no files to download":              {missing("chats/"+someID+"/download_files", "404"), nil},
		"no knowledge base to query, either way": {spoken{
			line: "POST /api/knowledge_bases/" + someID + "/query", request: `{"function":"LIST_COLUMNS","arguments":{}}`,
			status:   404,
			response: `{"status":"404","error":"x"}`, media: [2]string{plain, plain},
		}, nil},
		"no action, as a number": {
			missing("actions/"+someID+"/chatapp", "404"),
			[]string{"error schema /response/body/status: value must be a string"},
		},
		"no callback, as a number": {
			missing("agent_schedules/"+someID+"/callback", "404"),
			[]string{"error schema /response/body/status: value must be a string"},
		},
		"no execution, in text": {
			missing("agent_schedules/"+someID+"/execute", `"404"`),
			[]string{"error schema /response/body/status: value must be an integer"},
		},
		"no chat to continue in text": {
			missing("chats/"+someID+"/continue", `"404"`),
			[]string{"error schema /response/body/status: value must be an integer"},
		},
		"configurations with what was left open": {spoken{
			line: "GET /dwh:/v1/dwh/1/configs", status: 200, response: configsOK, media: [2]string{plain, plain},
		}, nil},
		"configurations with a kind that is no text": {spoken{
			line: "GET /dwh:/v1/dwh/1/configs", status: 200, media: [2]string{plain, plain},
			response: with(t, configsOK, `"type":"databricks","table"`, `"type":7,"table"`),
		}, []string{"error schema /response/body/advanced_configs/0/config/type: value must be a string"}},
		"rights to a project": {spoken{
			line: "PATCH /core:/v3/access_control/policies/1/permissions", status: 200, media: [2]string{plain, plain},
			request:  `{"LlmProject":[{"operation":"chat","project_id":"` + someID + `"}]}`,
			response: `{"LlmProject":[{"operation":"chat","project_id":"` + someID + `"}]}`,
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, findingLines(j.Exchange(tt.item()))); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}
