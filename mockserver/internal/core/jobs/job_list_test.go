package jobs_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/internal/mocktest"
)

func TestJobList(t *testing.T) {
	t.Parallel()
	ids := func(a mocktest.Answer) (ids []string) {
		a.Helper()
		var page struct {
			Jobs []struct {
				JobID string `json:"job_id"`
			}
			Count int
		}
		a.Want(200).Into(&page)
		for _, job := range page.Jobs {
			ids = append(ids, job.JobID)
		}
		if page.Count != len(ids) {
			a.Errorf("count %d of %d jobs", page.Count, len(ids))
		}
		return ids
	}
	c := jobClient(t, threeRows)
	for range 25 {
		c.query("SELECT 1")
	}
	c.Post("/job/kill/7", "").Want(200)
	c.Advance(time.Second)
	c.Post("/job/kill/9", "").Want(200)
	c.Advance(4 * time.Second)
	slow := c.query("SELECT 2") // 26
	c.Advance(2 * time.Second)
	for _, test := range []struct {
		name, query string
		want        []string
	}{
		{"to is in the list, and the newest is at 0", "?from=1&to=3", []string{"25", "24", "23"}},
		{"to alone begins at 0", "?to=1", []string{"26", "25"}},
		{"beyond the end there is nothing", "?from=26", nil},
		{"a slice that ends before it begins is empty", "?from=3&to=2", nil},
		{"status filters before positions count", "?status=killed&from=0&to=1", []string{"9", "7"}},
		{"a running job", "?status=running", []string{slow}},
		{"slower than is more than so many seconds", "?slower_than=1&status=running", nil},
		{"a running job has run until now", "?slower_than=0&status=running", []string{slow}},
		{"a killed job ran until its end, or never", "?slower_than=-1&status=killed", []string{"9", "7"}},
		{"a job that is over ran until its end", "?slower_than=3&to=0", []string{"25"}},
		{"slow alone means an hour", "?slow=true", nil},
	} {
		if diff := cmp.Diff(test.want, ids(c.Get("/job/list"+test.query))); diff != "" {
			t.Errorf("%s (-want +got)\n%s", test.name, diff)
		}
	}
	if got := ids(c.Get("/job/list")); len(got) != 20 || got[0] != "26" || got[19] != "7" {
		t.Errorf("without parameters: %v", got)
	}
	if got := ids(c.Get("/job/list?from=20")); len(got) != 6 || got[0] != "6" {
		t.Errorf("from 20: %v", got)
	}
	c.Get("/job/list").Has(map[string]any{"from": nil, "to": nil})
	c.Get("/job/list?from=2&to=400").Has(map[string]any{"from": 2.0, "to": 400.0, "count": 24.0})
	for _, query := range []string{"?from=-1", "?to=-1", "?from=x", "?status=booting", "?slower_than=x"} {
		c.Get("/job/list" + query).Want(400)
	}
}
