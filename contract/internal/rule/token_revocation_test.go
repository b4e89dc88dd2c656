package rule_test

import (
	"slices"
	"testing"

	"svc.example/understudy/contract/internal/rule"
	"svc.example/understudy/contract/report"
)

func TestTokenRevocation(t *testing.T) {
	t.Parallel()
	const (
		list   = `GET core:/oauth_token/list => 200 `
		three  = list + `{"oauth_tokens":[{token 51 3 shop},{token 52 3 shop},{token 53 4 shop}]}` + "\n"
		others = list + `{"oauth_tokens":[{token 53 4 shop}]}` + "\n"
		remove = `POST core:/oauth_token/remove/51 => 200 {"oauth_token_id":51}` + "\n"
	)
	runRule(t, rule.TokenRevocation, map[string]ruleCase{
		"a token goes with its siblings":     {three + remove + others, []string{"pass ×1"}},
		"nothing is left":                    {three + remove + list + `{"oauth_tokens":[]}`, []string{"pass ×1"}},
		"it is judged once":                  {three + remove + others + others, []string{"pass ×1"}},
		"somebody else's list tells nothing": {three + remove + "@1/other " + list + `{"oauth_tokens":[]}`, nil},
		"a sibling is in somebody else's list": {
			three + remove + "@1/other " + list + `{"oauth_tokens":[{token 52 3 shop}]}`, []string{"fail 1 2 3"},
		},
		"the removed token stays": {
			three + remove + list + `{"oauth_tokens":[{token 51 3 shop}]}`, []string{"fail 1 2 3"},
		},
		"a sibling stays": {
			three + remove + list + `{"oauth_tokens":[{token 52 3 shop},{token 53 4 shop}]}`, []string{"fail 1 2 3"},
		},
		"a sibling stays, which another list showed": {
			list + `{"oauth_tokens":[{token 51 3 shop}]}` + "\n" + list + `{"oauth_tokens":[{token 52 3 shop}]}` + "\n" +
				remove + list + `{"oauth_tokens":[{token 52 3 shop}]}`, []string{"fail 1 2 3 4"},
		},
		"a sibling that no list showed before is a new one": {
			three + remove + list + `{"oauth_tokens":[{token 54 3 shop}]}`, []string{"pass ×1"},
		},
		"a token of the same user for another client": {
			list + `{"oauth_tokens":[{token 51 3 shop},{token 52 3 stock}]}` + "\n" + remove + list +
				`{"oauth_tokens":[{token 52 3 stock}]}`,
			[]string{"pass ×1"},
		},
		"nothing was listed before": {
			remove + list + `{"oauth_tokens":[{token 52 3 shop}]}`, []string{"inconclusive 1 2"},
		},
		"nothing was listed before, and the removed one stays": {
			remove + list + `{"oauth_tokens":[{token 51 3 shop}]}`, []string{"fail 1 2"},
		},
		"the removed one was not listed before": {
			others + remove + list + `{"oauth_tokens":[{token 53 4 shop}]}`, []string{"inconclusive 2 3"},
		},
		"the client of the sibling is not known": {
			list + `{"oauth_tokens":[{token 51 3 shop},{"id":52,"user_id":3}]}` + "\n" + remove + list +
				`{"oauth_tokens":[{"id":52,"user_id":3}]}`,
			[]string{"inconclusive 2 3"},
		},
		"the client of both is hidden alike": {
			list + `{"oauth_tokens":[{token 51 3 REDACTED},{token 52 3 REDACTED}]}` + "\n" + remove + list +
				`{"oauth_tokens":[{token 52 3 REDACTED}]}`,
			[]string{"inconclusive 2 3"},
		},
		"the client of both is hidden by the same mark of its own": {
			list + `{"oauth_tokens":[{token 51 3 [redacted:01abcdef]},{token 52 3 [redacted:01abcdef]}]}` + "\n" + remove +
				list + `{"oauth_tokens":[{token 52 3 [redacted:01abcdef]}]}`, []string{"fail 1 2 3"},
		},
		"the user of the removed one is not known": {
			list + `{"oauth_tokens":[{"id":51,"oauth_client_id":"shop"},{token 52 3 shop}]}` + "\n" + remove + list +
				`{"oauth_tokens":[{token 52 3 shop}]}`,
			[]string{"inconclusive 2 3"},
		},
		"the removal was refused":      {three + "POST core:/oauth_token/remove/51 => 403\n" + three, nil},
		"the removal was not answered": {three + "POST core:/oauth_token/remove/51 => 0\n" + three, nil},
		"the list was not recorded":    {three + remove + list + `cut`, nil},
		"a list at the time of the removal": {
			"1-2 " + three + "3-6 " + remove + "4-5 " + three, nil,
		},
		"a list at the time of the removal does not bring a sibling back": {
			"1-2 " + three + "3-6 " + remove + "4-5 " + three + "7-8 " + list + `{"oauth_tokens":[{token 52 3 shop}]}`,
			[]string{"fail 1 2 4"},
		},
		"the list before is of the time of the removal": {
			"1-4 " + three + "3-6 " + remove + "7-8 " + list + `{"oauth_tokens":[{token 52 3 shop}]}`,
			[]string{"inconclusive 2 3"},
		},
		"a second removal is not found": {
			three + remove + "POST core:/oauth_token/remove/51 => 404",
			[]string{"pass ×1"},
		},
		"a second removal of a sibling is not found": {
			three + remove + "POST core:/oauth_token/remove/52 => 404",
			[]string{"pass ×1"},
		},
		"a second removal succeeds": {three + remove + remove, []string{"fail 1 2 3"}},
		"a removal of a sibling succeeds": {
			three + remove + "POST core:/oauth_token/remove/52 => 200 {}",
			[]string{"fail 1 2 3"},
		},
		"a removal of another one succeeds": {three + remove + "POST core:/oauth_token/remove/53 => 200 {}", nil},
		"a second removal by somebody else is refused": {
			three + remove + "@1/other POST core:/oauth_token/remove/51 => 403",
			nil,
		},
	})
}

// To remove a token that went along with another one is its first removal: the message says which took it along.
func TestRemovedAfterItWentAlong(t *testing.T) {
	t.Parallel()
	for sibling, want := range map[string]string{
		"51": "token 51 was removed a second time",
		"52": "token 52 was removed after it was deleted along with token 51",
	} {
		_, r := verdicts(t, rule.TokenRevocation, script(t, `
			GET core:/oauth_token/list => 200 {"oauth_tokens":[{token 51 3 shop},{token 52 3 shop}]}
			POST core:/oauth_token/remove/51 => 200 {"oauth_token_id":51}
			POST core:/oauth_token/remove/`+sibling+` => 200 {"oauth_token_id":`+sibling+`}`))
		if !slices.ContainsFunc(r.Findings, func(f report.Finding) bool { return f.Message == want }) {
			t.Errorf("no finding says %q", want)
		}
	}
}
