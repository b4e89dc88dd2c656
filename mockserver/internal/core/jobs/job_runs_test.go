package jobs_test

import (
	"testing"
	"time"
)

func TestKills(t *testing.T) {
	t.Parallel()
	c := jobClient(t, threeRows)
	id := c.query("SELECT 1")
	c.as("1/analyst").Post("/job/kill/"+id, "").Refused(403, "administrators")
	c.Post("/job/kill/"+id, "").Want(200).Has(map[string]any{"job_id": id, "former_status": "queued"})
	c.Get("/job/show/" + id).Has(map[string]any{
		"status": "killed", "start_at": "", "end_at": "2026-01-15 09:30:00 UTC", "duration": 0.0, "cpu_time": 0.0,
		"debug": map[string]any{"cmdout": "killed\n", "stderr": ""},
	})
	id = c.query("SELECT 1")
	c.Advance(3 * time.Second)
	c.Post("/job/kill/"+id, "{}").Want(200).Has(map[string]any{"job_id": id, "former_status": "running"})
	c.Advance(time.Hour)
	c.Get("/job/show/" + id).Has(map[string]any{
		"status": "killed", "duration": 2.0, "cpu_time": 2000.0, "num_records": nil, "result_size": nil,
		"end_at": "2026-01-15 09:30:03 UTC", "debug": map[string]any{"cmdout": "started\nkilled\n", "stderr": ""},
	})
	c.Get("/job/result/"+id).Refused(404, "its status is killed")
	c.Post("/job/kill/"+id, "").Want(200).Has(map[string]any{"job_id": id, "former_status": "killed"})
	c.Get("/job/status/" + id).Has(map[string]any{"end_at": "2026-01-15 09:30:03 UTC"})
}
