package main_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"svc.example/understudy/contract/report"
)

// TestPoolSession plays the session of the first user of the workflow interface: try to delete a pool that a rule
// references, and check the recording of it, as it was and with the platform's answers changed.
func TestPoolSession(t *testing.T) {
	t.Parallel()
	mock := serve(t, "--scenario", "quickstart")
	playPoolSession(t, mock.ready.Interfaces["workflow"])
	_, archive := call(t, http.MethodGet, mock.ready.Control+"/journal.har", "")
	base := "workflow=" + mock.ready.Interfaces["workflow"]
	mock.stop(t)

	t.Run("the recording of the mock conforms", func(t *testing.T) {
		t.Parallel()
		code, stdout, stderr := checkArchive(t, archive, base)
		if code != 0 || !strings.Contains(stdout, "the recording conforms") {
			t.Errorf("exit code %d, want 0\n%s%s", code, stdout, stderr)
		}
	})
	t.Run("a delete that should have been refused is a violation with its evidence", func(t *testing.T) {
		t.Parallel()
		broken := edit(t, archive, answerTheDelete)
		code, stdout, stderr := checkArchive(t, broken, base)
		if code != 1 {
			t.Errorf("exit code %d, want 1", code)
		}
		for _, want := range []string{"pool-deletion", "POST /api/pool_rules", "DELETE /api/pools/4"} {
			if !strings.Contains(stdout, want) {
				t.Errorf("the report does not show %q\n%s", want, stdout)
			}
		}
		if !strings.Contains(stderr, "pool-deletion") {
			t.Errorf("the error does not name the rule: %s", stderr)
		}
	})
	t.Run("without the rule's creation it is inconclusive", func(t *testing.T) {
		t.Parallel()
		cut := edit(t, archive, answerTheDelete, cutTheRule)
		code, stdout, stderr := checkArchive(t, cut, base, "--format", "json")
		if code != 0 {
			t.Errorf("exit code %d, want 0: %s", code, stderr)
		}
		got := tally(t, stdout, "pool-deletion")
		if got.Fail != 0 || got.Inconclusive == 0 {
			t.Errorf("pool-deletion: %+v, want no fail and at least one inconclusive", got)
		}
	})
}

func playPoolSession(t *testing.T, url string) {
	t.Helper()
	const pool = `{"name":"nightly","concurrencyLimit":2}`
	const rule = `{"priority":5,"poolId":"4","conditions":[{"type":"workflow_name","operator":"starts_with",` +
		`"values":["nightly_"]}]}`
	for _, step := range []struct {
		method, path, body string
		status             int
		answer             string // a part of it
	}{
		{http.MethodGet, "/api/pools", "", http.StatusOK, `"name":"default"`},
		{http.MethodPost, "/api/pools", pool, http.StatusCreated, `"id":"4"`},
		{http.MethodPost, "/api/pool_rules", rule, http.StatusCreated, `"id":"3"`},
		{http.MethodDelete, "/api/pools/4", "", http.StatusBadRequest, `pool rule 3`},
		{http.MethodDelete, "/api/pool_rules/3", "", http.StatusOK, `"id":"3"`},
		{http.MethodDelete, "/api/pools/4", "", http.StatusOK, `"id":"4"`},
	} {
		status, answer := call(t, step.method, url+step.path, step.body)
		if status != step.status || !strings.Contains(answer, step.answer) {
			t.Fatalf("%s %s: %d %s, want %d with %s", step.method, step.path, status, answer, step.status, step.answer)
		}
		if status == http.StatusBadRequest {
			wantRefusal(t, answer)
		}
	}
}

// wantRefusal holds an error body against the interface's form: {message, status}.
func wantRefusal(t *testing.T, body string) {
	t.Helper()
	var got map[string]any
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		t.Fatal(err)
	}
	if message, _ := got["message"].(string); message == "" || got["status"] != 400.0 || len(got) != 2 {
		t.Errorf("refusal %s, want {message, status}", body)
	}
}

func checkArchive(t *testing.T, archive, base string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "t.har")
	if err := os.WriteFile(file, []byte(archive), 0o600); err != nil {
		t.Fatal(err)
	}
	return command(t, append([]string{"check", "--base", base, file}, args...)...)
}

// entries are the entries of an HTTP Archive, as a person with an editor sees them.
type entries []map[string]any

func edit(t *testing.T, archive string, changes ...func(entries) entries) string {
	t.Helper()
	var file struct {
		Log struct {
			Version string         `json:"version"`
			Creator map[string]any `json:"creator"`
			Entries entries        `json:"entries"`
		} `json:"log"`
	}
	if err := json.Unmarshal([]byte(archive), &file); err != nil {
		t.Fatal(err)
	}
	for _, change := range changes {
		file.Log.Entries = change(file.Log.Entries)
	}
	text, err := json.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// answerTheDelete makes the refused delete one that was answered with 200.
func answerTheDelete(list entries) entries {
	for _, entry := range list {
		response := entry["response"].(map[string]any)
		if entry["_operation"] == "workflow.deletePool" && response["status"] == 400.0 {
			response["status"], response["statusText"] = 200, "OK"
			response["content"] = map[string]any{
				"mimeType": "application/json",
				"text":     `{"id":"4","name":"nightly","concurrencyLimit":2,"default":false}`,
			}
		}
	}
	return list
}

// cutTheRule takes the creation of the rule out.
func cutTheRule(list entries) entries {
	return slices.DeleteFunc(list, func(entry map[string]any) bool {
		return entry["_operation"] == "workflow.createPoolRule"
	})
}

func tally(t *testing.T, text, rule string) report.Rule {
	t.Helper()
	var r struct {
		Rules []report.Rule `json:"rules"`
	}
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatalf("report: %v\n%s", err, text)
	}
	i := slices.IndexFunc(r.Rules, func(r report.Rule) bool { return r.ID == rule })
	if i < 0 {
		t.Fatalf("the report has no rule %s", rule)
	}
	return r.Rules[i]
}
