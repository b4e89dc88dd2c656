package rule_test

import (
	"testing"

	"svc.example/understudy/contract/internal/rule"
)

func TestUseAfterDelete(t *testing.T) {
	t.Parallel()
	const gone = `DELETE /pools/7 => 200 {pool 7 10}` + "\n"
	runRule(t, rule.UseAfterDelete, map[string]ruleCase{
		"a deleted pool is not found":          {gone + `GET /pools/7 => 404`, []string{"pass ×1"}},
		"a deleted pool is read":               {gone + `GET /pools/7 => 200 {pool 7 10}`, []string{"fail 1 2"}},
		"a deleted pool is updated":            {gone + `PATCH /pools/7 {} => 200 {pool 7 10}`, []string{"fail 1 2"}},
		"a deletion is repeated":               {gone + `DELETE /pools/7 => 200 {pool 7 10}`, nil},
		"a deletion is repeated and not found": {gone + `DELETE /pools/7 => 404`, []string{"pass ×1"}},
		"the deletion was refused":             {`DELETE /pools/7 => 400` + "\n" + `GET /pools/7 => 200 {pool 7 10}`, nil},
		"the deletion was not answered": {
			`DELETE /pools/7 => 0` + "\n" + `GET /pools/7 => 200 {pool 7 10}`,
			[]string{"inconclusive 1 2"},
		},
		"nor was it there": {`DELETE /pools/7 => 0` + "\n" + `GET /pools/7 => 404`, nil},
		"the deletion was not answered, nor the next one": {
			"DELETE /pools/7 => 0\nDELETE /pools/7 => 500\nGET /pools/7 => 200 {pool 7 10}\nGET /pools/7 => 200 {pool 7 10}",
			[]string{"inconclusive 2 3"},
		},
		"the deletion was repeated until it was answered": {
			"DELETE /pools/7 => 0\nDELETE /pools/7 => 200 {pool 7 10}\nGET /pools/7 => 200 {pool 7 10}", []string{"fail 2 3"},
		},
		"a refusal before the question of being": {gone + `PATCH /pools/7 {} => 403`, nil},
		"reading at the same time": {`
			1-5 DELETE /pools/7 => 200 {pool 7 10}
			2-3 GET /pools/7 => 200 {pool 7 10}`, nil},
		"a pool that is made anew": {gone + `POST /pools {} => 201 {pool 7 10}
			GET /pools/7 => 200 {pool 7 10}`, nil},
		"a rule is pointed at a deleted pool": {
			gone + `PATCH /pool_rules/3 {"poolId":"7"} => 200 {rule 3 5 7 project_name=a}`,
			[]string{"fail 1 2"},
		},
		"a rule may not be pointed at a deleted pool": {
			gone + `POST /pool_rules {"poolId":"7"} => 400`,
			[]string{"pass ×1"},
		},
		"a deleted pool is listed": {
			gone + `GET /pools => 200 {"pools":[{default 1 90},{pool 7 10}]}`,
			[]string{"fail 1 2"},
		},
		"a deleted pool is not listed": {gone + `GET /pools => 200 {"pools":[{default 1 90}]}`, []string{"pass ×1"}},
		"a list that began before the deletion was over": {`
			1-5 DELETE /pools/7 => 200 {pool 7 10}
			4-6 GET /pools => 200 {"pools":[{default 1 90},{pool 7 10}]}`, []string{"pass ×1"}},
		"a deleted rule is read": {`DELETE /pool_rules/3 => 200 {rule 3 5 7 project_name=a}
			GET /pool_rules/3 => 200 {rule 3 5 7 project_name=a}`, []string{"fail 1 2"}},
		"a deleted project is read": {`DELETE /projects/101 => 200 {project 101}
			GET /projects/101 => 200 {project 101}`, []string{"fail 1 2"}},
		"a deleted project leaves its history": {`DELETE /projects/101 => 200 {project 101}
			GET /attempts/9 => 200 {attempt 9 50 1 - 7 success}`, nil},
		"a secret of a deleted project is set": {`DELETE /projects/101 => 200 {project 101}
			PUT /projects/101/secrets/k {"value":"v"} => 204`, []string{"fail 1 2"}},
		"secrets of a deleted project are not found": {`DELETE /projects/101 => 200 {project 101}
			GET /projects/101/secrets => 404`, []string{"pass ×1"}},
		"a deleted secret is listed": {`DELETE /projects/101/secrets/k => 204
			GET /projects/101/secrets => 200 {"secrets":[{"key":"k"}]}`, []string{"fail 1 2"}},
		"a secret that is set again": {`DELETE /projects/101/secrets/k => 204
			PUT /projects/101/secrets/k {"value":"v"} => 204
			GET /projects/101/secrets => 200 {"secrets":[{"key":"k"}]}`, []string{"pass ×1"}},
	})
}
