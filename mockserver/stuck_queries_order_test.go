package mockserver_test

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"time"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

func TestQueriesRunSideBySideUpToABound(t *testing.T) {
	t.Parallel()
	e := newStuckEngine()
	s := mocktest.NewServer(t, mockserver.WithScenario("empty"), mockserver.WithQueryEngine(e))
	mocktest.Call(t, s, "POST", "/core/v3/database/create/shop", "").Want(200)
	bound := max(2, runtime.GOMAXPROCS(0)/2)
	for range bound + 2 {
		mocktest.Call(t, s, "POST", "/core/v3/job/issue/trino/shop", `{"query":"SELECT stuck"}`).Want(200)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	waiting := leaving(ctx, s, "POST", "/_understudy/worlds/default/clock", `{"advance":"1m"}`)
	for range bound {
		soon(t, "queries run side by side", e.started)
	}
	select {
	case <-e.started:
		t.Errorf("more than %d queries run at once", bound)
	case <-time.After(50 * time.Millisecond):
	}
	close(e.released)
	soon(t, "the clock has moved", waiting)
	if n := int(e.calls.Load()); n != bound+2 {
		t.Errorf("%d queries ran, want %d", n, bound+2)
	}
}

// What comes after the end of a job, and depends on it, comes in the same order as if its query had taken no time.
func TestTheClockWaitsForAResultThatMoreDependsOn(t *testing.T) {
	t.Parallel()
	s, e, waiting, _ := newStuck(t, `{"query":"SELECT stuck","retry_limit":1}`)
	if at := clockOf(t, s); at != 5*time.Second {
		t.Errorf("the clock stands %s after the job was issued, want 5s, the end of the job", at)
	}
	export := make(chan mocktest.Answer, 1)
	go func() {
		export <- mocktest.Call(t, s, "POST", "/core/v3/job/result_export/1", `{"result":"s3://bucket/x"}`, inA, "a")
	}()
	close(e.released)
	soon(t, "the clock has moved", waiting)
	soon(t, "the export is issued", export).Want(200)
	promptly(t, s, 200, "POST", "/_understudy/worlds/a/clock", `{"advance":"1m"}`)
	if got := promptly(t, s, 200, "GET", "/core/v3/job/status/2", "", inA, "a").Body; !strings.Contains(got, `"success"`) {
		t.Errorf("the export: %s", got)
	}
}

func TestTheClockMovesOnWhereNothingDependsOnAResult(t *testing.T) {
	t.Parallel()
	s, e, waiting, _ := newStuck(t, `{"query":"SELECT stuck"}`)
	if at := clockOf(t, s); at != time.Minute {
		t.Errorf("the clock stands %s after the job was issued, want 1m", at)
	}
	close(e.released)
	soon(t, "the clock has moved", waiting)
}

// clockOf returns how far the clock of world a has moved since the world was made.
func clockOf(t *testing.T, s *mockserver.Server) time.Duration {
	t.Helper()
	type clock struct{ Now time.Time }
	now := mocktest.Decode[clock](promptly(t, s, 200, "GET", "/_understudy/worlds/a/clock", "")).Now
	mocktest.Call(t, s, "POST", "/_understudy/worlds", `{"id":"new","scenario":"empty"}`).Want(201)
	return now.Sub(mocktest.Decode[clock](promptly(t, s, 200, "GET", "/_understudy/worlds/new/clock", "")).Now)
}

func TestAnExportWaitsForAQueryWithoutHoldingUpOthers(t *testing.T) {
	t.Parallel()
	e := newStuckEngine()
	s := mocktest.NewServer(t, mockserver.WithScenario("empty"), mockserver.WithQueryEngine(e))
	mocktest.Call(t, s, "POST", "/core/v3/database/create/shop", "").Want(200)
	mocktest.Call(t, s, "POST", "/core/v3/job/issue/trino/shop", `{"query":"SELECT stuck"}`).Want(200)
	for range 2 { // the job names the last one only
		mocktest.Call(t, s, "POST", "/core/v3/job/result_export/1", `{"result":"s3://bucket/x"}`).Want(200)
	}
	waiting := leaving(t.Context(), s, "POST", "/_understudy/worlds/default/clock", `{"advance":"1m"}`)
	soon(t, "the query begins", e.started)
	promptly(t, s, 200, "GET", "/workflow/api/pools", "")
	close(e.released)
	soon(t, "the clock has moved", waiting)
	list := promptly(t, s, 200, "GET", "/core/v3/job/list", "").Body
	if n := strings.Count(list, `"status":"success"`); n != 3 {
		t.Errorf("%d jobs have succeeded, want 3: %s", n, list)
	}
	if n := strings.Count(list, `"start_at":"2026`); n != 3 {
		t.Errorf("%d jobs have started, want 3: %s", n, list)
	}
}

func TestAQueryOfAKnowledgeBaseHoldsNothingUp(t *testing.T) {
	t.Parallel()
	e := newStuckEngine()
	s := mocktest.NewServer(t, mockserver.WithScenario("empty"), mockserver.WithQueryEngine(e))
	mocktest.Call(t, s, "POST", "/core/v3/database/create/shop", "").Want(200)
	created := func(path, body string) string {
		return mocktest.Decode[struct {
			Data struct{ ID string } `json:"data"`
		}](mocktest.Call(t, s, "POST", "/llm/api/"+path, body).Want(201)).Data.ID
	}
	project := created("projects", `{"data":{"type":"projects","attributes":{"name":"p"}}}`)
	base := created("knowledge_bases", `{"data":{"type":"knowledge_bases","attributes":{"projectId":"`+project+
		`","name":"k","svcDatabaseName":"shop"}}}`)
	asked := make(chan mocktest.Answer, 1)
	go func() {
		asked <- mocktest.Call(t, s, "POST", "/llm/api/knowledge_bases/"+base+"/query",
			`{"function":"QUERY_DATA_DIRECT","arguments":{"query":"SELECT stuck"}}`)
	}()
	soon(t, "the query begins", e.started)
	promptly(t, s, 200, "GET", "/llm/api/knowledge_bases/"+base, "")
	promptly(t, s, 200, "POST", "/core/v3/database/create/more", "")
	close(e.released)
	if got := soon(t, "the answer", asked).Want(200).Body; !strings.Contains(got, "content") {
		t.Errorf("answer %s", got)
	}
	if n := e.calls.Load(); n != 1 {
		t.Errorf("the query ran %d times, want once", n)
	}
}

func TestAnIndexingHoldsNothingUp(t *testing.T) {
	t.Parallel()
	e := newStuckEngine()
	s := mocktest.NewServer(t, mockserver.WithScenario("empty"), mockserver.WithQueryEngine(e))
	mocktest.Call(t, s, "POST", "/core/v3/database/create/shop", "").Want(200)
	created := func(path, body string) string {
		return mocktest.Decode[struct {
			Data struct{ ID string } `json:"data"`
		}](mocktest.Call(t, s, "POST", "/llm/api/"+path, body).Want(201)).Data.ID
	}
	project := created("projects", `{"data":{"type":"projects","attributes":{"name":"p"}}}`)
	base := created("knowledge_bases", `{"data":{"type":"knowledge_bases","attributes":{"projectId":"`+project+
		`","name":"k","svcDatabaseName":"shop","formatType":"LEGACY_JSON","tables":[{"name":"one","svcQuery":"SELECT stuck"},
		{"name":"two","svcQuery":"SELECT 2"}]}}}`)
	waiting := leaving(t.Context(), s, "POST", "/_understudy/worlds/default/clock", `{"advance":"1h"}`)
	soon(t, "the query begins", e.started)
	promptly(t, s, 200, "GET", "/llm/api/projects", "")
	promptly(t, s, 200, "POST", "/core/v3/database/create/more", "")
	close(e.released)
	soon(t, "the clock has moved", waiting)
	body := promptly(t, s, 200, "GET", "/llm/api/knowledge_bases/"+base, "").Body
	if !strings.Contains(body, `"status":"SUCCESS"`) || !strings.Contains(body, `table two: 1 columns`) {
		t.Errorf("the knowledge base: %s", body)
	}
	if n := e.calls.Load(); n > 4 {
		t.Errorf("the queries ran %d times", n)
	}
}
