package core_test

import (
	"testing"
	"time"
)

func TestKills(t *testing.T) {
	t.Parallel()
	c := jobClient(t, threeRows)
	id := c.query("SELECT 1")
	c.as("1/analyst").post("/job/kill/"+id, "").refused(403, "administrators")
	c.post("/job/kill/"+id, "").want(200).has(map[string]any{"job_id": id, "former_status": "queued"})
	c.get("/job/show/" + id).has(map[string]any{
		"status": "killed", "start_at": "", "end_at": "2026-01-15 09:30:00 UTC", "duration": 0.0, "cpu_time": 0.0,
		"debug": map[string]any{"cmdout": "killed\n", "stderr": ""},
	})
	id = c.query("SELECT 1")
	c.advance(3 * time.Second)
	c.post("/job/kill/"+id, "{}").want(200).has(map[string]any{"job_id": id, "former_status": "running"})
	c.advance(time.Hour)
	c.get("/job/show/" + id).has(map[string]any{
		"status": "killed", "duration": 2.0, "cpu_time": 2000.0, "num_records": nil, "result_size": nil,
		"end_at": "2026-01-15 09:30:03 UTC", "debug": map[string]any{"cmdout": "started\nkilled\n", "stderr": ""},
	})
	c.get("/job/result/"+id).refused(404, "its status is killed")
	c.post("/job/kill/"+id, "").want(200).has(map[string]any{"job_id": id, "former_status": "killed"})
	c.get("/job/status/" + id).has(map[string]any{"end_at": "2026-01-15 09:30:03 UTC"})
}
