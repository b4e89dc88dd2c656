package rule_test

import (
	"testing"

	"svc.example/understudy/contract/rule"
)

func TestRole(t *testing.T) {
	t.Parallel()
	const served = "GET /pool_rules => 200 {\"poolRules\":[]}\n"
	runRule(t, rule.Role, map[string]ruleCase{
		"a refusal":                          {"GET /pools => 403", []string{"pass ×1"}},
		"refusals of everything":             {"GET /pools => 403\nGET /pool_rules => 403", []string{"pass ×2"}},
		"success of a caller never refused":  {served, nil},
		"a refusal after success":            {served + "GET /pools => 403", []string{"pass ×1"}},
		"success after a refusal":            {"GET /pools => 403\n" + served, []string{"pass ×1", "inconclusive 1 2"}},
		"success between refusals":           {"GET /pools => 403\n" + served + "GET /pools => 403", []string{"pass ×1", "inconclusive 1 2", "fail 1 2 3"}},
		"success at the time of the refusal": {"1-5 GET /pools => 403\n2-3 GET /pool_rules => 200 {\"poolRules\":[]}", []string{"pass ×1"}},
		"what is for everyone":               {"GET /pools => 403\nGET /attempts => 200 {\"attempts\":[]}", []string{"pass ×1"}},
	})
}
