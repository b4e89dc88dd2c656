package main_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// agent is a session of a coding agent with understudy mcp.
type agent struct {
	*mcp.ClientSession
}

// startAgent starts a mock with the agent's tools behind it, as the settings of an agent do.
func startAgent(t *testing.T, folder string, args ...string) agent {
	t.Helper()
	args = append([]string{"serve", "--listen", "127.0.0.1:0"}, append(args, "--", "understudy", "mcp")...)
	cmd := exec.CommandContext(t.Context(), "understudy", args...)
	cmd.Dir = folder
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "v1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return agent{session}
}

// call calls a tool, and returns its text.
func (a agent) call(t *testing.T, tool, arguments string) (text string, failed bool) {
	t.Helper()
	result, err := a.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		return err.Error(), true
	}
	for _, part := range result.Content {
		if part, ok := part.(*mcp.TextContent); ok {
			text += part.Text
		}
	}
	return text, result.IsError
}

// A tool's answers have all of these texts.
type agentStep struct {
	tool, arguments string
	want            []string
}

func (a agent) take(t *testing.T, failed bool, steps []agentStep) {
	t.Helper()
	for _, step := range steps {
		text, isError := a.call(t, step.tool, step.arguments)
		if isError != failed {
			t.Errorf("%s %s: an error is %v, want %v: %s", step.tool, step.arguments, isError, failed, text)
		}
		for _, want := range step.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s %s: %s\nwant %q in it", step.tool, step.arguments, text, want)
			}
		}
	}
}

func TestAgentUsesTheMock(t *testing.T) {
	t.Parallel()
	a := startAgent(t, t.TempDir(), "--clock", "frozen")
	const poolTwo = `"world":"mine","path":"/workflow/api/pools/2"`
	a.take(t, false, []agentStep{
		{"list_operations", `{"interface":"workflow","contains":"DELETEPOOL"}`, []string{"workflow.deletePool ", "DELETE"}},
		{"show_operation", `{"operation":"workflow.deletePool"}`, []string{"/api/pools/{", "curl", "http://127.0.0.1:"}},
		{"list_scenarios", `{}`, []string{`"pool-in-use"`}},
		{"make_world", `{"id":"mine","scenario":"pool-in-use","seed":7,"clock":"auto"}`, []string{`"id": "mine"`, `"seed": 7`}},
		{"list_worlds", `{}`, []string{`"mine"`, `"default"`}},
		{"send_request", `{"method":"DELETE",` + poolTwo + `}`, []string{"400 Bad Request", "cannot be deleted", "X-Understudy-Exchange: 1"}},
		{"explain_exchange", `{"world":"mine","exchange":1}`, []string{
			`"operation": "workflow.deletePool"`,
			"The document of workflow.deletePool says of 400: ",
		}},
		{"make_world", `{"id":"copy","fork":"mine"}`, []string{`"fork": "mine"`}},
		{"plan_fault", `{"world":"copy","fault":"workflow.listPools first=1 status=503"}`, []string{`"status": 503`}},
		{"send_request", `{"world":"copy","method":"GET","path":"/workflow/api/pools"}`, []string{"503 "}},
		{"clear_faults", `{"world":"copy"}`, []string{"done"}},
		{"send_request", `{"world":"copy","method":"get","path":"/workflow/api/pools"}`, []string{"200 OK", `"pools"`}},
		{
			"send_request", `{"world":"copy","method":"POST","path":"/workflow/api/pools","body":{"name":"x","concurrencyLimit":2}}`,
			[]string{"201 Created", `"name":"x"`},
		},
		{"read_journal", `{"world":"copy","status":"503"}`, []string{`"matching": 1`, "workflow.listPools"}},
		{"move_clock", `{"world":"copy","advance":"90s"}`, []string{`"now"`}},
		{"move_clock", `{"world":"copy","untilIdle":true}`, []string{`"idle": true`}},
		{"check", `{"world":"mine"}`, []string{"the recording conforms"}},
		{"explain_rule", `{"rule":"pool-deletion"}`, []string{"What counts as a violation"}},
		{"reset_world", `{"world":"copy"}`, []string{`"copy"`}},
		{"delete_world", `{"world":"copy"}`, []string{"done"}},
	})
	a.take(t, true, []agentStep{
		{"show_operation", `{"operation":"workflow.deletePol"}`, []string{"workflow.deletePool"}},
		{"list_operations", `{"interface":"workfow"}`, []string{"workflow"}},
		{"list_operations", `{"contains":"nothing like it"}`, []string{"leave contains out"}},
		{"make_world", `{"scenario":"pool-in-us"}`, []string{"pool-in-use"}},
		{"make_world", `{"id":"mine"}`, []string{"mine"}},
		{"make_world", `{"ids":"mine"}`, []string{"ids"}},
		{"delete_world", `{"world":"nowhere"}`, []string{"nowhere"}},
		{"send_request", `{"method":"GET","path":"workflow/api/pools"}`, []string{"want a path at the mock, such as /workflow/api/pools"}},
		{"explain_exchange", `{"world":"mine","exchange":99}`, []string{"99"}},
		{"plan_fault", `{"world":"mine","fault":"workflow.listPools stats=503"}`, []string{"status"}},
		{"plan_fault", `{"world":"mine","fault":"workflow.listPool status=503"}`, []string{"workflow.listPools"}},
		{"move_clock", `{"world":"mine"}`, []string{"advance"}},
		{"explain_rule", `{"rule":"pool-deletions"}`, []string{"pool-deletion"}},
		{"check", `{"world":"default"}`, []string{"see send_request"}},
		{"check", `{"files":["../traffic.har"]}`, []string{"want a path in the folder"}},
		{"check", `{"files":["none.har"]}`, []string{"none.har"}},
		{"teach", `{}`, []string{"teach"}},
	})
}

// Violations are the result of a check, and no error of the tool.
func TestAgentChecksARecording(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	const recording = `{"seq":1,"start":"2026-05-04T03:00:00Z","end":"2026-05-04T03:00:01Z","request":{"method":"GET",` +
		`"url":"http://127.0.0.1:4010/workflow/api/pools/1","headers":[["Authorization","SVC1 1/admin"]]},` +
		`"response":{"status":200,"headers":[["Content-Type","application/json"]],"body":"{\"id\":1}"}}` + "\n"
	if err := os.WriteFile(filepath.Join(folder, "traffic.ndjson"), []byte(recording), 0o600); err != nil {
		t.Fatal(err)
	}
	startAgent(t, folder).take(t, false, []agentStep{
		{"check", `{"files":["traffic.ndjson"]}`, []string{"workflow.getPool", "error"}},
	})
}

// A document of the user's own has the same tools.
func TestAgentUsesADocumentOfItsOwn(t *testing.T) {
	t.Parallel()
	document, err := filepath.Abs("../../mockserver/testdata/own/shop.yaml")
	if err != nil {
		t.Fatal(err)
	}
	a := startAgent(t, t.TempDir(), "--spec", "shop="+document, "--interfaces", "shop", "--control-token", "secret")
	a.take(t, false, []agentStep{
		{"list_operations", `{}`, []string{"shop."}},
		{"send_request", `{"method":"GET","path":"/shop/nothing"}`, []string{"404 "}},
		{"explain_exchange", `{"exchange":1}`, []string{"No operation has this method and path"}},
	})
	a.take(t, false, []agentStep{{"show_operation", `{"operation":"shop.createProduct"}`, []string{"Bearer", `-d '{"`}}})
	if text, _ := a.call(t, "list_operations", `{}`); strings.Contains(text, "workflow.") {
		t.Errorf("operations that are not served are listed: %s", text)
	}
}

// What the mock serves counts: a document in the place of one of the platform's, and the brand.
func TestAgentUsesWhatIsServed(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	const document = `{"openapi":"3.0.3","info":{"title":"W","version":"1"},"paths":{"/things":{"get":{
		"operationId":"listThings","responses":{"200":{"description":"ok","content":{"application/json":{"schema":{"type":"object"}}}}}}}}}`
	if err := os.WriteFile(filepath.Join(folder, "w.json"), []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	startAgent(t, folder, "--spec", "workflow=w.json").take(t, false, []agentStep{
		{"list_operations", `{"interface":"workflow"}`, []string{"workflow.listThings"}},
		{"show_operation", `{"operation":"core.listDatabases"}`, []string{"documented", "SVC1"}},
		{"make_world", `{"id":"w","seed":9007199254740991}`, []string{"{\n \"id\": \"w\"", `"seed": 9007199254740991`}},
	})
	cmd := exec.CommandContext(t.Context(), "understudy", "serve", "--listen", "127.0.0.1:0", "--brand", "ACME", "--",
		"understudy", "mcp", "--brand", "ACME")
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "v1"}, nil).Connect(t.Context(),
		&mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	agent{session}.take(t, false, []agentStep{
		{"send_request", `{"method":"GET","path":"/workflow/api/pools"}`, []string{"200 OK"}},
		{"check", `{}`, []string{"the recording conforms"}},
		{"show_operation", `{"operation":"workflow.listPools"}`, []string{"ACME1 1/admin"}},
	})
}

// What is not there is said when it is needed, with what would be right: an agent's session goes on.
func TestAgentWithoutAMock(t *testing.T) {
	t.Parallel()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "v1"}, nil)
	cmd := exec.CommandContext(t.Context(), "understudy", "mcp", "--url", "http://127.0.0.1:1")
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	agent{session}.take(t, true, []agentStep{{"list_worlds", `{}`, []string{"understudy serve"}}})
	if err := session.Close(); err != nil {
		t.Errorf("the session ends with %v, want exit code 0", err)
	}
	if code, _, stderr := command(t, "mcp", "--url", "127.0.0.1:4010"); code != 2 || !strings.Contains(stderr, "want ") {
		t.Errorf("a wrong address: exit code %d, %q", code, stderr)
	}
}
