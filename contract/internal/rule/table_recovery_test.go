package rule_test

import (
	"strings"
	"testing"

	"svc.example/understudy/contract/internal/rule"
)

func TestTableRecovery(t *testing.T) {
	t.Parallel()
	const (
		both    = `GET core:/table/show/shop/carts => 200 {table carts 90}` + "\n"
		show    = `GET core:/table/show/shop/orders => 200 {table orders 105}` + "\n"
		remove  = `POST core:/table/delete/shop/orders => 200 {"database":"shop","table":"orders","type":"log"}` + "\n"
		deleted = `GET core:/table/deleted => 200 `
		none    = deleted + `{"tables":[],"cursor_id":null}` + "\n"
		one     = deleted + `{"tables":[{deleted 105 shop orders}],"cursor_id":null}` + "\n"
		two     = deleted + `{"tables":[{deleted 90 shop carts},{deleted 105 shop orders}],"cursor_id":null}` + "\n"
		first   = deleted + `{"tables":[{deleted 90 shop carts}],"cursor_id":90}` + "\n"
		last    = `GET core:/table/deleted?cursor_id=90 => 200 {"tables":[{deleted 91 shop views}],"cursor_id":null}` + "\n"
		restore = `POST core:/table/recover/105 => 200 {table orders 105}` + "\n"
		drop    = `POST core:/database/delete/shop => 200 {"database":"shop"}` + "\n"
	)
	runRule(t, rule.TableRecovery, map[string]ruleCase{
		"a deleted table is among the deleted ones": {remove + one, []string{"pass ×1"}},
		"it is judged once":                         {remove + one + none, []string{"pass ×1"}},
		"it is missing":                             {remove + none, []string{"fail 1 2"}},
		"it is missing, by its id": {
			show + remove + deleted + `{"tables":[{deleted 80 shop orders}],"cursor_id":null}`, []string{"fail 1 2 3"},
		},
		"it is on the second page": {
			remove + first + `GET core:/table/deleted?cursor_id=90 => 200 {"tables":[{deleted 105 shop orders}],"cursor_id":null}`,
			[]string{"pass ×1"},
		},
		"it is on no page":                             {remove + first + last, []string{"fail 1 2 3"}},
		"there may be more pages":                      {remove + first, []string{"inconclusive 1 2"}},
		"only the second page was read":                {remove + last, []string{"inconclusive 1 2"}},
		"the page does not say whether it is the last": {remove + deleted + `{"tables":[]}`, []string{"inconclusive 1 2"}},
		"it was deleted between two pages":             {first + remove + last, nil},
		"the pages are of different callers": {
			both + "@1/other " + both + remove + first + "@1/other " + last,
			[]string{"inconclusive 1 2 3 5"},
		},
		"the list of another caller": {
			both + "@1/other " + both + remove + "@1/other " + none,
			[]string{"inconclusive 1 2 3 4"},
		},
		"nobody knows who asks": {"@hidden " + remove + "@hidden " + none, []string{"inconclusive 1 2"}},
		"the list of another database": {
			remove + `GET core:/table/deleted?database_id=12 => 200 {"tables":[],"cursor_id":null}`, nil,
		},
		"the list of its database": {
			`GET core:/database/show/shop => 200 {"id":"11","name":"shop","created_at":"2026-05-04 00:00:00 +0000"}` + "\n" +
				remove +
				`GET core:/table/deleted?database_id=11 => 200 {"tables":[],"cursor_id":null}`, []string{"fail 1 2 3"},
		},
		"more than seven days later": {
			"1-2 " + remove + "700000-700001 " + none, nil,
		},
		"less than seven days later": {
			"1-2 " + remove + "600000-600001 " + none, []string{"fail 1 2"},
		},
		"a list at the time of the deletion": {"1-5 " + remove + "3-4 " + none, nil},
		"the deletion was refused":           {"POST core:/table/delete/shop/orders => 403\n" + none, nil},
		"the deletion was not answered":      {"POST core:/table/delete/shop/orders => 0\n" + none, nil},
		"it was recovered meanwhile":         {remove + restore + none, []string{"inconclusive 2"}},
		"somebody may have recovered it":     {remove + "POST core:/table/recover/105 => 0\n" + none, nil},
		"somebody was refused to restore it": {remove + "POST core:/table/recover/105 => 403\n" + none, []string{"fail 1 3"}},

		"a recovered table is shown": {remove + one + restore + show, []string{"pass ×2"}},
		"a recovered table is listed": {remove + one + restore +
			`GET core:/table/list/shop => 200 {"tables":[{table orders 105}]}`, []string{"pass ×2"}},
		"a recovered table is not shown": {
			remove + one + restore + `GET core:/table/show/shop/orders => 404`,
			[]string{"pass ×1", "fail 2 3 4"},
		},
		"a recovered table is not shown, known by its id": {
			show + remove + restore + `GET core:/table/show/shop/orders => 404`, []string{"fail 1 2 3 4"},
		},
		"a recovered table is not listed": {
			remove + one + restore + `GET core:/table/list/shop => 200 {"tables":[]}`, []string{"pass ×1", "fail 2 3 4"},
		},
		"a recovered table is still among the deleted ones": {
			remove + one + restore + one,
			[]string{"pass ×1", "fail 2 3 4"},
		},
		"a list saw the deletion of another one that was under way": {
			"1-2 " + show + "5-9 " + deleted + `{"tables":[{"id":90,"database_name":"shop","name":"carts","database_id":11,` +
				`"deleted_at":"2026-05-04 01:00:07 UTC"}],"cursor_id":null}` + "\n" +
				`6-8 POST core:/table/delete/shop/carts => 200 {"database":"shop","table":"carts","type":"log"}` + "\n" +
				"11-12 " + remove + "13-14 " + two + "15-16 " + restore + "17-18 " + two,
			[]string{"pass ×2", "fail 5 6 7"},
		},
		"a recovered table under the name that was asked for": {
			`POST core:/table/recover/105 {"database_name":"stage","table_name":"old"} => 200 {table old 105}
			GET core:/table/show/stage/old => 404`, []string{"fail 1 2"},
		},
		"asked for in a form and the query": {
			`POST core:/table/recover/105?database_name=stage&table_name=old => 200 {table old 105}
			GET core:/table/show/stage/old => 404`, []string{"fail 1 2"},
		},
		"nobody knows where to": {restore + `GET core:/table/show/shop/orders => 404`, []string{"inconclusive 1"}},
		"another caller's view": {both + "@1/other " + both + remove + one + restore +
			`@1/other GET core:/table/show/shop/orders => 404`, []string{"pass ×1", "inconclusive 1 2 4 5 6"}},
		"another caller may not": {
			remove + one + restore + `@1/other GET core:/table/show/shop/orders => 403`,
			[]string{"pass ×1"},
		},
		"it was deleted again": {
			remove + one + restore + remove + `GET core:/table/show/shop/orders => 404`,
			[]string{"pass ×1"},
		},
		"it was renamed": {
			remove + one + restore + `POST core:/table/rename/shop/orders/old => 200 {"database":"shop","table":"old"}
			GET core:/table/show/shop/orders => 404`, []string{"pass ×1"},
		},
		"its database may have been deleted": {
			remove + one + restore + "POST core:/database/delete/shop => 0\nGET core:/table/show/shop/orders => 404",
			[]string{"pass ×1"},
		},
		"a look at the time of the recovery": {
			"1-2 " + remove + "3-4 " + one + "5-8 " + restore + "6-7 GET core:/table/show/shop/orders => 404",
			[]string{"pass ×1"},
		},
		"the recovery was refused": {remove + one +
			"POST core:/table/recover/105 => 409\nGET core:/table/show/shop/orders => 404", []string{"pass ×1"}},

		"its database is there again": {
			remove + one + drop + restore + `GET core:/database/show/shop => 200 {base shop}`, []string{"pass ×2"},
		},
		"its database is listed again": {
			remove + one + drop + restore + `GET core:/database/list => 200 {"databases":[{base shop}]}`, []string{"pass ×2"},
		},
		"its database is not there": {
			remove + one + drop + restore + `GET core:/database/show/shop => 404`, []string{"pass ×1", "fail 2 3 4 5"},
		},
		"its database is not listed": {
			remove + one + drop + restore + `GET core:/database/list => 200 {"databases":[]}`,
			[]string{"pass ×1", "fail 2 3 4 5"},
		},
		"its database was never gone": {
			remove + one + restore + `GET core:/database/show/shop => 200 {base shop}`,
			[]string{"pass ×1"},
		},
	})
}

// After a recovery without an answer, a table is there or among the deleted ones.
func TestARecoveryWithoutAnAnswerLosesNoTable(t *testing.T) {
	t.Parallel()
	const (
		shown    = "GET core:/table/show/shop/orders => 200 {table orders 9}\n"
		gone     = shown + "POST core:/table/delete/shop/orders => 200 {}\n"
		recovery = `POST core:/table/recover/9 {"database_name":"shop","table_name":"orders"} => `
		lacks    = `GET core:/table/deleted => 200 {"tables":[],"cursor_id":null}` + "\n"
		has      = `GET core:/table/deleted => 200 {"tables":[{deleted 9 shop orders}],"cursor_id":null}` + "\n"
		missing  = "GET core:/table/show/shop/orders => 404\n"
		empty    = `GET core:/table/list/shop => 200 {"tables":[]}` + "\n"
	)
	runRule(t, rule.TableRecovery, map[string]ruleCase{
		"neither deleted nor found":          {gone + recovery + "0\n" + lacks + missing, []string{"fail 1 2 3 4 5"}},
		"after a 502":                        {gone + recovery + "502\n" + lacks + missing, []string{"fail 1 2 3 4 5"}},
		"neither deleted nor listed":         {gone + recovery + "0\n" + lacks + empty, []string{"fail 1 2 3 4 5"}},
		"its database is not found":          {gone + recovery + "0\n" + lacks + "GET core:/table/list/shop => 404", []string{"fail 1 2 3 4 5"}},
		"asked for twice":                    {gone + recovery + "0\n" + recovery + "500\n" + lacks + missing, []string{"fail 1 2 4 5 6"}},
		"not found, then not deleted":        {gone + recovery + "0\n" + missing + lacks, []string{"inconclusive 1 2 3 4 5"}},
		"still deleted":                      {gone + recovery + "0\n" + has + missing, []string{"pass ×1"}},
		"there again":                        {gone + recovery + "0\n" + lacks + shown, nil},
		"deleted again":                      {gone + recovery + "0\n" + lacks + "POST core:/table/delete/shop/orders => 200 {}\n" + missing, nil},
		"another caller does not find it":    {gone + recovery + "0\n" + lacks + "@1/other " + missing, nil},
		"recovered, and lost afterwards":     {gone + recovery + "0\n" + lacks, nil},
		"listed before it":                   {gone + has + recovery + "0\n" + lacks + missing, []string{"pass ×1", "fail 3 4 5 6"}},
		"listed before a 504":                {gone + has + recovery + "504\n" + lacks + empty, []string{"pass ×1", "fail 3 4 5 6"}},
		"listed before, and not found first": {gone + has + recovery + "0\n" + missing + lacks, []string{"pass ×1", "inconclusive 3 4 5 6"}},
		"listed before, and there again":     {gone + has + recovery + "0\n" + lacks + shown, []string{"pass ×1"}},
		"listed before, and still deleted":   {gone + has + recovery + "0\n" + has + missing, []string{"pass ×2"}},
		"there, and still deleted":           {gone + recovery + "0\n" + shown + has, []string{"fail 1 2 3 4 5"}},
		"not listed, there, and then gone":   {gone + recovery + "0\n" + lacks + shown + missing, nil},
		"there, and deleted anew":            {gone + recovery + "0\n" + shown + "POST core:/table/delete/shop/orders => 200 {}\n" + has, []string{"pass ×1"}},
		"a recovery to another name":         {gone + has + strings.Replace(recovery, `"orders"`, `"old"`, 1) + "0\n" + lacks + "GET core:/table/show/shop/old => 404", []string{"pass ×1", "fail 3 4 5 6"}},
		"the recovery was refused, and lost": {gone + recovery + "403\n" + lacks, []string{"fail 1 2 4"}},
	})
}
