package rule_test

import (
	"testing"

	"svc.example/understudy/contract/internal/rule"
)

func TestDWHTarget(t *testing.T) {
	t.Parallel()
	const (
		body    = `{"name":"n","output_config":{"database":"shop"},"advanced_configs":[{"target_table":"orders"}]}`
		create  = `POST dwh:/ ` + body + ` => 200 {dwh 81 201}` + "\n"
		refused = `POST dwh:/ ` + body + ` => 400` + "\n"
		base    = `GET core:/database/show/shop => 200 {base shop}` + "\n"
		table   = `GET core:/table/show/shop/orders => 200 {table orders 105}` + "\n"
		noBase  = `GET core:/database/show/shop => 404` + "\n"
		noTable = `GET core:/table/show/shop/orders => 404` + "\n"
		without = `GET core:/table/list/shop => 200 {"tables":[{table carts 104}]}` + "\n"
		older   = `{"id":105,"name":"orders","type":"log","created_at":"2026-04-20 11:00:00 +0000","schema":"[]"}` + "\n"
		query   = `POST core:/job/issue/trino/shop {"query":"q"} => 200 {"job_id":"9"}` + "\n"
	)
	runRule(t, rule.DWHTarget, map[string]ruleCase{
		"both are there": {base + table + create, []string{"pass ×1"}},
		"both are listed": {`GET core:/database/list => 200 {"databases":[{base shop}]}` + "\n" +
			`GET core:/table/list/shop => 200 {"tables":[{table orders 105}]}` + "\n" + create, []string{"pass ×1"}},
		"nothing is known":          {create, []string{"inconclusive 1"}},
		"the table is not known":    {base + create, []string{"inconclusive 2"}},
		"the targets are not shown": {base + table + `POST dwh:/ => 200 {dwh 81 201}`, []string{"inconclusive 3"}},
		"the targets are taken out": {
			base + table + `POST dwh:/ {"output_config":{"database":"***"}} => 200 {dwh 81 201}`,
			[]string{"inconclusive 3"},
		},
		"its name begins like what hides one": {
			`GET core:/database/show/filtered_shop => 200 {base filtered_shop}` + "\n" +
				`POST dwh:/ {"output_config":{"database":"filtered_shop"}} => 200 {dwh 81 201}`, []string{"pass ×1"},
		},
		"the table is not found":  {noTable + create, []string{"fail 1 2"}},
		"the table is not listed": {without + create, []string{"fail 1 2"}},
		"the table was deleted": {
			table + `POST core:/table/delete/shop/orders => 200 {}` + "\n" + create,
			[]string{"fail 2 3"},
		},
		"the table is there as before": {
			noTable + create + `GET core:/table/show/shop/orders => 200 ` + older, []string{"inconclusive 1 2 3"},
		},
		"it is there as before, and somebody recovered some": {
			table + `POST core:/table/delete/shop/orders => 200 {}` + "\n" + create +
				`POST core:/table/recover/7 => 200 {}` + "\n" + `GET core:/table/show/shop/orders => 200 ` + older,
			[]string{"fail 2 3"},
		},
		"the database is not found": {noBase + create, []string{"fail 1 2"}},
		"its tables are not found":  {`GET core:/table/list/shop => 404` + "\n" + create, []string{"fail 1 2"}},
		"the database is not listed": {`GET core:/database/list => 200 {"databases":[{base stage}]}` + "\n" +
			create, []string{"fail 1 2"}},
		"another caller's database was deleted": {
			`POST core:/database/delete/shop => 200 {}` + "\n@1/other " + create,
			[]string{"inconclusive 1 2"},
		},
		"the database was deleted":      {`POST core:/database/delete/shop => 200 {}` + "\n" + create, []string{"fail 1 2"}},
		"refused, as it should be":      {noTable + refused, []string{"pass ×1"}},
		"refused for some reason":       {base + table + refused, nil},
		"refused for the caller's sake": {noTable + `POST dwh:/ ` + body + ` => 403`, nil},
		"not answered":                  {noTable + `POST dwh:/ ` + body + ` => 0`, nil},
		"it was made since": {
			base + noTable + `POST core:/table/create/shop/orders => 200 {}` + "\n" + create, []string{"pass ×1"},
		},
		"it is there, as another answer says": {
			base + noTable + `POST core:/table/create/shop/orders => 409` + "\n" + create, []string{"pass ×1"},
		},
		"it is there again, whoever made it": {
			base + table + `POST core:/table/delete/shop/orders => 200 {}` + "\nPOST core:/table/create/shop/orders => 409\n" +
				create,
			[]string{"pass ×1"},
		},
		"it was perhaps made since": {
			base + noTable + `POST core:/table/create/shop/orders => 500` + "\n" + create,
			[]string{"inconclusive 4"},
		},
		"a query may have made it": {base + noTable + query + create, []string{"inconclusive 4"}},
		"an event may have made it": {base + noTable + `POST ingestion:/postback/v3/event/shop/orders {} => 200 {}` +
			"\n" + create, []string{"inconclusive 4"}},
		"it is made at the same time": {"1-1 " + base + "2-2 " + noTable +
			"3-9 POST core:/table/create/shop/orders => 200 {}\n4-5 " + create, []string{"inconclusive 4"}},
		"it is deleted at the same time": {"1-1 " + base + "2-2 " + table +
			"3-9 POST core:/table/delete/shop/orders => 200 {}\n4-5 " + create, []string{"inconclusive 4"}},
		"somebody else does not see it": {"@1/other " + noTable + create, []string{"inconclusive 2"}},
		"nobody is known":               {"@hidden " + noTable + "@hidden " + create, []string{"inconclusive 2"}},
		"it was recovered": {
			base + noTable +
				`POST core:/table/recover/105 {"database_name":"shop"} => 200 {table orders 105}` + "\n" + create,
			[]string{"pass ×1"},
		},
		"another one has its name now": {
			base + noTable +
				`POST core:/table/rename/shop/carts/orders => 200 {"database":"shop","table":"orders"}` + "\n" + create,
			[]string{"pass ×1"},
		},
		"the database was made anew": {table + `POST core:/database/delete/shop => 200 {}` +
			"\nPOST core:/database/create/shop => 200 {}\n" + create, []string{"inconclusive 4"}},
		"the table of another database": {
			base + `GET core:/table/show/stage/orders => 404` + "\n" + create,
			[]string{"inconclusive 3"},
		},
		"it was made along": {base + noTable + refused +
			`GET core:/table/show/shop/orders => 200 {table orders 105 3}`, []string{"pass ×1", "fail 2 3 4"}},
		"its list shows that it was made": {
			without + refused +
				`GET core:/table/list/shop => 200 {"tables":[{table carts 104},{table orders 105 2}]}`,
			[]string{"pass ×1", "fail 1 2 3"},
		},
		"its database was made along": {"0-0 " + noBase + "1-1 " + refused +
			`2-2 GET core:/database/list => 200 {"databases":[{base shop 60}]}`, []string{"pass ×1", "fail 1 2 3"}},
		"it was not made": {noTable + refused + noTable, []string{"pass ×2"}},
		"somebody else made it later": {
			noTable + refused + `GET core:/table/show/shop/orders => 200 {table orders 105 9}`,
			[]string{"pass ×1"},
		},
		"it was there all the time": {noTable + refused + table, []string{"pass ×1"}},
		"when it was made is not shown": {
			noTable + refused + `GET core:/table/show/shop/orders => 200 {"name":"orders"}`,
			[]string{"pass ×1", "inconclusive 1 2 3"},
		},
		"it was made by a request": {noTable + refused + `POST core:/table/create/shop/orders => 200 {}` + "\n" +
			`GET core:/table/show/shop/orders => 200 {table orders 105 2}`, []string{"pass ×1"}},
		"it was perhaps made by a query": {noTable + refused + query +
			`GET core:/table/show/shop/orders => 200 {table orders 105 2}`, []string{"pass ×1"}},
		"a query that was refused": {noTable + refused + `POST core:/job/issue/trino/shop {"query":"q"} => 400` + "\n" +
			`GET core:/table/show/shop/orders => 200 {table orders 105 2}`, []string{"pass ×1", "fail 1 2 4"}},
		"another one may not see it": {noTable + refused + "@1/other " + noTable, []string{"pass ×1"}},
	})
}
