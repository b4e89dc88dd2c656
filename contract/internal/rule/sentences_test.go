package rule_test

import (
	"strings"
	"testing"

	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/internal/rule"
	"svc.example/understudy/specs/recording"
)

// sentence is one that the source document says of life cycles, authentication or limits, with the rule that watches it
// and a recording that breaks it; or why no recording can.
type sentence struct {
	says   string
	rule   string
	broken string
	edit   func([]*recording.Exchange)
	never  string
}

func TestEverySentenceOfTheSourceDocumentIsWatched(t *testing.T) {
	t.Parallel()
	for chapter, list := range map[string][]sentence{
		"pools": poolSentences(), "removals": removalSentences(), "authentication": authenticationSentences(),
		"limits": limitSentences(),
	} {
		for _, s := range list {
			if (s.broken == "") == (s.never == "") {
				t.Errorf("%q is to be broken, or there is a reason why it cannot be", s.says)
			}
			if s.broken == "" {
				continue
			}
			t.Run(chapter+"/"+s.says, func(t *testing.T) {
				t.Parallel()
				exchanges := script(t, s.broken)
				if s.edit != nil {
					s.edit(exchanges)
				}
				got, _ := verdicts(t, s.rule, exchanges)
				if len(got) == 0 || !strings.HasPrefix(got[len(got)-1], "fail ") {
					t.Errorf("%s does not notice: %q", s.rule, got)
				}
			})
		}
	}
}

// Rules 1 to 4 of the chapter on states.
func poolSentences() []sentence {
	const (
		start  = `PUT /attempts {"params":{},"sessionTime":"2026-05-04T00:00:00Z"} => 200 `
		resume = `PUT /attempts {"params":{},"sessionTime":"2026-05-04T00:00:00Z","retryAttemptName":"r","resume":{"attemptId":"9",%s}} => 200 {attempt 10 50 2 r 7 running}`
		pools  = `GET /pools => 200 {"pools":[{default 1 90},{pool 7 10}]}` + "\n"
		gone   = "DELETE /pools/7 => 200 {pool 7 10}\n"
	)
	attempt := func(status string) string { return "GET /attempts/9 => 200 {attempt 9 50 1 - 7 " + status + "}\n" }
	tasks := `GET /attempts/9/tasks => 200 {"tasks":[{task 1 +a+load success},{task 2 +b+load error}]}` + "\n"
	return []sentence{
		{says: "1. a query's status is success, among others", never: "its values are not enumerated: the schema is open"},
		{
			says: "2. an attempt can be rerun after a failure, in mode failed", rule: rule.AttemptResume,
			broken: attempt("success") + strings.Replace(resume, "%s", `"mode":"failed"`, 1),
		},
		{
			says: "2. or in mode from", rule: rule.AttemptResume,
			broken: attempt("error") + tasks + strings.Replace(resume, "%s", `"mode":"from","from":"+load"`, 1),
		},
		{
			says: "3. pool rules are evaluated in priority order, lowest value first", rule: rule.PoolRuleOrder,
			broken: pools + `GET /pool_rules => 200 {"poolRules":[{rule 3 5 7 project_name=sh},{rule 4 9 8 project_name=sh}]}` +
				"\n" + start + "{attempt 9 50 1 - 8 running}",
		},
		{
			says: "4. a pool cannot be deleted while attempts are running in it", rule: rule.PoolDeletion,
			broken: attempt("running") + gone + attempt("running"),
		},
		{says: "4. or queued in it", rule: rule.PoolDeletion, broken: attempt("queued") + gone + attempt("queued")},
		{
			says: "4. while a pool rule references it", rule: rule.PoolDeletion,
			broken: "POST /pool_rules {} => 201 {rule 3 5 7 project_name=a}\n" + gone,
		},
		{
			says: "4. or when it is the default pool", rule: rule.PoolDeletion,
			broken: pools + "DELETE /pools/1 => 200 {pool 1 90}",
		},
		{
			says: "4. the default pool cannot be updated", rule: rule.DefaultPool,
			broken: pools + "PATCH /pools/1 {} => 200 {default 1 80}",
		},
		{
			says: "4. a default pool is created if it does not exist", rule: rule.DefaultPool,
			broken: `GET /pools => 200 {"pools":[{pool 7 10}]}`,
		},
		{says: "4. with the account's limit", never: "no answer tells the limit of an account"},
		{
			says: "4. creating other pools adjusts its limit", rule: rule.DefaultPool,
			broken: pools + "POST /pools {} => 201 {pool 8 5}\n" +
				`GET /pools => 200 {"pools":[{default 1 90},{pool 7 10},{pool 8 5}]}`,
		},
		{
			says: "4. and updating them", rule: rule.DefaultPool,
			broken: pools + "PATCH /pools/7 {} => 200 {pool 7 20}\n" +
				`GET /pools => 200 {"pools":[{default 1 90},{pool 7 20}]}`,
		},
		{
			says: "4. and deleting them", rule: rule.DefaultPool,
			broken: pools + gone + `GET /pools => 200 {"pools":[{default 1 90}]}`,
		},
	}
}

// Rules 5 to 8 of the chapter on states.
func removalSentences() []sentence {
	const (
		dwh     = "DELETE dwh:/81 => 200 {dwh 81 201}\n"
		target  = `POST dwh:/ {"output_config":{"database":"shop"},"advanced_configs":[{"target_table":"orders"}]} => `
		noTable = "GET core:/table/show/shop/orders => 404\n"
		subs    = `GET core:/sub_user/list => 200 {"sub_users":[{sub 5 Sue}]}` + "\n"
		issue   = `@1/sue POST core:/job/issue/hive/shop {"query":"q"} => 200 {"job":"9","job_id":"9","database":"shop"}` +
			"\n" +
			"GET core:/job/show/9 => 200 {job 9 Sue}\n"
		leave  = "POST core:/sub_user/remove/5 => 200 {}\n"
		tokens = `GET core:/oauth_token/list => 200 {"oauth_tokens":[{token 51 5 shop},{token 52 5 shop}]}` + "\n"
		revoke = "POST core:/oauth_token/remove/51 => 200 {}\n"
		remove = "POST core:/table/delete/shop/orders => 200 {}\n"
		listed = `GET core:/table/deleted => 200 {"tables":[{deleted 105 shop orders}],"cursor_id":null}` + "\n"
	)
	return []sentence{
		{
			says: "5. deleting an integration destroys it", rule: rule.DWHDeletion,
			broken: dwh + "GET dwh:/81 => 200 {dwh 81 201}",
		},
		{
			says: "5. its generated workflow project", rule: rule.DWHDeletion,
			broken: dwh + "GET /projects/201 => 200 {project 201}",
		},
		{
			says: "5. and its bulk load sessions", rule: rule.DWHDeletion,
			broken: dwh + "GET dwh:/81/bulkload_sessions => 200 []",
		},
		{
			says: "5. the integration does not create its target", rule: rule.DWHTarget,
			broken: noTable + target + "400\nGET core:/table/show/shop/orders => 200 {table orders 105 2}",
		},
		{
			says: "5. which must exist before it is created", rule: rule.DWHTarget,
			broken: noTable + target + "200 {dwh 81 201}",
		},
		{says: "6. removing a sub user soft-destroys it", rule: rule.SubUserRemoval, broken: subs + leave + subs},
		{
			says: "6. deletes its API keys", rule: rule.SubUserRemoval,
			broken: subs + issue + leave + `@1/sue GET core:/database/list => 200 {"databases":[]}`,
		},
		{says: "6. and revokes its OAuth access tokens", rule: rule.SubUserRemoval, broken: subs + leave + tokens},
		{says: "6. its refresh tokens and codes", never: "no operation shows or exchanges them"},
		{says: "7. removing a token revokes that token", rule: rule.TokenRevocation, broken: revoke + tokens},
		{
			says: "7. every other one that the same user holds for the same client", rule: rule.TokenRevocation,
			broken: tokens + revoke + `GET core:/oauth_token/list => 200 {"oauth_tokens":[{token 52 5 shop}]}`,
		},
		{says: "7. and every unexchanged code", never: "no operation shows or exchanges them"},
		{
			says: "7. listing returns live tokens", rule: rule.TokenRevocation,
			broken: revoke + `GET core:/oauth_token/list => 200 {"oauth_tokens":[{token 51 5 shop}]}`,
		},
		{
			says:  "7. also those whose access half expired",
			never: "when one is no longer refreshable is not shown, so that a token which is not listed may be just that",
		},
		{
			says: "8. deleting a table makes it recoverable", rule: rule.TableRecovery,
			broken: remove + `GET core:/table/deleted => 200 {"tables":[],"cursor_id":null}`,
		},
		{
			says: "8. recovering it brings it back", rule: rule.TableRecovery,
			broken: remove + listed + "POST core:/table/recover/105 => 200 {table orders 105}\n" + noTable,
		},
		{
			says: "8. and its parent database when that was deleted", rule: rule.TableRecovery,
			broken: remove + listed + "POST core:/database/delete/shop => 200 {}\nPOST core:/table/recover/105 => 200 {table " +
				"orders 105}\nGET core:/database/show/shop => 404",
		},
	}
}

func authenticationSentences() []sentence {
	const (
		event = `POST ingestion:/postback/v3/event/shop/orders {"a":1} => `
		keyed = `GET core:/database/list => 200 {"databases":[]}` + "\n"
		wrong = "@1/wrong GET core:/database/list => 401\n"
		no    = "GET core:/sub_user/list => 403\n"
		subs  = `GET core:/sub_user/list => 200 {"sub_users":[{sub 5 Sue}]}` + "\n"
		issue = `@1/sue POST core:/job/issue/hive/shop {"query":"q"} => 200 {"job_id":"9"}` + "\n" +
			"GET core:/job/show/9 => 200 {job 9 Sue}\n"
	)
	header := func(name, value string) func([]*recording.Exchange) {
		return func(list []*recording.Exchange) {
			last := &list[len(list)-1].Request
			last.Headers = append(last.Headers, [2]string{name, value})
		}
	}
	return []sentence{
		{says: "1. a key in Authorization", rule: rule.IngestionAuth, broken: wrong + "@1/wrong " + event + "403"},
		{
			says: "1. or in a header of its own", rule: rule.IngestionAuth, broken: wrong + "@none " + event + "403",
			edit: header("X-SVC-Write-Key", "1/wrong"),
		},
		{
			says: "1. of which Authorization takes precedence", rule: rule.IngestionAuth,
			broken: wrong + "@1/wrong " + event + "403", edit: header("X-SVC-Write-Key", "1/good"),
		},
		{
			says: "1. a key in the URL is not supported", rule: rule.IngestionAuth,
			broken: keyed + strings.Replace("@none "+event, "orders", "orders?svc_write_key=1/key", 1) + "200 {}",
		},
		{
			says: "1. by header only: an event needs one", rule: rule.IngestionAuth,
			broken: keyed + "@none " + event + "200 {}",
		},
		{
			says: "2. the immediate response to an invalid key is 200", rule: rule.IngestionAuth,
			broken: wrong + "@1/wrong " + event + "401",
		},
		{says: "2. its failure is raised afterwards", never: "it is out of band: the sender is not told"},
		{
			says: "3. the scheme is SVC1", rule: judge.AuthScheme, broken: "@none GET /pools => 200 {\"pools\":[]}",
			edit: header("Authorization", "Bearer 1/key"),
		},
		{
			says: "3. whichever way the header is written", rule: judge.AuthScheme,
			broken: "@none GET /pools => 200 {\"pools\":[]}", edit: header("AUTHORIZATION", "Basic 1/key"),
		},
		{
			says: "4. the data warehouse interface has a key in Authorization", rule: judge.AuthScheme,
			broken: "GET dwh:/ => 200 {}\n@none GET dwh:/ => 200 {}",
		},
		{
			says: "5. the policy export is for administrators and delegated admins", rule: rule.Role,
			broken: no + "GET core:/access_control/policies/export?policy_ids=1 => 200 {}\n" + no,
		},
		{
			says: "5. setting profile options is admin only", rule: rule.Role,
			broken: no + `PUT core:/access_control/users/3/profile_options/k {"value":"v"} => 200 {}` + "\n" + no,
		},
		{
			says: "5. and deleting them", rule: rule.Role,
			broken: no + "DELETE core:/access_control/users/3/profile_options/k => 204\n" + no,
		},
		{says: "5. listing sub users is refused to sub users", rule: rule.Role, broken: subs + issue + "@1/sue " + subs},
		{says: "5. table transfer is limited", never: "to accounts, and no answer tells which"},
	}
}

func limitSentences() []sentence {
	const event = "POST ingestion:/postback/v3/event/shop/orders "
	return []sentence{
		{
			says: "a body of more than 1,048,064 bytes gives 413", rule: rule.IngestionSize,
			broken: event + strings.Repeat("x", 1_048_065) + " => 200 {}",
		},
		{says: "and no other one", rule: rule.IngestionSize, broken: event + strings.Repeat("x", 1_048_064) + " => 413"},
		{
			says: "a time older than 7 days is ignored", rule: rule.IngestionTime,
			broken: event + `{"id":"7","svc_record_time":1767225600} => 200 {}
			GET core:/table/tail/shop/orders => 200 [{"id":"7","time":1767225600}]`,
		},
		{
			says: "or more than 3 days ahead", rule: rule.IngestionTime,
			broken: event + `{"id":"7","svc_record_time":1780272000} => 200 {}
			GET core:/table/tail/shop/orders => 200 [{"id":"7","time":1780272000}]`,
		},
		{
			says: "the concurrency limit of pools, of which the default one absorbs the difference", rule: rule.DefaultPool,
			broken: `GET /pools => 200 {"pools":[{default 1 90}]}
			POST /pools {} => 201 {pool 7 10}
			GET /pools => 200 {"pools":[{default 1 80},{pool 7 10}]}
			POST /pools {} => 201 {pool 8 10}
			GET /pools => 200 {"pools":[{default 1 80},{pool 7 10},{pool 8 10}]}`,
		},
	}
}
