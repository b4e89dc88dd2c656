package workflow_test

import (
	"fmt"
	"io"
	"net/http"
	"testing"
)

const statePath = "/_understudy/worlds/default/state"

func (h *harness) state() string {
	h.t.Helper()
	response := h.send("GET", statePath, "", nil)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		h.t.Fatalf("status %d, error %v: %s", response.StatusCode, err, text)
	}
	return string(text)
}

func TestStateRoundTrip(t *testing.T) {
	t.Parallel()
	const tasks = "+a:\n  echo>: 1\n+b:\n  _parallel: true\n  +c:\n    sh>: x\n    _retry: 3\n  +d:\n    fail>: no\n+e:\n  echo>: 2\n"
	h := newHarness(t)
	h.upload("shop", "v1", map[string]string{"daily": dailyUTC, "big": tasks})
	h.upload("shop", "v2", map[string]string{"daily": hourlyUTC + tasks, "big": tasks})
	h.upload("gone", "v1", map[string]string{"daily": dailyUTC})
	h.do(http.StatusNoContent, "PUT", "/api/projects/1/secrets/a.b", object{"value": "x"})
	h.do(http.StatusCreated, "POST", "/api/pools", object{"name": "small", "concurrencyLimit": 1})
	h.do(http.StatusCreated, "POST", "/api/pool_rules", object{
		"poolId": "2", "priority": 5,
		"conditions": []any{object{"type": "workflow_name", "operator": "starts_with", "values": []any{"big"}}},
	})
	for n := range 3 {
		h.do(http.StatusOK, "PUT", "/api/attempts", object{
			"workflowId": "3", "sessionTime": fmt.Sprintf("2026-01-0%dT00:00:00Z", n+1), "params": object{"n": n, "<": "é"},
			"allowQueueing": true,
		})
	}
	h.do(http.StatusOK, "POST", "/api/schedules/1/backfill", object{"fromTime": "2026-01-15T07:00:00Z", "dryRun": false})
	h.advance("1500ms")
	h.do(http.StatusOK, "POST", "/api/attempts/2/kill", nil)
	h.do(http.StatusOK, "DELETE", "/api/projects/2", nil)

	first := h.state()
	if again := h.state(); again != first {
		t.Fatal("the same world gives other bytes")
	}
	other := newHarness(t)
	other.body(http.StatusOK, other.send("PUT", statePath, "application/json", []byte(first)))
	wantEqual(t, "state after the load", other.state(), first)

	// Both go on alike.
	for _, h := range []*harness{h, other} {
		h.advance("45m")
		h.upload("shop", "v3", map[string]string{"daily": dailyUTC})
		h.do(http.StatusOK, "PUT", "/api/attempts",
			object{"projectName": "shop", "workflowName": "daily", "sessionTime": "2026-01-01T00:00:00Z", "params": object{}})
		h.advance("24h")
	}
	wantEqual(t, "state later", other.state(), h.state())
	for _, path := range []string{
		"/api/projects", "/api/projects/1/revisions", "/api/projects/1/secrets", "/api/workflows", "/api/schedules",
		"/api/sessions", "/api/attempts?include_retried=true", "/api/attempts/1/tasks", "/api/pools", "/api/pool_rules",
		"/api/workflows/1",
	} {
		wantEqual(t, path, other.get(path), h.get(path))
	}
}
