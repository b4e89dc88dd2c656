package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/query"
)

// fakeEngine answers with a fixed result. A query that begins with SELECT * gets the rows of the table whose name it
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
	result := query.Result{Columns: append([]query.Column{{Name: "time", Type: "bigint"}, {Name: "v", Type: "varchar"}},
		t.Columns...)}
	for row := range t.Rows {
		values := make([]any, len(result.Columns))
		values[0], values[1] = row.Time, row.Values
		result.Rows = append(result.Rows, values)
	}
	return result, nil
}

// jobClient returns a client of a mock with a database and an engine.
func jobClient(t *testing.T, engine query.Engine, opts ...mockserver.Option) client {
	t.Helper()
	c := newClient(t, append(opts, mockserver.WithQueryEngine(engine))...)
	c.Post("/database/create/shop", "").Want(200)
	return c
}

var threeRows = fakeEngine{
	columns: []query.Column{{Name: "status", Type: "varchar"}, {Name: "orders", Type: "bigint"}},
	rows:    [][]any{{"paid", int64(118)}, {"shipped", int64(97)}, {"cancelled", nil}},
}

// issue issues a job and returns its id.
func (c client) issue(path, body string) string {
	c.Helper()
	var form struct{ Job, JobID, Database string }
	a := c.Post(path, body).Want(200)
	a.Into(&form)
	if form.Job == "" || a.Object()["job_id"] != form.Job || form.Database != "shop" {
		c.Fatalf("issued: %s", a.Body)
	}
	return form.Job
}

func (c client) query(text string) string {
	c.Helper()
	return c.issue("/job/issue/trino/shop", fmt.Sprintf(`{"query":%q}`, text))
}

// jobStatus returns the status of a job.
func (c client) jobStatus(id string) any {
	c.Helper()
	return c.Get("/job/status/" + id).Want(200).Object()["status"]
}

func TestJobs(t *testing.T) {
	t.Parallel()
	t.Run("a job is queued, runs, and succeeds by the world's clock", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows)
		id := c.issue("/job/issue/trino/shop", `{"query":"SELECT 1","priority":1,"retry_limit":2,"engine_version":"stable"}`)
		c.Get("/job/show/" + id).Want(200).Has(map[string]any{
			"job_id": "1", "type": "trino", "status": "queued", "database": "shop", "query": "SELECT 1",
			"priority": 1.0, "retry_limit": 2.0, "engine_version": "stable", "user_name": "Ada Admin", "organization": nil,
			"created_at": "2026-01-15 09:30:00 UTC", "updated_at": "2026-01-15 09:30:00 UTC",
			"start_at": "", "end_at": "", "duration": nil, "cpu_time": nil, "num_records": nil, "result_size": nil,
			"hive_result_schema": nil, "result": "", "linked_result_export_job_id": nil, "result_export_target_job_id": nil,
			"debug": map[string]any{"cmdout": nil, "stderr": nil},
		})
		c.Advance(time.Second)
		c.Get("/job/show/" + id).Want(200).Has(map[string]any{
			"status": "running", "start_at": "2026-01-15 09:30:01 UTC", "updated_at": "2026-01-15 09:30:01 UTC",
			"end_at": "", "duration": nil, "debug": map[string]any{"cmdout": "started\n", "stderr": ""},
		})
		c.Advance(4 * time.Second)
		size := float64(len(c.Get("/job/result/" + id + "?format=msgpack.gz").Want(200).Body))
		done := map[string]any{
			"status": "success", "start_at": "2026-01-15 09:30:01 UTC", "end_at": "2026-01-15 09:30:05 UTC",
			"updated_at": "2026-01-15 09:30:05 UTC", "duration": 4.0, "cpu_time": 4000.0,
			"num_records": 3.0, "result_size": size,
		}
		c.Get("/job/status/" + id).Want(200).Has(done)
		done["hive_result_schema"] = `[["status","varchar"],["orders","bigint"]]`
		done["debug"] = map[string]any{"cmdout": "started\nrows: 3\nfinished\n", "stderr": ""}
		c.Get("/job/show/" + id).Want(200).Has(done)
		c.Get("/job/statistics/" + id).Want(200).Has(map[string]any{"records_inserted": "0"})
	})
	t.Run("an unknown id, and one that is no number, is not found", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows)
		for _, path := range []string{"show", "status", "statistics", "result"} {
			c.Get("/job/"+path+"/12").Refused(404, "job with id 12")
			c.Get("/job/"+path+"/twelve").Refused(404, "twelve")
		}
		c.Post("/job/kill/12", "").Refused(404, "12")
		c.Post("/job/result_export/12", `{"result":"s3://bucket/key"}`).Refused(404, "12")
		c.Get("/job/status_by_domain_key/mine").Refused(404, "domain key mine")
	})
	t.Run("a query runs over the rows that are there when the job ends", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows)
		c.Post("/table/create/shop/orders", `{"schema":"[[\"status\",\"string\"]]"}`).Want(200)
		id := c.query("SELECT * FROM shop.orders")
		c.ingest("orders", `{"status":"paid"}`)
		c.Advance(5 * time.Second)
		result := c.Get("/job/result/" + id + "?format=json").Want(200)
		if want := "[1768469400,\"{\\\"status\\\":\\\"paid\\\"}\",null]\n"; result.Body != want {
			t.Errorf("rows %s, want %s", result.Body, want)
		}
		c.Get("/job/show/" + id).Has(map[string]any{
			"hive_result_schema": `[["time","bigint"],["v","varchar"],["status","string"]]`,
		})
	})
	t.Run("a query that fails is an error, and its message is in stderr", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows)
		id := c.query("SELECT * FROM nothing")
		c.Advance(5 * time.Second)
		c.Get("/job/show/" + id).Has(map[string]any{
			"status": "error", "end_at": "2026-01-15 09:30:05 UTC", "duration": 4.0,
			"num_records": nil, "result_size": nil, "hive_result_schema": nil,
			"debug": map[string]any{
				"cmdout": "started\nfailed\n", "stderr": "line 1:15: table shop.nothing does not exist in [shop]\n",
			},
		})
		c.Get("/job/result/"+id).Refused(404, "its status is error")
	})
	t.Run("a job whose database is gone fails", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows)
		id := c.query("SELECT 1")
		c.Post("/database/delete/shop", "").Want(200)
		c.Advance(5 * time.Second)
		c.Get("/job/show/" + id).Has(map[string]any{"status": "error", "debug": map[string]any{
			"cmdout": "started\nfailed\n", "stderr": "database with name shop not found\n",
		}})
	})
	t.Run("a failed job is tried again as often as its retry limit says", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, fakeEngine{err: errors.New("out of memory")})
		id := c.issue("/job/issue/hive/shop", `{"query":"SELECT 1","retry_limit":1}`)
		c.Advance(5 * time.Second)
		if status := c.jobStatus(id); status != "running" {
			t.Errorf("after the first try: %v", status)
		}
		c.Advance(4 * time.Second)
		c.Get("/job/show/" + id).Has(map[string]any{"status": "error", "duration": 8.0, "debug": map[string]any{
			"cmdout": "started\nfailed, retry 1 of 1 follows\nfailed\n", "stderr": "out of memory\nout of memory\n",
		}})
	})
	t.Run("polling moves an auto clock to the next state", func(t *testing.T) {
		t.Parallel()
		for _, path := range []string{"show/%s", "status/%s", "statistics/%s", "status_by_domain_key/mine", "result/%s"} {
			c := jobClient(t, threeRows, mockserver.WithClock("auto"))
			id := c.issue("/job/issue/trino/shop", `{"query":"SELECT 1","domain_key":"mine"}`)
			path = "/job/" + strings.Replace(path, "%s", id, 1)
			c.Get(path)
			if page := c.Get("/job/list").Object(); page["jobs"].([]any)[0].(map[string]any)["status"] != "running" {
				t.Errorf("after one %s: %v", path, page)
			}
			c.Get(path)
			if page := c.Get("/job/list").Object(); page["jobs"].([]any)[0].(map[string]any)["status"] != "success" {
				t.Errorf("after two %s: %v", path, page)
			}
		}
	})
}

// ingest sends a record to a table of the database shop.
func (c client) ingest(table, record string) {
	c.Helper()
	c.As("1/write").At("ingestion").Post("/postback/v3/event/shop/"+table, record).Want(200)
}
