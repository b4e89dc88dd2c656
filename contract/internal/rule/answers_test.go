package rule_test

import (
	"strings"
	"testing"

	"svc.example/understudy/contract/internal/rule"
)

func TestAnswersAreAboutWhatTheirRequestsName(t *testing.T) {
	t.Parallel()
	const table = `{"id":9,"name":"orders","type":"log","created_at":"2026-01-01 00:00:00 UTC"}`
	runRule(t, rule.Consistency, map[string]ruleCase{
		"another job is killed": {`POST core:/job/kill/7 => 200 {"job_id":"8"}`, []string{"fail 1"}},
		"the job is killed": {
			`POST core:/job/kill/7 => 200 {"job_id":"7","former_status":"running"}`,
			nil,
		},
		"killing shows no job":       {`POST core:/job/kill/7 => 200 {}`, nil},
		"the job's id was taken out": {`POST core:/job/kill/7 => 200 {"job_id":"[redacted]"}`, nil},
		"another token is removed": {
			`POST core:/oauth_token/remove/7 => 200 {"oauth_token_id":8}`,
			[]string{"fail 1"},
		},
		"another table is deleted": {
			`POST core:/table/delete/shop/orders => 200 {"database":"shop","table":"visits"}`,
			[]string{"fail 1"},
		},
		"a table of another database": {
			`POST core:/table/create/shop/orders => 200 {"database":"store","table":"orders"}`,
			[]string{"fail 1"},
		},
		"a table under another name": {
			`GET core:/table/show/shop/visits => 200 ` + table,
			[]string{"fail 1"},
		},
		"a table under its name": {`GET core:/table/show/shop/orders => 200 ` + table, nil},
		"another database": {
			`GET core:/database/show/shop => 200 {base store}`,
			[]string{"fail 1"},
		},
		"another schedule is deleted": {
			`POST core:/schedule/delete/nightly => 200 {"name":"daily","cron":"@daily"}`,
			[]string{"fail 1"},
		},
		"tables of another database": {
			`GET core:/table/list/shop => 200 {"database":"store","tables":[]}`,
			[]string{"fail 1"},
		},
		"schedules of another project": {
			`GET /projects/7/schedules => 200 {"schedules":[{plan 1 8}]}`,
			[]string{"fail 1"},
		},
		"schedules of the project": {`GET /projects/7/schedules => 200 {"schedules":[{plan 1 7}]}`, nil},
		"a table that is renamed": {
			`POST core:/table/rename/shop/orders/old => 200 {"database":"shop","table":"old"}`,
			nil,
		},
		"a table gets a third name": {
			`POST core:/table/rename/shop/orders/old => 200 {"database":"shop","table":"older"}`,
			[]string{"fail 1"},
		},
		"a table that is moved": {
			`POST core:/table/change_database/shop/orders {"dest_database_name":"store"} => ` +
				`200 {"database":"store","table":"orders"}`,
			nil,
		},
		"a table is moved elsewhere": {
			`POST core:/table/change_database/shop/orders {"dest_database_name":"store"} => ` +
				`200 {"database":"depot","table":"orders"}`,
			[]string{"fail 1"},
		},
		"a policy group by its tag": {
			`GET core:/access_control/policy_groups/team_a => 200 {group 4 team_a}`,
			nil,
		},
		"another policy group than asked": {
			`GET core:/access_control/policy_groups/team_a => 200 {group 4 team_b}`,
			[]string{"fail 1"},
		},
		"a job by its number with zeros": {`GET core:/job/show/007 => 200 {"job_id":"7","status":"success"}`, []string{"pass ×1"}},
		"a workflow of another name": {
			`GET /projects/7/workflows/daily => 200 {"id":"4","name":"hourly","project":{"id":"7","name":"n"}}`,
			[]string{"fail 1"},
		},
		"a workflow of its name": {
			`GET /projects/7/workflows/daily => 200 {"id":"4","name":"daily","project":{"id":"7","name":"n"}}`, nil,
		},
		"another table is recovered":          {`POST core:/table/recover/9 => 200 {"id":10,"name":"orders"}`, []string{"fail 1"}},
		"a table is recovered":                {`POST core:/table/recover/9 => 200 {"id":9,"name":"orders"}`, nil},
		"a table is recovered to its name":    {`POST core:/table/recover/9 {"table_name":"old"} => 200 {"id":9,"name":"old"}`, nil},
		"a table is recovered to another one": {`POST core:/table/recover/9 {"table_name":"old"} => 200 {"id":9,"name":"orders"}`, []string{"fail 1"}},
		"a list with an id twice":             {`GET core:/table/list/shop => 200 {"tables":[{table orders 9},{table visits 9}]}`, []string{"fail 1"}},
		"a list whose ids were taken out": {
			`GET core:/table/list/shop => 200 {"tables":[{"name":"a","id":"[redacted]"},{"name":"b","id":"[redacted]"}]}`, nil,
		},
		"a deleted table twice": {`GET core:/table/deleted => 200 {"tables":[{deleted 9 shop a},{deleted 9 shop a}],"cursor_id":null}`, []string{"fail 1"}},
		"a list with a pool twice": {
			`GET /pools => 200 {"pools":[{default 1 90},{pool 4 2},{pool 4 3}]}`,
			[]string{"fail 1"},
		},
		"a list with a session twice": {
			`GET /sessions => 200 {"sessions":[{"id":"4"},{"id":"4"}]}`,
			[]string{"fail 1"},
		},
		"a list with a table name twice": {
			`GET core:/table/list/shop => 200 {"tables":[{table orders 1},{table orders 2}]}`,
			[]string{"fail 1"},
		},
		"tables of one name in two places": {
			"GET core:/table/list/shop => 200 {\"tables\":[{table orders 1}]}\n" +
				"GET core:/table/list/depot => 200 {\"tables\":[{table orders 2}]}",
			nil,
		},
	})
}

func TestPagesAreThoseThatWereAskedFor(t *testing.T) {
	t.Parallel()
	sessions := func(ids ...string) string {
		return `200 {"sessions":[{"id":"` + strings.Join(ids, `"},{"id":"`) + `"}]}`
	}
	deleted := func(next string) string {
		return `200 {"tables":[{deleted ` + strings.Replace(next, "null", "4", 1) + ` shop orders}],"cursor_id":` + next + `}`
	}
	const job = `{"job_id":"1","status":"success","created_at":"2026-05-04 01:00:00 UTC"}`
	runRule(t, rule.Consistency, map[string]ruleCase{
		"a page that is too long": {
			"GET /sessions?page_size=2 => " + sessions("9", "8", "7"),
			[]string{"fail 1"},
		},
		"a page that is full":       {"GET /sessions?page_size=2 => " + sessions("9", "8"), nil},
		"a page of an unknown size": {"GET /sessions?page_size=x => " + sessions("9", "8"), nil},
		"too many jobs": {
			"GET core:/job/list?from=0&to=0 => 200 {\"jobs\":[" + job + "," + strings.Replace(job, `"1"`, `"2"`, 1) + "]}",
			[]string{"fail 1"},
		},
		"too many revisions": {
			`GET /projects/7/revisions?page[size]=1 => 200 {"revisions":[{"revision":"b"},{"revision":"a"}]}`,
			[]string{"fail 1"},
		},
		"a list that is oldest first": {"GET /sessions => " + sessions("7", "8"), []string{"fail 1"}},
		"ids of more digits":          {"GET /sessions => " + sessions("10", "9"), nil},
		"the page before":             {"GET /sessions?last_id=8 => " + sessions("9", "8"), []string{"fail 1"}},
		"the page behind":             {"GET /sessions?last_id=8 => " + sessions("7", "6"), nil},
		"projects of the page before": {
			`GET /projects?last_id=8 => 200 {"projects":[{project 8}]}`,
			[]string{"fail 1"},
		},
		"page 2 for page 1": {
			`GET dwh:/?page=1&size=2 => 200 {"items":[],"pagination":{"page":2,"size":2,"total_pages":3}}`,
			[]string{"fail 1"},
		},
		"a page that repeats its mark": {
			"GET core:/table/deleted?cursor_id=5 => " + deleted("5"),
			[]string{"fail 1"},
		},
		"pages in a circle": {
			"GET core:/table/deleted => " + deleted("5") + "\nGET core:/table/deleted?cursor_id=5 => " + deleted("6") +
				"\nGET core:/table/deleted?cursor_id=6 => " +
				strings.Replace(deleted("5"), "deleted 5", "deleted 7", 1), []string{"fail 2 3"},
		},
		"a list that is read twice": {
			strings.Repeat("GET core:/table/deleted => "+deleted("5")+
				"\nGET core:/table/deleted?cursor_id=5 => "+deleted("null")+"\n", 2),
			nil,
		},
		"a deleted table on two pages": {
			"GET core:/table/deleted => " + deleted("5") + "\nGET core:/table/deleted?cursor_id=5 => " +
				strings.Replace(deleted("null"), "deleted 4", "deleted 5", 1), []string{"fail 1 2"},
		},
		"a table that was deleted anew between": {
			"GET core:/table/deleted => " + deleted("5") + "\nPOST core:/table/delete/shop/orders => 200 {}" +
				"\nGET core:/table/deleted?cursor_id=5 => " + strings.Replace(deleted("null"), "deleted 4", "deleted 5", 1), nil,
		},
		"deleted tables of another database": {
			"GET core:/table/deleted?database_id=12 => " + deleted("null"), []string{"fail 1"},
		},
		"deleted tables of the database":  {"GET core:/table/deleted?database_id=11 => " + deleted("null"), nil},
		"more records than asked for":     {"GET core:/table/tail/shop/orders?count=1 => 200 [[1],[2]]", []string{"fail 1"}},
		"the records that were asked for": {"GET core:/table/tail/shop/orders?count=2 => 200 [[1],[2]]", nil},
		"a page behind the last one": {
			`GET dwh:/?page=4 => 200 {"items":[{dwh 7}],"pagination":{"page":4,"size":1,"total_pages":3}}`, []string{"fail 1"},
		},
		"an empty page behind the last one": {
			`GET dwh:/?page=4 => 200 {"items":[],"pagination":{"page":4,"size":1,"total_pages":3}}`, nil,
		},
		"an integration on two pages": {
			`GET dwh:/?page=1 => 200 {"items":[{dwh 7}],"pagination":{"page":1,"size":1,"total_pages":3}}` + "\n" +
				`GET dwh:/?page=2 => 200 {"items":[{dwh 7}],"pagination":{"page":2,"size":1,"total_pages":3}}`,
			[]string{"inconclusive 1 2"},
		},
		"integrations on two pages": {
			`GET dwh:/?page=1 => 200 {"items":[{dwh 7}],"pagination":{"page":1,"size":1,"total_pages":3}}` + "\n" +
				`GET dwh:/?page=2 => 200 {"items":[{dwh 8}],"pagination":{"page":2,"size":1,"total_pages":3}}`,
			[]string{"pass ×1"},
		},
		"a count that is not that of the page": {
			`GET core:/job/list => 200 {"jobs":[` + job + `],"count":3}`,
			[]string{"fail 1"},
		},
		"jobs of another status": {
			`GET core:/job/list?status=error => 200 {"jobs":[` + job + `],"count":1}`,
			[]string{"fail 1"},
		},
	})
}
