package mockserver_test

import (
	"fmt"
	"strings"
	"testing"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/query/sqlite"
)

// Events whose keys are data, such as "2026-01-15": 3, give a table more columns than the query engine has room for.
func TestTablesOfEventsWithThousandsOfKeysCanBeQueried(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t, mockserver.WithScenario("empty"), mockserver.WithClock("auto"),
		mockserver.WithQueryEngine(sqlite.New()))
	mocktest.Call(t, s, "POST", "/core/v3/database/create/shop", "").Want(200)
	mocktest.Call(t, s, "POST", "/core/v3/table/create/shop/counts", "").Want(200)
	for from := 0; from < 2500; from += 100 {
		var members []string
		for i := from; i < from+100; i++ {
			members = append(members, fmt.Sprintf(`"k%d":%[1]d`, i))
		}
		mocktest.Call(t, s, "POST", "/ingestion/postback/v3/event/shop/counts", "{"+strings.Join(members, ",")+"}").Want(200)
	}
	answers := func(query string) (rows, debug string) {
		id := mocktest.Decode[struct {
			ID string `json:"job_id"`
		}](mocktest.Call(t, s, "POST", "/core/v3/job/issue/trino/shop", fmt.Sprintf(`{"query":%q}`, query)).Want(200)).ID
		mocktest.Call(t, s, "POST", "/_understudy/worlds/default/clock", `{"untilIdle":true}`).Want(200)
		result := mocktest.Call(t, s, "GET", "/core/v3/job/result/"+id+"?format=csv", "")
		job := mocktest.Decode[struct{ Debug struct{ Stderr string } }](mocktest.Call(t, s, "GET", "/core/v3/job/show/"+id, "").Want(200))
		if result.Status != 200 {
			return "", job.Debug.Stderr
		}
		return strings.TrimSpace(result.Body), job.Debug.Stderr
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
	if tail := mocktest.Call(t, s, "GET", "/core/v3/table/tail/shop/counts", "").Want(200).Body; !strings.Contains(tail,
		`"k2400":`) {
		t.Errorf("the last record is %s", tail)
	}
	mocktest.Call(t, s, "POST", "/core/v3/table/update/shop/counts", `{"schema":[["k2400","long"]]}`).Want(200)
	if rows, debug := answers(missing); rows != "2400" {
		t.Errorf("%s: %q, %s; want 2400, now that the schema has the column", missing, rows, debug)
	}
}
