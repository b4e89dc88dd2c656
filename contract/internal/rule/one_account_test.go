package rule_test

import (
	"strings"
	"testing"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/internal/rule"
	"svc.example/understudy/contract/report"
)

// A caller who changes what another one made, or was shown under a number, acts for the same account, unless something
// shows that there are several.
func TestWhoChangesWhatAnotherMadeIsOfItsAccount(t *testing.T) {
	t.Parallel()
	const (
		pool   = "@1/a POST /pools {} => 201 {pool 4 2}\n"
		points = `@1/b POST /pool_rules {"poolId":"4"} => 201 {rule 3 5 4 project_name=a}` + "\n"
		gone   = "DELETE /pools/4 => 200 {pool 4 2}\n"
		token  = `@1/a GET core:/oauth_token/list => 200 {"oauth_tokens":[{token 51 3 shop}]}` + "\n"
		remove = `@1/b POST core:/oauth_token/remove/51 => 200 {"oauth_token_id":51}` + "\n"
		pools  = `@1/a GET /pools => 200 {"pools":[{pool 1 9 default},{pool 4 2}]}` + "\n"
		pool1  = "@1/a GET /pools/1 => 200 {default 1 9}\n"
		rules  = `@1/a GET /pool_rules => 200 {"poolRules":[{rule 3 5 4 project_name=a}]}` + "\n"
		fewer  = `@1/b GET /pool_rules => 200 {"poolRules":[]}` + "\n"
		rule5  = `@1/a POST /pool_rules {"poolId":"4"} => 201 {rule 5 5 4 project_name=a}` + "\n"
		found  = "@1/a GET /pool_rules/5 => 200 {rule 5 5 4 project_name=a}\n"
		absent = "@1/b GET /pool_rules/5 => 404 {}\n"
	)
	base := func(caller, id, created string) string {
		return "@1/" + caller + ` GET core:/database/show/base => 200 {"id":"` + id + `","name":"base","created_at":"` + created +
			`"}` + "\n"
	}
	const april, march, now = "2026-04-20 11:00:00 +0000", "2026-03-20 11:00:00 +0000", "2026-05-04 01:00:02 +0000"
	for name, tt := range map[string]struct {
		rule, script string
		want         report.Verdict // none if it is empty
	}{
		"a rule points at another's pool":      {rule.PoolDeletion, pool + points + "@1/a " + gone, report.Fail},
		"the other one deletes the pool":       {rule.PoolDeletion, pool + points + "@1/b " + gone, report.Fail},
		"another one changes the pool":         {rule.PoolDeletion, pool + "@1/b PATCH /pools/4 {} => 200 {pool 4 2}\n" + points + "@1/a " + gone, report.Fail},
		"a third one deletes it":               {rule.PoolDeletion, pool + points + "@1/c " + gone, report.Fail},
		"another one deletes it, and it stays": {rule.UseAfterDelete, pool + "@1/b " + gone + "@1/a GET /pools/4 => 200 {pool 4 2}", report.Fail},
		"both make the pool":                   {rule.PoolDeletion, pool + points + "@1/b POST /pools {} => 201 {pool 4 3}\n@1/a " + gone, report.Inconclusive},
		"a token that another one was shown":   {rule.TokenRevocation, token + remove + token, report.Fail},
		"a token, which a third one lists":     {rule.TokenRevocation, token + remove + "@1/c" + token[4:], report.Fail},
		"a token, where both made a pool":      {rule.TokenRevocation, pool + "@1/b POST /pools {} => 201 {pool 4 3}\n" + token + remove + token, ""},
		"a token, where rules are not shared":  {rule.TokenRevocation, rules + fewer + token + remove + token, ""},
		"a pool that another one listed":       {rule.UseAfterDelete, pools + "@1/b " + gone + "@1/a GET /pools/4 => 200 {pool 4 2}", report.Fail},
		"a rule that another one listed":       {rule.UseAfterDelete, rules + "@1/b DELETE /pool_rules/3 => 200 {rule 3 5 4 project_name=a}\n" + rules, report.Fail},
		"a rule of a pool that another listed": {rule.PoolDeletion, pools + points + "@1/a " + gone, report.Fail},
		"a token, where databases are two":     {rule.TokenRevocation, base("a", "7", april) + base("b", "8", march) + token + remove + token, ""},
		"a token, where a database was remade": {rule.TokenRevocation, base("a", "7", april) + base("b", "8", now) + token + remove + token, report.Fail},
		"a token, where a number is of two":    {rule.TokenRevocation, base("a", "7", april) + base("b", "7", now) + token + remove + token, ""},
		"a token that both remove":             {rule.TokenRevocation, token + "@1/a" + remove[4:] + remove, ""},
		"a token, and an attempt's pool": {
			rule.TokenRevocation,
			"@1/a GET /attempts/5 => 200 {attempt 5 50 1 - 3 running}\n@1/b GET /pools => 200 {\"pools\":[{pool 4 2}]}\n" + token + remove + token, "",
		},
		"a token, and one database":           {rule.TokenRevocation, base("a", "7", april) + base("b", "7", april) + token + remove + token, report.Fail},
		"a token, where a rule is not shared": {rule.TokenRevocation, rule5 + absent + found + token + remove + token, ""},
		"a token, and a rule that both miss":  {rule.TokenRevocation, rule5 + absent + token + remove + token, report.Fail},
		"a token, where a list lacks a rule":  {rule.TokenRevocation, rule5 + fewer + token + remove + token, ""},
		"a token, and a list from before":     {rule.TokenRevocation, fewer + rule5 + token + remove + token, report.Fail},
		"a token, where a pool has two limits": {
			rule.TokenRevocation, pool1 + strings.NewReplacer("/a", "/b", "9", "7").Replace(pool1) + token + remove + token, "",
		},
		"a token, where a pool was changed": {
			rule.TokenRevocation, pool1 + "@1/b PATCH /pools/4 {} => 200 {pool 4 4}\n" + strings.NewReplacer("/a", "/b", "9", "7").Replace(pool1) + token + remove + token, report.Fail,
		},
		"a token that was not shown before": {rule.TokenRevocation, remove + token, report.Inconclusive},
	} {
		f := foundBy(t, tt.rule, script(t, tt.script))
		if (f == nil) != (tt.want == "") || f != nil && f.Verdict != tt.want {
			t.Errorf("%s: %+v, want %q", name, f, tt.want)
		}
	}
}

// An address has one account unless something contradicts it, or the user says otherwise.
func TestOneAddressOneAccount(t *testing.T) {
	t.Parallel()
	const (
		pool  = "@1/a POST /pools {} => 201 {pool 4 2}\n"
		rules = `@1/b GET /pool_rules => 200 {"poolRules":[{rule 3 5 4 project_name=a}]}` + "\n"
		gone  = "@1/c DELETE /pools/4 => 200 {pool 4 2}\n"
	)
	account := func(names ...string) (opts []contract.Option) {
		for i, name := range names {
			opts = append(opts, contract.WithAccount(name, "1/"+string(rune('a'+i))))
		}
		return opts
	}
	for name, tt := range map[string]struct {
		script string
		opts   []contract.Option
		want   report.Verdict
	}{
		"nothing else links them":         {pool + rules + gone, nil, report.Inconclusive},
		"the user says that it is one":    {pool + rules + gone, account("x", "x", "x"), report.Fail},
		"the user says that one is apart": {pool + rules + gone, account("x", "y", "x"), report.Inconclusive},
		"all are of others":               {pool + rules + gone, account("x", "y", "z"), report.Inconclusive},
		"one who changes what it made":    {pool + rules + gone, account("x", "x"), report.Fail},
		"several, as the user says, though one changes what the other made": {
			pool +
				`@1/b POST /pool_rules {"poolId":"4"} => 201 {rule 3 5 4 project_name=a}` + "\n@1/a DELETE /pools/4 => 200 {pool 4 2}\n",
			account("x", "y"), report.Inconclusive,
		},
		"one, as the user says, though answers contradict it": {
			pool + "@1/b POST /pools {} => 201 {pool 4 3}\n" +
				`@1/b POST /pool_rules {"poolId":"4"} => 201 {rule 3 5 4 project_name=a}` + "\n@1/a DELETE /pools/4 => 200 {pool 4 2}\n",
			account("x", "x"), report.Fail,
		},
	} {
		f := foundBy(t, rule.PoolDeletion, script(t, tt.script), tt.opts...)
		if f == nil || f.Verdict != tt.want {
			t.Errorf("%s: %+v, want %q", name, f, tt.want)
		}
	}
}

// Callers who may be of one account may have done what explains a violation, also in a recording that lacks nothing.
func TestCallersOfTheRecordingExplainWhatIsComplete(t *testing.T) {
	t.Parallel()
	const (
		create   = "@1/a POST core:/table/create/shop/orders => 200 {}\n"
		gone     = "@1/a POST core:/table/delete/shop/orders => 200 {}\n"
		recovery = `@1/b POST core:/table/recover/9 => 200 {"database":"shop","name":"orders"}` + "\n"
		list     = `@1/a GET core:/table/deleted => 200 {"tables":[],"cursor_id":null}` + "\n"
		shown    = "@1/a GET core:/table/show/shop/orders => 200 {table orders 9}\n"
		again    = "6-9 @1/a POST core:/table/recover/9 => 200 {table orders 9}\n"
	)
	for name, text := range map[string]string{
		"recovered by another caller":    gone + recovery + list,
		"shown, then recovered":          create + shown + gone + recovery + list + shown,
		"recovered, and found":           create + gone + recovery + shown,
		"recovered with nothing to read": create + gone + "@1/b POST core:/table/recover/9 => 200\n" + list,
		"recovered while it is found":    create + shown + gone + "5-8 " + shown + again,
		"a recovery without an answer":   create + gone + "@1/b POST core:/table/recover/9 => 0\n" + list + shown,
	} {
		for _, id := range []string{rule.TableRecovery, rule.UseAfterDelete} {
			f := foundBy(t, id, script(t, text), contract.WithComplete(contract.CompleteAlways))
			if f != nil && f.Verdict == report.Fail {
				t.Errorf("%s: %s: %s", name, id, f.Message)
			}
		}
	}
	f := foundBy(t, rule.TableRecovery, script(t, gone+list), contract.WithComplete(contract.CompleteAlways))
	if f == nil || f.Verdict != report.Fail {
		t.Errorf("nobody recovers the table: %+v, want a violation", f)
	}
}

// Lists of tokens that have nothing in common are of several accounts, whose users may have the same ids.
func TestAccountsAreApartByTheirTokens(t *testing.T) {
	t.Parallel()
	list := func(caller, tokens string) string {
		return "@" + caller + ` GET core:/oauth_token/list => 200 {"oauth_tokens":[` + tokens + "]}\n"
	}
	made := func(id, user, at string) string {
		return `{"id":` + id + `,"user_id":` + user + `,"oauth_client_id":"shop","created_at":"` + at + `"}`
	}
	const (
		before = "2026-05-01T00:00:00Z"
		during = "2026-05-04T01:00:02Z" // when the second request is sent
		remove = "@2/b POST core:/sub_user/remove/3 => 200 {\"sub_user_id\":3}\n"
		pools  = "@1/a POST /pools {} => 201 {pool 4 2}\n@2/b DELETE /pools/4 => 200 {pool 4 2}\n" // as if it were one
	)
	one, other := made("51", "3", before), made("61", "4", before)
	for name, tt := range map[string]struct {
		script string
		want   report.Verdict // none if it is empty
	}{
		"nothing in common":                  {list("1/a", one) + list("2/b", other) + remove + list("1/a", one), ""},
		"shown after the removal":            {list("1/a", one) + remove + list("2/b", other) + list("1/a", one), ""},
		"by another administrator":           {list("1/a", one) + list("2/b", other) + remove + list("1/c", one) + list("1/a", one), ""},
		"several tokens":                     {list("1/a", one+","+made("52", "5", before)) + list("2/b", other) + remove + list("1/a", one), ""},
		"of which the time is not shown":     {list("1/a", "{token 51 3 shop}") + list("2/b", "{token 61 4 shop}") + remove + list("1/a", "{token 51 3 shop}"), ""},
		"one in common":                      {list("1/a", one+","+other) + list("2/b", one+","+other) + remove + list("1/a", one), report.Fail},
		"one that was made between them":     {list("1/a", one) + list("1/a", one) + list("2/b", made("61", "4", during)) + remove + list("1/a", one), report.Fail},
		"the second list has more than that": {list("1/a", one) + list("2/b", one+","+other) + remove + list("1/a", one), report.Fail},
	} {
		f := foundBy(t, rule.SubUserRemoval, script(t, pools+tt.script))
		if f == nil && tt.want != "" || f != nil && f.Verdict == report.Fail && tt.want != report.Fail {
			t.Errorf("%s: %+v, want %q", name, f, tt.want)
		}
	}
}

// Two contents of one id, which nobody changed, may be of two accounts, also if one of them removes it.
func TestTwoContentsOfOneIDMayBeOfTwoAccounts(t *testing.T) {
	t.Parallel()
	const (
		alpha = `200 {"id":"4","name":"alpha-nightly","concurrencyLimit":2,"default":false}` + "\n"
		beta  = `200 {"id":"4","name":"beta-hourly-x","concurrencyLimit":3,"default":false}` + "\n"
		plan  = "GET core:/access_control/policies/5 => 200 "
		one   = `{"id":5,"name":"administrators-of-alpha","description":"a"}` + "\n"
		two   = `{"id":5,"name":"administrators-of-beta","description":"b"}` + "\n"
	)
	for name, tt := range map[string]struct {
		rule, script string
		want         report.Verdict
	}{
		"deleted by one, shown to the other": {rule.UseAfterDelete, "@1/a GET /pools/4 => " + alpha + "@1/b GET /pools/4 => " + beta + "@1/a DELETE /pools/4 => " + alpha + "@1/b GET /pools/4 => " + beta, report.Inconclusive},
		"they differ":                        {rule.Consistency, "@1/a GET /pools/4 => " + alpha + "@1/b GET /pools/4 => " + beta + "@1/a DELETE /pools/4 => " + alpha, report.Inconclusive},
		"changed by one":                     {rule.Consistency, "@1/a GET /pools/4 => " + alpha + "@1/b GET /pools/4 => " + beta + "@1/a PATCH /pools/4 {} => " + alpha + "@1/b GET /pools/4 => " + beta, report.Inconclusive},
		"policies":                           {rule.UseAfterDelete, "@1/a " + plan + one + "@1/b " + plan + two + "@1/a DELETE core:/access_control/policies/5 => 200 " + one + "@1/b " + plan + two, report.Inconclusive},
		"both were shown the same":           {rule.UseAfterDelete, "@1/a GET /pools/4 => " + alpha + "@1/b GET /pools/4 => " + alpha + "@1/a DELETE /pools/4 => " + alpha + "@1/b GET /pools/4 => " + alpha, report.Fail},
		"who removes it changed it":          {rule.UseAfterDelete, "@1/a GET /pools/4 => " + alpha + "@1/b PATCH /pools/4 {} => " + beta + "@1/a DELETE /pools/4 => " + beta + "@1/b GET /pools/4 => " + beta, report.Fail},
	} {
		f := foundBy(t, tt.rule, script(t, tt.script), contract.WithComplete(contract.CompleteAlways))
		if f == nil || f.Verdict != tt.want {
			t.Errorf("%s: %+v, want %q", name, f, tt.want)
		}
	}
}
