package workflow_test

import (
	"net/http"
	"net/url"
	"testing"

	"svc.example/understudy/internal/mocktest"
)

// FuzzScheduleBodies sends anything to the rules that read a body about a schedule: none of it is our fault.
func FuzzScheduleBodies(f *testing.F) {
	for _, body := range []string{
		"", "{}", "null", `{"nextTime":"2026-01-18T00:00:00Z"}`, `{"fromTime":"2026-01-10","count":3}`,
		`{"fromTime":"2026-01-10T00:00:00Z","skipExisting":true,"advanceSchedule":true}`, `{"skipSchedule":false}`,
		`{"nextTime":"2026-01-18","nextRunTime":"9998-12-31T23:59:59-14:00"}`,
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		h := lenient(t)
		h.upload("shop", "v1", map[string]string{"daily": dailyTokyo})
		for _, move := range []string{"disable", "skip", "backfill", "enable", "skip", "backfill"} {
			h.Call("POST", "/api/schedules/1/"+move, body, "Content-Type", "application/json")
		}
		h.get("/api/schedules/1")
		h.state()
	})
}

// FuzzQueries sends anything in a query: none of it is our fault.
func FuzzQueries(f *testing.F) {
	for _, query := range []string{
		"", "count=1&last_id=9223372036854775807&order=desc", "page[size]=2&page[after]=1", "name&name_pattern=%00",
		"revision=v1&workflow=a", "session_time=2026-03-08T02:30&mode=next_schedule", "search_project_name=1",
	} {
		f.Add(query)
	}
	f.Fuzz(func(t *testing.T, query string) {
		h := lenient(t)
		h.upload("shop", "v1", map[string]string{"daily": dailyTokyo})
		for _, path := range []string{
			"/projects", "/projects/1/archive", "/projects/1/revisions", "/projects/1/schedules", "/projects/1/secrets",
			"/projects/1/workflows", "/projects/1/workflows/daily", "/schedules", "/workflows",
			"/workflows/1/truncated_session_time",
		} {
			target := &url.URL{Path: "/workflow/api" + path, RawQuery: query}
			request := &http.Request{Method: "GET", URL: target, Header: http.Header{"Authorization": {"SVC1 1/admin"}}}
			if a := mocktest.Send(t, h.Server, request.WithContext(t.Context())); a.Status >= 500 {
				t.Fatalf("%s: status %d", target, a.Status)
			}
		}
	})
}
