package core_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/internal/mocktest"
)

func TestSeedJobs(t *testing.T) {
	t.Parallel()
	c := mocktest.New(t, "core").Load(seedShop + `
  connections: [{name: warehouse, url: 's3://me:secret@objects.example/'}]
  jobTime: {queued: 1m, running: 9m}
  jobs:
  - {type: trino, database: shop, query: SELECT 1, status: success, user: analyst@shop.example, domainKey: once}
  - {type: trino, database: shop, query: SELECT 2, status: error, createdAt: now-1h, retryLimit: 3}
  - {type: hive, database: shop, query: SELECT 3, status: killed, startAt: now-2h, target: 'warehouse:file'}
  - {type: hive, database: shop, query: SELECT 4, status: killed, createdAt: now-3h, endAt: now-3h+30s}
  - type: trino
    database: shop
    query: SELECT 5
    status: running
    endAt: now+5m
    result: {columns: [[n, bigint]], rows: [[5]]}
  - {type: trino, database: shop, query: SELECT 6, status: running, createdAt: now-10m, error: it broke}
  - {type: trino, database: shop, query: SELECT 7, status: queued, startAt: now+2m}
  - type: bulkload
    database: shop
    query: '{"in": {}}'
    status: success
    createdAt: now-4h
    result: {columns: [[n, long]], rows: [[1], [2]]}
`)
	type row struct{ Query, Status, CreatedAt, StartAt, EndAt string }
	var page struct {
		Jobs []struct {
			JobID                  string `json:"job_id"`
			Query                  string
			Status                 string
			Created                string `json:"created_at"`
			Start                  string `json:"start_at"`
			End                    string `json:"end_at"`
			User                   string `json:"user_name"`
			Result                 string
			Records                *int `json:"num_records"`
			Priority, ResultExport int
		}
	}
	c.Get("/job/list").Want(http.StatusOK).Into(&page)
	ids := map[string]string{}
	var got []row
	for _, j := range page.Jobs {
		ids[j.Query] = j.JobID
		got = append(got, row{j.Query, j.Status, clockOf(j.Created), clockOf(j.Start), clockOf(j.End)})
	}
	t.Run("each stands where it should, the newest first, with times that follow from those given", func(t *testing.T) {
		t.Parallel()
		want := []row{
			{"SELECT 7", "queued", "09:30:00", "", ""},
			{"SELECT 5", "running", "09:29:00", "09:30:00", ""},
			{"SELECT 6", "running", "09:20:00", "09:21:00", ""},
			{"SELECT 1", "success", "09:20:00", "09:21:00", "09:30:00"},
			{"SELECT 2", "error", "08:30:00", "08:31:00", "08:40:00"},
			{"SELECT 3", "killed", "07:29:00", "07:30:00", "07:39:00"},
			{"SELECT 4", "killed", "06:30:00", "", "06:30:30"},
			{`{"in":{}}`, "success", "05:30:00", "05:31:00", "05:40:00"},
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("(-want +got)\n%s", d)
		}
	})
	t.Run("what a fixture says was allowed, and has the result that it says", func(t *testing.T) {
		t.Parallel()
		status := c.Get("/job/status_by_domain_key/once").Want(http.StatusOK).Object()
		if status["job_id"] != ids["SELECT 1"] || status["num_records"] != 0.0 {
			t.Errorf("got %v, want the analyst's job with an empty result", status)
		}
		debug := c.Get("/job/show/" + ids["SELECT 2"]).Object()["debug"].(map[string]any)
		if debug["stderr"] != "the job failed\n" {
			t.Errorf("debug %v", debug)
		}
		if got := c.Get("/job/statistics/" + ids[`{"in":{}}`]).Object()["records_inserted"]; got != "2" {
			t.Errorf("records_inserted %v, want as many as the result has rows", got)
		}
		if got := c.Get("/job/show/" + ids["SELECT 3"]).Object()["result"]; got != "warehouse:file" {
			t.Errorf("result %v", got)
		}
	})
	t.Run("what is under way ends in its time and as it should", func(t *testing.T) {
		t.Parallel()
		status := func(query string) any { return c.Get("/job/status/" + ids[query]).Object()["status"] }
		c.Advance(2 * time.Minute)
		if got := status("SELECT 7"); got != "running" {
			t.Errorf("status %v, want it to have started", got)
		}
		c.Advance(3 * time.Minute)
		if got := status("SELECT 5"); got != "success" {
			t.Errorf("status %v, want it to have succeeded", got)
		}
		if got := c.Get("/job/result/" + ids["SELECT 5"] + "?format=json").Want(http.StatusOK).Body; got != "[5]\n" {
			t.Errorf("result %q", got)
		}
		c.Advance(6 * time.Minute)
		if got := status("SELECT 7"); got != "success" {
			t.Errorf("status %v, want it to have run as long as jobs do", got)
		}
		if got := status("SELECT 6"); got != "running" {
			t.Errorf("status %v, want it to run for hours", got)
		}
		c.Advance(12 * time.Hour)
		if got := status("SELECT 6"); got != "error" {
			t.Errorf("status %v, want it to have failed", got)
		}
	})
}

// clockOf returns the time of day of a time on the wire.
func clockOf(text string) string {
	if text == "" {
		return ""
	}
	return strings.Fields(text)[1]
}

const seedSchedules = seedShop + `
  schedules:
  - name: daily
    cron: 0 7 * * *
    timezone: Asia/Tokyo
    delay: 7200
    database: shop
    type: trino
    query: SELECT COUNT(1) FROM orders
    user: analyst@shop.example
    priority: 1
    history:
    - {status: error, error: it broke}
    - {status: success, result: {columns: [[n, bigint]], rows: [[1]]}}
  - name: by_hand
    database: shop
    type: hive
    query: SELECT 1
    history: [{status: killed, scheduledAt: now-5d}]
  - {name: late, cron: '@daily', delay: 36000, database: shop, type: trino, query: SELECT 2, createdAt: now-1d}
  - {name: new, cron: '@daily', delay: 36000, database: shop, type: trino, query: SELECT 2}
`

// seededHistory returns the jobs of a schedule, the newest first: status, slot, and time of day of the start.
func seededHistory(c *mocktest.Client, name string) (jobs []string) {
	c.Helper()
	var form struct {
		History []struct {
			At     string `json:"scheduled_at"`
			Status string
			Start  string `json:"start_at"`
		}
	}
	c.Get("/schedule/history/" + name).Want(http.StatusOK).Into(&form)
	for _, h := range form.History {
		jobs = append(jobs, h.Status+" for "+h.At+" at "+clockOf(h.Start))
	}
	return jobs
}

func TestSeedSchedules(t *testing.T) {
	t.Parallel()
	t.Run("its history is of the slots before now, and it goes on with the next", func(t *testing.T) {
		t.Parallel()
		c := mocktest.New(t, "core").Load(seedSchedules)
		want := []string{
			"success for 2026-01-14 22:00:00 UTC at 00:00:01", "error for 2026-01-13 22:00:00 UTC at 00:00:01",
		}
		if d := cmp.Diff(want, seededHistory(c, "daily")); d != "" {
			t.Errorf("(-want +got)\n%s", d)
		}
		var list struct {
			Schedules []struct {
				Name    string
				Next    *string `json:"next_time"`
				Created string  `json:"created_at"`
				User    string  `json:"user_name"`
			}
		}
		c.Get("/schedule/list").Want(http.StatusOK).Into(&list)
		byHand, daily, late := list.Schedules[0], list.Schedules[1], list.Schedules[2] // in the order of their creation
		if *daily.Next != "2026-01-15 22:00:00 UTC" || daily.Created != "2026-01-12T22:00:00Z" ||
			daily.User != "Ana Analyst" {
			t.Errorf("%+v, want the next slot, made a day before the first", daily)
		}
		if byHand.Next != nil || byHand.Created != "2026-01-09T09:30:00Z" {
			t.Errorf("%+v, want no next slot, and made a day before its history", byHand)
		}
		if *late.Next != "2026-01-15 00:00:00 UTC" {
			t.Errorf("%+v, want the slot whose job is still to come", late)
		}
		if fresh := list.Schedules[3]; *fresh.Next != "2026-01-16 00:00:00 UTC" {
			t.Errorf("%+v, want no slot from before it was made", fresh)
		}
	})
	t.Run("a slot that a fixture names stands for one", func(t *testing.T) {
		t.Parallel()
		c := mocktest.New(t, "core").Load(seedSchedules)
		want := []string{"killed for 2026-01-10 09:30:00 UTC at 09:30:01"}
		if d := cmp.Diff(want, seededHistory(c, "by_hand")); d != "" {
			t.Errorf("(-want +got)\n%s", d)
		}
	})
	t.Run("it runs by itself from then on", func(t *testing.T) {
		t.Parallel()
		c := mocktest.New(t, "core").Load(seedSchedules)
		c.Advance(24 * time.Hour)
		if got := len(seededHistory(c, "daily")); got != 3 {
			t.Errorf("%d jobs, want one more", got)
		}
		if got := seededHistory(c, "late"); len(got) != 1 || got[0] != "success for 2026-01-15 00:00:00 UTC at 10:00:01" {
			t.Errorf("history %v, want the slot that was late", got)
		}
	})
}
