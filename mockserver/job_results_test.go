package mockserver_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

// runJob issues a query in the database shop, lets an hour pass, and returns how the job has ended: its rows, one JSON
// array a line, or its status.
func runJob(t *testing.T, s *mockserver.Server, query string) string {
	t.Helper()
	body := fmt.Sprintf(`{"query":%q}`, query)
	job := mocktest.Decode[struct {
		ID string `json:"job_id"`
	}](mocktest.Call(t, s, "POST", "/core/v3/job/issue/trino/shop", body).Want(200))
	s.World("").Advance(time.Hour)
	status := mocktest.Decode[struct{ Status string }](mocktest.Call(t, s, "GET", "/core/v3/job/status/"+job.ID, "").Want(200)).Status
	if status != "success" {
		return status
	}
	return strings.TrimSpace(mocktest.Call(t, s, "GET", "/core/v3/job/result/"+job.ID+"?format=json", "").Want(200).Body)
}

func newShop(t *testing.T) *mockserver.Server {
	t.Helper()
	s := mocktest.NewServer(t, mockserver.WithScenario("empty"))
	mocktest.Call(t, s, "POST", "/core/v3/database/create/shop", "").Want(200)
	return s
}

func TestJobResults(t *testing.T) {
	t.Parallel()
	t.Run("that are queued in Go are what queries give", func(t *testing.T) {
		t.Parallel()
		s := newShop(t)
		twoHours := 2 * time.Hour
		for _, r := range []mockserver.JobResult{
			{
				Query: "select 1", Times: 1,
				Columns: [][2]string{{"n", "bigint"}, {"x", "double"}, {"s", "varchar"}}, Rows: [][]any{
					{1, 2.5, "a"}, {int32(-2), float32(0.25), "b"}, {nil, nil, nil},
				},
			},
			{Pattern: "^select", Error: "no", Times: 1},
			{Pattern: "^select", Columns: [][2]string{{"b", "boolean"}}, Rows: [][]any{{true}}, Times: 1},
			{Pattern: "^select", Running: &twoHours},
		} {
			if err := s.World("").QueueResult(r); err != nil {
				t.Fatal(err)
			}
		}
		var got []string
		for range 4 {
			got = append(got, runJob(t, s, "select 1"))
		}
		want := []string{"[1,2.5,\"a\"]\n[-2,0.25,\"b\"]\n[null,null,null]", "error", "[true]", "running"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("results (-want +got):\n%s", diff)
		}
	})
	t.Run("that cannot be are refused", func(t *testing.T) {
		t.Parallel()
		w := newShop(t).World("")
		for name, r := range map[string]mockserver.JobResult{
			"exactly one": {}, "pattern": {Pattern: "("}, "either": {Query: "a", Error: "b", Rows: [][]any{}},
			"row 0": {Query: "a", Rows: [][]any{{1}}},
		} {
			if err := w.QueueResult(r); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("%+v: error %v, want one with %q", r, err, name)
			}
		}
	})
	t.Run("are queued, listed and cleared by the control interface", func(t *testing.T) {
		t.Parallel()
		s := newShop(t)
		const path, named = "/_understudy/jobs/results", "/_understudy/worlds/default/jobs/results"
		first := `{"query":"select 1","columns":[["n","bigint"],["list","array<bigint>"]],"rows":[[9007199254740993,[1,2]]],"queued":"90s","times":2}`
		mocktest.Call(t, s, "POST", path, first).Want(201)
		mocktest.Call(t, s, "POST", named, `{"pattern":".","error":"no"}`).Want(201)
		const long = `{"error":{"message":"want a duration such as 90s or 1h30m, not \"99999999999h\"","field":"queued"}}`
		if got := mocktest.Call(t, s, "POST", path, `{"query":"a","queued":"99999999999h"}`).Want(400).Body; got != long {
			t.Errorf("a length that is too long: %s, want %s", got, long)
		}
		if got, want := runJob(t, s, "select 1"), `[9007199254740993,"[1,2]"]`; got != want {
			t.Errorf("the result is %s, want %s", got, want)
		}
		want := `{"results":[{"query":"select 1","columns":[["n","bigint"],["list","array<bigint>"]],"count":1,` +
			`"queued":"1m30s","times":1},{"pattern":".","error":"no"}],"world":"default"}`
		if got := mocktest.Call(t, s, "GET", named, "").Want(200).Body; got != want {
			t.Errorf("the list is  %s\nwant %s", got, want)
		}
		mocktest.Call(t, s, "DELETE", path, "").Want(204)
		if got := mocktest.Call(t, s, "GET", path, "").Body; got != `{"results":[],"world":"default"}` {
			t.Errorf("after clearing, the list is %s", got)
		}
		if got := runJob(t, s, "select 1"); got != "" {
			t.Errorf("after clearing, the result is %s", got)
		}
	})
}

func TestIngestionFailures(t *testing.T) {
	t.Parallel()
	t.Run("are told by the control interface, world by world", func(t *testing.T) {
		t.Parallel()
		s := mocktest.NewServer(t, mockserver.WithScenario("empty"))
		mocktest.Call(t, s, "POST", "/_understudy/worlds", `{"id":"own"}`).Want(201)
		for range 2 {
			mocktest.Call(t, s, "POST", "/ingestion/postback/v3/event/shop/a", `{}`, "Authorization", "SVC1 1/nobody").Want(200)
		}
		const path, own = "/_understudy/ingestion/failures", "/_understudy/worlds/own/ingestion/failures"
		type failures struct {
			World    string
			Total    int
			Failures []mockserver.IngestionFailure
		}
		want := failures{World: "default", Total: 2, Failures: s.World("").IngestionFailures()}
		if diff := cmp.Diff(want, mocktest.Decode[failures](mocktest.Call(t, s, "GET", path, "").Want(200))); diff != "" {
			t.Errorf("failures (-want +got):\n%s", diff)
		}
		if got := want.Failures[0]; got.Database != "shop" || got.Table != "a" || got.Reason == "" {
			t.Errorf("the failure is %+v", got)
		}
		if got := mocktest.Decode[failures](mocktest.Call(t, s, "GET", own, "").Want(200)); got.World != "own" || got.Total != 0 {
			t.Errorf("the other world has %+v", got)
		}
	})
}
