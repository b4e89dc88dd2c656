package workflow_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"
)

func (c client) state() string {
	c.Helper()
	state, err := c.World().State()
	if err != nil {
		c.Fatal(err)
	}
	return string(state)
}

// replace puts a dump in the place of the world's state.
func (c client) replace(state []byte) {
	c.Helper()
	if err := c.World().Load(state); err != nil {
		c.Fatal(err)
	}
}

func TestStateRoundTrip(t *testing.T) {
	t.Parallel()
	const tasks = "+a:\n  echo>: 1\n+b:\n  _parallel: true\n  +c:\n    sh>: x\n    _retry: 3\n  +d:\n    fail>: no\n" +
		"+e:\n  echo>: 2\n"
	h := newClient(t)
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
	h.Advance(1500 * time.Millisecond)
	h.do(http.StatusOK, "POST", "/api/attempts/2/kill", nil)
	h.do(http.StatusOK, "DELETE", "/api/projects/2", nil)

	first := h.state()
	if again := h.state(); again != first {
		t.Fatal("the same world gives other bytes")
	}
	other := newClient(t)
	other.replace([]byte(first))
	wantEqual(t, "state after the load", other.state(), first)

	// Both go on alike.
	for _, h := range []client{h, other} {
		h.Advance(45 * time.Minute)
		h.upload("shop", "v3", map[string]string{"daily": dailyUTC})
		h.do(http.StatusOK, "PUT", "/api/attempts",
			object{"projectName": "shop", "workflowName": "daily", "sessionTime": "2026-01-01T00:00:00Z", "params": object{}})
		h.Advance(24 * time.Hour)
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
