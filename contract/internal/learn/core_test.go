package learn_test

import (
	"fmt"
	"strings"
	"testing"
)

const (
	shopShown = `{"name":"shop","count":5,"created_at":"2025-12-16 09:30:00 +0000",` +
		`"updated_at":"2025-12-16 09:30:00 +0000","permission":"administrator"}`
	salesShown = `{"name":"sales","count":0,"created_at":"2025-12-16 09:30:00 +0000",` +
		`"updated_at":"2025-12-16 09:30:00 +0000","permission":"administrator"}`
)

// shownJob returns a job with a result of some size.
func shownJob(id, created, size string) string {
	return `{"job_id":"` + id + `","type":"trino","database":"shop","query":"select 1","status":"success",` +
		`"created_at":"2026-01-15 ` + created + ` UTC","start_at":"2026-01-15 ` + created + ` UTC",` +
		`"end_at":"2026-01-15 ` + created + ` UTC","num_records":1,"result_size":` + size +
		`,"hive_result_schema":"[[\"n\",\"bigint\"]]"}`
}

func TestDatabases(t *testing.T) {
	t.Parallel()
	list := said{
		method: "GET", path: "/core/v3/database/list", status: 200,
		answer: `{"databases":[` + shopShown + `,` + salesShown + `]}`,
	}
	t.Run("a table that a list of deleted ones shows was deleted with its database", func(t *testing.T) {
		t.Parallel()
		s := learned(t, list,
			said{method: "POST", path: "/core/v3/database/delete/shop", status: 200, answer: `{"database":"shop"}`},
			said{method: "GET", path: "/core/v3/table/deleted", status: 200, answer: `{"tables":[{"id":1,"name":"customers",` +
				`"database_id":1,"database_name":"shop","created_at":"2025-12-16 09:30:00 UTC",` +
				`"deleted_at":"2026-01-15 09:30:00 UTC"}],"cursor_id":null}`})
		wants(t, s, "- name: customers", "# guessed: the database counts them\n      count: 5")
	})
	t.Run("a table that was made and renamed was not there before", func(t *testing.T) {
		t.Parallel()
		s := learned(t, list,
			said{
				method: "POST", path: "/core/v3/table/create/sales/new", status: 200,
				answer: `{"database":"sales","table":"new"}`,
			},
			said{
				method: "POST", path: "/core/v3/table/rename/sales/new/newer", status: 200,
				answer: `{"database":"sales","table":"newer"}`,
			})
		if strings.Contains(string(s.Scenario), "name: new") {
			t.Errorf("the scenario has a table that a request made:\n%s", s.Scenario)
		}
	})
}

func TestConnections(t *testing.T) {
	t.Parallel()
	var list []said
	for id := range 8 {
		list = append(list, said{
			method: "GET", path: "/core/v3/connections/lookup?name=warehouse", status: 200,
			answer: fmt.Sprintf(`{"id":"%d"}`, 100-id),
		})
	}
	wants(t, learned(t, list...), "- id: 100\n    name: warehouse")
}

func TestJobs(t *testing.T) {
	t.Parallel()
	t.Run("a result without a format is read by its media type", func(t *testing.T) {
		t.Parallel()
		job := said{method: "GET", path: "/core/v3/job/show/7", status: 200, answer: shownJob("7", "09:00:00", "30")}
		result := said{
			method: "GET", path: "/core/v3/job/result/7", status: 200, answer: "6210.4\n", media: "text/tab-separated-values",
		}
		wants(t, learned(t, job, result), "rows: [[6210.4]]")
	})
	t.Run("a result that no answer shows has as many rows as are counted", func(t *testing.T) {
		t.Parallel()
		jobs := said{
			at: "11:30:00", method: "GET", path: "/core/v3/job/list", status: 200, answer: `{"jobs":[` +
				shownJob("3", "11:00:00", "30") + `,` + shownJob("2", "10:00:00", "30") + `,` +
				shownJob("1", "09:00:00", "30") + `]}`,
		}
		first := said{method: "GET", path: "/core/v3/database/list", status: 200, answer: `{"databases":[]}`}
		wants(t, learned(t, first, jobs), "rows: [[null]]")
	})
	t.Run("results of a query come in the order of its jobs, as often as these end alike", func(t *testing.T) {
		t.Parallel()
		issue := said{
			method: "POST", path: "/core/v3/job/issue/trino/shop", request: `{"query":"select 1"}`, status: 200,
		}
		var list []said
		for _, id := range []string{"1", "2", "3"} {
			issue.answer = `{"database":"shop","job":"` + id + `","job_id":"` + id + `"}`
			list = append(list, issue)
		}
		list = append(list, said{
			at: "09:40:00", method: "GET", path: "/core/v3/job/list", status: 200, answer: `{"jobs":[` +
				shownJob("3", "09:30:00", "30") + `,` + shownJob("2", "09:30:00", "30") + `,` +
				shownJob("1", "09:30:00", "30") + `]}`,
		})
		for i, rows := range []string{"[7]", "[7]", "[8]"} {
			path := fmt.Sprintf("/core/v3/job/result/%d?format=json", i+1)
			list = append(list, said{at: "09:40:00", method: "GET", path: path, status: 200, answer: rows + "\n"})
		}
		const end = "\n    queued: 0s\n    running: 0s\n    times: "
		wants(t, learned(t, list...), "rows: [[7]]"+end+"2\n  - query: select 1\n", "rows: [[8]]"+end+"1\n")
	})
}
