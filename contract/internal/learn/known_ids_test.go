package learn_test

import (
	"slices"
	"strings"
	"testing"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/specs"
)

// shownID is a call whose answer shows what the scenario in testdata/known-ids gives a kind of resource.
type shownID struct {
	kind  string // with its interface, as the documents name it
	call  string // a path, or method, path and body
	shows []string
}

// knownIDs has an entry for each kind of the documents whose ids, or times, a fixture can give.
var knownIDs = []shownID{
	{"audience.activation", `POST /audience/audiences/9101/segments/9201/syndications {"name":"Daily","connectionId":3301,"connectorConfig":{},"scheduleType":"none"}`, []string{`"id":9302`}},
	{"audience.audience", "/audience/audiences/9101/segments", []string{`"audienceId":9101`}},
	{"audience.segment", "/audience/audiences/9101/segments", []string{`"id":9201`, `"createdAt":"2025-07-07T00:00:00Z"`}},
	{"audience.segment-query", `POST /audience/audiences/9101/segments/queries {"columns":["path"]}`, []string{
		`"id":"22222222-3333-4444-8555-666666666666"`, `"jobid":"880010"`,
	}},
	{"dwh.integration", "/dwh/v1/dwh/8101", []string{
		`"id":8101`, `"workflow_project_id":4002,"workflow_project_name":"visits_from_warehouse","dwh_config_id":8201`,
		`"created_at":"2025-05-05T00:00:00Z","updated_at":"2025-06-06T00:00:00Z"`,
	}},
	{"dwh.integration", "/dwh/v1/dwh/8101/bulkload_sessions", []string{`"bulkload_session_id":8301`}},
	{"llm.action", "/llm/api/actions", []string{`"id":"a0000000-0000-4000-8000-000000000013"`, `"type":"actions"`}},
	{"llm.agent", "/llm/api/agents/a0000000-0000-4000-8000-000000000010", []string{`"id":"a0000000-0000-4000-8000-000000000010"`}},
	{"llm.agent-schedule", "/llm/api/agent_schedules/a0000000-0000-4000-8000-000000000016", []string{`"id":"a0000000-0000-4000-8000-000000000016"`, `"executionCount":4`, `"workflowAttemptId":"90210"`, `"lastRunStatus":"success"`}},
	{"llm.artifact", "/llm/api/artifacts", []string{`"id":"a0000000-0000-4000-8000-000000000019"`, `"createdAt":"2026-01-14T10:00:10.000Z"`, `# Visits`}},
	{"llm.chat", "/llm/api/chats/a0000000-0000-4000-8000-000000000017", []string{`"id":"a0000000-0000-4000-8000-000000000017"`, `"firstInputContent":"How many visits?"`, `"lastConversationAt":"2026-01-14T10:00:09.000Z"`}},
	{"llm.chat", "/llm/api/chats/a0000000-0000-4000-8000-000000000017/history", []string{`{"input":"How many visits?","at":"2026-01-14T10:00:05Z"}`, `"functionName":"query"`, `{"content":"Seventeen.","at":"2026-01-14T10:00:09Z"}`}},
	{"llm.chat-attachment", "/llm/api/chat_attachments/a0000000-0000-4000-8000-000000000018", []string{`"id":"a0000000-0000-4000-8000-000000000018"`, `"attachmentIndex":7,"attachmentType":"USER_INPUT"`}},
	{"llm.chat-interface", "/llm/api/chat_interfaces/a0000000-0000-4000-8000-000000000014", []string{`"id":"a0000000-0000-4000-8000-000000000014"`}},
	{"llm.datastore-query-tool", "/llm/api/datastore_query_tools/a0000000-0000-4000-8000-000000000006", []string{`"id":"a0000000-0000-4000-8000-000000000006"`}},
	{"llm.form-interface", "/llm/api/form_interfaces/a0000000-0000-4000-8000-000000000015", []string{`"id":"a0000000-0000-4000-8000-000000000015"`}},
	{"llm.image-generator", "/llm/api/image_generators/a0000000-0000-4000-8000-000000000007", []string{`"id":"a0000000-0000-4000-8000-000000000007"`}},
	{"llm.integration", "/llm/api/integrations/a0000000-0000-4000-8000-000000000012", []string{`"id":"a0000000-0000-4000-8000-000000000012"`}},
	{"llm.knowledge-base", "/llm/api/knowledge_bases/a0000000-0000-4000-8000-000000000004", []string{`"id":"a0000000-0000-4000-8000-000000000004"`, `"status":"SUCCESS"`, `"logs":"done"`}},
	{"llm.presentation-artifact-tool", "/llm/api/presentation_artifact_tools/a0000000-0000-4000-8000-000000000008", []string{`"id":"a0000000-0000-4000-8000-000000000008"`}},
	{"llm.project", "/llm/api/projects/a0000000-0000-4000-8000-000000000001", []string{`"id":"a0000000-0000-4000-8000-000000000001"`, `"createdAt":"2025-08-01T00:00:00.000Z","updatedAt":"2025-08-02T00:00:00.000Z"`}},
	{"llm.prompt", "/llm/api/prompts/a0000000-0000-4000-8000-000000000011", []string{`"id":"a0000000-0000-4000-8000-000000000011"`, `"jsonSchemaHint":"hint"`}},
	{"llm.text-knowledge-base", "/llm/api/text_knowledge_bases/a0000000-0000-4000-8000-000000000005", []string{`"id":"a0000000-0000-4000-8000-000000000005"`, `"isManaged":true`, `"name":"Runtime text"`}},
	{"llm.text-resource", "/llm/api/text_resources/a0000000-0000-4000-8000-000000000003", []string{`"id":"a0000000-0000-4000-8000-000000000003"`}},
	{"llm.tool-target", "/llm/api/tool_targets/a0000000-0000-4000-8000-000000000009", []string{`"id":"a0000000-0000-4000-8000-000000000009"`}},
	{"llm.web-search-tool", "/llm/api/web_search_tools/a0000000-0000-4000-8000-000000000009", []string{`"id":"a0000000-0000-4000-8000-000000000009"`}},
	{"llm.workflow-executor", "/llm/api/workflow_executors/a0000000-0000-4000-8000-000000000002", []string{`"id":"a0000000-0000-4000-8000-000000000002"`, `"name":"Runner"`}},
	{"workflow.attempt", "/workflow/api/attempts/90210", []string{
		`"id":"90210","index":3,`, `"sessionId":"30303","sessionUuid":"9f1a2b3c-4d5e-4f60-8a7b-0c1d2e3f4a5b"`,
		`"workflow":{"id":"50101","name":"daily"}`, `"createdAt":"2026-01-12T07:00:01Z","finishedAt":"2026-01-12T08:40:17Z"`,
		`"poolId":"71"`,
	}},
	{"workflow.pool", "/workflow/api/pools", []string{
		`{"id":"7","name":"default","concurrencyLimit":97,"default":true}`, `{"id":"12","name":"adhoc"`,
		`{"id":"71","name":"nightly"`,
	}},
	{"workflow.pool-rule", "/workflow/api/pool_rules/91", []string{`{"id":"91","priority":5,`, `"poolId":"71"`}},
	{"workflow.project", "/workflow/api/projects/4001", []string{
		`"id":"4001","name":"shop","revision":"v7"`,
		`"createdAt":"2025-11-01T00:00:00Z","updatedAt":"2026-01-10T00:00:00Z"`,
	}},
	{"workflow.schedule", "/workflow/api/schedules/611", []string{
		`"id":"611"`, `"workflow":{"id":"50101","name":"daily"}`, `"nextRunTime":"2026-01-20T07:00:00Z"`,
		`"nextScheduleTime":"2026-01-20T00:00:00+00:00","disabledAt":"2026-01-11T00:00:00Z"`,
	}},
	{"workflow.secret", "/workflow/api/projects/4001/secrets", []string{`"db.password"`}},
	{"workflow.session", "/workflow/api/sessions/30303", []string{`"id":"30303"`, `"lastAttempt":{"id":"90210"`}},
	{"workflow.task", "/workflow/api/attempts/90210/tasks", []string{
		`{"id":"777001","fullName":"+daily",`, `{"id":"777003","fullName":"+daily+load","parentId":"777001"`,
		`"upstreams":["777002"]`, `"error":{"message":"no space left"},"startedAt":"2026-01-12T07:30:01Z"`,
	}},
	{"workflow.workflow", "/workflow/api/workflows/50099", []string{`"id":"50099","name":"weekly"`}},
	{"core.access-control-user", "/core/v3/access_control/users/801", []string{`"user_id":801,"account_id":9001`}},
	{"core.bulk-import", "/core/v3/bulk_import/show/backfill", []string{`"status":"ready","upload_frozen":true`, `"job_id":"880005"`}},
	{"core.bulk-load", "/core/v3/bulk_loads/from_s3", []string{`"created_at":"2025-12-01 00:00:00 UTC","updated_at":"2025-12-02 00:00:00 UTC"`}},
	{"core.connection", "/core/v3/connections/lookup?name=s3_out", []string{`{"id":3301}`}},
	{"core.database", "/core/v3/database/show/web", []string{`"id":"5501"`, `"updated_at":"2026-01-02 00:00:00 UTC"`}},
	{"core.delegated-admin", "/core/v3/policy_group_tags/analysts_2024/delegated_admins", []string{`"803"`}},
	{"core.job", "/core/v3/job/show/880002", []string{
		`"job_id":"880002"`, `"updated_at":"2026-01-14 08:01:31 UTC"`, `"num_records":17,"result_size":4711`, `20260114_080002`,
	}},
	{"core.job", "/core/v3/job/result/880003?format=csv", []string{"42"}},
	{"core.job", "/core/v3/schedule/history/daily_report", []string{`"job_id":"880001"`, `"job_id":"880004"`}},
	{"core.oauth-token", "/core/v3/oauth_token/list", []string{`"id":7007`}},
	{"core.policy", "/core/v3/access_control/policies/61", []string{`"id":61,"account_id":9001`}},
	{"core.policy-group", "/core/v3/access_control/policy_groups/71", []string{
		`"id":71`, `"taggable_name":"analysts_2024"`, `"updated_at":"2024-02-01`,
	}},
	{"core.profile-option", "/core/v3/access_control/users/801/profile_options/theme", []string{`dark`}},
	{"core.schedule", "/core/v3/schedule/list", []string{`"next_time":"2026-01-17 03:00:00 UTC"`, `"executing_user_id":801`}},
	{"core.sub-user", "/core/v3/sub_user/list", []string{`"id":802`, `"parent_user_id":801`}},
	{"core.table", "/core/v3/table/show/web/visits", []string{
		`"id":66012`, `"count":12345678`, `"updated_at":"2026-01-01 00:00:00 UTC"`, `"counter_updated_at":"2026-01-14T23:00:00Z"`,
		`"last_log_timestamp":"2026-01-14T22:59:59Z"`, `"estimated_storage_size":987654321`,
	}},
	{"core.user", "/core/v3/user/list", []string{`"id":801`, `"updated_at":"2022-02-02`}},
	{"core.user", "/llm/api/workflow_executors/a0000000-0000-4000-8000-000000000002", []string{`11111111-2222-4333-8444-555555555555`}},
	{"core.account", "/core/v3/account/show", []string{`"plan":3`, `"maximum_cores":64`}},
	{"workflow.log-file", "/workflow/api/logs/90210/files", []string{
		`{"fileName":"+daily+load@65a0e1d900000000.agent-7.log.gz","fileSize":42,"taskName":"+daily+load"`, `"agentId":"agent-7"`,
		`"fileTime":"2026-01-12T07:30:02Z"`, `"fileTime":"2026-01-12T07:00:02Z"`,
	}},
}

func (k shownID) check(t *testing.T, server *mockserver.Server) {
	t.Helper()
	method, path, body := "GET", k.call, ""
	if words := strings.SplitN(k.call, " ", 3); len(words) == 3 {
		method, path, body = words[0], words[1], words[2]
	}
	got := mocktest.Call(t, server, method, path, body)
	for _, text := range k.shows {
		if got.Status != 200 || !strings.Contains(got.Body, text) {
			t.Errorf("%s is %d without %s\n%s", k.call, got.Status, text, got.Body)
		}
	}
}

// TestKnownIDs requires that a fixture can give each kind of resource the id that a recording has shown.
func TestKnownIDs(t *testing.T) {
	t.Parallel()
	server := mocktest.NewServer(t, mockserver.WithScenario("testdata/known-ids"))
	dump := mocktest.Call(t, server, "GET", "/_understudy/worlds/default/state", "")
	loaded := mocktest.NewServer(t)
	if got := mocktest.Call(t, loaded, "PUT", "/_understudy/worlds/default/state", dump.Body); got.Status/100 != 2 {
		t.Fatalf("%d %s", got.Status, got.Body)
	}
	for _, k := range knownIDs {
		t.Run(k.kind, func(t *testing.T) {
			t.Parallel()
			k.check(t, server)
		})
		t.Run(k.kind+" after a dump", func(t *testing.T) {
			t.Parallel()
			k.check(t, loaded)
		})
	}
	t.Run("later ones are larger", func(t *testing.T) {
		t.Parallel()
		made := mocktest.NewServer(t, mockserver.WithScenario("testdata/known-ids"))
		for _, c := range []struct{ target, body, want string }{
			{"/workflow/api/pools", `{"name":"new","concurrencyLimit":1}`, `"id":"72"`},
			{"/core/v3/job/issue/trino/web", `{"query":"select 7"}`, `"job_id":"880011"`},
			{"/core/v3/access_control/policies", `{"policy":{"name":"new"}}`, `"id":62`},
		} {
			if got := mocktest.Call(t, made, "POST", c.target, c.body); !strings.Contains(got.Body, c.want) {
				t.Errorf("POST %s shows no %s\n%s", c.target, c.want, got.Body)
			}
		}
	})
	t.Run("of each kind of the documents", func(t *testing.T) {
		t.Parallel()
		for _, iface := range specs.Interfaces() {
			document, err := specs.Load(iface, specs.Neutral)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range document.Resources() {
				if !slices.ContainsFunc(knownIDs, func(k shownID) bool { return k.kind == r.Name }) {
					t.Errorf("no fixture gives %s an id", r.Name)
				}
			}
		}
	})
}
