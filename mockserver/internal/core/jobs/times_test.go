package jobs_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/internal/mocktest"
)

// clockTime matches times with a date, in the form of most answers.
var clockTime = regexp.MustCompile(`"(\d{4}-\d{2}-\d{2} [^"]*)"`)

func TestTimesEndInUTCEverywhereButInTheListOfDatabases(t *testing.T) {
	t.Parallel()
	c := jobClient(t, threeRows)
	c.Post("/database/create/market", "").Want(200)
	c.Post("/table/create/market/gone", "").Want(200)
	c.Post("/table/delete/market/gone", "").Want(200)
	c.Post("/table/create/market/there", "").Want(200)
	deleted := c.Get("/table/deleted").Want(200)
	id := c.issue("/job/issue/trino/shop", `{"query":"SELECT 1","domain_key":"once"}`)
	c.Advance(time.Minute)
	c.schedule("hourly", `"database":"shop","query":"SELECT 1","type":"trino","cron":"@hourly","timezone":"Asia/Tokyo"`)
	c.Advance(2 * time.Hour)

	for what, answer := range map[string]mocktest.Answer{
		"a database": c.Get("/database/show/market"), "a table": c.Get("/table/show/market/there"),
		"tables": c.Get("/table/list/market"), "deleted tables": deleted,
		"a recovered table": c.Post("/table/recover/"+jsontree.Find(deleted.Body, "tables.0.id").Text(), ""),
		"a job":             c.Get("/job/show/" + id), "jobs": c.Get("/job/list"), "a status": c.Get("/job/status/" + id),
		"a status by its domain key": c.Get("/job/status_by_domain_key/once"),
		"an export":                  c.Post("/job/result_export/"+id, `{"result":"s3://bucket/key"}`),
		"schedules":                  c.Get("/schedule/list"), "a history": c.Get("/schedule/history/hourly"),
		"a changed schedule": c.Post("/schedule/update/hourly", `{"delay":1}`),
		"a run":              c.Post("/schedule/run/hourly/1768456800", ""),
	} {
		times := clockTime.FindAllStringSubmatch(answer.Want(200).Body, -1)
		if len(times) == 0 {
			t.Errorf("%s has no times: %s", what, answer.Body)
		}
		for _, found := range times {
			if _, err := time.Parse("2006-01-02 15:04:05 UTC", found[1]); err != nil {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
	list := c.Get("/database/list").Want(200).Body
	if strings.Contains(list, "UTC") || !strings.Contains(list, `"created_at":"2026-01-15 09:30:00 +0000"`) {
		t.Errorf("databases: %s", list)
	}
}
