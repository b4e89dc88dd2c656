package rule_test

import (
	"strings"
	"testing"

	"svc.example/understudy/contract/internal/rule"
)

func TestPoolDeletion(t *testing.T) {
	t.Parallel()
	const rules = `GET /pool_rules => 200 {"poolRules":[]}` + "\n"
	runRule(t, rule.PoolDeletion, map[string]ruleCase{
		"a pool that nothing refers to is deleted": {rules + `
			POST /pools {} => 201 {pool 7 10}
			DELETE /pools/7 => 200 {pool 7 10}`, []string{"pass ×1"}},
		"a refusal with a known reason": {`
			POST /pools {} => 201 {pool 7 10}
			POST /pool_rules {} => 201 {rule 3 5 7 project_name=a}
			DELETE /pools/7 => 400
			DELETE /pool_rules/3 => 200 {rule 3 5 7 project_name=a}
			GET /pool_rules => 200 {"poolRules":[]}
			DELETE /pools/7 => 200 {pool 7 10}`, []string{"pass ×2"}},
		"a refusal without a known reason": {`DELETE /pools/7 => 400`, []string{"inconclusive 1"}},
		"a pool that a rule references is deleted": {`
			POST /pools {} => 201 {pool 7 10}
			POST /pool_rules {} => 201 {rule 3 5 7 project_name=a}
			DELETE /pools/7 => 200 {pool 7 10}
			DELETE /pool_rules/3 => 200 {rule 3 5 7 project_name=a}
			DELETE /pools/7 => 200 {pool 7 10}`, []string{"fail 1 2 3"}},
		"a pool that a listed rule references is deleted": {`
			GET /pool_rules => 200 {"poolRules":[{rule 3 5 7 project_name=a}]}
			DELETE /pools/7 => 200 {pool 7 10}`, []string{"fail 1 2"}},
		"the rule was moved away before": {`
			GET /pool_rules => 200 {"poolRules":[{rule 3 5 7 project_name=a}]}
			PATCH /pool_rules/3 {"poolId":"8"} => 200 {rule 3 5 8 project_name=a}
			DELETE /pools/7 => 200 {pool 7 10}`, []string{"pass ×1"}},
		"the rule vanished from the list before": {`
			GET /pool_rules => 200 {"poolRules":[{rule 3 5 7 project_name=a}]}
			GET /pool_rules => 200 {"poolRules":[]}
			DELETE /pools/7 => 200 {pool 7 10}`, []string{"pass ×1"}},
		"the rule's deletion was not answered": {`
			GET /pool_rules => 200 {"poolRules":[{rule 3 5 7 project_name=a}]}
			DELETE /pool_rules/3 => 0
			DELETE /pools/7 => 200 {pool 7 10}`, []string{"inconclusive 3"}},
		"the rules are not known": {`
			POST /pools {} => 201 {pool 7 10}
			DELETE /pools/7 => 200 {pool 7 10}
			DELETE /pool_rules/3 => 200 {rule 3 5 7 project_name=a}
			DELETE /pools/7 => 200 {pool 7 10}`, []string{"inconclusive 1 2"}},
		"the rule was made at the same time": {rules + `
			2-9 POST /pool_rules {} => 201 {rule 3 5 7 project_name=a}
			5-6 DELETE /pools/7 => 200 {pool 7 10}`, []string{"inconclusive 3"}},
		"the rule was made at the same time, listed by end": {rules + `
			5-6 DELETE /pools/7 => 200 {pool 7 10}
			2-9 POST /pool_rules {} => 201 {rule 3 5 7 project_name=a}`, []string{"inconclusive 2"}},
		"the rule was deleted at the same time": {`
			1-2 POST /pool_rules {} => 201 {rule 3 5 7 project_name=a}
			5-9 DELETE /pools/7 => 200 {pool 7 10}
			6-7 DELETE /pool_rules/3 => 200 {rule 3 5 7 project_name=a}`, []string{"inconclusive 2"}},
		"the rule was moved away while answers showed it still": {`
			1-2 GET /pool_rules => 200 {"poolRules":[{rule 3 5 7 project_name=a}]}
			3-9 PATCH /pool_rules/3 {"poolId":"8"} => 200 {rule 3 5 8 project_name=a}
			4-5 GET /pool_rules => 200 {"poolRules":[{rule 3 5 7 project_name=a}]}
			6-7 GET /pool_rules/3 => 200 {rule 3 5 7 project_name=a}
			10-11 DELETE /pools/7 => 200 {pool 7 10}`, []string{"pass ×1"}},
		"the rule was deleted while a list showed it still": {`
			3-9 DELETE /pool_rules/3 => 200 {rule 3 5 7 project_name=a}
			4-5 GET /pool_rules => 200 {"poolRules":[{rule 3 5 7 project_name=a}]}
			10-11 DELETE /pools/7 => 200 {pool 7 10}`, []string{"pass ×1"}},
		"the rule was moved to two pools at the same time": {rules + `
			3-9 PATCH /pool_rules/3 {"poolId":"8"} => 200 {rule 3 5 8 project_name=a}
			4-5 PATCH /pool_rules/3 {"poolId":"7"} => 200 {rule 3 5 7 project_name=a}
			10-11 DELETE /pools/7 => 200 {pool 7 10}
			12-12 DELETE /pools/8 => 200 {pool 8 10}`, []string{"inconclusive 4", "inconclusive 5"}},
		"the rule is not found before": {`
			GET /pool_rules => 200 {"poolRules":[{rule 3 5 7 project_name=a}]}
			GET /pool_rules/3 => 404
			DELETE /pools/7 => 200 {pool 7 10}`, []string{"pass ×1"}},
		"the list of rules is not found": {`
			GET /pool_rules => 200 {"poolRules":[{rule 3 5 7 project_name=a}]}
			GET /pool_rules => 404
			DELETE /pools/7 => 200 {pool 7 10}`, []string{"fail 1 3"}},
		"the rule was moved away, which is recorded long before a list from before": {`
			2-2 GET /pool_rules => 200 {"poolRules":[{rule 3 5 7 project_name=a}]}
			3-3 PATCH /pool_rules/3 {"poolId":"8"} => 200 {rule 3 5 8 project_name=a}
			` + strings.Repeat("4-4 GET /pools/8 => 404\n", 200) + `
			1-1 GET /pool_rules => 200 {"poolRules":[{rule 3 5 7 project_name=a}]}
			10-11 DELETE /pools/7 => 200 {pool 7 10}`, []string{"pass ×1"}},
		"everything happens at the same instant": {`
			5-5 POST /pools {} => 201 {pool 7 10}
			5-5 POST /pool_rules {} => 201 {rule 3 5 7 project_name=a}
			5-5 DELETE /pools/7 => 200 {pool 7 10}`, []string{"fail 1 2 3"}},
		"the default pool is deleted": {`
			GET /pools => 200 {"pools":[{default 1 90}]}
			DELETE /pools/1 => 200 {default 1 90}`, []string{"fail 2"}},
		"the default pool is not deleted": {`
			GET /pools => 200 {"pools":[{default 1 90}]}
			DELETE /pools/1 => 400`, []string{"pass ×1"}},
		"an attempt is seen unfinished before and after": {`
			GET /attempts/9 => 200 {attempt 9 50 1 - 7 running}
			DELETE /pools/7 => 200 {pool 7 10}
			GET /attempts/9 => 200 {attempt 9 50 1 - 7 running}`, []string{"fail 1 2 3"}},
		"an attempt is seen to have finished later": {`
			GET /attempts/9 => 200 {attempt 9 50 1 - 7 queued}
			DELETE /pools/7 => 200 {pool 7 10}
			GET /attempts/9 => 200 {attempt 9 50 1 - 7 success 60}`, []string{"fail 1 2 3"}},
		"an attempt may have finished before": {`
			GET /attempts/9 => 200 {attempt 9 50 1 - 7 running}
			DELETE /pools/7 => 200 {pool 7 10}
			GET /attempts/9 => 200 {attempt 9 50 1 - 7 success 1}`, []string{"inconclusive 1 2"}},
		"an attempt that is never seen again": {`
			GET /attempts/9 => 200 {attempt 9 50 1 - 7 running}
			DELETE /pools/7 => 200 {pool 7 10}`, []string{"inconclusive 1 2"}},
		"a refusal because of an attempt": {`
			GET /attempts/9 => 200 {attempt 9 50 1 - 7 blocked}
			DELETE /pools/7 => 400`, []string{"pass ×1"}},
		"not found": {`DELETE /pools/7 => 404`, nil},
	})
}
