package rule_test

import (
	"testing"

	"svc.example/understudy/contract/internal/rule"
)

func TestRole(t *testing.T) {
	t.Parallel()
	const served = "GET /pool_rules => 200 {\"poolRules\":[]}\n"
	const (
		subRefused = "GET core:/sub_user/list => 403\n"
		subServed  = "GET core:/sub_user/list => 200 {\"sub_users\":[]}\n"
		export     = "GET core:/access_control/policies/export?policy_ids=1 => "
		set        = "PUT core:/access_control/users/3/profile_options/k {\"value\":\"v\"} => "
		unset      = "DELETE core:/access_control/users/3/profile_options/k => "
		both       = "GET core:/sub_user/list => 200 {\"sub_users\":[{sub 5 Sue},{sub 6 Sam}]}\n"
		issue      = "@1/sue POST core:/job/issue/hive/shop {\"query\":\"q\"} => 200 {\"job_id\":\"9\"}\n"
		shown      = "GET core:/job/show/9 => 200 {job 9 Sue}\n"
	)
	runRule(t, rule.Role, map[string]ruleCase{
		"policies are exported to a sub user": {subRefused + export + "200 {\"policies\":[]}\n" +
			subRefused, []string{"pass ×1", "inconclusive 1 2", "fail 1 2 3"}},
		"policies are exported to somebody refused before": {
			subRefused + export + "200 {\"policies\":[]}",
			[]string{"pass ×1", "inconclusive 1 2"},
		},
		"the export is refused": {export + "403", []string{"pass ×1"}},
		"the export is refused, and then not: a flag": {export + "403\n" + export +
			"200 {\"policies\":[]}\n" + export + "403", []string{"pass ×2"}},
		"whoever may not set options may export, as delegated admins": {set + "403\n" + export + "200 {\"policies\":[]}\n" +
			set + "403", []string{"pass ×2"}},
		"options are set by a sub user": {
			subRefused + set + "200 {}\n" + subRefused,
			[]string{"pass ×1", "inconclusive 1 2", "fail 1 2 3"},
		},
		"options are deleted by who may not set them": {
			set + "403\n" + unset + "204\n" + set + "403",
			[]string{"pass ×1", "inconclusive 1 2", "fail 1 2 3"},
		},
		"who may not set options may list sub users": {set + "403\n" + subServed + set + "403", []string{"pass ×2"}},
		"who sees no pools sets options": {
			"GET /pools => 403\n" + set + "200 {}\nGET /pools => 403",
			[]string{"pass ×1", "inconclusive 1 2", "fail 1 2 3"},
		},
		"sub users are listed for one": {
			both + issue + shown + "@1/sue " + subServed,
			[]string{"fail 1 2 3 4"},
		},
		"sub users are listed for somebody of no such name": {both + issue +
			"GET core:/job/show/9 => 200 {job 9 Ann}\n@1/sue " + subServed, nil},
		"sub users are listed for one of two of that name": {both +
			"GET core:/sub_user/list => 200 {\"sub_users\":[{sub 7 Sue}]}\n" + issue + shown + "@1/sue " + subServed, nil},
		"sub users are listed for the key of nobody known": {both + "@1/sue " + subServed, nil},
		"the name becomes known later":                     {both + issue + "@1/sue " + subServed + shown, nil},
		"a sub user that was removed": {both + issue + shown +
			"POST core:/sub_user/remove/5 => 200 {}\n@1/sue " + subServed, nil},
		"keys that are hidden alike": {
			"@hidden " + subRefused + "@hidden " + set + "200 {}\n@hidden " + subRefused,
			nil,
		},
		"a refusal":                         {"GET /pools => 403", []string{"pass ×1"}},
		"refusals of everything":            {"GET /pools => 403\nGET /pool_rules => 403", []string{"pass ×2"}},
		"success of a caller never refused": {served, nil},
		"a refusal after success":           {served + "GET /pools => 403", []string{"pass ×1"}},
		"success after a refusal":           {"GET /pools => 403\n" + served, []string{"pass ×1", "inconclusive 1 2"}},
		"success between refusals": {
			"GET /pools => 403\n" + served + "GET /pools => 403",
			[]string{"pass ×1", "inconclusive 1 2", "fail 1 2 3"},
		},
		"success at the time of the refusal": {
			"1-5 GET /pools => 403\n2-3 GET /pool_rules => 200 {\"poolRules\":[]}",
			[]string{"pass ×1"},
		},
		"what is for everyone": {"GET /pools => 403\nGET /attempts => 200 {\"attempts\":[]}", []string{"pass ×1"}},
	})
}
