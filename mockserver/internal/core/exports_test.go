package core_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"svc.example/understudy/mockserver/internal/world"
)

func TestResultExports(t *testing.T) {
	t.Parallel()
	t.Run("the export is a job that names its target, and is named by it", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows)
		id := c.query("SELECT 1")
		c.advance(5 * time.Second)
		c.post("/job/result_export/"+id, `{"result":"s3://key:secret@/bucket/x.csv","priority":2,"domain_key":"out"}`).
			want(200).has(map[string]any{
			"job_id": "2", "type": "result_export", "status": "queued", "query": "RESULT EXPORT FROM JOB 1", "database": "shop", "priority": 2.0,
			"result": "s3://key:secret@/bucket/x.csv", "result_export_target_job_id": 1.0,
			"linked_result_export_job_id": nil, "debug": map[string]any{"cmdout": nil, "stderr": nil},
		})
		c.get("/job/show/" + id).has(map[string]any{"linked_result_export_job_id": 2.0, "result_export_target_job_id": nil})
		c.advance(5 * time.Second)
		c.get("/job/status_by_domain_key/out").has(map[string]any{"job_id": "2", "status": "success", "num_records": nil})
		c.get("/job/result/2").refused(404, "export")
	})
	t.Run("it waits for its target", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows)
		id := c.query("SELECT 1")
		c.post("/job/result_export/"+id, "result=s3%3A%2F%2Fbucket%2Fx").want(200)
		c.advance(4 * time.Second)
		if status := c.jobStatus("2"); status != "queued" {
			t.Errorf("before the end of the target: %v", status)
		}
		c.advance(time.Second)
		c.get("/job/status/2").has(map[string]any{"status": "running", "start_at": "2026-01-15 09:30:05 UTC"})
	})
	t.Run("it takes no result that is queued for a query, and its own result cannot be exported", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, nil)
		target := s.run("/job/issue/trino/shop", `{"query":"SELECT 1"}`)
		s.queue([]world.QueuedResult{{Pattern: "RESULT", Error: "not for you"}})
		job := s.run(fmt.Sprint("/job/result_export/", target.ID), `{"result":"s3://bucket/x"}`)
		if job.Status != world.JobSuccess || len(s.world.Core.Results) != 1 {
			t.Errorf("the export is %s: %s; %d results are left", job.Status, job.Stderr, len(s.world.Core.Results))
		}
		if _, err := s.try("POST", fmt.Sprint("/job/result_export/", job.ID), `{"result":"s3://bucket/x"}`); err == nil {
			t.Error("the result of an export was exported")
		}
	})
	t.Run("it fails when its target does not succeed", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows)
		id := c.query("SELECT 1")
		c.post("/job/result_export/"+id, `{"result":"s3://bucket/x"}`).want(200)
		c.post("/job/kill/"+id, "").want(200)
		c.advance(5 * time.Second)
		c.get("/job/show/2").has(map[string]any{"status": "error", "debug": map[string]any{
			"cmdout": "started\nfailed\n", "stderr": "job 1 has no result to export: its status is killed\n",
		}})
	})
	t.Run("what makes no export", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows)
		id := c.issue("/job/issue/trino/shop", `{"query":"SELECT 1","domain_key":"held"}`)
		path, target := "/job/result_export/"+id, `"result":"s3://bucket/x"`
		c.post(path, "").refused(422, "result", "missing")
		c.post(path, `{"result":"nowhere"}`).refused(422, "URL")
		c.post(path, `{"result_connection_id":7}`).refused(422, "7")
		c.post(path, `{`+target+`,"priority":5}`).refused(422, "priority")
		c.post(path, `{`+target+`,"domain_key":"held"}`).refused(409, "held")
		c.as("1/analyst").post(path, `{`+target+`}`).refused(403, "shop")
		c.call("POST", path, target, "Content-Type", "text/plain").want(415)
		c.post("/job/kill/"+id, "").want(200)
		c.post(path, `{`+target+`}`).refused(422, "killed")
		c.get("/job/show/" + id).has(map[string]any{"linked_result_export_job_id": nil})
	})
}

func TestTableExports(t *testing.T) {
	t.Parallel()
	c := jobClient(t, threeRows)
	c.post("/table/create/shop/orders", "").want(200)
	const path, ok = "/export/run/shop/orders", `"storage_type":"s3","bucket":"b","file_prefix":"/p/","access_key_id":"id","secret_access_key":"hush"`
	id := c.issue(path, `{`+ok+`,"file_format":"jsonl.gz","from":1768348800,"to":1768435200,"domain_key":"out"}`)
	shown := c.get("/job/show/" + id)
	shown.has(map[string]any{"type": "export", "status": "queued", "database": "shop", "query": "", "result": "s3://b/p/"})
	if strings.Contains(string(shown.body), "hush") {
		t.Errorf("the job tells the secret: %s", shown.body)
	}
	again := c.post(path, `{`+ok+`,"domain_key":"out"}`)
	again.refused(409, "out")
	again.has(map[string]any{"details": map[string]any{"conflicts_with": id}})
	c.issue(path, "storage_type=s3&bucket=b&from=1768348800&to=1768435200")
	c.post(path, `{"storage_type":"gcs","bucket":"b"}`).refused(400, "storage_type")
	c.post(path, `{"bucket":"b"}`).refused(400, "storage_type", "s3")
	c.post(path, `{"storage_type":"s3"}`).refused(400, "bucket")
	c.post(path, `{`+ok+`,"file_format":"xlsx"}`).refused(400, "file_format")
	c.post(path, `{`+ok+`,"from":2,"to":1}`).refused(400, "from")
	c.post("/export/run/attic/orders", `{`+ok+`}`).refused(404, "database", "attic")
	c.post("/export/run/shop/carts", `{`+ok+`}`).refused(404, "table", "carts")
	c.as("1/analyst").post(path, `{`+ok+`}`).refused(403, "shop")
	c.call("POST", path, ok, "Content-Type", "text/plain").want(415)
	c.advance(5 * time.Second)
	if status := c.jobStatus(id); status != "success" {
		t.Errorf("the export is %v", status)
	}
	late := c.issue(path, `{`+ok+`}`)
	c.post("/table/delete/shop/orders", "").want(200)
	c.advance(5 * time.Second)
	c.get("/job/show/" + late).has(map[string]any{"status": "error", "debug": map[string]any{
		"cmdout": "started\nfailed\n", "stderr": "table with name orders not found\n",
	}})
}
