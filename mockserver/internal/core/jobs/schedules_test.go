package jobs_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/internal/mocktest"
)

const hourly = `"database":"shop","query":"SELECT 1","type":"trino","cron":"@hourly"`

// schedule creates a schedule.
func (c client) schedule(name, members string) mocktest.Answer {
	c.Helper()
	return c.Post("/schedule/create/"+name, "{"+members+"}").Want(200)
}

// history returns the ids of all jobs with the times that they are scheduled for, the newest first.
func (c client) history(name, query string) (list []string) {
	c.Helper()
	var form struct {
		Count   int
		History []struct {
			JobID       string `json:"job_id"`
			ScheduledAt string `json:"scheduled_at"`
		}
	}
	c.Get("/schedule/history/" + name + query).Want(200).Into(&form)
	for _, entry := range form.History {
		list = append(list, entry.JobID+" for "+entry.ScheduledAt)
	}
	if form.Count != len(list) {
		c.Errorf("count %d of %d", form.Count, len(list))
	}
	return list
}

func TestSchedules(t *testing.T) {
	t.Parallel()
	nine := map[string]any{
		"name": "nightly", "cron": "0 6 * * *", "timezone": "Asia/Tokyo", "delay": 600.0, "type": "trino",
		"database": "shop", "query": "SELECT 1", "user_name": "Ada Admin", "created_at": "2026-01-15T09:30:00Z",
	}
	with := func(more map[string]any) map[string]any {
		all := maps.Clone(nine)
		maps.Copy(all, more)
		return all
	}
	is := func(t *testing.T, want map[string]any, got any) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
	t.Run("each answer has its own fields, and no other", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows)
		created := c.schedule("nightly", `"database":"shop","query":"SELECT 1","type":"trino","cron":"0 6 * * *",
			"timezone":"Asia/Tokyo","delay":600,"priority":1,"retry_limit":3,"result":"s3://b/k"`).Object()
		is(t, with(map[string]any{
			"id": 1.0, "priority": 1.0, "retry_limit": 3.0, "result": "s3://b/k", "start": "2026-01-15 21:00:00 UTC",
		}), created)
		list := c.Get("/schedule/list").Want(200).Object()["schedules"].([]any)
		is(t, with(map[string]any{
			"priority": 1.0, "retry_limit": 3.0, "result": "s3://b/k", "next_time": "2026-01-15 21:00:00 UTC",
		}), list[0])
		is(t, nine, c.Post("/schedule/delete/nightly", "").Want(200).Object())
		c.Post("/schedule/delete/nightly", "").Refused(404, "nightly")
		c.Get("/schedule/history/nightly").Refused(404, "nightly")
		if body := c.Get("/schedule/list").Want(200).Body; body != `{"schedules":[]}` {
			t.Error(body)
		}
		c.Advance(48 * time.Hour)
		c.Get("/job/list").Has(map[string]any{"count": 0.0})
	})
	t.Run("a schedule without cron never runs by itself", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows)
		for name, cron := range map[string]string{"null": "null", "empty": `""`} {
			c.schedule(name, `"database":"shop","query":"SELECT 1","type":"hive","cron":`+cron).Has(map[string]any{
				"cron": nil, "start": nil, "timezone": "UTC", "delay": 0.0,
			})
		}
		c.Post("/schedule/create/form", "database=shop&query=SELECT+1&type=hive&cron=&delay=").Want(200).
			Has(map[string]any{"cron": nil, "delay": 0.0})
		c.Advance(48 * time.Hour)
		c.Get("/job/list").Has(map[string]any{"count": 0.0})
		c.Post("/schedule/run/form/1768456800", `{"num":2}`).Refused(422, "num")
		c.Post("/schedule/run/form/1768456800", "").Want(200)
	})
	t.Run("an update changes what is sent, and renames", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows)
		c.schedule("nightly", hourly)
		c.schedule("other", hourly)
		c.Post("/schedule/update/nightly", `{"name":"morning","cron":"30 6 * * *","engine_version":"stable"}`).Want(200).
			Has(map[string]any{
				"name": "morning", "cron": "30 6 * * *", "query": "SELECT 1", "id": 1.0, "start": "2026-01-16 06:30:00 UTC",
			})
		c.Post("/schedule/update/nightly", `{}`).Refused(404, "nightly")
		c.Post("/schedule/update/morning", "priority=2&query=SELECT+2").Want(200).
			Has(map[string]any{"priority": 2.0, "query": "SELECT 2", "start": "2026-01-16 06:30:00 UTC"})
		c.Post("/schedule/update/morning", `{"cron":null}`).Want(200).Has(map[string]any{"cron": nil, "start": nil})
		c.schedule("nightly", hourly)
		c.Post("/schedule/update/morning", `{"name":"other"}`).Refused(422, "name", "other")
		c.Post("/schedule/update/morning", `{"name":"ab"}`).Refused(422, "3 or more")
		c.Post("/schedule/update/morning", `{"cron":"every day"}`).Refused(422, "cron")
		c.Post("/schedule/update/morning", `{"database":"attic"}`).Refused(404, "attic")
		c.Call("POST", "/schedule/update/morning", "x", "Content-Type", "text/plain").Want(415)
	})
	t.Run("what makes no schedule", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows)
		c.schedule("nightly", hourly)
		path, ok := "/schedule/create/hopeful", `{`+hourly+`,`
		c.Post("/schedule/create/nightly", `{`+hourly+`}`).Refused(409, "nightly")
		c.Post("/schedule/create/ab", `{`+hourly+`}`).Refused(422, "3")
		c.Post(path, `{"database":"shop","type":"trino"}`).Refused(422, "query")
		c.Post(path, `{"database":"shop","query":" ","type":"trino"}`).Refused(422, "query")
		c.Post(path, `{"database":"shop","query":"SELECT 1","type":"bulkload"}`).Refused(422, "type", "hive")
		c.Post(path, `{"database":"attic","query":"SELECT 1","type":"trino"}`).Refused(404, "database", "attic")
		c.Post(path, ok+`"timezone":"Mars/Olympus"}`).Refused(422, "timezone", "Mars/Olympus")
		c.Post(path, ok+`"timezone":"Local"}`).Refused(422, "timezone")
		c.Post(path, ok+`"delay":-1}`).Refused(422, "delay")
		c.Post(path, ok+`"priority":3}`).Refused(422, "priority")
		c.Post(path, ok+`"result":"nowhere"}`).Refused(422, "result")
		c.Post(path, ok+`"executing_user_id":99}`).Refused(422, "executing_user_id", "99")
		for _, cron := range []string{"@yearly", "* * * *", "61 * * * *", "0 0 0 * * *"} {
			c.Post(path, strings.Replace(`{`+hourly+`}`, "@hourly", cron, 1)).Refused(422, "cron", "five fields", "@daily")
		}
		c.as("1/analyst").Post(path, `{`+hourly+`}`).Refused(403, "shop")
		c.Call("POST", path, "x", "Content-Type", "text/plain").Want(415)
	})
	t.Run("a schedule is its maker's, and the administrators'", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows)
		c.schedule("nightly", hourly)
		other := c.as("1/analyst")
		other.Get("/schedule/list").Want(200)
		other.Get("/schedule/history/nightly").Want(200)
		other.Post("/schedule/update/nightly", `{"priority":1}`).Refused(403, "administrators")
		other.Post("/schedule/run/nightly/1768456800", "").Refused(403, "administrators")
		other.Post("/schedule/delete/nightly", "").Refused(403, "administrators")
		c.as("1/owner").Post("/schedule/delete/nightly", "").Want(200)
	})
}

func TestScheduledJobs(t *testing.T) {
	t.Parallel()
	t.Run("a job comes with each slot, after the delay", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows)
		c.schedule("nightly", hourly+`,"delay":60,"priority":-1,"retry_limit":2,"result":"s3://b/k"`)
		c.Advance(30*time.Minute + 59*time.Second)
		if got := c.history("nightly", ""); got != nil {
			t.Errorf("before the first: %v", got)
		}
		c.Advance(time.Second)
		c.Get("/job/show/1").Has(map[string]any{
			"status": "queued", "type": "trino", "database": "shop", "query": "SELECT 1", "priority": -1.0, "retry_limit": 2.0,
			"result": "s3://b/k", "user_name": "Ada Admin", "created_at": "2026-01-15 10:01:00 UTC",
		})
		c.Advance(2 * time.Hour)
		want := []string{
			"3 for 2026-01-15 12:00:00 UTC", "2 for 2026-01-15 11:00:00 UTC", "1 for 2026-01-15 10:00:00 UTC",
		}
		if diff := cmp.Diff(want, c.history("nightly", "")); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
		if diff := cmp.Diff(want[1:2], c.history("nightly", "?from=1&to=2")); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
		c.Get("/schedule/history/nightly").Has(map[string]any{"from": 0.0, "to": 20.0})
		c.Get("/schedule/history/nightly?from=-1").Refused(400, "from")
		c.Get("/schedule/history/nightly?to=x").Refused(400, "to")
		c.Get("/job/status/1").Has(map[string]any{"status": "success"})
	})
	t.Run("slots follow the clocks of the time zone", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows)
		c.schedule("nightly",
			`"database":"shop","query":"SELECT 1","type":"trino","cron":"@daily","timezone":"Europe/Berlin"`)
		c.Advance(74 * 24 * time.Hour) // to 30 March
		want := []string{
			"74 for 2026-03-29 22:00:00 UTC", "73 for 2026-03-28 23:00:00 UTC", "72 for 2026-03-27 23:00:00 UTC",
		}
		if diff := cmp.Diff(want, c.history("nightly", "?to=3")); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	})
	t.Run("an update keeps a run that is delayed", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows)
		c.schedule("nightly", hourly+`,"delay":600`)
		c.Advance(35 * time.Minute) // 10:05
		c.Post("/schedule/update/nightly", `{"delay":60}`).Want(200).Has(map[string]any{"start": "2026-01-15 10:00:00 UTC"})
		if diff := cmp.Diff([]string{"1 for 2026-01-15 10:00:00 UTC"}, c.history("nightly", "")); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	})
	t.Run("the history goes back 90 days", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows)
		c.schedule("nightly", strings.Replace(hourly, "@hourly", "0 12 15 1 *", 1))
		c.Advance(150 * time.Minute)
		c.Advance(90 * 24 * time.Hour)
		if got := c.history("nightly", ""); len(got) != 1 {
			t.Errorf("after 90 days: %v", got)
		}
		c.Advance(time.Second)
		if got := c.history("nightly", ""); got != nil {
			t.Errorf("after more: %v", got)
		}
		c.Get("/job/show/1").Want(200)
	})
	t.Run("a run is for consecutive slots from the time in the path", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows)
		c.schedule("nightly", hourly)
		if got, want := c.Post("/schedule/run/nightly/1768471200", `{"num":3,"domain_key":"mine"}`).Want(200).Body,
			`{"jobs":[{"job_id":1,"type":"trino","scheduled_at":"2026-01-15 10:00:00 UTC"},`+
				`{"job_id":2,"type":"trino","scheduled_at":"2026-01-15 11:00:00 UTC"},`+
				`{"job_id":3,"type":"trino","scheduled_at":"2026-01-15 12:00:00 UTC"}]}`; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		c.Get("/job/status_by_domain_key/mine").Has(map[string]any{"job_id": "1"})
		refusal := c.Post("/schedule/run/nightly/1768471200", "domain_key=mine&num=1")
		refusal.Refused(409, "mine")
		refusal.Has(map[string]any{"details": map[string]any{"conflicts_with": "1"}})
		c.Post("/schedule/run/nightly/1768471200", `{"num":11}`).Refused(422, "num")
		c.Post("/schedule/run/nightly/1768471200", `{"num":0}`).Refused(422, "num")
		c.Post("/schedule/run/nightly/soon", "").Refused(422, "schedule_time", "soon")
		c.Post("/schedule/run/nightly/-1", "").Refused(422, "schedule_time")
		c.Post("/schedule/run/daily/1768471200", "").Refused(404, "daily")
		c.Call("POST", "/schedule/run/nightly/1768471200", "x", "Content-Type", "text/plain").Want(415)
		if got := c.history("nightly", ""); len(got) != 3 {
			t.Errorf("history: %v", got)
		}
	})
	t.Run("jobs run as the executing user, who needs the right to query when they do", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows)
		c.schedule("nightly", hourly+`,"executing_user_id":3`)
		if list := c.Get("/schedule/list").Object()["schedules"]; !strings.Contains(fmt.Sprint(list), "executing_user_id:3") {
			t.Errorf("list: %v", list)
		}
		c.Advance(31 * time.Minute)
		c.Get("/job/show/1").Has(map[string]any{"user_name": "Ana Analyst", "status": "error", "debug": map[string]any{
			"cmdout": "started\nfailed\n", "stderr": "the permissions of user 3 do not include query on database shop\n",
		}})
	})
}
