package core_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const hourly = `"database":"shop","query":"SELECT 1","type":"trino","cron":"@hourly"`

// schedule makes a schedule.
func (c *client) schedule(name, members string) answer {
	c.Helper()
	return c.post("/schedule/create/"+name, "{"+members+"}").want(200)
}

// issued are the ids of all jobs with the times that they are scheduled for, the newest first.
func (c *client) history(name, query string) (list []string) {
	c.Helper()
	var form struct {
		Count   int
		History []struct {
			JobID       string `json:"job_id"`
			ScheduledAt string `json:"scheduled_at"`
		}
	}
	c.get("/schedule/history/" + name + query).want(200).into(&form)
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
			"timezone":"Asia/Tokyo","delay":600,"priority":1,"retry_limit":3,"result":"s3://b/k"`).object()
		is(t, with(map[string]any{
			"id": 1.0, "priority": 1.0, "retry_limit": 3.0, "result": "s3://b/k", "start": "2026-01-15 21:00:00 UTC",
		}), created)
		list := c.get("/schedule/list").want(200).object()["schedules"].([]any)
		is(t, with(map[string]any{
			"priority": 1.0, "retry_limit": 3.0, "result": "s3://b/k", "next_time": "2026-01-15 21:00:00 UTC",
		}), list[0])
		is(t, nine, c.post("/schedule/delete/nightly", "").want(200).object())
		c.post("/schedule/delete/nightly", "").refused(404, "nightly")
		c.get("/schedule/history/nightly").refused(404, "nightly")
		if body := string(c.get("/schedule/list").want(200).body); body != `{"schedules":[]}` {
			t.Error(body)
		}
		c.advance(48 * time.Hour)
		c.get("/job/list").has(map[string]any{"count": 0.0})
	})
	t.Run("a schedule without cron never runs by itself", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows)
		for name, cron := range map[string]string{"null": "null", "empty": `""`} {
			c.schedule(name, `"database":"shop","query":"SELECT 1","type":"hive","cron":`+cron).has(map[string]any{
				"cron": nil, "start": nil, "timezone": "UTC", "delay": 0.0,
			})
		}
		c.post("/schedule/create/form", "database=shop&query=SELECT+1&type=hive&cron=&delay=").want(200).
			has(map[string]any{"cron": nil, "delay": 0.0})
		c.advance(48 * time.Hour)
		c.get("/job/list").has(map[string]any{"count": 0.0})
		c.post("/schedule/run/form/1768456800", `{"num":2}`).refused(422, "num")
		c.post("/schedule/run/form/1768456800", "").want(200)
	})
	t.Run("an update changes what is sent, and renames", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows)
		c.schedule("nightly", hourly)
		c.schedule("other", hourly)
		c.post("/schedule/update/nightly", `{"name":"morning","cron":"30 6 * * *","engine_version":"stable"}`).want(200).
			has(map[string]any{
				"name": "morning", "cron": "30 6 * * *", "query": "SELECT 1", "id": 1.0, "start": "2026-01-16 06:30:00 UTC",
			})
		c.post("/schedule/update/nightly", `{}`).refused(404, "nightly")
		c.post("/schedule/update/morning", "priority=2&query=SELECT+2").want(200).
			has(map[string]any{"priority": 2.0, "query": "SELECT 2", "start": "2026-01-16 06:30:00 UTC"})
		c.post("/schedule/update/morning", `{"cron":null}`).want(200).has(map[string]any{"cron": nil, "start": nil})
		c.schedule("nightly", hourly)
		c.post("/schedule/update/morning", `{"name":"other"}`).refused(422, "name", "other")
		c.post("/schedule/update/morning", `{"name":"ab"}`).refused(422, "3 or more")
		c.post("/schedule/update/morning", `{"cron":"every day"}`).refused(422, "cron")
		c.post("/schedule/update/morning", `{"database":"attic"}`).refused(404, "attic")
		c.call("POST", "/schedule/update/morning", "x", "Content-Type", "text/plain").want(415)
	})
	t.Run("what makes no schedule", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows)
		c.schedule("nightly", hourly)
		path, ok := "/schedule/create/hopeful", `{`+hourly+`,`
		c.post("/schedule/create/nightly", `{`+hourly+`}`).refused(409, "nightly")
		c.post("/schedule/create/ab", `{`+hourly+`}`).refused(422, "3")
		c.post(path, `{"database":"shop","type":"trino"}`).refused(422, "query")
		c.post(path, `{"database":"shop","query":" ","type":"trino"}`).refused(422, "query")
		c.post(path, `{"database":"shop","query":"SELECT 1","type":"bulkload"}`).refused(422, "type", "hive")
		c.post(path, `{"database":"attic","query":"SELECT 1","type":"trino"}`).refused(404, "database", "attic")
		c.post(path, ok+`"timezone":"Mars/Olympus"}`).refused(422, "timezone", "Mars/Olympus")
		c.post(path, ok+`"timezone":"Local"}`).refused(422, "timezone")
		c.post(path, ok+`"delay":-1}`).refused(422, "delay")
		c.post(path, ok+`"priority":3}`).refused(422, "priority")
		c.post(path, ok+`"result":"nowhere"}`).refused(422, "result")
		c.post(path, ok+`"executing_user_id":99}`).refused(422, "executing_user_id", "99")
		for _, cron := range []string{"@yearly", "* * * *", "61 * * * *", "0 0 0 * * *"} {
			c.post(path, strings.Replace(`{`+hourly+`}`, "@hourly", cron, 1)).refused(422, "cron", "five fields", "@daily")
		}
		c.as("1/analyst").post(path, `{`+hourly+`}`).refused(403, "shop")
		c.call("POST", path, "x", "Content-Type", "text/plain").want(415)
	})
	t.Run("a schedule is its maker's, and the administrators'", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows)
		c.schedule("nightly", hourly)
		other := c.as("1/analyst")
		other.get("/schedule/list").want(200)
		other.get("/schedule/history/nightly").want(200)
		other.post("/schedule/update/nightly", `{"priority":1}`).refused(403, "administrators")
		other.post("/schedule/run/nightly/1768456800", "").refused(403, "administrators")
		other.post("/schedule/delete/nightly", "").refused(403, "administrators")
		c.as("1/owner").post("/schedule/delete/nightly", "").want(200)
	})
}

func TestScheduledJobs(t *testing.T) {
	t.Parallel()
	t.Run("a job comes with each slot, after the delay", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows)
		c.schedule("nightly", hourly+`,"delay":60,"priority":-1,"retry_limit":2,"result":"s3://b/k"`)
		c.advance(30*time.Minute + 59*time.Second)
		if got := c.history("nightly", ""); got != nil {
			t.Errorf("before the first: %v", got)
		}
		c.advance(time.Second)
		c.get("/job/show/1").has(map[string]any{
			"status": "queued", "type": "trino", "database": "shop", "query": "SELECT 1", "priority": -1.0, "retry_limit": 2.0,
			"result": "s3://b/k", "user_name": "Ada Admin", "created_at": "2026-01-15 10:01:00 UTC",
		})
		c.advance(2 * time.Hour)
		want := []string{
			"3 for 2026-01-15 12:00:00 UTC", "2 for 2026-01-15 11:00:00 UTC", "1 for 2026-01-15 10:00:00 UTC",
		}
		if diff := cmp.Diff(want, c.history("nightly", "")); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
		if diff := cmp.Diff(want[1:2], c.history("nightly", "?from=1&to=2")); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
		c.get("/schedule/history/nightly").has(map[string]any{"from": 0.0, "to": 20.0})
		c.get("/schedule/history/nightly?from=-1").refused(400, "from")
		c.get("/schedule/history/nightly?to=x").refused(400, "to")
		c.get("/job/status/1").has(map[string]any{"status": "success"})
	})
	t.Run("slots follow the clocks of the time zone", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows)
		c.schedule("nightly", `"database":"shop","query":"SELECT 1","type":"trino","cron":"@daily","timezone":"Europe/Berlin"`)
		c.advance(74 * 24 * time.Hour) // to 30 March
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
		c.advance(35 * time.Minute) // 10:05
		c.post("/schedule/update/nightly", `{"delay":60}`).want(200).has(map[string]any{"start": "2026-01-15 10:00:00 UTC"})
		if diff := cmp.Diff([]string{"1 for 2026-01-15 10:00:00 UTC"}, c.history("nightly", "")); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	})
	t.Run("the history goes back 90 days", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows)
		c.schedule("nightly", strings.Replace(hourly, "@hourly", "0 12 15 1 *", 1))
		c.advance(150 * time.Minute)
		c.advance(90 * 24 * time.Hour)
		if got := c.history("nightly", ""); len(got) != 1 {
			t.Errorf("after 90 days: %v", got)
		}
		c.advance(time.Second)
		if got := c.history("nightly", ""); got != nil {
			t.Errorf("after more: %v", got)
		}
		c.get("/job/show/1").want(200)
	})
	t.Run("a run is for consecutive slots from the time in the path", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows)
		c.schedule("nightly", hourly)
		if got, want := string(c.post("/schedule/run/nightly/1768471200", `{"num":3,"domain_key":"mine"}`).want(200).body),
			`{"jobs":[{"job_id":1,"type":"trino","scheduled_at":"2026-01-15 10:00:00 UTC"},`+
				`{"job_id":2,"type":"trino","scheduled_at":"2026-01-15 11:00:00 UTC"},`+
				`{"job_id":3,"type":"trino","scheduled_at":"2026-01-15 12:00:00 UTC"}]}`; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		c.get("/job/status_by_domain_key/mine").has(map[string]any{"job_id": "1"})
		refusal := c.post("/schedule/run/nightly/1768471200", "domain_key=mine&num=1")
		refusal.refused(409, "mine")
		refusal.has(map[string]any{"details": map[string]any{"conflicts_with": "1"}})
		c.post("/schedule/run/nightly/1768471200", `{"num":11}`).refused(422, "num")
		c.post("/schedule/run/nightly/1768471200", `{"num":0}`).refused(422, "num")
		c.post("/schedule/run/nightly/soon", "").refused(422, "schedule_time", "soon")
		c.post("/schedule/run/nightly/-1", "").refused(422, "schedule_time")
		c.post("/schedule/run/daily/1768471200", "").refused(404, "daily")
		c.call("POST", "/schedule/run/nightly/1768471200", "x", "Content-Type", "text/plain").want(415)
		if got := c.history("nightly", ""); len(got) != 3 {
			t.Errorf("history: %v", got)
		}
	})
	t.Run("jobs run as the executing user, who needs the right to query when they do", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows)
		c.schedule("nightly", hourly+`,"executing_user_id":3`)
		if list := c.get("/schedule/list").object()["schedules"]; !strings.Contains(fmt.Sprint(list), "executing_user_id:3") {
			t.Errorf("list: %v", list)
		}
		c.advance(31 * time.Minute)
		c.get("/job/show/1").has(map[string]any{"user_name": "Ana Analyst", "status": "error", "debug": map[string]any{
			"cmdout": "started\nfailed\n", "stderr": "the permissions of user 3 do not include query on database shop\n",
		}})
	})
}
