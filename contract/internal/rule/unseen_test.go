package rule_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/internal/rule"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs/recording"
)

// unseenCase is a violation which an unrecorded request would explain, and the expected message when the recording
// shows that there are such requests.
type unseenCase struct {
	rule     string
	violated string // the recording as it is
	// what follows, stands before, or in between, and shows somebody unseen; the violation is @, or @1 and @2, of which
	// | parts it
	shown   string
	unshown string // the same without what shows it
}

const (
	aRule    = `GET /pool_rules => 200 {"poolRules":[{rule 3 5 7 project_name=a}]}` + "\n"
	bRule    = `GET /pool_rules => 200 {"poolRules":[{rule 3 5 8 project_name=a}]}` + "\n"
	noRule   = `GET /pool_rules => 200 {"poolRules":[]}` + "\n"
	noPool   = "DELETE /pools/7 => 200 {pool 7 10}\n"
	aTable   = `GET core:/table/show/shop/orders => 200 {table orders 105}` + "\n"
	noTable  = `GET core:/table/show/shop/orders => 404` + "\n"
	aTables  = `GET core:/table/list/shop => 200 {"database":"shop","tables":[{table orders 105}]}` + "\n"
	noTables = `GET core:/table/list/shop => 200 {"database":"shop","tables":[]}` + "\n"
	drop     = `POST core:/table/delete/shop/orders => 200 {"database":"shop","table":"orders","type":"log"}` + "\n"
	binned   = `GET core:/table/deleted => 200 {"tables":[{deleted 105 shop orders}],"cursor_id":null}` + "\n"
	emptied  = `GET core:/table/deleted => 200 {"tables":[],"cursor_id":null}` + "\n"
	restore  = `POST core:/table/recover/105 => 200 {table orders 105}` + "\n"
	noDWH    = `POST dwh:/ {"output_config":{"database":"shop"},"advanced_configs":[{"target_table":"orders"}]} => 400 {}` + "\n"
	dropOne  = `POST core:/table/delete/shop/visits => 200 {}` + "\n"
	dwh      = `POST dwh:/ {"output_config":{"database":"shop"},"advanced_configs":[{"target_table":"orders"}]} => 200 {dwh 5 9}` + "\n"
)

var unseenCases = map[string]unseenCase{
	"a pool whose rule is gone afterwards": {
		rule: rule.PoolDeletion, violated: aRule + noPool, shown: "@" + noRule, unshown: "@" + aRule,
	},
	"a pool whose rule was moved": {
		rule: rule.PoolDeletion, violated: aRule + noPool, shown: "@" + bRule, unshown: "@" + aRule,
	},
	"a pool whose rule is not found": {
		rule: rule.PoolDeletion, violated: aRule + noPool, shown: "@GET /pool_rules/3 => 404",
		unshown: "@GET /pool_rules/4 => 404",
	},
	"somebody unseen made another rule before": {
		rule: rule.PoolDeletion,
		violated: `GET /pool_rules => 200 {"poolRules":[{rule 3 5 7 project_name=a},{rule 4 6 1 project_name=b}]}` + "\n" +
			noPool,
		shown: aRule + "@", unshown: aRule + "POST /pool_rules {} => 201 {rule 4 6 1 project_name=b}\n@",
	},
	"a deleted table that is there again": {
		rule: rule.TableRecovery, violated: drop + emptied, shown: "@" + aTable, unshown: "@" + noTable,
	},
	"a table that is there after it was deleted, and not among the deleted ones": {
		rule: rule.UseAfterDelete, violated: drop + aTable, shown: "@" + emptied, unshown: "@" + binned,
	},
	"a recovered table that was deleted again": {
		rule: rule.TableRecovery, violated: drop + binned + restore + noTable,
		shown: "@" + `GET core:/table/deleted => 200 {"tables":[{"id":105,"database_name":"shop","name":"orders","database_id":11,` +
			`"deleted_at":"2026-05-04 02:00:00 UTC"}],"cursor_id":null}`,
		unshown: "@POST core:/table/recover/105 => 404",
	},
	"a deleted table that an integration is made for, and that is not among the deleted ones": {
		rule: rule.DWHTarget, violated: drop + dwh, shown: "@" + emptied, unshown: "@" + binned,
	},
	"a deleted table that is not among the deleted ones, and is deleted again": {
		rule: rule.TableRecovery, violated: drop + emptied, shown: "@" + drop, unshown: "@" + dropOne,
	},
	"a table that a list lacks, that an integration is made for, and that is deleted": {
		rule: rule.DWHTarget, violated: noTables + dwh, shown: "@" + drop, unshown: "@" + dropOne,
	},
	"an integration for a deleted table, which was refused before": {
		rule: rule.DWHTarget, violated: drop + "|" + dwh, shown: "@1" + noDWH + "@2", unshown: "@1@2" + noDWH,
	},
	"a deleted table that is there, where another one was recovered": {
		rule: rule.UseAfterDelete, violated: drop + aTable,
		shown:   strings.ReplaceAll(drop+noDWH+dwh, "orders", "visits") + "@",
		unshown: strings.ReplaceAll(drop+noDWH, "orders", "visits") + "@",
	},
	"a deleted table that is there, where somebody made a database": {
		rule: rule.UseAfterDelete, violated: drop + aTable,
		shown:   `GET core:/database/list => 200 {"databases":[]}` + "\n@" + `GET core:/database/list => 200 {"databases":[{base web}]}`,
		unshown: `GET core:/database/list => 200 {"databases":[{base web}]}` + "\n@" + `GET core:/database/list => 200 {"databases":[{base web}]}`,
	},
	"a table that is made twice, and was deleted in between, as the list of the deleted ones says": {
		rule: rule.Consistency, violated: `1-1 ` + aTable + "9000-9000 POST core:/table/create/shop/orders => 200 {}\n",
		shown:   `@9001-9001 GET core:/table/deleted => 200 {"tables":[` + binnedOne(105, "orders", "02:00:00") + `],"cursor_id":null}`,
		unshown: "@9001-9001 " + emptied,
	},
	"a deleted table that stays": {
		rule: rule.UseAfterDelete, violated: drop + aTable, shown: "@" + aTable, unshown: "@" + noTable,
	},
	"a deleted database that stays": {
		rule: rule.UseAfterDelete, violated: `GET core:/database/list => 200 {"databases":[{base shop}]}` + "\n" +
			"POST core:/database/delete/shop => 200 {}\n" + aTable,
		shown:   "@" + `GET core:/database/list => 200 {"databases":[{base shop}]}`,
		unshown: "@" + `GET core:/database/list => 200 {"databases":[]}`,
	},
	"a deleted database that a job finds": {
		rule: rule.UseAfterDelete, violated: "POST core:/database/delete/shop => 200 {}\n" + drop,
		shown:   "@" + `POST core:/job/issue/trino/shop {"query":"select 1"} => 200 {"job_id":"1","database":"shop"}`,
		unshown: "@" + `POST core:/job/issue/trino/web {"query":"select 1"} => 200 {"job_id":"1","database":"web"}`,
	},
	"somebody unseen made another table meanwhile": {
		rule: rule.UseAfterDelete, violated: "1-1 " + drop + "30-31 " + aTable,
		shown:   "@" + `40-41 GET core:/table/list/web => 200 {"tables":[{table visits 300 10}]}`,
		unshown: "@" + `40-41 GET core:/table/list/web => 200 {"tables":[{table visits 300 -10}]}`,
	},
	"somebody unseen deleted another table meanwhile": {
		rule: rule.UseAfterDelete, violated: "1-1 " + drop + "30-31 " + aTable,
		shown:   "@40-41 " + binnedAt("01:00:10"),
		unshown: "@40-41 " + binnedAt("00:59:10"),
	},
	"a deleted table that a list shows again, which lacked it": {
		rule: rule.UseAfterDelete, violated: drop + "|" + aTables,
		shown: "@1" + noTables + "@2", unshown: "@1" + noTable + "@2",
	},
	"a deleted table that is found again, after it was not": {
		rule: rule.UseAfterDelete, violated: drop + "|" + aTable,
		shown: "@1" + noTable + "@2", unshown: "@1" + noTables + "@2",
	},
	"a deleted database that a list shows again, which lacked it": {
		rule: rule.UseAfterDelete,
		violated: "POST core:/database/delete/shop => 200 {}\n|" +
			`GET core:/database/list => 200 {"databases":[{base shop}]}` + "\n",
		shown:   "@1" + `GET core:/database/list => 200 {"databases":[]}` + "\n@2",
		unshown: "@1GET core:/database/show/shop => 404\n@2",
	},
	"a deleted database in which a table was deleted later": {
		rule: rule.UseAfterDelete, violated: "1-1 POST core:/database/delete/shop => 200 {}\n|" +
			`30-31 GET core:/database/show/shop => 200 {base shop}` + "\n",
		shown:   "@1" + `20-21 GET core:/table/deleted => 200 {"tables":[` + binnedOne(300, "visits", "01:00:10") + `]}` + "\n@2",
		unshown: "@1" + `20-21 GET core:/table/deleted => 200 {"tables":[` + binnedOne(300, "visits", "01:00:01") + `]}` + "\n@2",
	},
	"a table that is not among the deleted ones, but an older one of the name of another": {
		rule: rule.TableRecovery,
		violated: "1-1 " + aTable + "2-2 " + drop + "3-3 POST core:/table/create/shop/orders => 200 {}\n" +
			"5-5 POST core:/table/delete/shop/visits => 200 {}\n" +
			`9-9 GET core:/table/deleted => 200 {"tables":[` + binnedOne(105, "orders", "01:00:02") + `],"cursor_id":null}` +
			"\n",
		shown:   "@GET core:/table/show/shop/visits => 200 {table visits 106}",
		unshown: "@GET core:/table/show/shop/visits => 404",
	},
}

// binnedAt is a list of deleted tables with one more, of a time of the day.
func binnedAt(clock string) string {
	return `GET core:/table/deleted => 200 {"tables":[{deleted 105 shop orders},` + binnedOne(300, "visits", clock) +
		`],"cursor_id":null}`
}

func binnedOne(id int, name, clock string) string {
	return fmt.Sprintf(`{"id":%d,"database_name":"shop","name":%q,"database_id":11,"deleted_at":"2026-05-04 %s UTC"}`, id,
		name, clock)
}

func TestWhatSomebodyUnseenWouldExplain(t *testing.T) {
	t.Parallel()
	for name, tt := range unseenCases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first, second, _ := strings.Cut(tt.violated, "|")
			violation := strings.NewReplacer("@1", first, "@2", second, "@", first+second)
			with := func(around string) []*recording.Exchange { return script(t, violation.Replace(around)) }
			for _, c := range []struct {
				complete contract.Completeness
				around   string
				want     report.Verdict
			}{
				{contract.CompleteAuto, "@", report.Fail},
				{contract.CompleteAuto, tt.unshown, report.Fail},
				{contract.CompleteAuto, tt.shown, report.Inconclusive},
				{contract.CompleteAlways, tt.shown, report.Fail},
				{contract.CompleteNever, "@", report.Inconclusive},
			} {
				f := foundBy(t, tt.rule, with(c.around), contract.WithComplete(c.complete))
				if f == nil || f.Verdict != c.want {
					t.Errorf("complete %s, %q: finding %+v, want %s", c.complete, c.around, f, c.want)
				} else if c.want == report.Inconclusive && !strings.Contains(f.Message, "a caller outside of the recording") {
					t.Errorf("the message does not say what would explain it: %s", f.Message)
				}
			}
		})
	}
}

// A deleted table that another caller's list of the deleted ones lacks was recovered.
func TestListsOfOthersShowRecoveries(t *testing.T) {
	t.Parallel()
	for list, want := range map[string]report.Verdict{binned: report.Fail, emptied: report.Inconclusive} {
		text := "@1/a " + drop + "@1/b " + list + "@1/a " + aTable
		if f := foundBy(t, rule.UseAfterDelete, script(t, text)); f == nil || f.Verdict != want {
			t.Errorf("after %q: finding %+v, want %s", list, f, want)
		}
	}
}

// foundBy returns the last finding of a rule.
func foundBy(t *testing.T, id string, exchanges []*recording.Exchange, opts ...contract.Option) *contract.Finding {
	t.Helper()
	c, err := contract.NewChecker(opts...)
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Check(t.Context(), contract.Exchanges(slices.Values(exchanges)))
	if err != nil {
		t.Fatal(err)
	}
	var found *contract.Finding
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Rule == id && (found == nil || f.Verdict == report.Fail) {
			found = f
		}
	}
	return found
}

// Where numbers are missing, so may be the request that explains a violation.
func TestMissingNumbersMayExplain(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		numbers []int64
		want    report.Verdict
	}{
		"between them": {[]int64{1, 3, 4}, report.Inconclusive},
		"after them":   {[]int64{1, 2, 9}, report.Fail},
		"none":         {[]int64{1, 2, 3}, report.Fail},
	} {
		list := script(t, aRule+noPool+"GET /pools/8 => 200 {pool 8 10}")
		for i, e := range list {
			e.Seq = tt.numbers[i]
		}
		if f := foundBy(t, rule.PoolDeletion, list); f == nil || f.Verdict != tt.want {
			t.Errorf("missing %s: finding %+v, want %s", name, f, tt.want)
		}
	}
}

// A finding is as loud as the sentence that it breaks is sure, not as the field that shows it.
func TestSeveritiesFollowSentences(t *testing.T) {
	t.Parallel()
	for id, text := range map[string]string{
		rule.IngestionTime: allTrials()[rule.IngestionTime][violated].script,
		rule.AttemptResume: "GET /attempts/9 => 200 {attempt 9 50 1 - 7 success}\n" +
			`PUT /attempts {"params":{},"sessionTime":"2026-05-04T00:00:00Z","retryAttemptName":"r","resume":{"mode":"failed","attemptId":"9"}}` +
			" => 200 {attempt 10 50 2 r 7 running}",
	} {
		if f := foundBy(t, id, script(t, text)); f == nil || f.Severity != report.Error {
			t.Errorf("%s: finding %+v", id, f)
		}
	}
}

// However many rules were changed since their list, a deletion is judged by all of them.
func TestManyChangesSinceAList(t *testing.T) {
	t.Parallel()
	text := noRule + `POST /pools {} => 201 {pool 7 10}` + "\n"
	text += strings.Repeat("POST /pool_rules {} => 201 {rule 3 5 8 project_name=a}\nDELETE /pool_rules/3 => 200 {rule 3 "+
		"5 8 project_name=a}\n", 1500)
	if got, _ := verdicts(t, rule.PoolDeletion, script(t, text+noPool)); !slices.Equal(got, []string{"pass ×1"}) {
		t.Errorf("verdicts %.300q", got)
	}
	text += "POST /pool_rules {} => 201 {rule 3 5 7 project_name=a}\n"
	if f := foundBy(t, rule.PoolDeletion, script(t, text+noPool)); f == nil || f.Verdict != report.Fail {
		t.Errorf("finding %+v", f)
	}
}
