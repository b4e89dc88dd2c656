package bulkload_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

const (
	loadConfig  = `{"in":{"type":"s3","path_prefix":"orders.tsv.gz"},"out":{"mode":"append"}}`
	dailyOrders = `{"name":"daily_orders","database":"shop","table":"orders","config":` + loadConfig + `}`
)

// shop is a database with a table to load into.
const shop = `
core:
  databases:
  - name: shop
    tables:
    - {name: orders}
`

func TestBulkLoads(t *testing.T) {
	t.Parallel()
	t.Run("are created, listed, changed and deleted", func(t *testing.T) {
		t.Parallel()
		c := mocktest.New(t, "core").Load(shop)
		created := c.Post("/bulk_loads", dailyOrders).Want(200)
		want := map[string]any{
			"name": "daily_orders", "database": "shop", "table": "orders", "cron": nil, "timezone": "UTC", "delay": 0.0,
			"time_column": nil, "config_diff": map[string]any{}, "created_at": created.Object()["created_at"],
			"updated_at": created.Object()["created_at"],
			"config": map[string]any{
				"in":  map[string]any{"type": "s3", "path_prefix": "orders.tsv.gz"},
				"out": map[string]any{"mode": "append"},
			},
		}
		if diff := cmp.Diff(want, created.Object()); diff != "" {
			t.Errorf("created (-want +got)\n%s", diff)
		}
		var list []map[string]any
		c.Get("/bulk_loads").Want(200).Into(&list)
		if diff := cmp.Diff([]map[string]any{want}, list); diff != "" {
			t.Errorf("listed (-want +got)\n%s", diff)
		}
		changed := c.Call("PUT", "/bulk_loads/daily_orders",
			`{"name":"nightly_orders","cron":"@daily","delay":60,"time_column":"at"}`).Want(200).Object()
		if changed["cron"] != "@daily" || changed["delay"] != 60.0 || changed["time_column"] != "at" ||
			changed["table"] != "orders" {
			t.Errorf("changed is %v", changed)
		}
		c.Get("/bulk_loads/daily_orders").Refused(404, "daily_orders")
		c.Get("/bulk_loads/nightly_orders").Want(200)
		c.Call("DELETE", "/bulk_loads/nightly_orders", "").Want(200)
		c.Get("/bulk_loads/nightly_orders").Refused(404)
	})
	t.Run("are taken from forms, whose configuration is a text", func(t *testing.T) {
		t.Parallel()
		c := mocktest.New(t, "core").Load(shop)
		c.Post("/bulk_loads",
			"name=n&database=shop&table=orders&delay=&config="+strings.NewReplacer(`"`, "%22", "{", "%7B", "}",
				"%7D").Replace(loadConfig)).Want(200)
	})
	t.Run("refuse what makes no sense", func(t *testing.T) {
		t.Parallel()
		c := mocktest.New(t, "core").Load(shop)
		c.Post("/bulk_loads", dailyOrders).Want(200)
		c.Post("/bulk_loads", dailyOrders).Refused(409, "daily_orders")
		c.Post("/bulk_loads", strings.Replace(dailyOrders, "daily", "other", 1)).Want(200)
		c.Call("PUT", "/bulk_loads/daily_orders", `{"name":"other_orders"}`).Refused(409, "other_orders")
		c.Post("/bulk_loads", `{"name":"n","database":"none","table":"orders","config":{}}`).Refused(404, "none")
		c.Post("/bulk_loads", `{"name":"n","database":"shop","table":"orders"}`).Refused(400, "config")
		for body, word := range map[string]string{
			`{"table":"A"}`: "table", `{"cron":"7"}`: "cron", `{"timezone":"Mars"}`: "timezone", `{"delay":-1}`: "delay",
			`{"name":""}`: "name",
		} {
			c.Call("PUT", "/bulk_loads/daily_orders", body).Refused(422, word)
		}
		c.Post("/bulk_loads", strings.Replace(dailyOrders, `{"name":"daily`, `{"cron":"7","name":"third`, 1)).Refused(422,
			"cron")
		c.Call("PUT", "/bulk_loads/daily_orders", `{"delay":"soon"}`).Refused(400, "delay")
		c.Call("PUT", "/bulk_loads/daily_orders", `{"database":"none"}`).Refused(404, "none")
		for _, method := range []string{"GET", "PUT", "DELETE"} {
			c.Call(method, "/bulk_loads/none", "").Refused(404, "none")
		}
		c.As("1/analyst").Post("/bulk_loads", strings.Replace(dailyOrders, "daily", "mine", 1)).Refused(403, "query")
		c.As("1/analyst").Call("PUT", "/bulk_loads/daily_orders", `{}`).Refused(403, "another user")
		c.As("1/analyst").Call("DELETE", "/bulk_loads/daily_orders", "").Refused(403, "another user")
		c.As("1/analyst").Post("/bulk_loads/daily_orders/jobs", "").Refused(403, "another user")
	})
	t.Run("run when they are told to, and have a history", func(t *testing.T) {
		t.Parallel()
		c := mocktest.New(t, "core").Load(shop + "  results:\n  - {pattern: orders.tsv, columns: [[n, bigint]], rows: [[1], [2]]}\n")
		c.Post("/bulk_loads", dailyOrders).Want(200)
		first, _ := c.Post("/bulk_loads/daily_orders/jobs",
			`{"scheduled_time":"1768469400"}`).Want(200).Object()["job_id"].(string)
		c.Post("/bulk_loads/daily_orders/jobs", "").Want(200)
		c.Post("/bulk_loads/daily_orders/jobs", `{"scheduled_time":"noon"}`).Refused(422, "scheduled_time")
		c.Post("/bulk_loads/daily_orders/jobs", `{`).Refused(400, "JSON")
		c.Post("/bulk_loads/none/jobs", "").Refused(404, "none")
		c.Get("/bulk_loads/none/jobs").Refused(404, "none")
		c.Advance(time.Minute)
		if got := c.Get("/job/show/" + first).Want(200).Object(); got["type"] != "bulkload" || got["status"] != "success" {
			t.Errorf("the job is %v", got)
		}
		c.Replace(c.Dump())
		var jobs []map[string]any
		c.Get("/bulk_loads/daily_orders/jobs").Want(200).Into(&jobs)
		want := map[string]any{
			"job_id": 1.0, "account_id": 1.0, "status": "success", "records": 2.0, "priority": 0.0, "schema": nil,
			"database": map[string]any{"id": 1.0, "name": "shop"}, "table": map[string]any{"id": 1.0, "name": "orders"},
			"created_at": float64(mocktest.Now.Unix()), "start_at": float64(mocktest.Now.Unix() + 1),
			"end_at":      float64(mocktest.Now.Unix() + 5),
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
		c := mocktest.New(t, "core").Load(shop)
		c.Post("/bulk_loads", strings.Replace(dailyOrders, "{", `{"cron":"@hourly","delay":300,`, 1)).Want(200)
		count := func() int {
			var jobs []map[string]any
			c.Get("/bulk_loads/daily_orders/jobs").Want(200).Into(&jobs)
			return len(jobs)
		}
		c.Advance(34 * time.Minute)
		c.Replace(c.Dump())
		if n := count(); n != 0 {
			t.Errorf("%d jobs at 10:04", n)
		}
		c.Advance(time.Hour + time.Minute)
		if n := count(); n != 2 {
			t.Errorf("%d jobs at 11:05, want 2", n)
		}
		c.Call("PUT", "/bulk_loads/daily_orders", `{"cron":null}`).Want(200)
		c.Advance(2 * time.Hour)
		if n := count(); n != 2 {
			t.Errorf("%d jobs without cron, want 2", n)
		}
		c.Call("PUT", "/bulk_loads/daily_orders", `{"cron":"@hourly"}`).Want(200)
		c.Call("DELETE", "/bulk_loads/daily_orders", "").Want(200)
		c.Advance(2 * time.Hour)
		var page struct{ Count int }
		c.Get("/job/list").Into(&page)
		if page.Count != 2 {
			t.Errorf("%d jobs in all, want 2", page.Count)
		}
	})
	t.Run("end while a client asks for their jobs, under a clock that follows", func(t *testing.T) {
		t.Parallel()
		c := mocktest.New(t, "core", mockserver.WithClock("auto")).Load(shop)
		c.Post("/bulk_loads", dailyOrders).Want(200)
		c.Post("/bulk_loads/daily_orders/jobs", "").Want(200)
		for range 3 {
			c.Get("/bulk_loads/daily_orders/jobs").Want(200)
		}
		if a := c.Get("/bulk_loads/daily_orders/jobs").Body; !strings.Contains(a, `"status":"success"`) {
			t.Errorf("the jobs are %s", a)
		}
	})
}

func TestBulkLoadGuess(t *testing.T) {
	t.Parallel()
	c := mocktest.New(t, "core").Load(shop +
		"  results:\n  - {pattern: queued, columns: [[n, bigint]], rows: [[1], [2]], times: 1}\n")
	guess := func(in string) any {
		config, _ := c.Post("/bulk_loads/guess", `{"config":{"in":`+in+`}}`).Want(200).Object()["config"].(map[string]any)
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
	if diff := cmp.Diff(want, c.Post("/bulk_loads/preview", columns).Want(200).Object()); diff != "" {
		t.Errorf("columns (-want +got)\n%s", diff)
	}
	want = map[string]any{
		"schema":  []any{map[string]any{"index": 0.0, "name": "n", "type": "bigint"}},
		"records": []any{[]any{1.0}, []any{2.0}},
	}
	for range 2 {
		if diff := cmp.Diff(want,
			c.Post("/bulk_loads/preview", `{"config":{"in":{"path":"queued"}}}`).Want(200).Object()); diff != "" {
			t.Errorf("queued rows (-want +got)\n%s", diff)
		}
	}
	for _, path := range []string{"/bulk_loads/guess", "/bulk_loads/preview"} {
		c.Post(path, `{}`).Refused(400, "config")
		c.Post(path, `{"config":"tea"}`).Want(400)
	}
}
