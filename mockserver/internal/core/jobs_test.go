package core_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/query"
)

// fakeEngine answers with what it is made of. A query that begins with SELECT * gives the rows of the table that it
// ends with.
type fakeEngine struct {
	columns []query.Column
	rows    [][]any
	err     error
}

func (f fakeEngine) Query(ctx context.Context, q query.Query) (query.Result, error) {
	if _, bounded := ctx.Deadline(); !bounded {
		return query.Result{}, errors.New("the query may run for ever")
	}
	name, wanted := strings.CutPrefix(q.Text, "SELECT * FROM ")
	if !wanted {
		return query.Result{Columns: f.columns, Rows: f.rows}, f.err
	}
	database, name, found := strings.Cut(name, ".")
	if !found {
		database, name = q.Database, database
	}
	t, ok := q.Tables.Table(database, name)
	if !ok {
		return query.Result{}, fmt.Errorf("line 1:15: table %s.%s does not exist in %v", database, name, q.Tables.Databases())
	}
	result := query.Result{Columns: append([]query.Column{{Name: "time", Type: "bigint"}, {Name: "v", Type: "varchar"}}, t.Columns...)}
	for row := range t.Rows {
		values := make([]any, len(result.Columns))
		values[0], values[1] = row.Time, row.Values
		result.Rows = append(result.Rows, values)
	}
	return result, nil
}

// jobClient calls a mock with a database and an engine.
func jobClient(t *testing.T, engine query.Engine, opts ...mockserver.Option) *client {
	t.Helper()
	c := newClient(t, append(opts, mockserver.WithQueryEngine(engine))...).load("")
	c.post("/database/create/shop", "").want(200)
	return c
}

var threeRows = fakeEngine{
	columns: []query.Column{{Name: "status", Type: "varchar"}, {Name: "orders", Type: "bigint"}},
	rows:    [][]any{{"paid", int64(118)}, {"shipped", int64(97)}, {"cancelled", nil}},
}

// issue issues a job and returns its id.
func (c *client) issue(path, body string) string {
	c.Helper()
	var form struct{ Job, JobID, Database string }
	a := c.post(path, body).want(200)
	a.into(&form)
	if form.Job == "" || a.object()["job_id"] != form.Job || form.Database != "shop" {
		c.Fatalf("issued: %s", a.body)
	}
	return form.Job
}

func (c *client) query(text string) string {
	c.Helper()
	return c.issue("/job/issue/trino/shop", fmt.Sprintf(`{"query":%q}`, text))
}

// jobStatus is where a job stands.
func (c *client) jobStatus(id string) any {
	c.Helper()
	return c.get("/job/status/" + id).want(200).object()["status"]
}

// has fails the test unless an answer has these members.
func (a answer) has(want map[string]any) {
	a.Helper()
	object, got := a.object(), map[string]any{}
	for name := range want {
		value, ok := object[name]
		if !ok {
			a.Errorf("%s is missing: %s", name, a.body)
		}
		got[name] = value
	}
	if diff := cmp.Diff(want, got); diff != "" {
		a.Errorf("(-want +got)\n%s", diff)
	}
}

func TestJobs(t *testing.T) {
	t.Parallel()
	t.Run("a job is queued, runs, and succeeds by the world's clock", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows)
		id := c.issue("/job/issue/trino/shop", `{"query":"SELECT 1","priority":1,"retry_limit":2,"engine_version":"stable"}`)
		c.get("/job/show/" + id).want(200).has(map[string]any{
			"job_id": "1", "type": "trino", "status": "queued", "database": "shop", "query": "SELECT 1",
			"priority": 1.0, "retry_limit": 2.0, "engine_version": "stable", "user_name": "Ada Admin", "organization": nil,
			"created_at": "2026-01-15 09:30:00 UTC", "updated_at": "2026-01-15 09:30:00 UTC",
			"start_at": "", "end_at": "", "duration": nil, "cpu_time": nil, "num_records": nil, "result_size": nil,
			"hive_result_schema": nil, "result": "", "linked_result_export_job_id": nil, "result_export_target_job_id": nil,
			"debug": map[string]any{"cmdout": nil, "stderr": nil},
		})
		c.advance(time.Second)
		c.get("/job/show/" + id).want(200).has(map[string]any{
			"status": "running", "start_at": "2026-01-15 09:30:01 UTC", "updated_at": "2026-01-15 09:30:01 UTC",
			"end_at": "", "duration": nil, "debug": map[string]any{"cmdout": "started\n", "stderr": ""},
		})
		c.advance(4 * time.Second)
		size := float64(len(c.get("/job/result/" + id + "?format=msgpack.gz").want(200).body))
		done := map[string]any{
			"status": "success", "start_at": "2026-01-15 09:30:01 UTC", "end_at": "2026-01-15 09:30:05 UTC",
			"updated_at": "2026-01-15 09:30:05 UTC", "duration": 4.0, "cpu_time": 4000.0,
			"num_records": 3.0, "result_size": size,
		}
		c.get("/job/status/" + id).want(200).has(done)
		done["hive_result_schema"] = `[["status","varchar"],["orders","bigint"]]`
		done["debug"] = map[string]any{"cmdout": "started\nrows: 3\nfinished\n", "stderr": ""}
		c.get("/job/show/" + id).want(200).has(done)
		c.get("/job/statistics/" + id).want(200).has(map[string]any{"records_inserted": "0"})
	})
	t.Run("an unknown id, and one that is no number, is not found", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows)
		for _, path := range []string{"show", "status", "statistics", "result"} {
			c.get("/job/"+path+"/12").refused(404, "job with id 12")
			c.get("/job/"+path+"/twelve").refused(404, "twelve")
		}
		c.post("/job/kill/12", "").refused(404, "12")
		c.post("/job/result_export/12", `{"result":"s3://bucket/key"}`).refused(404, "12")
		c.get("/job/status_by_domain_key/mine").refused(404, "domain key mine")
	})
	t.Run("a query runs over the rows that are there when the job ends", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows)
		c.post("/table/create/shop/orders", `{"schema":"[[\"status\",\"string\"]]"}`).want(200)
		id := c.query("SELECT * FROM shop.orders")
		c.ingest("orders", `{"status":"paid"}`)
		c.advance(5 * time.Second)
		result := c.get("/job/result/" + id + "?format=json").want(200)
		if want := "[1768469400,\"{\\\"status\\\":\\\"paid\\\"}\",null]\n"; string(result.body) != want {
			t.Errorf("rows %s, want %s", result.body, want)
		}
		c.get("/job/show/" + id).has(map[string]any{
			"hive_result_schema": `[["time","bigint"],["v","varchar"],["status","string"]]`,
		})
	})
	t.Run("a query that fails is an error, and its message is in stderr", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows)
		id := c.query("SELECT * FROM nothing")
		c.advance(5 * time.Second)
		c.get("/job/show/" + id).has(map[string]any{
			"status": "error", "end_at": "2026-01-15 09:30:05 UTC", "duration": 4.0,
			"num_records": nil, "result_size": nil, "hive_result_schema": nil,
			"debug": map[string]any{
				"cmdout": "started\nfailed\n", "stderr": "line 1:15: table shop.nothing does not exist in [shop]\n",
			},
		})
		c.get("/job/result/"+id).refused(404, "its status is error")
	})
	t.Run("a job whose database is gone fails", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows)
		id := c.query("SELECT 1")
		c.post("/database/delete/shop", "").want(200)
		c.advance(5 * time.Second)
		c.get("/job/show/" + id).has(map[string]any{"status": "error", "debug": map[string]any{
			"cmdout": "started\nfailed\n", "stderr": "database with name shop not found\n",
		}})
	})
	t.Run("a failed job is tried again as often as its retry limit says", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, fakeEngine{err: errors.New("out of memory")})
		id := c.issue("/job/issue/hive/shop", `{"query":"SELECT 1","retry_limit":1}`)
		c.advance(5 * time.Second)
		if status := c.jobStatus(id); status != "running" {
			t.Errorf("after the first try: %v", status)
		}
		c.advance(4 * time.Second)
		c.get("/job/show/" + id).has(map[string]any{"status": "error", "duration": 8.0, "debug": map[string]any{
			"cmdout": "started\nfailed, try 1 of 1 follows\nfailed\n", "stderr": "out of memory\nout of memory\n",
		}})
	})
	t.Run("polling moves an auto clock to the next state", func(t *testing.T) {
		t.Parallel()
		for _, path := range []string{"show/%s", "status/%s", "statistics/%s", "status_by_domain_key/mine", "result/%s"} {
			c := jobClient(t, threeRows, mockserver.WithClock("auto"))
			id := c.issue("/job/issue/trino/shop", `{"query":"SELECT 1","domain_key":"mine"}`)
			path = "/job/" + strings.Replace(path, "%s", id, 1)
			c.get(path)
			if page := c.get("/job/list").object(); page["jobs"].([]any)[0].(map[string]any)["status"] != "running" {
				t.Errorf("after one %s: %v", path, page)
			}
			c.get(path)
			if page := c.get("/job/list").object(); page["jobs"].([]any)[0].(map[string]any)["status"] != "success" {
				t.Errorf("after two %s: %v", path, page)
			}
		}
	})
}

// ingest sends a record to a table of the database shop.
func (c *client) ingest(table, record string) {
	c.Helper()
	r := httptest.NewRequestWithContext(c.Context(), http.MethodPost,
		"http://localhost/ingestion/postback/v3/event/shop/"+table, strings.NewReader(record))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "SVC1 1/write")
	w := httptest.NewRecorder()
	if c.server.ServeHTTP(w, r); w.Code != http.StatusOK {
		c.Fatalf("ingest: %d %s", w.Code, w.Body)
	}
}
