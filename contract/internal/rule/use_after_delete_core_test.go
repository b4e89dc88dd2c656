package rule_test

import (
	"strings"
	"testing"

	"svc.example/understudy/contract/internal/rule"
)

// What a rule on deletions must not take for a violation, for each kind of entity in the core interface. Creation is
// left out where a new entity gets a new id: it never comes back under the old one.
func TestUseAfterDeleteOfCore(t *testing.T) {
	t.Parallel()
	for kind, tt := range map[string]struct{ create, remove, read, change, item, list string }{
		"database": {
			create: "POST core:/database/create/shop => 200 {}", remove: "POST core:/database/delete/shop => 200 {}",
			read: "GET core:/database/show/shop => ", change: "GET core:/table/list/shop => ",
			list: `GET core:/database/list => 200 {"databases":[`, item: `{base shop}`,
		},
		"table": {
			create: "POST core:/table/create/shop/orders/log => 200 {}", remove: "POST core:/table/delete/shop/orders => 200 {}",
			read: "GET core:/table/show/shop/orders => ", change: "POST core:/table/update-schema/shop/orders {} => ",
			list: `GET core:/table/list/shop => 200 {"tables":[`, item: `{table orders 105}`,
		},
		"connection": {
			create: `POST core:/result/create/lake {"url":"s3://x"} => 200 {}`,
			remove: "POST core:/result/delete/lake => 200 {}",
			read:   "GET core:/connections/lookup?name=lake => ", change: "GET core:/connections/lookup?name=lake => ",
			list: `GET core:/result/list => 200 {"results":[`, item: `{"name":"lake"}`,
		},
		"schedule": {
			create: `POST core:/schedule/create/nightly {} => 200 {"name":"nightly"}`,
			remove: "POST core:/schedule/delete/nightly => 200 {}",
			read:   "GET core:/schedule/history/nightly => ", change: "POST core:/schedule/update/nightly {} => ",
			list: `GET core:/schedule/list => 200 {"schedules":[`, item: `{"name":"nightly"}`,
		},
		"policy": {
			remove: "DELETE core:/access_control/policies/21 => 200 {}",
			read:   "GET core:/access_control/policies/21 => ", change: "PATCH core:/access_control/policies/21 {} => ",
			list: `GET core:/access_control/policies => 200 [`, item: `{"id":21}`,
		},
		"policy group": {
			remove: "DELETE core:/access_control/policy_groups/7 => 200 {}",
			read:   "GET core:/access_control/policy_groups/7 => ",
			change: "PATCH core:/access_control/policy_groups/7/policies {} => ",
			list:   `GET core:/access_control/policy_groups => 200 [`, item: `{group 7 team}`,
		},
	} {
		gone := tt.remove + "\n"
		end := strings.Repeat("]}", strings.Count(tt.list, "{"))
		if end == "" {
			end = "]"
		}
		cases := map[string]ruleCase{
			"not found":                 {gone + tt.read + "404", []string{"pass ×1"}},
			"not found, to be changed":  {gone + tt.change + "404", []string{"pass ×1"}},
			"read":                      {gone + tt.read + "200 {}", []string{"fail 1 2"}},
			"changed":                   {gone + tt.change + "200 {}", []string{"fail 1 2"}},
			"listed":                    {gone + tt.list + tt.item + end, []string{"fail 1 2"}},
			"not listed":                {gone + tt.list + end, []string{"pass ×1"}},
			"not listed, as unreadable": {gone + strings.Split(tt.list, " => ")[0] + " => 200 cut", nil},
			"deleted twice":             {gone + gone, nil},
			"deleted twice, not found":  {gone + strings.Replace(tt.remove, "200 {}", "404", 1), []string{"pass ×1"}},
			"the deletion was refused":  {strings.Replace(tt.remove, "200 {}", "403", 1) + "\n" + tt.read + "200 {}", nil},
			"the deletion went unseen": {
				strings.Replace(tt.remove, "200 {}", "0", 1) + "\n" + tt.read + "200 {}",
				[]string{"inconclusive 1 2"},
			},
			"the deletion may follow": {
				strings.Replace(tt.remove, "200 {}", "202", 1) + "\n" + tt.read + "200 {}",
				[]string{"inconclusive 1 2"},
			},
			"refused before":   {gone + tt.read + "403", nil},
			"at the same time": {"1-5 " + gone + "2-3 " + tt.read + "200 {}", nil},
			"at the same time, and then": {
				"1-5 " + gone + "2-3 " + tt.read + "200 {}\n6-7 " + tt.read + "200 {}",
				[]string{"fail 1 3"},
			},
			"of an unknown history": {tt.read + "200 {}\n" + tt.list + tt.item + end, nil},
		}
		if tt.create != "" {
			cases["made anew"] = ruleCase{gone + tt.create + "\n" + tt.read + "200 {}", nil}
			cases["perhaps made anew"] = ruleCase{gone + strings.Replace(tt.create, "=> 200", "=> 500", 1) + "\n" + tt.read +
				"200 {}", nil}
			cases["made anew at the same time"] = ruleCase{
				"1-2 " + gone + "3-9 " + tt.create + "\n5-6 " + tt.read + "200 {}",
				nil,
			}
			cases["deleted while it was made"] = ruleCase{
				"1-5 " + tt.create + "\n2-3 " + gone + "6-7 " + tt.read + "200 {}",
				[]string{"inconclusive 2 3"},
			}
			cases["made, and deleted"] = ruleCase{tt.create + "\n" + gone + tt.read + "200 {}", []string{"fail 1 2 3"}}
		}
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			runRule(t, rule.UseAfterDelete, cases)
		})
	}
}

// Names, other than ids, may come back in ways that their own requests do not show.
func TestNamesThatComeBack(t *testing.T) {
	t.Parallel()
	const (
		gone   = "POST core:/table/delete/shop/orders => 200 {}\n"
		noBase = "POST core:/database/delete/shop => 200 {}\n"
		show   = `GET core:/table/show/shop/orders => 200 {table orders 105}` + "\n"
		event  = `POST ingestion:/postback/v3/event/shop/orders {} => 200 {}` + "\n"
	)
	runRule(t, rule.UseAfterDelete, map[string]ruleCase{
		"the table is deleted while an event comes in": {"1-5 " + event + "2-3 " + gone + "6-7 " + show, nil},
		"what only parts a user from a policy removes nothing": {
			"DELETE core:/access_control/policies/21/users/3 => 200 {}\nGET core:/access_control/policies/21 => 200 {}", nil,
		},
		"the table may have been made by a query": {
			gone + `POST core:/job/issue/trino/shop {"query":"create table orders (a int)"} => 200 {"job_id":"1"}` + "\n" + show,
			nil,
		},
		"a query that selects makes none": {
			gone + `POST core:/job/issue/trino/shop {"query":"SELECT count(1)\nFROM x;"} => 200 {"job_id":"1"}` + "\n" + show,
			[]string{"fail 1 3"},
		},
		"a query whose result goes to a table may": {
			gone + `POST core:/job/issue/trino/shop {"query":"select 1","result":"svc://x"} => 200 {"job_id":"1"}` + "\n" + show,
			nil,
		},
		"the table of a deleted database": {noBase + show, []string{"fail 1 2"}},
		"a table is made in a deleted database": {
			noBase + "POST core:/table/create/shop/orders => 200 {}",
			[]string{"fail 1 2"},
		},
		"a table is not made in a deleted one": {
			noBase + "POST core:/table/create/shop/orders => 404",
			[]string{"pass ×1"},
		},
		"a table of a database that was made anew": {gone + noBase + "POST core:/database/create/shop => 200 {}\nGET " +
			"core:/table/list/shop => 200 {\"tables\":[]}", []string{"pass ×1"}},
		"the table of another database": {gone + `GET core:/table/show/stage/orders => 200 {table orders 105}`, nil},
		"a query may have made it": {
			gone + `POST core:/job/issue/trino/shop {"query":"CREATE TABLE orders"} => 200 {"job_id":"9"}` + "\n" + show, nil,
		},
		"a query that ran before": {
			`POST core:/job/issue/trino/shop {"query":"q"} => 200 {"job_id":"9"}` + "\n" + gone + show, []string{"fail 2 3"},
		},
		"a query at the time may have made it": {
			gone + "3-9 " + `POST core:/job/issue/trino/shop {"query":"CREATE TABLE orders"} => 200 {"job_id":"9"}` +
				"\n5-6 " + show, nil,
		},
		"it is the same one, by its id, whatever a query may make at the time": {
			show + gone + "3-9 " + `POST core:/job/issue/trino/shop {"query":"CREATE TABLE orders"} => 200 {"job_id":"9"}` +
				"\n5-6 " + show, []string{"fail 2 4"},
		},
		"a query that was refused": {
			gone + `POST core:/job/issue/trino/shop {"query":"q"} => 400` + "\n" + show, []string{"fail 1 3"},
		},
		"a query at the time of the deletion": {
			"1-5 " + `POST core:/job/issue/trino/shop {"query":"q"} => 200 {"job_id":"9"}` + "\n2-3 " + gone + "7-8 " + show,
			nil,
		},
		"an event may have made it": {gone + event + show, nil},
		"an event for another one":  {gone + strings.Replace(event, "orders", "views", 1) + show, []string{"fail 1 3"}},
		"another one has its name now": {
			gone + `POST core:/table/rename/shop/carts/orders => 200 {"database":"shop","table":"orders"}` + "\n" + show, nil,
		},
		"another one has its name at that time": {
			"1-2 " + gone + "3-9 " + `POST core:/table/rename/shop/carts/orders => 200 {"database":"shop","table":"orders"}` +
				"\n5-6 " + show, nil,
		},
		"another one was moved in its place": {
			gone + `POST core:/table/change_database/stage/orders {"dest_database_name":"shop"} => 200 {"database":"shop","table":"orders"}` + "\n" + show, nil,
		},
		"it was recovered": {
			gone + `POST core:/table/recover/105 {"database_name":"shop"} => 200 {table orders 105}` + "\n" + show, nil,
		},
		"perhaps it was recovered": {gone + `POST core:/table/recover/105 => 200 {"id":105}` + "\n" + show, nil},
		"another one was recovered": {
			gone + `POST core:/table/recover/90 {"database_name":"shop"} => 200 {table carts 90}` + "\n" + show,
			[]string{"fail 1 3"},
		},
		"its database was recovered with it": {
			noBase + `POST core:/table/recover/105 {"database_name":"shop"} => 200 {table orders 105}` + "\n" + show, nil,
		},
		"somebody unseen made another one, by its id": {show + gone +
			`GET core:/table/show/shop/orders => 200 {table orders 106}`, nil},
		"it is the same one, by its id": {show + gone + show, []string{"fail 2 3"}},
		"its id went along when it was renamed": {`GET core:/table/show/shop/carts => 200 {table carts 105}` +
			"\n" + `POST core:/table/rename/shop/carts/orders => 200 {"database":"shop","table":"orders"}` + "\n" + gone +
			`GET core:/table/show/shop/orders => 200 {table orders 106}`, nil},
		"its id went along when it was swapped": {`GET core:/table/show/shop/carts => 200 {table carts 106}` +
			"\n" + show + `POST core:/table/swap/shop/carts/orders => 200 {}` + "\n" + gone +
			`GET core:/table/show/shop/orders => 200 {table orders 106}`, []string{"fail 4 5"}},
		"somebody unseen made another one, by its birth": {`GET core:/database/list => 200 {"databases":[{base shop}]}` +
			"\n" + noBase + `GET core:/database/show/shop => 200 {base shop 59}`, nil},
		"somebody unseen made another one, after that": {
			noBase + `GET core:/database/show/shop => 200 {base shop 90}`,
			nil,
		},
		"it is older than its deletion": {
			noBase + `GET core:/database/show/shop => 200 {base shop 59}`,
			[]string{"fail 1 2"},
		},
		"a schedule was renamed into its name": {"POST core:/schedule/delete/nightly => 200 {}\n" +
			`POST core:/schedule/update/daily {"name":"nightly"} => 200 {"name":"nightly"}` +
			"\nGET core:/schedule/history/nightly => 200 {}", nil},
		"a group is known by two names": {`GET core:/access_control/policy_groups/7 => 200 {group 7 team}` +
			"\nDELETE core:/access_control/policy_groups/7 => 200\n" +
			`GET core:/access_control/policy_groups/team => 200 {group 7 team}`, []string{"fail 1 2 3"}},
		"a group is deleted by its other name": {`GET core:/access_control/policy_groups/7 => 200 {group 7 team}` +
			"\nDELETE core:/access_control/policy_groups/team => 200\n" +
			`GET core:/access_control/policy_groups/7 => 200 {group 7 team}`, []string{"fail 1 2 3"}},
		"a name of digits is the id of another group": {`GET core:/access_control/policy_groups/7 => 200 {group 7 9}` +
			"\nDELETE core:/access_control/policy_groups/9 => 200\n" +
			`GET core:/access_control/policy_groups/7 => 200 {group 7 9}`, nil},
		"somebody unseen gave its name to another group": {`GET core:/access_control/policy_groups/7 => 200 {group 7 team}` +
			"\nDELETE core:/access_control/policy_groups/7 => 200\n" +
			`GET core:/access_control/policy_groups/team => 200 {group 9 team}`, nil},
		"a schedule of the workflow interface is another": {"POST core:/schedule/delete/5 => 200 {}\nGET /schedules/5 => 200 {}", nil},
	})
}

// Two accounts may each have an entity of one name, and a key does not show its account.
func TestNamesOfOtherCallers(t *testing.T) {
	t.Parallel()
	const (
		bases = `GET core:/database/list => 200 {"databases":[{base shop}]}` + "\n"
		gone  = "POST core:/database/delete/shop => 200 {}\n"
		other = "@1/other "
		table = `GET core:/table/show/shop/orders => 200 {table orders 105}` + "\n"
	)
	doubt := []string{"inconclusive 1 2"}
	runRule(t, rule.UseAfterDelete, map[string]ruleCase{
		"a database is read":               {gone + other + "GET core:/database/show/shop => 200 {}", doubt},
		"a database is not found":          {gone + other + "GET core:/database/show/shop => 404", []string{"pass ×1"}},
		"a database is listed":             {gone + other + bases, doubt},
		"it is the same one, by its birth": {bases + gone + other + bases, []string{"fail 1 2 3"}},
		"a table is made in it":            {gone + other + "POST core:/table/create/shop/orders => 200 {}", doubt},
		"a table that is the same, by id": {
			table + "POST core:/table/delete/shop/orders => 200 {}\n" + other + table,
			[]string{"fail 1 2 3"},
		},
		"a connection is listed": {"POST core:/result/delete/lake => 200 {}\n" + other +
			`GET core:/result/list => 200 {"results":[{"name":"lake"}]}`, doubt},
		"a schedule is read": {"POST core:/schedule/delete/nightly => 200 {}\n" + other +
			"GET core:/schedule/history/nightly => 200 {}", doubt},
		"a short id may be another account's": {"DELETE core:/access_control/policies/21 => 200 {}\n" + other +
			"GET core:/access_control/policies/21 => 200 {}", doubt},
		"another caller who saw the same before": {bases + other + bases +
			"DELETE core:/access_control/policies/21 => 200 {}\n" +
			other + "GET core:/access_control/policies/21 => 200 {}", []string{"fail 1 2 3 4"}},
		"another caller of the same account, as answers say": {
			"DELETE core:/access_control/policies/21 => 200 {\"id\":21,\"account_id\":8}\n" +
				other + "GET core:/access_control/policies/21 => 200 {\"id\":21,\"account_id\":8}", []string{"fail 1 2"},
		},
		"a caller who is hidden is the same": {"@hidden " + gone + "@hidden " + bases, []string{"fail 1 2"}},
		"a domain key": {`POST core:/job/issue/hive/shop {"query":"q","domain_key":"k"} => 200 {"job_id":"9"}` + "\n" +
			other + `POST core:/job/issue/hive/shop {"query":"q","domain_key":"k"} => 200 {"job_id":"10"}`, doubt},
	})
}

func TestDomainKeys(t *testing.T) {
	t.Parallel()
	const (
		json   = `POST core:/job/issue/hive/shop {"query":"q","domain_key":"k"} => `
		form   = `POST core:/job/issue/hive/shop?query=q&domain_key=k => `
		number = `POST core:/job/issue/hive/shop {"query":"q","domain_key":7} => `
	)
	runRule(t, rule.UseAfterDelete, map[string]ruleCase{
		"taken once":               {json + `200 {"job_id":"9"}`, nil},
		"taken again, and refused": {json + `200 {"job_id":"9"}` + "\n" + json + "409", []string{"pass ×1"}},
		"taken twice": {
			json + `200 {"job_id":"9"}` + "\n" + json + `200 {"job_id":"10"}`,
			[]string{"fail 1 2"},
		},
		"taken twice, once in the query": {
			json + `200 {"job_id":"9"}` + "\n" + form + `200 {"job_id":"10"}`,
			[]string{"fail 1 2"},
		},
		"taken by an export": {json + `200 {"job_id":"9"}` + "\n" +
			`POST core:/export/run/shop/orders {"domain_key":"k"} => 200 {"job_id":"10"}`, []string{"fail 1 2"}},
		"the same job again": {
			json + `200 {"job_id":"9"}` + "\n" + json + `200 {"job_id":"9"}`,
			[]string{"fail 1 2"},
		},
		"a number and its text": {number + `200 {"job_id":"9"}` + "\n" +
			`POST core:/job/issue/hive/shop?query=q&domain_key=7 => 200 {"job_id":"10"}`, []string{"fail 1 2"}},
		"other keys":                     {json + `200 {"job_id":"9"}` + "\n" + number + `200 {"job_id":"10"}`, nil},
		"the first one was not answered": {json + "0\n" + json + `200 {"job_id":"10"}`, nil},
		"at the same time": {
			"1-5 " + json + `200 {"job_id":"9"}` + "\n2-3 " + json + `200 {"job_id":"10"}`,
			nil,
		},
		"keys that a recorder hid alike": {`POST core:/job/issue/hive/shop {"domain_key":"***"} => 200 {"job_id":"9"}` +
			"\n" + `POST core:/job/issue/hive/shop {"domain_key":"***"} => 200 {"job_id":"10"}`, nil},
		"taken by somebody unseen, before": {json + "409", nil},
	})
}
