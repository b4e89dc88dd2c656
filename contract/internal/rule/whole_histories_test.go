package rule_test

import (
	"strings"
	"testing"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/internal/rule"
	"svc.example/understudy/contract/report"
)

func TestListsAndAnswersAreOfTheWholeThatIsNamed(t *testing.T) {
	t.Parallel()
	const (
		first  = "{attempt 5 50 1 - 2 error}"
		second = "{attempt 6 50 2 r 2 running}"
		other  = "{attempt 7 51 1 - 2 error}"
	)
	retries := func(list ...string) string {
		return `GET /attempts/5/retries => 200 {"attempts":[` + strings.Join(list, ",") + `]}`
	}
	daily := func(project string) string {
		return `200 {"id":"4","name":"daily","project":{"id":"` + project + `","name":"n"}}`
	}
	inSession := func(id string) string { return strings.Replace(first, "50", id, 1) }
	runRule(t, rule.Consistency, map[string]ruleCase{
		"retries of the session":              {retries(first, second), nil},
		"retries with one of another session": {retries(first, other), []string{"fail 1"}},
		"retries of another session": {
			"GET /attempts/5 => 200 " + first + "\n" + retries(other), []string{"pass ×1", "fail 2"},
		},
		"retries without the attempt itself": {retries(second), []string{"fail 1"}},
		"no retries at all":                  {retries(), []string{"fail 1"}},
		"retries whose ids were taken out":   {retries("{attempt [redacted] 50 1 - 2 error}"), nil},
		"retries whose sessions were taken out": {
			strings.Replace(retries(first, second), `"sessionId":"50","index":2`, `"sessionId":"[redacted]","index":2`, 1), nil,
		},
		"retries that move the attempt elsewhere": {"GET /attempts/5 => 200 " + first + "\n" + retries(inSession("51")), []string{"pass ×1", "fail 1 2"}},
		"an attempt that changes its session": {
			"GET /attempts/5 => 200 " + first + "\nGET /attempts/5 => 200 " + inSession("51"), []string{"pass ×2", "fail 1 2"},
		},
		"an attempt that changes its session in a list": {
			"GET /attempts/5 => 200 " + first + "\n" + `GET /attempts => 200 {"attempts":[` + inSession("51") + "]}",
			[]string{"pass ×1", "fail 1 2"},
		},
		"an attempt that changes its session when it is killed": {
			"GET /attempts/5 => 200 " + first + "\nPOST /attempts/5/kill => 200 " + inSession("51"), []string{"pass ×2", "fail 1 2"},
		},
		"attempts of another session": {`GET /sessions/51/attempts => 200 {"attempts":[` + first + "]}", []string{"fail 1"}},
		"a workflow of the project":   {"GET /projects/7/workflows/daily => " + daily("7"), nil},
		"a workflow of another project": {
			"GET /projects/7/workflows/daily => " + daily("8"), []string{"fail 1"},
		},
		"a workflow of another project in a revision": {
			"GET /projects/7/workflows/daily?revision=v1 => " + daily("8"), []string{"fail 1"},
		},
		"a workflow whose project was taken out": {"GET /projects/7/workflows/daily => " + daily("[redacted]"), nil},
		"a workflow that changes its project": {
			"GET /workflows/4 => " + daily("7") + "\nGET /workflows/4 => " + daily("8"), []string{"pass ×2", "fail 1 2"},
		},
		"a workflow that changes its project in its project's list": {
			"GET /workflows/4 => " + daily("7") + "\n" + `GET /projects/8/workflows => 200 {"workflows":[` +
				strings.TrimPrefix(daily("8"), "200 ") + "]}", []string{"pass ×1", "fail 1 2"},
		},
		"a schedule that changes its project": {
			"GET /schedules/1 => 200 {plan 1 7}\nPOST /schedules/1/disable => 200 {plan 1 8}", []string{"pass ×2", "fail 1 2"},
		},
		"sessions of another project": {
			`GET /projects/7/sessions => 200 {"sessions":[{"id":"4","project":{"id":"8","name":"n"}}]}`, []string{"fail 1"},
		},
	})
}

func TestSwapsAreOfTheTablesThatAreNamed(t *testing.T) {
	t.Parallel()
	swapped := func(one, two string) string {
		return `POST core:/table/swap/shop/orders/orders_new => 200 {"database":"shop","table1":"` + one + `","table2":"` + two + `"}`
	}
	runRule(t, rule.Consistency, map[string]ruleCase{
		"both tables":                {swapped("orders", "orders_new"), nil},
		"both in another order":      {swapped("orders_new", "orders"), nil},
		"another second table":       {swapped("orders", "visits"), []string{"fail 1"}},
		"another first table":        {swapped("visits", "orders_new"), []string{"fail 1"}},
		"two others":                 {swapped("visits", "users"), []string{"fail 1"}},
		"one of them twice":          {swapped("orders", "orders"), []string{"fail 1"}},
		"names that were taken out":  {swapped("[redacted]", "orders_new"), nil},
		"names in another case":      {swapped("ORDERS", "orders_new"), nil},
		"an answer that names none":  {`POST core:/table/swap/shop/orders/orders_new => 200 {}`, nil},
		"tables of another database": {strings.Replace(swapped("orders", "orders_new"), `"database":"shop"`, `"database":"store"`, 1), []string{"fail 1"}},
	})
}

func TestNoListShowsAnEntityTwice(t *testing.T) {
	t.Parallel()
	const user, policy = `{"user_id":3,"account_id":1,"email":"a@x.example","name":"Ana"}`, `{"id":21,"account_id":1,"name":"analysts"}`
	twice := func(s string) string { return "[" + s + "," + s + "]" }
	renamed := strings.Replace(user, "Ana", "Anna", 1)
	runRule(t, rule.Consistency, map[string]ruleCase{
		"a user of a policy":                {`GET core:/access_control/policies/21/users => 200 [` + user + `]`, nil},
		"a user of a policy twice":          {`GET core:/access_control/policies/21/users => 200 ` + twice(user), []string{"fail 1"}},
		"a user twice under two names":      {`GET core:/access_control/policies/21/users => 200 [` + user + "," + renamed + `]`, []string{"fail 1"}},
		"a user twice among those replaced": {`PATCH core:/access_control/policies/21/users {"user_ids":[3]} => 200 ` + twice(user), []string{"fail 1"}},
		"a policy of a user twice":          {`GET core:/access_control/users/3/policies => 200 ` + twice(policy), []string{"fail 1"}},
		"a policy of a user twice after a change": {
			`PATCH core:/access_control/users/3/policies {"policy_ids":[21]} => 200 ` + twice(policy), []string{"fail 1"},
		},
		"a policy within a user twice": {
			`GET core:/access_control/users/3 => 200 {"user_id":3,"policies":` + twice(policy) + `}`, []string{"pass ×1", "fail 1"},
		},
		"one policy of two users": {
			`GET core:/access_control/users => 200 [{"user_id":3,"policies":[` + policy + `]},{"user_id":4,"policies":[` + policy + `]}]`,
			nil,
		},
		"users whose ids were taken out": {
			`GET core:/access_control/policies/21/users => 200 ` + twice(strings.Replace(user, "3", `"[redacted]"`, 1)), nil,
		},
		"a job twice in the history of a schedule": {
			`GET core:/schedule/history/nightly => 200 {"history":` + twice(`{"job_id":"7","scheduled_at":"2026-05-04 01:00:00 UTC"}`) + `}`,
			[]string{"fail 1"},
		},
		"an attempt twice in a backfill": {
			`POST /schedules/1/backfill {} => 200 {"attempts":` + twice("{attempt 5 50 1 - 2 running}") + `}`, []string{"fail 1"},
		},
	})
}

func TestCreatedEntitiesAreInTheirLists(t *testing.T) {
	t.Parallel()
	const (
		put    = "PUT /projects?project=n7&revision=r => 200 {project 7}\n"
		listed = `GET /projects => 200 {"projects":[%]}`
		agent  = `POST llm:/agents {} => 201 {"data":{res agents 9a name=x}}` + "\n"
	)
	projects := func(list string) string { return strings.Replace(listed, "%", list, 1) }
	agents := func(list string) string { return `GET llm:/agents => 200 {"data":[` + list + `],"meta":{"total":1}}` }
	runRule(t, rule.Consistency, map[string]ruleCase{
		"a project that is listed":    {put + projects("{project 7}"), nil},
		"a project that is missing":   {put + projects("{project 8}"), []string{"inconclusive 1 2"}},
		"no project at all":           {put + projects(""), []string{"inconclusive 1 2"}},
		"a project of a new revision": {put + put + projects(""), []string{"inconclusive 2 3"}},
		"a project that was deleted":  {put + "DELETE /projects/7 => 200 {project 7}\n" + projects(""), []string{"pass ×1"}},
		"a project that is not found": {
			put + "GET /projects/7 => 404", []string{"inconclusive 1 2"},
		},
		"a project that is missing under its name": {
			put + `GET /projects?name=n7 => 200 {"projects":[]}`, []string{"inconclusive 1 2"},
		},
		"a project under another name": {put + `GET /projects?name=n8 => 200 {"projects":[]}`, nil},
		"a project of a page":          {put + `GET /projects?last_id=7 => 200 {"projects":[]}`, nil},
		"a project of another caller":  {put + "@1/other " + projects(""), nil},
		"a project that overlaps": {
			"1-3 PUT /projects?project=n7&revision=r => 200 {project 7}\n2-4 " + projects(""), nil,
		},
		"an agent that is listed":  {agent + agents("{res agents 9a name=x}"), nil},
		"an agent that is missing": {agent + agents("{res agents 9b name=y}"), []string{"inconclusive 1 2"}},
	})
}

func TestAnIDIsGivenOnce(t *testing.T) {
	t.Parallel()
	issue := func(id string) string {
		return `POST core:/job/issue/hive/shop {"query":"select 1"} => 200 {"job":"` + id + `","job_id":"` + id + `","database":"shop"}` + "\n"
	}
	const (
		export = `POST core:/export/run/shop/orders {} => 200 {"job_id":"7","database":"shop"}` + "\n"
		start  = `PUT /attempts {"workflowId":"4","sessionTime":"2026-05-04T00:00:00Z"} => 200 {attempt 5 50 1 - 2 running}` + "\n"
		again  = `PUT /attempts {"workflowId":"4","sessionTime":"2026-05-04T00:00:00Z"} => 409 {attempt 5 50 1 - 2 running}` + "\n"
		agent  = `POST llm:/agents {} => 201 {"data":{res agents 9a name=x}}` + "\n"
	)
	runRule(t, rule.Consistency, map[string]ruleCase{
		"two jobs":                            {issue("7") + issue("8"), nil},
		"a job id twice":                      {issue("7") + issue("7"), []string{"fail 1 2"}},
		"the id of a job that a query issued": {issue("7") + export, []string{"fail 1 2"}},
		"the id of a job that is listed": {
			`GET core:/job/list => 200 {"jobs":[{"job_id":"7","status":"success"}]}` + "\n" + issue("7"), []string{"fail 1 2"},
		},
		"the id of a job that was shown": {"GET core:/job/show/7 => 200 {job 7 Sue}\n" + issue("7"), []string{"pass ×1", "fail 1 2"}},
		"the id of a job that was killed": {
			issue("7") + `POST core:/job/kill/7 => 200 {"job_id":"7"}` + "\n" + issue("7"), []string{"fail 1 2 3"},
		},
		"a job that is issued again with its key": {
			strings.Repeat(`POST core:/job/issue/hive/shop {"query":"q","idempotent_key":"k"} => 200 {"job_id":"7","database":"shop"}`+"\n", 2),
			nil,
		},
		"ids that were taken out":  {issue("[redacted]") + issue("[redacted]"), nil},
		"an attempt that is there": {start + again, nil},
		"an attempt id twice":      {start + start, []string{"fail 1 2"}},
		"an integration id twice":  {strings.Repeat("POST dwh:/ {} => 201 {dwh 7}\n", 2), []string{"fail 1 2"}},
		"an agent id twice":        {agent + agent, []string{"fail 1 2"}},
		"a project put twice":      {strings.Repeat("PUT /projects?project=n7&revision=r => 200 {project 7}\n", 2), nil},
		"a project id of two names": {
			"PUT /projects?project=n7&revision=r => 200 {project 7}\nPUT /projects?project=x&revision=r => 200 " +
				`{"id":"7","name":"x","revision":"r"}`, []string{"fail 1 2"},
		},
	})
}

// What somebody else may have done is a violation only where the recording is complete, as the user says; the verdict
// says so.
func TestStaleReadsSayWhatWouldDecide(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"the limit of a pool": "PATCH /pools/4 {} => 200 {pool 4 9}\nGET /pools/4 => 200 {pool 4 2}",
		"the limit of a pool in a list": "PATCH /pools/4 {} => 200 {pool 4 9}\n" +
			`GET /pools => 200 {"pools":[{default 1 90},{pool 4 2}]}`,
		"the priority of a rule":   "PATCH /pool_rules/3 {} => 200 {rule 3 7 4}\nGET /pool_rules/3 => 200 {rule 3 5 4}",
		"a database":               "POST core:/database/create/shop => 200 {}\nGET core:/database/show/shop => 404",
		"a database of a list":     "POST core:/database/create/shop => 200 {}\n" + `GET core:/database/list => 200 {"databases":[]}`,
		"a table of a list":        "POST core:/table/create/shop/orders => 200 {}\n" + `GET core:/table/list/shop => 200 {"tables":[]}`,
		"a renamed table":          `POST core:/table/rename/shop/a/b => 200 {"database":"shop","table":"b"}` + "\nGET core:/table/show/shop/a => 200 {table a 9}",
		"a connection":             "POST core:/result/create/c {} => 200 {}\n" + `GET core:/result/list => 200 {"results":[]}`,
		"a schedule":               "POST core:/schedule/create/s {} => 200 {}\n" + `GET core:/schedule/list => 200 {"schedules":[]}`,
		"an integration":           "POST dwh:/ {} => 201 {dwh 7}\nGET dwh:/7 => 404",
		"a project under its name": "PUT /projects?project=n7&revision=r => 200 {project 7}\n" + `GET /projects?name=n7 => 200 {"projects":[]}`,
	} {
		for complete, want := range map[contract.Completeness]report.Verdict{
			contract.CompleteAuto: report.Inconclusive, contract.CompleteAlways: report.Fail,
			contract.CompleteNever: report.Inconclusive,
		} {
			f := foundBy(t, rule.Consistency, script(t, text), contract.WithComplete(complete))
			if f == nil || f.Verdict != want {
				t.Errorf("%s, %v: %+v, want %s", name, complete, f, want)
			} else if complete == contract.CompleteAuto && !strings.Contains(f.Message, "--complete always") {
				t.Errorf("%s: %s, want what would decide it", name, f.Message)
			}
		}
	}
}

// What is over stays as it ended. What overlaps, or another caller sees, who may be of another account, proves nothing.
func TestWhatIsOverStaysAsItEnded(t *testing.T) {
	t.Parallel()
	status := func(path, status string) string {
		return "GET core:/job/" + path + ` => 200 {"job_id":"7","status":"` + status + `","created_at":"2026-05-04 01:00:01 UTC"}` + "\n"
	}
	attempt := func(status string) string { return "GET /attempts/5 => 200 {attempt 5 50 1 - 2 " + status + "}\n" }
	const listed = `GET core:/job/list => 200 {"jobs":[{"job_id":"7","status":"running","user_name":"u","database":"shop"}]}`
	runRule(t, rule.Consistency, map[string]ruleCase{
		"a job that goes on":                     {status("status/7", "running") + status("status/7", "success") + status("show/7", "success"), []string{"pass ×1"}},
		"a job that runs again":                  {status("status/7", "success") + status("status/7", "running"), []string{"fail 1 2"}},
		"a job that its key finds running again": {status("status/7", "success") + status("status_by_domain_key/k", "running"), []string{"fail 1 2"}},
		"a job that ends twice":                  {status("show/7", "error") + status("status/7", "success"), []string{"pass ×1", "fail 1 2"}},
		"a killed job that is listed as one":     {status("show/7", "killed") + listed, []string{"pass ×1", "fail 1 2"}},
		"an attempt that runs again":             {attempt("success") + attempt("running"), []string{"pass ×2", "fail 1 2"}},
		"an attempt that ends":                   {attempt("running") + attempt("error") + attempt("error"), []string{"pass ×3"}},
		"readings that overlap":                  {"1-3 " + status("status/7", "success") + "2-4 " + status("status/7", "running"), nil},
		"callers who may be of two accounts":     {status("status/7", "success") + "@1/other " + status("status/7", "running"), nil},
		"a status that was taken out":            {status("status/7", "success") + status("status/7", "[redacted]"), nil},
	})
}
