package mockserver_test

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/query"
)

// instant is a query engine that answers at once.
var instant = engineFunc(func(context.Context, query.Query) (query.Result, error) {
	return query.Result{Columns: []query.Column{{Name: "n", Type: "bigint"}}, Rows: [][]any{{int64(1)}}}, nil
})

// dueWork is some work that falls due at the same time.
type dueWork struct {
	name   string
	clock  mockserver.ClockMode
	issue  func(t *testing.T, s *mockserver.Server, n int)
	settle func(t *testing.T, s *mockserver.Server, n int)
}

func issueJobs(t *testing.T, s *mockserver.Server, n int) {
	t.Helper()
	for range n {
		mocktest.Call(t, s, "POST", "/core/v3/job/issue/trino/shop", `{"query":"SELECT 1"}`).Want(200)
	}
}

func moveClock(body string) func(*testing.T, *mockserver.Server, int) {
	return func(t *testing.T, s *mockserver.Server, _ int) {
		t.Helper()
		moved := mocktest.Call(t, s, "POST", "/_understudy/worlds/default/clock", body).Want(200).Body
		if !strings.Contains(moved, `"complete":true`) {
			t.Errorf("the clock moves to %s", moved)
		}
	}
}

// readEach asks for each of the things that were made, until none is under way.
func readEach(path, underWay string) func(*testing.T, *mockserver.Server, int) {
	return func(t *testing.T, s *mockserver.Server, n int) {
		t.Helper()
		for id := range n {
			for strings.Contains(mocktest.Call(t, s, "GET", fmt.Sprint(path, id+1), "").Want(200).Body, underWay) {
			}
		}
	}
}

func issueKnowledgeBases(t *testing.T, s *mockserver.Server, n int) {
	t.Helper()
	project := mocktest.Decode[struct {
		Data struct{ ID string } `json:"data"`
	}](mocktest.Call(t, s, "POST", "/llm/api/projects", `{"data":{"type":"projects","attributes":{"name":"p"}}}`).Want(201))
	for i := range n {
		mocktest.Call(t, s, "POST", "/llm/api/knowledge_bases", fmt.Sprintf(`{"data":{"type":"knowledge_bases","attributes":{
			"projectId":%q,"name":"k%d","svcDatabaseName":"shop","formatType":"LEGACY_JSON",
			"tables":[{"name":"one","svcQuery":"SELECT 1"}]}}}`, project.Data.ID, i)).Want(201)
	}
}

// uploadWorkflows uploads a project with n workflows.
func uploadWorkflows(t *testing.T, s *mockserver.Server, n int, definition string) {
	t.Helper()
	mocktest.Call(t, s, "PUT", "/workflow/api/projects?project=p&revision=1", mocktest.ProjectArchive(t, n, definition),
		"Content-Type", "application/gzip").Want(200)
}

func dueWorks() []dueWork {
	cron := func(t *testing.T, s *mockserver.Server, n int) {
		t.Helper()
		for i := range n {
			mocktest.Call(t, s, "POST", fmt.Sprintf("/core/v3/schedule/create/every%d", i),
				`{"cron":"* * * * *","type":"trino","query":"SELECT 1","database":"shop"}`).Want(200)
		}
	}
	return []dueWork{
		{"jobs, frozen", "frozen", issueJobs, moveClock(`{"advance":"1h"}`)},
		{"jobs, until idle", "frozen", issueJobs, moveClock(`{"untilIdle":true}`)},
		{"jobs, auto", "auto", issueJobs, readEach("/core/v3/job/show/", `"end_at":""`)},
		{"jobs, real", "real", issueJobs, func(t *testing.T, s *mockserver.Server, n int) {
			t.Helper()
			time.Sleep(time.Minute)
			readEach("/core/v3/job/show/", `"end_at":""`)(t, s, n)
		}},
		{"exports of one result", "frozen", func(t *testing.T, s *mockserver.Server, n int) {
			t.Helper()
			issueJobs(t, s, 1)
			for range n {
				mocktest.Call(t, s, "POST", "/core/v3/job/result_export/1", `{"result":"s3://bucket/x"}`).Want(200)
			}
		}, moveClock(`{"advance":"1h"}`)},
		{"job schedules", "frozen", cron, moveClock(`{"advance":"150s"}`)},
		{"knowledge bases", "frozen", issueKnowledgeBases, moveClock(`{"advance":"1h"}`)},
		{"attempts", "frozen", func(t *testing.T, s *mockserver.Server, n int) {
			t.Helper()
			uploadWorkflows(t, s, 1, "+a:\n  echo>: 1\n")
			for i := range n {
				at := time.Date(2026, 1, 1, 0, i, 0, 0, time.UTC).Format(time.RFC3339)
				mocktest.Call(t, s, "PUT", "/workflow/api/attempts", fmt.Sprintf(
					`{"workflowId":"1","sessionTime":%q,"params":{},"allowQueueing":true}`, at)).Want(200)
			}
		}, moveClock(`{"untilIdle":true}`)},
		{"jobs with queued results", "frozen", func(t *testing.T, s *mockserver.Server, n int) {
			t.Helper()
			for i := range n {
				mocktest.Call(t, s, "POST", "/_understudy/jobs/results",
					fmt.Sprintf(`{"query":"q%d","times":1,"columns":[["a","bigint"]],"rows":[[1]]}`, i)).Want(201)
			}
		}, func(t *testing.T, s *mockserver.Server, n int) {
			t.Helper()
			for i := range n {
				mocktest.Call(t, s, "POST", "/core/v3/job/issue/trino/shop", fmt.Sprintf(`{"query":"q%d"}`, i)).Want(200)
			}
		}},
		{"workflow schedules", "frozen", func(t *testing.T, s *mockserver.Server, n int) {
			t.Helper()
			uploadWorkflows(t, s, n, "schedule:\n  minutes_interval>: 5\n\n+a:\n  echo>: 1\n")
		}, moveClock(`{"advance":"6m"}`)},
	}
}

// allocated returns how many bytes it takes per thing to settle n of them.
func (w dueWork) allocated(t *testing.T, n int) (bytes uint64) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := mocktest.NewServer(t, mockserver.WithScenario("empty"), mockserver.WithClock(w.clock),
			mockserver.WithQueryEngine(instant), mockserver.WithJournalLimit(1<<20))
		mocktest.Call(t, s, "POST", "/core/v3/database/create/shop", "").Want(http.StatusOK)
		w.issue(t, s, n)
		mocktest.Call(t, s, "POST", "/_understudy/worlds/default/clock", `{"advance":"1ns"}`).Want(http.StatusOK) // reads its document
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		w.settle(t, s, n)
		runtime.ReadMemStats(&after)
		bytes = (after.TotalAlloc - before.TotalAlloc) / uint64(n)
	})
	return bytes
}

// A list that each event copies, or looks through, costs the square of what falls due.
//
//nolint:paralleltest // it counts what is allocated
func TestWorkThatFallsDueTogetherCostsWhatItCostsApart(t *testing.T) {
	for _, w := range dueWorks() {
		t.Run(w.name, func(t *testing.T) {
			const few, many = 125, 1000 // as many attempts as may wait in a pool
			one, each := w.allocated(t, few), w.allocated(t, many)
			t.Logf("%d bytes each of %d, %d each of %d", one, few, each, many)
			if each > 2*one { // trees get deeper
				t.Errorf("each of %d takes %d bytes, and each of %d takes %d", few, one, many, each)
			}
		})
	}
}

// A query reads the world as it was when it was due. What has changed since is kept for it, and counts.
func TestWhatQueriesWillReadCounts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const rounds, limit = 20, 1 << 20
		s := mocktest.NewServer(t, mockserver.WithScenario("empty"), mockserver.WithClock("real"),
			mockserver.WithQueryEngine(instant), mockserver.WithRecordLimit(limit), mockserver.WithJournalLimit(64<<10))
		size := func() int64 {
			type health struct{ Memory struct{ Bytes int64 } }
			return mocktest.Decode[health](mocktest.Call(t, s, "GET", "/_understudy/health", "").Want(200)).Memory.Bytes
		}
		event := fmt.Sprintf(`{"text":%q}`, strings.Repeat("x", 200<<10))
		replaceRecords := func() {
			for range 5 {
				mocktest.Call(t, s, "POST", "/ingestion/postback/v3/event/shop/sales", event).Want(200)
			}
		}
		mocktest.Call(t, s, "POST", "/core/v3/database/create/shop", "").Want(200)
		mocktest.Call(t, s, "POST", "/core/v3/table/create/shop/sales", "").Want(200)
		replaceRecords()
		before := size()
		for range rounds {
			issueJobs(t, s, 1)
			time.Sleep(time.Minute) // nobody asks for the result
			replaceRecords()
		}
		if kept := size() - before; kept < rounds*limit*3/4 {
			t.Errorf("%d queries that read %d bytes each, no two the same, count %d bytes", rounds, limit, kept)
		}
		readEach("/core/v3/job/show/", `"end_at":""`)(t, s, rounds)
		if kept := size() - before; kept > 2*limit {
			t.Errorf("queries that have ended count %d bytes", kept)
		}
	})
}
