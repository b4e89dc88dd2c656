package rule_test

import (
	"testing"

	"svc.example/understudy/contract/internal/rule"
)

func TestPoolRuleOrder(t *testing.T) {
	t.Parallel()
	const (
		pools = `GET /pools => 200 {"pools":[{default 1 90},{pool 7 5},{pool 8 5}]}` + "\n"
		two   = `GET /pool_rules => 200 {"poolRules":[{rule 3 5 7 project_name=sh workflow_name=x},{rule 4 9 8 workflow_name=dai}]}` + "\n"
		none  = `GET /pool_rules => 200 {"poolRules":[]}` + "\n"
		start = `PUT /attempts {"params":{},"sessionTime":"2026-05-04T00:00:00Z"} => 200 `
	)
	runRule(t, rule.PoolRuleOrder, map[string]ruleCase{
		"the first rule whose conditions all hold": {two + start + `{attempt 9 50 1 - 8 running}`, []string{"pass ×2"}},
		"a rule of which only one condition holds": {
			two + start + `{attempt 9 50 1 - 7 running}`,
			[]string{"pass ×1", "fail 1 2"},
		},
		"no rule fits: the default pool": {
			pools + none + start + `{attempt 9 50 1 - 1 running}`,
			[]string{"pass ×2"},
		},
		"no rule fits: not another pool": {
			pools + none + start + `{attempt 9 50 1 - 7 running}`,
			[]string{"pass ×1", "fail 1 2 3"},
		},
		"no rule fits and the default is not known": {
			none + start + `{attempt 9 50 1 - 7 running}`,
			[]string{"pass ×1", "inconclusive 2"},
		},
		"the rules are not known":                     {start + `{attempt 9 50 1 - 7 running}`, []string{"inconclusive 1"}},
		"an attempt without a pool, as from a client": {none + start + `{"id":"9","done":false}`, []string{"pass ×1"}},
		"a rule that was made later comes first": {two + `POST /pool_rules {} => 201 {rule 5 1 1 invocation_type=on_demand}
			` + start + `{attempt 9 50 1 - 1 running}`, []string{"pass ×2"}},
		"rules of schedules are for schedules": {two + `POST /pool_rules {} => 201 {rule 5 1 1 invocation_type=scheduled}
			` + start + `{attempt 9 50 1 - 8 running}`, []string{"pass ×2"}},
		"the kind of workflow cannot be told": {pools +
			`GET /pool_rules => 200 {"poolRules":[{rule 3 5 7 workflow_type=engage}]}
			` + start + `{attempt 9 50 1 - 7 running}`, []string{"pass ×1", "inconclusive 3"}},
		"a condition that is not documented": {
			pools + `GET /pool_rules => 200 {"poolRules":[{"id":"3","priority":5,"poolId":"7","conditions":[{"type":"project_name","operator":"ends_with","values":["op"]}]}]}
			` + start + `{attempt 9 50 1 - 7 running}`,
			[]string{"pass ×1", "inconclusive 3"},
		},
		"the project is not shown": {pools + `GET /pool_rules => 200 {"poolRules":[{rule 3 5 7 project_name=sh}]}
			` + start + `{"id":"9","done":false,"poolId":"7"}`, []string{"pass ×1", "inconclusive 3"}},
		"another caller's pool that nothing else shows": {
			pools + none + "@1/other " + start + `{attempt 9 50 1 - 70 running}`,
			[]string{"pass ×1", "inconclusive 1 2 3"},
		},
		"another caller's pool that the list shows": {`GET /pools => 200 {"pools":[{default 1 90},{pool 7 10}]}
			@1/other GET /pools => 200 {"pools":[{default 1 90},{pool 7 10}]}
			` + none + "@1/other " + start + `{attempt 9 50 1 - 7 running}`, []string{"pass ×1", "fail 1 2 3 4"}},
		"neither of the possible pools": {pools + `GET /pool_rules => 200 {"poolRules":[{rule 3 5 7 workflow_type=engage}]}
			` + start + `{attempt 9 50 1 - 8 running}`, []string{"pass ×1", "fail 1 2 3"}},
		"rules changed at the same time": {`
			1-2 GET /pool_rules => 200 {"poolRules":[{rule 3 5 7 project_name=sh}]}
			3-8 DELETE /pool_rules/3 => 200 {rule 3 5 7 project_name=sh}
			4-5 ` + start + `{attempt 9 50 1 - 1 running}`, []string{"pass ×1", "inconclusive 3"}},
		"a list out of order": {
			`GET /pool_rules => 200 {"poolRules":[{rule 3 5 7 project_name=a},{rule 4 2 7 project_name=b}]}`,
			[]string{"fail 1"},
		},
	})
}
