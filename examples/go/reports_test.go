package reports_test

import (
	"testing"

	"example.com/reports"
)

func TestReports(t *testing.T) {
	for name, c := range map[string]struct {
		fault string
		calls int
		fails bool
	}{
		"issues a query once":              {calls: 1},
		"sends a query that got 503 again": {fault: `{"operation":"core.issueJob","first":1,"status":503,"retryAfter":"1s"}`, calls: 2},
		"gives up":                         {fault: `{"operation":"core.issueJob","status":503,"headers":{"Retry-After":"0"}}`, calls: 3, fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			world := newWorld(t)
			if c.fault != "" {
				world.fault(t, c.fault)
			}
			client := &reports.Client{URL: mock.Interfaces.Core, Key: world.Keys.Admin}
			id, err := client.Issue(t.Context(), "SELECT 1")
			if (err != nil) != c.fails || (id == "") != c.fails {
				t.Errorf("job %q, error %v", id, err)
			}
			if n := world.calls(t)["core.issueJob"]; n != c.calls {
				t.Errorf("%d calls, want %d", n, c.calls)
			}
		})
	}
}
