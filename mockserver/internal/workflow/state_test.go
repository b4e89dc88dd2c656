package workflow_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"svc.example/understudy/mockserver/internal/clock"
	"svc.example/understudy/mockserver/internal/world"
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
	const tasks = "+a:\n  echo>: 1\n+b:\n  _parallel: true\n  +c:\n    sh>: x\n    _retry: 3\n  +d:\n    fail>: no\n" +
		"+e:\n  echo>: 2\n"
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

// TestStateEditedByHand puts a wrong value in each place of a dump. Each is refused, or makes a world that works.
func TestStateEditedByHand(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.upload("shop", "v1", map[string]string{"w": dailyUTC + "+b:\n  +c:\n    sh>: x\n    _retry: 3\n"})
	h.do(http.StatusCreated, "POST", "/api/pools", object{"name": "small", "concurrencyLimit": 1})
	h.do(http.StatusCreated, "POST", "/api/pool_rules", object{
		"poolId": "2", "priority": 5, "conditions": []any{object{"type": "invocation_type", "values": []any{"scheduled"}}},
	})
	h.do(http.StatusOK, "POST", "/api/schedules/1/backfill", object{"fromTime": "2026-01-14T00:00:00Z", "dryRun": false})
	var fixture object
	if err := json.Unmarshal([]byte(h.state()), &fixture); err != nil {
		t.Fatal(err)
	}
	whole := fixture["state"]
	loaded := 0
	eachPlace(whole, func(path string, set func(any)) {
		for _, wrong := range []any{
			nil, -1, 0, 2, 99, 1 << 40, "", "x", "0000-01-01T00:00:00Z", true, []any{}, object{},
		} {
			set(wrong)
			text, err := json.Marshal(whole)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := world.Load(text, clock.Frozen); err != nil {
				continue
			}
			fixture := slices.Concat([]byte(`{"state":`), text, []byte("}"))
			h.body(http.StatusOK, h.send("PUT", statePath, "application/json", fixture))
			loaded++
			if !h.works() {
				t.Errorf("%s = %v makes a world that fails: %s", path, wrong, h.log)
				h.log.Reset()
			}
		}
	})
	if loaded == 0 {
		t.Error("nothing was loaded")
	}
}

// eachPlace visits every value inside another one, with a function that replaces it for the time of the visit.
func eachPlace(whole any, visit func(path string, set func(any))) {
	var walk func(path string, value any)
	walk = func(path string, value any) {
		switch value := value.(type) {
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(value)) {
				kept := value[key]
				visit(path+"."+key, func(v any) { value[key] = v })
				value[key] = kept
				walk(path+"."+key, kept)
			}
		case []any:
			for i, kept := range value {
				visit(fmt.Sprint(path, ".", i), func(v any) { value[i] = v })
				value[i] = kept
				walk(fmt.Sprint(path, ".", i), kept)
			}
		}
	}
	walk("", whole)
}

// works lets a world go on and looks at all of it.
func (h *harness) works() bool {
	for _, path := range []string{
		"GET /api/attempts?include_retried=true", "GET /api/attempts/1/tasks", "GET /api/sessions", "GET /api/schedules",
		"POST /api/attempts/1/kill", "POST /api/schedules/1/enable",
		"CLOCK 30h", "GET /api/projects", "GET /api/projects/1/revisions", "GET /api/projects/1/secrets",
		"GET /api/workflows",
		"GET /api/attempts?include_retried=true", "GET /api/attempts/1/tasks", "GET /api/attempts/2/tasks",
		"GET /api/attempts/2/retries", "GET /api/sessions", "GET /api/schedules", "GET /api/pools", "GET /api/pool_rules",
		"DELETE /api/pools/2", "DELETE /api/projects/1",
	} {
		method, path, _ := strings.Cut(path, " ")
		target, body := "/workflow"+path, []byte(nil)
		if method == "CLOCK" {
			method, target, body = "POST", "/_understudy/worlds/default/clock", []byte(`{"advance":"`+path+`"}`)
		}
		request := httptest.NewRequestWithContext(h.t.Context(), method, target, bytes.NewReader(body))
		request.Header.Set("Authorization", "SVC1 1/admin")
		if body != nil {
			request.Header.Set("Content-Type", "application/json")
		}
		recorder := httptest.NewRecorder()
		if h.server.ServeHTTP(recorder, request); recorder.Code >= 500 {
			return false
		}
	}
	return true
}
