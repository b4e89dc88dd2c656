package rule_test

import (
	"fmt"
	"strings"
	"testing"

	"svc.example/understudy/contract/internal/rule"
)

// Two callers who cannot be of one account are not, though what each was shown links them to a third.
func TestContradictionsPartWhatLinksJoin(t *testing.T) {
	t.Parallel()
	const (
		policy = `GET core:/access_control/policies/21000 => 200 {"id":21000,"name":"p","description":"who reads","created_at":"2026-01-01T00:00:00Z"}` + "\n"
		links  = "@1/a GET /pools/77 => 200 {pool 77 10}\n@1/b GET /pools/77 => 200 {pool 77 10}\n" +
			"@1/b GET /pool_rules/33 => 200 {rule 33 5 9 project_name=a}\n@1/c GET /pool_rules/33 => 200 {rule 33 5 9 " +
			"project_name=a}\n"
		used = "@1/a DELETE /pools/77 => 200 {pool 77 10}\n@1/c GET /pools/77 => 200 {pool 77 10}\n"
	)
	if got, _ := verdicts(t, rule.UseAfterDelete, script(t, links+used)); len(got) != 1 {
		t.Errorf("of one account: %q, want a finding", got)
	}
	another := "@1/a " + policy + "@1/c " + strings.Replace(policy, "2026-01", "2026-02", 1)
	if got, _ := verdicts(t, rule.UseAfterDelete, script(t, another+links+used)); len(got) != 0 {
		t.Errorf("of two: %q", got)
	}
}

// Callers who are hidden alike may be of several accounts, as soon as anything looks like that.
func TestHiddenCallersMayBeSeveral(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		rule, script string
		want         string
	}{
		"nothing looks like that": {rule.PoolDeletion, aRule + noPool, "fail"},
		"somebody made a table": {
			rule.PoolDeletion,
			aRule + noPool + `GET core:/table/list/web => 200 {"tables":[{table visits 300 45}]}`, "inconclusive",
		},
		"a name is given twice": {
			rule.Consistency, strings.Repeat("POST core:/table/create/shop/orders => 200 {}\n", 2),
			"inconclusive",
		},
		"a name is given twice, and one answer shows two default pools": {
			rule.DefaultPool, strings.Repeat("POST core:/table/create/shop/orders => 200 {}\n", 2) +
				`GET /pools => 200 {"pools":[{default 1 90},{default 2 10}]}`,
			"fail",
		},
		"they are told by a key": {
			rule.Consistency,
			strings.Repeat("@1/a POST core:/table/create/shop/orders => 200 {}\n", 2), "fail",
		},
	} {
		text := ""
		for i, line := range strings.Split(strings.TrimSpace(tt.script), "\n") {
			if !strings.HasPrefix(line, "@") {
				line = "@hidden " + line
			}
			text += fmt.Sprintf("%d-%[1]d %s\n", 20*(i+1), line)
		}
		if got, _ := verdicts(t, tt.rule, script(t, text)); len(got) != 1 || !strings.HasPrefix(got[0], tt.want) {
			t.Errorf("%s: %q, want %s", name, got, tt.want)
		}
	}
}

// Who issued a job and who is shown it are of one account, if it is the same job; others who use one address may be.
func TestJobsLinkCallers(t *testing.T) {
	t.Parallel()
	for database, want := range map[string]string{"shop": "fail", "web": "inconclusive"} {
		text := `1-1 @1/a POST core:/job/issue/trino/shop {"query":"select 1"} => 200 {"job_id":"9001","database":"shop"}` +
			"\n" +
			`2-2 @1/b GET core:/job/show/9001 => 200 {"job_id":"9001","user_name":"u","created_at":"2026-05-04 01:00:01 UTC","database":"` +
			database + "\"}\n@1/a " + drop + "@1/b " + aTable
		if got, _ := verdicts(t, rule.UseAfterDelete, script(t, text)); len(got) != 1 || !strings.HasPrefix(got[0], want) {
			t.Errorf("a job in %s: %q, want %s", database, got, want)
		}
	}
}

// What a caller who may be of the same account did to a database, it did to its tables.
func TestOthersMayHaveDeletedTheDatabase(t *testing.T) {
	t.Parallel()
	const (
		create        = "@1/a POST core:/table/create/shop/orders => 200 {}\n"
		otherRestored = `GET core:/table/deleted => 200 {"tables":[{deleted 300 shop visits},{deleted 105 shop orders}],"cursor_id":null}` +
			"\n@1/a POST core:/table/recover/300 => 200 {table visits 300}\n"
	)
	for between, want := range map[string]string{
		"": "fail", "@1/b POST core:/database/delete/shop => 200 {}\n": "pass",
		"@1/a POST core:/database/delete/shop => 200 {}\n@1/a " + otherRestored: "pass",
	} {
		got, _ := verdicts(t, rule.Consistency, script(t, "@1/a "+aTable+between+create))
		if len(got) == 0 {
			got = []string{"pass"}
		}
		if !strings.HasPrefix(got[len(got)-1], want) {
			t.Errorf("after %q: %q, want %s", between, got, want)
		}
	}
}
