package mockserver_test

import (
	"fmt"
	"strings"
	"testing"

	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/query/sqlite"
)

// Events whose keys are data, such as "2026-01-15": 3, give a table more columns than the query engine has room for.
func TestTablesOfEventsWithThousandsOfKeysCanBeQueried(t *testing.T) {
	t.Parallel()
	s := newServer(t, mockserver.WithScenario("empty"), mockserver.WithClock("auto"),
		mockserver.WithQueryEngine(sqlite.New()))
	call(t, s, "POST", "/core/v3/database/create/shop", "").want(t, 200)
	call(t, s, "POST", "/core/v3/table/create/shop/counts", "").want(t, 200)
	for from := 0; from < 2500; from += 100 {
		var members []string
		for i := from; i < from+100; i++ {
			members = append(members, fmt.Sprintf(`"k%d":%[1]d`, i))
		}
		call(t, s, "POST", "/ingestion/postback/v3/event/shop/counts", "{"+strings.Join(members, ",")+"}").want(t, 200)
	}
	answers := func(query string) (rows, debug string) {
		id := decode[struct {
			ID string `json:"job_id"`
		}](t, call(t, s, "POST", "/core/v3/job/issue/trino/shop", fmt.Sprintf(`{"query":%q}`, query)).want(t, 200)).ID
		call(t, s, "POST", "/_understudy/worlds/default/clock", `{"untilIdle":true}`).want(t, 200)
		result := call(t, s, "GET", "/core/v3/job/result/"+id+"?format=csv", "")
		job := decode[struct{ Debug struct{ Stderr string } }](t, call(t, s, "GET", "/core/v3/job/show/"+id, "").want(t, 200))
		if result.StatusCode != 200 {
			return "", job.Debug.Stderr
		}
		return strings.TrimSpace(result.body), job.Debug.Stderr
	}
	for query, want := range map[string]string{
		"SELECT count(*), min(k0), min(k1998) FROM counts": "25,0,1998",
		"SELECT k7 FROM counts WHERE k7 IS NOT NULL":       "7",
	} {
		if rows, debug := answers(query); rows != want {
			t.Errorf("%s: %q, %s; want %s", query, rows, debug, want)
		}
	}
	const missing = "SELECT k2400 FROM counts WHERE k2400 IS NOT NULL"
	if rows, debug := answers(missing); !strings.Contains(debug,
		"k2400: shop.counts has it, but a query can see only the first") {
		t.Errorf("%s: %q, %s", missing, rows, debug)
	}
	if tail := call(t, s, "GET", "/core/v3/table/tail/shop/counts", "").want(t, 200).body; !strings.Contains(tail,
		`"k2400":`) {
		t.Errorf("the last record is %s", tail)
	}
	call(t, s, "POST", "/core/v3/table/update/shop/counts", `{"schema":[["k2400","long"]]}`).want(t, 200)
	if rows, debug := answers(missing); rows != "2400" {
		t.Errorf("%s: %q, %s; want 2400, now that the schema has the column", missing, rows, debug)
	}
}
