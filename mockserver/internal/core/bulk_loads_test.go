package core_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/mockserver"
)

const (
	loadConfig  = `{"in":{"type":"s3","path_prefix":"orders.tsv.gz"},"out":{"mode":"append"}}`
	dailyOrders = `{"name":"daily_orders","database":"shop","table":"orders","config":` + loadConfig + `}`
)

func TestBulkLoads(t *testing.T) {
	t.Parallel()
	t.Run("are created, listed, changed and deleted", func(t *testing.T) {
		t.Parallel()
		c := newClient(t).load(importPlace)
		created := c.post("/bulk_loads", dailyOrders).want(200)
		want := map[string]any{
			"name": "daily_orders", "database": "shop", "table": "orders", "cron": nil, "timezone": "UTC", "delay": 0.0,
			"time_column": nil, "config_diff": map[string]any{}, "created_at": created.object()["created_at"],
			"updated_at": created.object()["created_at"],
			"config": map[string]any{
				"in":  map[string]any{"type": "s3", "path_prefix": "orders.tsv.gz"},
				"out": map[string]any{"mode": "append"},
			},
		}
		if diff := cmp.Diff(want, created.object()); diff != "" {
			t.Errorf("created (-want +got)\n%s", diff)
		}
		var list []map[string]any
		c.get("/bulk_loads").want(200).into(&list)
		if diff := cmp.Diff([]map[string]any{want}, list); diff != "" {
			t.Errorf("listed (-want +got)\n%s", diff)
		}
		changed := c.call("PUT", "/bulk_loads/daily_orders", `{"name":"nightly_orders","cron":"@daily","delay":60,"time_column":"at"}`).want(200).object()
		if changed["cron"] != "@daily" || changed["delay"] != 60.0 || changed["time_column"] != "at" || changed["table"] != "orders" {
			t.Errorf("changed is %v", changed)
		}
		c.get("/bulk_loads/daily_orders").refused(404, "daily_orders")
		c.get("/bulk_loads/nightly_orders").want(200)
		c.call("DELETE", "/bulk_loads/nightly_orders", "").want(200)
		c.get("/bulk_loads/nightly_orders").refused(404)
	})
	t.Run("are taken from forms, whose configuration is a text", func(t *testing.T) {
		t.Parallel()
		c := newClient(t).load(importPlace)
		c.post("/bulk_loads", "name=n&database=shop&table=orders&delay=&config="+strings.NewReplacer(`"`, "%22", "{", "%7B", "}", "%7D").Replace(loadConfig)).want(200)
	})
	t.Run("refuse what makes no sense", func(t *testing.T) {
		t.Parallel()
		c := newClient(t).load(importPlace)
		c.post("/bulk_loads", dailyOrders).want(200)
		c.post("/bulk_loads", dailyOrders).refused(409, "daily_orders")
		c.post("/bulk_loads", strings.Replace(dailyOrders, "daily", "other", 1)).want(200)
		c.call("PUT", "/bulk_loads/daily_orders", `{"name":"other_orders"}`).refused(409, "other_orders")
		c.post("/bulk_loads", `{"name":"n","database":"none","table":"orders","config":{}}`).refused(404, "none")
		c.post("/bulk_loads", `{"name":"n","database":"shop","table":"orders"}`).refused(400, "config")
		for body, word := range map[string]string{
			`{"table":"A"}`: "table", `{"cron":"7"}`: "cron", `{"timezone":"Mars"}`: "timezone", `{"delay":-1}`: "delay", `{"name":""}`: "name",
		} {
			c.call("PUT", "/bulk_loads/daily_orders", body).refused(422, word)
		}
		c.post("/bulk_loads", strings.Replace(dailyOrders, `{"name":"daily`, `{"cron":"7","name":"third`, 1)).refused(422, "cron")
		c.call("PUT", "/bulk_loads/daily_orders", `{"delay":"soon"}`).refused(400, "delay")
		c.call("PUT", "/bulk_loads/daily_orders", `{"database":"none"}`).refused(404, "none")
		for _, method := range []string{"GET", "PUT", "DELETE"} {
			c.call(method, "/bulk_loads/none", "").refused(404, "none")
		}
		c.as("1/analyst").post("/bulk_loads", strings.Replace(dailyOrders, "daily", "mine", 1)).refused(403, "query")
		c.as("1/analyst").call("PUT", "/bulk_loads/daily_orders", `{}`).refused(403, "another user's")
		c.as("1/analyst").call("DELETE", "/bulk_loads/daily_orders", "").refused(403, "another user's")
		c.as("1/analyst").post("/bulk_loads/daily_orders/jobs", "").refused(403, "another user's")
	})
	t.Run("run when they are told to, and have a history", func(t *testing.T) {
		t.Parallel()
		c := newClient(t).load(importPlace + "  results:\n  - {pattern: orders.tsv, columns: [[n, bigint]], rows: [[1], [2]]}\n")
		c.post("/bulk_loads", dailyOrders).want(200)
		first, _ := c.post("/bulk_loads/daily_orders/jobs", `{"scheduled_time":"1768469400"}`).want(200).object()["job_id"].(string)
		c.post("/bulk_loads/daily_orders/jobs", "").want(200)
		c.post("/bulk_loads/daily_orders/jobs", `{"scheduled_time":"noon"}`).refused(422, "scheduled_time")
		c.post("/bulk_loads/daily_orders/jobs", `{`).refused(400, "JSON")
		c.post("/bulk_loads/none/jobs", "").refused(404, "none")
		c.get("/bulk_loads/none/jobs").refused(404, "none")
		c.advance(time.Minute)
		if got := c.get("/job/show/" + first).want(200).object(); got["type"] != "bulkload" || got["status"] != "success" {
			t.Errorf("the job is %v", got)
		}
		if err := c.server.World("").Load(c.dump()); err != nil {
			t.Fatal(err)
		}
		var jobs []map[string]any
		c.get("/bulk_loads/daily_orders/jobs").want(200).into(&jobs)
		want := map[string]any{
			"job_id": 1.0, "account_id": 1.0, "status": "success", "records": 2.0, "priority": 0.0, "schema": nil,
			"database": map[string]any{"id": 1.0, "name": "shop"}, "table": map[string]any{"id": 1.0, "name": "orders"},
			"created_at": float64(now.Unix()), "start_at": float64(now.Unix() + 1), "end_at": float64(now.Unix() + 5),
			"config_diff": map[string]any{},
		}
		if len(jobs) != 2 {
			t.Fatalf("the jobs are %v", jobs)
		}
		if diff := cmp.Diff(want, jobs[1]); diff != "" {
			t.Errorf("the first job (-want +got)\n%s", diff)
		}
	})
	t.Run("run by themselves, and not after they are deleted", func(t *testing.T) {
		t.Parallel()
		c := newClient(t).load(importPlace)
		c.post("/bulk_loads", strings.Replace(dailyOrders, "{", `{"cron":"@hourly","delay":300,`, 1)).want(200)
		count := func() int {
			var jobs []map[string]any
			c.get("/bulk_loads/daily_orders/jobs").want(200).into(&jobs)
			return len(jobs)
		}
		c.advance(34 * time.Minute)
		if err := c.server.World("").Load(c.dump()); err != nil {
			t.Fatal(err)
		}
		if n := count(); n != 0 {
			t.Errorf("%d jobs at 10:04", n)
		}
		c.advance(time.Hour + time.Minute)
		if n := count(); n != 2 {
			t.Errorf("%d jobs at 11:05, want 2", n)
		}
		c.call("PUT", "/bulk_loads/daily_orders", `{"cron":null}`).want(200)
		c.advance(2 * time.Hour)
		if n := count(); n != 2 {
			t.Errorf("%d jobs without cron, want 2", n)
		}
		c.call("PUT", "/bulk_loads/daily_orders", `{"cron":"@hourly"}`).want(200)
		c.call("DELETE", "/bulk_loads/daily_orders", "").want(200)
		c.advance(2 * time.Hour)
		var page struct{ Count int }
		c.get("/job/list").into(&page)
		if page.Count != 2 {
			t.Errorf("%d jobs in all, want 2", page.Count)
		}
	})
	t.Run("end while a client asks for their jobs, under a clock that follows", func(t *testing.T) {
		t.Parallel()
		c := newClient(t, mockserver.WithClock("auto")).load(importPlace)
		c.post("/bulk_loads", dailyOrders).want(200)
		c.post("/bulk_loads/daily_orders/jobs", "").want(200)
		for range 3 {
			c.get("/bulk_loads/daily_orders/jobs").want(200)
		}
		if a := string(c.get("/bulk_loads/daily_orders/jobs").body); !strings.Contains(a, `"status":"success"`) {
			t.Errorf("the jobs are %s", a)
		}
	})
}

func TestBulkLoadGuess(t *testing.T) {
	t.Parallel()
	c := newClient(t).load(importPlace + "  results:\n  - {pattern: queued, columns: [[n, bigint]], rows: [[1], [2]], times: 1}\n")
	guess := func(in string) any {
		config, _ := c.post("/bulk_loads/guess", `{"config":{"in":`+in+`}}`).want(200).object()["config"].(map[string]any)
		if config["out"] == nil {
			t.Errorf("there is no out in %v", config)
		}
		return config["in"]
	}
	for in, want := range map[string]map[string]any{
		`{"path_prefix":"a.tsv.gz"}`: {
			"path_prefix": "a.tsv.gz", "decoders": []any{map[string]any{"type": "gzip"}},
			"parser": map[string]any{"type": "csv", "delimiter": "\t", "charset": "UTF-8", "newline": "LF", "columns": []any{}},
		},
		`{"path_prefix":"a.json"}`:               {"path_prefix": "a.json", "parser": map[string]any{"type": "json"}},
		`{"path_prefix":"a","parser":{"x":"y"}}`: {"path_prefix": "a", "parser": map[string]any{"x": "y"}},
		`{"type":"mysql"}`:                       {"type": "mysql"},
	} {
		if diff := cmp.Diff(any(want), guess(in)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", in, diff)
		}
	}
	const columns = `{"config":{"in":{"parser":{"columns":[{"name":"id","type":"long"}]}}}}`
	want := map[string]any{"schema": []any{map[string]any{"index": 0.0, "name": "id", "type": "long"}}, "records": []any{}}
	if diff := cmp.Diff(want, c.post("/bulk_loads/preview", columns).want(200).object()); diff != "" {
		t.Errorf("columns (-want +got)\n%s", diff)
	}
	want = map[string]any{
		"schema":  []any{map[string]any{"index": 0.0, "name": "n", "type": "bigint"}},
		"records": []any{[]any{1.0}, []any{2.0}},
	}
	for range 2 {
		if diff := cmp.Diff(want, c.post("/bulk_loads/preview", `{"config":{"in":{"path":"queued"}}}`).want(200).object()); diff != "" {
			t.Errorf("queued rows (-want +got)\n%s", diff)
		}
	}
	for _, path := range []string{"/bulk_loads/guess", "/bulk_loads/preview"} {
		c.post(path, `{}`).refused(400, "config")
		c.post(path, `{"config":"tea"}`).want(400)
	}
}
