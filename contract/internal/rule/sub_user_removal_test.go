package rule_test

import (
	"testing"

	"svc.example/understudy/contract/internal/rule"
)

func TestSubUserRemoval(t *testing.T) {
	t.Parallel()
	const (
		list    = `GET core:/sub_user/list => 200 `
		both    = list + `{"sub_users":[{sub 5 Sue},{sub 6 Sam}]}` + "\n"
		remove  = `POST core:/sub_user/remove/5 => 200 {"sub_user_id":5}` + "\n"
		refused = `@1/sue GET core:/sub_user/list => 403` + "\n"
		issue   = `@1/sue POST core:/job/issue/hive/shop {"query":"q"} => 200 {"job":"9","job_id":"9","database":"shop"}` +
			"\n"
		shown  = `GET core:/job/show/9 => 200 {job 9 Sue}` + "\n"
		use    = `@1/sue GET core:/database/list => `
		tokens = `GET core:/oauth_token/list => 200 `
	)
	known := both + issue + shown + remove // exchanges 1 to 4
	runRule(t, rule.SubUserRemoval, map[string]ruleCase{
		"it is not listed any more": {
			both + remove + list + `{"sub_users":[{sub 6 Sam}]}`, []string{"pass ×1", "inconclusive 2"},
		},
		"it is listed still":                          {both + remove + both, []string{"inconclusive 2", "fail 1 2 3"}},
		"it is listed still, and was not seen before": {remove + both, []string{"inconclusive 1", "fail 1 2"}},
		"its keys are not known":                      {both + remove, []string{"inconclusive 2"}},
		"its key is refused":                          {known + use + "401", []string{"pass ×1"}},
		"its key is taken":                            {known + use + `200 {"databases":[]}`, []string{"fail 1 2 3 4 5"}},
		"its key is taken on another interface": {
			known + `@1/sue GET /projects => 200 {"projects":[]}`,
			[]string{"fail 1 2 3 4 5"},
		},
		"its key is taken where no rule reads the answer": {
			known + `@1/sue GET core:/job/status/9 => 200 {}`, []string{"fail 1 2 3 4 5"},
		},
		"its key is taken, and is certainly a sub user's": {
			refused + known + use + `200 {"databases":[]}`, []string{"fail 1 2 3 4 5 6"},
		},
		"its key as a schedule shows it": {
			both + `@1/sue POST core:/schedule/create/s => 200 {"name":"s","user_name":"Sue"}` + "\n" + remove + use +
				`200 {"databases":[]}`,
			[]string{"fail 1 2 3 4"},
		},
		"its key in an event says nothing": {
			known + `@1/sue POST ingestion:/postback/v3/event/shop/orders {} => 200 {}`, nil,
		},
		"its key in a bad request says nothing": {known + use + "400", nil},
		"the key of another one":                {known + `@1/sam GET core:/database/list => 200 {"databases":[]}`, nil},
		"the key of somebody who has sub users": {
			`@1/sue GET core:/sub_user/list => 200 {"sub_users":[]}` + "\n" + known + use + `200 {"databases":[]}`,
			[]string{"inconclusive 2 3 4 5 6"},
		},
		"two of one name": {
			list + `{"sub_users":[{sub 5 Sue},{sub 7 Sue}]}` + "\n" + issue + shown + remove + use + `200 {"databases":[]}`,
			[]string{"inconclusive 1 2 3 4 5"},
		},
		"keys that are hidden alike": {
			both + `@hidden POST core:/job/issue/hive/shop {"query":"q"} => 200 {"job_id":"9"}` + "\n" + shown + remove +
				`@hidden GET core:/database/list => 200 {"databases":[]}`, []string{"inconclusive 4"},
		},
		"the name became known after the removal": {
			both + issue + remove + shown + use + `200 {"databases":[]}`, []string{"inconclusive 3"},
		},
		"a request at the time of the removal": {
			"1-2 " + both + "3-4 " + issue + "5-6 " + shown + "7-9 " + remove + "8-8 " + use + `200 {"databases":[]}`, nil,
		},
		"the removal was refused": {both + issue + shown + "POST core:/sub_user/remove/5 => 403\n" + use +
			`200 {"databases":[]}`, nil},
		"the removal was not answered": {both + issue + shown + "POST core:/sub_user/remove/5 => 0\n" + both, nil},
		"its tokens are not listed any more": {
			both + remove + tokens + `{"oauth_tokens":[{token 51 6 shop}]}`, []string{"pass ×1", "inconclusive 2"},
		},
		"its tokens are listed still": {
			both + tokens + `{"oauth_tokens":[{token 51 5 shop}]}` + "\n" + remove + tokens +
				`{"oauth_tokens":[{token 51 5 shop}]}`,
			[]string{"inconclusive 3", "fail 1 2 3 4"},
		},
		"a second removal is not found": {known + "POST core:/sub_user/remove/5 => 404", []string{"pass ×1"}},
		"a second removal succeeds":     {known + remove, []string{"fail 1 4 5"}},
	})
}
