package rule_test

import (
	"strings"
	"testing"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/internal/rule"
	"svc.example/understudy/contract/report"
)

func TestNoTwoEntitiesHaveWhatOnlyOneMayHave(t *testing.T) {
	t.Parallel()
	const (
		four  = `{"id":"4","name":"nightly","concurrencyLimit":2,"default":false}`
		five  = `{"id":"5","name":"nightly","concurrencyLimit":2,"default":false}`
		base  = "POST core:/database/create/shop => 200 {}\n"
		a     = "POST core:/table/create/shop/orders => 200 {}\n"
		b     = "POST core:/table/create/shop/visits => 200 {}\n"
		moved = ` => 200 {"database":"shop","table":"visits"}` + "\n"
	)
	runRule(t, rule.Consistency, map[string]ruleCase{
		"pools of one name in a list": {
			`GET /pools => 200 {"pools":[{default 1 90},` + four + "," + five + "]}",
			[]string{"fail 1"},
		},
		"pools of two names in a list": {
			`GET /pools => 200 {"pools":[{default 1 90},{pool 4 2},{pool 5 2}]}`,
			nil,
		},
		"a pool of a used name": {
			"POST /pools {} => 201 " + four + "\nPOST /pools {} => 201 " + five,
			[]string{"fail 1 2"},
		},
		"a pool of a name that is free": {
			"POST /pools {} => 201 " + four + "\nDELETE /pools/4 => 200 " + four + "\nPOST /pools {} => 201 " + five,
			[]string{"pass ×1"},
		},
		"a pool of a name that may be free": {
			"POST /pools {} => 201 " + four + "\nDELETE /pools/4 => 0\nPOST /pools {} => 201 " + five, nil,
		},
		"rules of one priority in a list": {
			`GET /pool_rules => 200 {"poolRules":[{rule 1 5 4 project_name=a},{rule 2 5 4 project_name=b}]}`,
			[]string{"fail 1"},
		},
		"a rule of a used priority": {"POST /pool_rules {} => 201 {rule 1 5 4 project_name=a}\n" +
			"POST /pool_rules {} => 201 {rule 2 5 4 project_name=b}", []string{"fail 1 2"}},
		"a rule gets a used priority": {"POST /pool_rules {} => 201 {rule 1 5 4 project_name=a}\n" +
			"PATCH /pool_rules/2 {} => 200 {rule 2 5 4 project_name=b}", []string{"pass ×1", "fail 1 2"}},
		"a rule gets a priority that was given up": {"POST /pool_rules {} => 201 {rule 1 5 4 project_name=a}\n" +
			"PATCH /pool_rules/1 {} => 200 {rule 1 6 4 project_name=a}\n" +
			"POST /pool_rules {} => 201 {rule 2 5 4 project_name=b}", []string{"pass ×1"}},
		"policies of one name": {
			`GET core:/access_control/policies => 200 [{"id":1,"name":"p"},{"id":2,"name":"p"}]`,
			[]string{"fail 1"},
		},

		"a schedule of a used name": {
			strings.Repeat("POST core:/schedule/create/nightly {} => 200 {\"name\":\"nightly\"}\n", 2), []string{"fail 1 2"},
		},
		"a schedule of a name that is free": {
			"POST core:/schedule/create/nightly {} => 200 {\"name\":\"nightly\"}\n" +
				"POST core:/schedule/delete/nightly => 200 {\"name\":\"nightly\"}\n" +
				"POST core:/schedule/create/nightly {} => 200 {\"name\":\"nightly\"}", nil,
		},
		"a created integration is not listed": {
			"POST dwh:/ {} => 201 {dwh 7 12}\nGET dwh:/ => 200 {\"items\":[]}", []string{"inconclusive 1 2"},
		},
		"a table is renamed to a used name": {
			a + b + "POST core:/table/rename/shop/orders/visits" + moved,
			[]string{"fail 2 3"},
		},
		"a table is updated to a used name": {
			a + b + `POST core:/table/update/shop/orders {"name":"visits"}` + moved,
			[]string{"fail 2 3"},
		},
		"a table takes the place of another": {
			a + b + `POST core:/table/update/shop/orders {"name":"visits","overwrite":true}` + moved, nil,
		},
		"a table is renamed to a free name": {a + "POST core:/table/rename/shop/orders/visits" + moved, nil},
		"a table is renamed to a name that was deleted": {
			a + b + "POST core:/table/delete/shop/visits => 200 {}\nPOST core:/table/rename/shop/orders/visits" + moved, nil,
		},
		"a created table is not listed": {
			base + a + `GET core:/table/list/shop => 200 {"tables":[]}`,
			[]string{"inconclusive 2 3"},
		},
		"a created table is listed": {
			base + a + `GET core:/table/list/shop => 200 {"tables":[{table orders 1}]}`,
			nil,
		},
	})
	runRule(t, rule.DefaultPool, map[string]ruleCase{
		"a pool larger than the account": {
			"GET /pools => 200 {\"pools\":[{default 1 98}]}\nPOST /pools {} => 201 {pool 4 200}",
			[]string{"pass ×1", "fail 1 2"},
		},
		"a pool of what is left": {
			"GET /pools => 200 {\"pools\":[{default 1 98}]}\nPOST /pools {} => 201 {pool 4 98}",
			[]string{"pass ×1"},
		},
		"a pool grows beyond the account": {"GET /pools => 200 {\"pools\":[{default 1 8},{pool 4 2}]}\n" +
			"PATCH /pools/4 {} => 200 {pool 4 11}", []string{"pass ×1", "fail 1 2"}},
		"a pool takes what another one took": {"GET /pools => 200 {\"pools\":[{default 1 8}]}\n" +
			"POST /pools {} => 201 {pool 4 5}\nPOST /pools {} => 201 {pool 5 5}", []string{"pass ×1", "fail 1 2 3"}},
		"the pools may have changed": {"GET /pools => 200 {\"pools\":[{default 1 8}]}\n" +
			"PATCH /pools/9 {} => 500\nPOST /pools {} => 201 {pool 4 200}", []string{"pass ×1"}},
	})
}

func TestATableIsGoneWithItsDatabaseThatIsMadeAnew(t *testing.T) {
	t.Parallel()
	const (
		base  = "POST core:/database/create/shop => 200 {}\n"
		gone  = "POST core:/database/delete/shop => 200 {}\n"
		made  = base + "POST core:/table/create/shop/orders => 200 {}\n"
		shown = "GET core:/table/show/shop/orders => 200 {table orders 9}\n"
	)
	runRule(t, rule.UseAfterDelete, map[string]ruleCase{
		"the old table is shown": {made + shown + gone + base + shown, []string{"fail 3 4 5 6"}},
		"the old table is listed": {
			made + shown + gone + base + `GET core:/table/list/shop => 200 {"tables":[{table orders 9}]}`,
			[]string{"fail 3 4 5 6"},
		},
		"a new table is shown": {
			made + shown + gone + base + "POST core:/table/create/shop/orders => 200 {}\n" + shown,
			nil,
		},
		"another table is shown": {
			made + shown + gone + base + "GET core:/table/show/shop/orders => 200 {table orders 10}",
			[]string{"inconclusive 3 4 5 6"},
		},
		"the table was recovered": {
			made + shown + gone + base + "POST core:/table/recover/9 => 200 " +
				`{"database":"shop","name":"orders"}` + "\n" + shown,
			nil,
		},
		"the table is not there": {
			made + shown + gone + base + "GET core:/table/show/shop/orders => 404",
			nil,
		},
		"the database may not be new": {
			made + shown + gone + "POST core:/database/create/shop => 500\n" + shown,
			nil,
		},
	})
}

func TestANameIsFreeAgainWhenItsTableIsRenamed(t *testing.T) {
	t.Parallel()
	const (
		base   = "POST core:/database/create/shop => 200 {}\n"
		create = "POST core:/table/create/shop/orders => 200 {}\n"
		answer = ` => 200 {"database":"shop","table":"old"}` + "\n"
		shown  = "GET core:/table/show/shop/orders => 200 {table orders 9}\n"
	)
	for name, text := range map[string]string{
		"renamed": base + create + "POST core:/table/rename/shop/orders/old" + answer + create,
		"updated": base + create + `POST core:/table/update/shop/orders {"name":"old"}` + answer + create,
		"moved": base +
			create +
			`POST core:/table/change_database/shop/orders {"dest_database_name":"depot"} => ` +
			`200 {"database":"depot","table":"orders"}` +
			"\n" + create,
		"shown before": base + create + shown + "POST core:/table/rename/shop/orders/old" + answer + create,
		"not found": base +
			create +
			"POST core:/table/rename/shop/orders/old" +
			answer + "GET core:/table/show/shop/orders => 404",
		"not listed": base +
			create +
			"POST core:/table/rename/shop/orders/old" +
			answer + `GET core:/table/list/shop => 200 {"tables":[{table old 9}]}`,
		"renamed and back": base +
			create +
			"POST core:/table/rename/shop/orders/old" +
			answer + `POST core:/table/rename/shop/old/orders => 200 {"database":"shop","table":"orders"}`,
	} {
		if f := foundBy(t, rule.Consistency, script(t, text), contract.WithComplete(contract.CompleteAlways)); f != nil {
			t.Errorf("%s: %+v", name, f)
		}
	}
	if f := foundBy(t, rule.Consistency, script(t, base+create+"POST core:/table/rename/shop/orders/old"+answer+
		"GET core:/table/show/shop/old => 404"), contract.WithComplete(contract.CompleteAlways)); f == nil {
		t.Error("a renamed table that is not found under its new name is no finding")
	}
}

// What is read while a change is under way may be what was before, and does not count afterwards.
func TestWhatIsReadDuringAChangeIsNotKept(t *testing.T) {
	t.Parallel()
	const (
		create = "POST /pools {} => 201 {pool 4 3}\n"
		change = `PATCH /pools/4 {"concurrencyLimit":5} => 200 {pool 4 5}` + "\n"
		before = "GET /pools/4 => 200 {pool 4 3}\n"
		after  = "GET /pools/4 => 200 {pool 4 5}\n"
		rule3  = "{rule 3 5 4 project_name=a}\n"
		rule7  = "{rule 3 7 4 project_name=a}\n"
	)
	for name, text := range map[string]string{
		"a read within the change": "1-2 " +
			create +
			"3-9 " +
			change + "5-6 " + before + "11-12 " + after,
		"a list within the change": "1-2 " +
			create +
			"3-9 " +
			change + `5-6 GET /pools => 200 {"pools":[{pool 4 3}]}` + "\n11-12 " + after,
		"a read that outlasts the change": "1-2 " +
			create +
			"3-6 " +
			change + "5-9 " + before + "11-12 " + after,
		"a change that began before its pool": "1-10 " +
			change +
			"6-7 " +
			create + "8-8 " + before + "11-12 " + after,
		"two changes, and a read between": "1-2 " +
			create +
			"3-20 " +
			change + `5-6 PATCH /pools/4 {} => 200 {pool 4 3}` + "\n8-9 " + before + "22-23 " + after,
		"a rule that is read while it changes": "1-2 POST /pool_rules {} => 201 " +
			rule3 +
			"3-9 PATCH /pool_rules/3 {} => 200 " +
			rule7 + "5-6 GET /pool_rules/3 => 200 " + rule3 + "11-12 GET /pool_rules/3 => 200 " + rule7,
	} {
		for complete, c := range map[string]contract.Option{"always": contract.WithComplete(contract.CompleteAlways)} {
			if f := foundBy(t, rule.Consistency, script(t, text), c); f != nil && f.Verdict == report.Fail {
				t.Errorf("%s, complete %s: %+v", name, complete, f)
			}
		}
	}
	late := "1-2 " + create + "3-9 " + change + "5-6 " + before + "11-12 " + before
	f := foundBy(t, rule.Consistency, script(t, late), contract.WithComplete(contract.CompleteAlways))
	if f == nil || f.Verdict != report.Fail {
		t.Errorf("the old value after the change: %+v, want a violation", f)
	}
}

// A name that was given up is free: what is there under it was made by a request.
func TestNothingIsFoundUnderAnOldName(t *testing.T) {
	t.Parallel()
	const (
		create   = "POST core:/table/create/shop/orders => 200 {}\n"
		show     = "GET core:/table/show/shop/orders => 200 {table orders 9}\n"
		rename   = `POST core:/table/rename/shop/orders/old => 200 {"database":"shop","table":"old"}` + "\n"
		nameless = "POST core:/table/rename/shop/orders/old => 200 {}\n"
		move     = `POST core:/table/change_database/shop/orders {"dest_database_name":"depot"} => 200 {"database":"depot","table":"orders"}` + "\n"
		both     = `GET core:/table/list/shop => 200 {"tables":[{table old 9},{table orders 10}]}` + "\n"
		plan     = `POST core:/schedule/create/nightly {} => 200 {"name":"nightly"}` + "\n"
		replan   = `POST core:/schedule/update/nightly {"name":"daily"} => 200 {"name":"daily"}` + "\n"
		update   = `POST core:/table/update/shop/orders {"name":"old"} => 200 {"database":"shop","table":"old"}` + "\n"
	)
	for name, tt := range map[string]struct {
		script string
		want   report.Verdict // none if it is empty
	}{
		"it is shown":                       {create + rename + show, report.Fail},
		"its id was known":                  {create + show + rename + show, report.Fail},
		"it is listed beside the new one":   {create + rename + both, report.Fail},
		"after an update":                   {create + update + show, report.Fail},
		"after a move":                      {create + move + show, report.Fail},
		"its records are read":              {create + rename + "GET core:/table/tail/shop/orders => 200 []", report.Fail},
		"a schedule":                        {plan + replan + `POST core:/schedule/update/nightly {} => 200 {"name":"nightly"}`, report.Fail},
		"it is made anew":                   {create + rename + create + show, ""},
		"another one is renamed to it":      {create + rename + `POST core:/table/rename/shop/carts/orders => 200 {"database":"shop","table":"orders"}` + "\n" + show, ""},
		"it is renamed back":                {create + rename + `POST core:/table/rename/shop/old/orders => 200 {"database":"shop","table":"orders"}` + "\n" + show, ""},
		"it may have been made anew":        {create + rename + "POST core:/table/create/shop/orders => 0\n" + show, ""},
		"an event makes it":                 {create + rename + `POST ingestion:/shop/orders {} => 200 {}` + "\n", ""},
		"the answer does not name it":       {create + nameless + create, ""},
		"nor does that to an update":        {create + `POST core:/table/update/shop/orders {"name":"old"} => 200 {}` + "\n" + create, ""},
		"nor does that to a move":           {create + `POST core:/table/change_database/shop/orders {"dest_database_name":"depot"} => 200 {}` + "\n" + create, ""},
		"the rename overlaps with the read": {"1-1 " + create + "2-6 " + rename + "3-7 " + show, ""},
	} {
		f := foundBy(t, rule.Consistency, script(t, tt.script), contract.WithComplete(contract.CompleteAlways))
		if (f == nil) != (tt.want == "") || f != nil && f.Verdict != tt.want {
			t.Errorf("%s: %+v, want %q", name, f, tt.want)
		}
	}
	if f := foundBy(t, rule.Consistency, script(t, create+rename+show)); f == nil || f.Verdict != report.Inconclusive {
		t.Errorf("in a recording that may lack something: %+v, want it inconclusive", f)
	}
}

// A request whose client waited no longer may take effect after others.
func TestWhatTimedOutMayTakeEffectLate(t *testing.T) {
	t.Parallel()
	const (
		create = "POST /pools {} => 201 {pool 4 3}\n"
		before = "GET /pools/4 => 200 {pool 4 3}\n"
		after  = "GET /pools/4 => 200 {pool 4 5}\n"
		change = `PATCH /pools/4 {"concurrencyLimit":5} => `
		rule3  = "POST /pool_rules {} => 201 {rule 3 5 4 project_name=a}\nPATCH /pool_rules/3 {} => 504\n"
		sees   = "GET /pool_rules/3 => 200 {rule 3 5 4 project_name=a}\n"
		table  = "POST core:/table/create/shop/orders => 200 {}\nPOST core:/table/delete/shop/orders => 504\n"
		there  = "GET core:/table/show/shop/orders => 200 {table orders 9}\n"
	)
	for name, tt := range map[string]struct {
		script string
		want   bool
	}{
		"a change without an answer":      {create + change + "0\n" + before + after, false},
		"a change that timed out":         {create + change + "504\n" + before + after, false},
		"a change that was put off":       {create + change + "202\n" + before + after, false},
		"a change of a rule":              {rule3 + sees + "GET /pool_rules/3 => 200 {rule 3 7 4 project_name=a}", false},
		"a deletion, and not found later": {table + there + "GET core:/table/show/shop/orders => 404", false},
		"a deletion, and not listed":      {table + there + `GET core:/table/list/shop => 200 {"tables":[]}`, false},
		"a change that failed":            {create + change + "500\n" + before + after, true},
		"no change":                       {create + before + after, true},
		"another change followed":         {create + change + "504\n" + `PATCH /pools/4 {} => 200 {pool 4 3}` + "\n" + before + after, true},
	} {
		f := foundBy(t, rule.Consistency, script(t, tt.script), contract.WithComplete(contract.CompleteAlways))
		if (f != nil) != tt.want {
			t.Errorf("%s: %+v, want a violation: %v", name, f, tt.want)
		}
	}
}

func TestADomainKeyLeadsToItsJob(t *testing.T) {
	t.Parallel()
	const (
		issue  = `POST core:/job/issue/hive/shop {"query":"q","domain_key":"k"} => 200 {"job_id":"7","database":"shop"}` + "\n"
		status = "GET core:/job/status_by_domain_key/k => 200 "
	)
	runRule(t, rule.UseAfterDelete, map[string]ruleCase{
		"to another job":          {issue + status + `{"job_id":"8","status":"success"}`, []string{"fail 1 2"}},
		"to the job":              {issue + status + `{"job_id":"7","status":"success"}`, nil},
		"to none":                 {issue + status + `{"status":"success"}`, nil},
		"its id was taken out":    {issue + status + `{"job_id":"[redacted]","status":"success"}`, nil},
		"that another request is": {status + `{"job_id":"8","status":"success"}`, nil},
		"of another job":          {issue + "GET core:/job/status_by_domain_key/l => 200 {\"job_id\":\"8\"}", nil},
		"while it is issued":      {"1-4 " + issue + "2-3 " + status + `{"job_id":"8","status":"success"}`, nil},
	})
}
