package jobs_test

import (
	"strings"
	"testing"
	"time"

	"svc.example/understudy/mockserver"
)

func TestResultExports(t *testing.T) {
	t.Parallel()
	t.Run("the export is a job that names its target, and is named by it", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows)
		id := c.query("SELECT 1")
		c.Advance(5 * time.Second)
		c.Post("/job/result_export/"+id, `{"result":"s3://key:secret@/bucket/x.csv","priority":2,"domain_key":"out"}`).
			Want(200).Has(map[string]any{
			"job_id": "2", "type": "result_export", "status": "queued", "query": "RESULT EXPORT FROM JOB 1", "database": "shop",
			"priority": 2.0,
			"result":   "s3://key:secret@/bucket/x.csv", "result_export_target_job_id": 1.0,
			"linked_result_export_job_id": nil, "debug": map[string]any{"cmdout": nil, "stderr": nil},
		})
		c.Get("/job/show/" + id).Has(map[string]any{"linked_result_export_job_id": 2.0, "result_export_target_job_id": nil})
		c.Advance(5 * time.Second)
		c.Get("/job/status_by_domain_key/out").Has(map[string]any{"job_id": "2", "status": "success", "num_records": nil})
		c.Get("/job/result/2").Refused(404, "export")
	})
	t.Run("it waits for its target", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows)
		id := c.query("SELECT 1")
		c.Post("/job/result_export/"+id, "result=s3%3A%2F%2Fbucket%2Fx").Want(200)
		c.Advance(4 * time.Second)
		if status := c.jobStatus("2"); status != "queued" {
			t.Errorf("before the end of the target: %v", status)
		}
		c.Advance(time.Second)
		c.Get("/job/status/2").Has(map[string]any{"status": "running", "start_at": "2026-01-15 09:30:05 UTC"})
	})
	t.Run("it takes no result that is queued for a query, and its own result cannot be exported", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows)
		target := c.query("SELECT 1")
		c.World().AdvanceUntilIdle()
		c.queue(mockserver.JobResult{Pattern: "RESULT", Error: "not for you", Times: 1})
		c.Post("/job/result_export/"+target, `{"result":"s3://bucket/x"}`).Want(200).Wants("job_id", "2")
		c.World().AdvanceUntilIdle()
		if status := c.jobStatus("2"); status != "success" {
			t.Errorf("the export is %s", status)
		}
		c.Post("/job/result_export/2", `{"result":"s3://bucket/x"}`).Refused(422)
		if got := c.said("/job/issue/trino/shop", `{"query":"RESULT"}`); got != "error: not for you" {
			t.Errorf("a query that the queued result is left for: %s", got)
		}
	})
	t.Run("it fails when its target does not succeed", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows)
		id := c.query("SELECT 1")
		c.Post("/job/result_export/"+id, `{"result":"s3://bucket/x"}`).Want(200)
		c.Post("/job/kill/"+id, "").Want(200)
		c.Advance(5 * time.Second)
		c.Get("/job/show/2").Has(map[string]any{"status": "error", "debug": map[string]any{
			"cmdout": "started\nfailed\n", "stderr": "job 1 has no result to export: its status is killed\n",
		}})
	})
	t.Run("what makes no export", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows)
		id := c.issue("/job/issue/trino/shop", `{"query":"SELECT 1","domain_key":"held"}`)
		path, target := "/job/result_export/"+id, `"result":"s3://bucket/x"`
		c.Post(path, "").Refused(422, "result", "missing")
		c.Post(path, `{"result":"nowhere"}`).Refused(422, "URL")
		c.Post(path, `{"result_connection_id":7}`).Refused(422, "7")
		c.Post(path, `{`+target+`,"priority":5}`).Refused(422, "priority")
		c.Post(path, `{`+target+`,"domain_key":"held"}`).Refused(409, "held")
		c.as("1/analyst").Post(path, `{`+target+`}`).Refused(403, "shop")
		c.Call("POST", path, target, "Content-Type", "text/plain").Want(415)
		c.Post("/job/kill/"+id, "").Want(200)
		c.Post(path, `{`+target+`}`).Refused(422, "killed")
		c.Get("/job/show/" + id).Has(map[string]any{"linked_result_export_job_id": nil})
	})
}

func TestTableExports(t *testing.T) {
	t.Parallel()
	c := jobClient(t, threeRows)
	c.Post("/table/create/shop/orders", "").Want(200)
	const path, ok = "/export/run/shop/orders",
		`"storage_type":"s3","bucket":"b","file_prefix":"/p/","access_key_id":"id","secret_access_key":"hush"`
	id := c.issue(path, `{`+ok+`,"file_format":"jsonl.gz","from":1768348800,"to":1768435200,"domain_key":"out"}`)
	shown := c.Get("/job/show/" + id)
	shown.Has(map[string]any{"type": "export", "status": "queued", "database": "shop", "query": "", "result": "s3://b/p/"})
	if strings.Contains(shown.Body, "hush") {
		t.Errorf("the job tells the secret: %s", shown.Body)
	}
	again := c.Post(path, `{`+ok+`,"domain_key":"out"}`)
	again.Refused(409, "out")
	again.Has(map[string]any{"details": map[string]any{"conflicts_with": id}})
	c.issue(path, "storage_type=s3&bucket=b&from=1768348800&to=1768435200")
	c.Post(path, `{"storage_type":"gcs","bucket":"b"}`).Refused(400, "storage_type")
	c.Post(path, `{"bucket":"b"}`).Refused(400, "storage_type", "s3")
	c.Post(path, `{"storage_type":"s3"}`).Refused(400, "bucket")
	c.Post(path, `{`+ok+`,"file_format":"xlsx"}`).Refused(400, "file_format")
	c.Post(path, `{`+ok+`,"from":2,"to":1}`).Refused(400, "from")
	c.Post("/export/run/attic/orders", `{`+ok+`}`).Refused(404, "database", "attic")
	c.Post("/export/run/shop/carts", `{`+ok+`}`).Refused(404, "table", "carts")
	c.as("1/analyst").Post(path, `{`+ok+`}`).Refused(403, "shop")
	c.Call("POST", path, ok, "Content-Type", "text/plain").Want(415)
	c.Advance(5 * time.Second)
	if status := c.jobStatus(id); status != "success" {
		t.Errorf("the export is %v", status)
	}
	late := c.issue(path, `{`+ok+`}`)
	c.Post("/table/delete/shop/orders", "").Want(200)
	c.Advance(5 * time.Second)
	c.Get("/job/show/" + late).Has(map[string]any{"status": "error", "debug": map[string]any{
		"cmdout": "started\nfailed\n", "stderr": "table with name orders not found\n",
	}})
}
