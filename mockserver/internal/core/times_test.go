package core_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

// clockTime finds times with a date, as most answers have them.
var clockTime = regexp.MustCompile(`"(\d{4}-\d{2}-\d{2} [^"]*)"`)

func TestTimesEndInUTCEverywhereButInTheListOfDatabases(t *testing.T) {
	t.Parallel()
	c := jobClient(t, threeRows)
	c.post("/database/create/market", "").want(200)
	c.post("/table/create/market/gone", "").want(200)
	c.post("/table/delete/market/gone", "").want(200)
	c.post("/table/create/market/there", "").want(200)
	deleted := c.get("/table/deleted").want(200)
	id := c.issue("/job/issue/trino/shop", `{"query":"SELECT 1","domain_key":"once"}`)
	c.advance(time.Minute)
	c.schedule("hourly", `"database":"shop","query":"SELECT 1","type":"trino","cron":"@hourly","timezone":"Asia/Tokyo"`)
	c.advance(2 * time.Hour)

	for what, answer := range map[string]answer{
		"a database": c.get("/database/show/market"), "a table": c.get("/table/show/market/there"),
		"tables": c.get("/table/list/market"), "deleted tables": deleted,
		"a recovered table": c.post("/table/recover/"+gjson.GetBytes(deleted.body, "tables.0.id").String(), ""),
		"a job":             c.get("/job/show/" + id), "jobs": c.get("/job/list"), "a status": c.get("/job/status/" + id),
		"a status by its domain key": c.get("/job/status_by_domain_key/once"),
		"an export":                  c.post("/job/result_export/"+id, `{"result":"s3://bucket/key"}`),
		"schedules":                  c.get("/schedule/list"), "a history": c.get("/schedule/history/hourly"),
		"a changed schedule": c.post("/schedule/update/hourly", `{"delay":1}`),
		"a run":              c.post("/schedule/run/hourly/1768456800", ""),
	} {
		times := clockTime.FindAllStringSubmatch(string(answer.want(200).body), -1)
		if len(times) == 0 {
			t.Errorf("%s has no times: %s", what, answer.body)
		}
		for _, found := range times {
			if _, err := time.Parse("2006-01-02 15:04:05 UTC", found[1]); err != nil {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
	list := string(c.get("/database/list").want(200).body)
	if strings.Contains(list, "UTC") || !strings.Contains(list, `"created_at":"2026-01-15 09:30:00 +0000"`) {
		t.Errorf("databases: %s", list)
	}
}
