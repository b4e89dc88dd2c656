package rule_test

import (
	"testing"

	"svc.example/understudy/contract/internal/rule"
)

// What the rules make of operations beside those of the platform.
func TestExtras(t *testing.T) {
	t.Parallel()
	const (
		load   = "PUT core:/table/import/shop/orders/msgpack.gz {} => "
		gone   = "POST core:/table/delete/shop/orders => 200 {}\n"
		remove = `POST core:/user/apikey/remove/5 {"apikey":"1/lost"} => `
		use    = "@1/lost GET core:/database/list => "
		bases  = `{"databases":[]}`
	)
	runRule(t, rule.UseAfterDelete, map[string]ruleCase{
		"rows are imported into a deleted table": {gone + load + `200 {"elapsed_time":0}`, []string{"fail 1 2"}},
		"with an id": {gone +
			"PUT core:/table/import_with_id/shop/orders/a/json.gz {} => 200 {}", []string{"fail 1 2"}},
		"a deleted table takes no rows": {gone + load + "404", []string{"pass ×1"}},
		"nor a bulk import": {
			gone + "POST core:/bulk_import/create/a/shop/orders => 404",
			[]string{"pass ×1"},
		},
		"a bulk import into a deleted table": {
			gone + "POST core:/bulk_import/create/a/shop/orders => 200 {}",
			[]string{"fail 1 2"},
		},
		"rows are imported into a table that was remade": {gone + "POST core:/table/create/shop/orders => 200 {}\n" + load +
			"200 {}", nil},

		"a removed key is taken": {remove + "200 {}\n" + use + "200 " + bases, []string{"fail 1 2"}},
		"a removed key is taken elsewhere": {
			remove + "200 {}\n@1/lost GET /pools => 200 {\"pools\":[]}",
			[]string{"fail 1 2"},
		},
		"a removed key is refused":           {remove + "200 {}\n" + use + "401", []string{"pass ×1"}},
		"the removal was refused":            {remove + "403\n" + use + "200 " + bases, nil},
		"the removal was not answered":       {remove + "0\n" + use + "200 " + bases, nil},
		"the key was taken at the same time": {"1-5 " + remove + "200 {}\n2-3 " + use + "200 " + bases, nil},
		"another key is taken":               {remove + "200 {}\n@1/kept GET core:/database/list => 200 " + bases, nil},
		"where no key is asked for": {remove +
			"200 {}\n@1/lost GET core:/system/server_status => 200 {\"status\":\"ok\"}", nil},
		"an event with a removed key": {remove +
			"200 {}\n@1/lost POST ingestion:/postback/v3/event/shop/orders {\"a\":1} => 200 {}", nil},
	})
	runRule(t, rule.IngestionAuth, map[string]ruleCase{
		"a key that was added, and is refused as it may not import": {
			"POST core:/user/apikey/add/5 => 200 {\"apikey\":\"1/new\"}\n@1/new POST ingestion:/postback/v3/event/shop/orders " +
				"{\"a\":1} => 403",
			[]string{"inconclusive 2"},
		},
		"a wrong key is not taken for a good one where none is asked for": {
			"@1/bad GET core:/database/list => 401\n@1/bad GET core:/system/server_status => 200 {\"status\":\"ok\"}\n" +
				`@1/bad POST ingestion:/postback/v3/event/shop/orders {"a":1} => 401`,
			[]string{"fail 1 3"},
		},
	})
	const (
		old  = `POST ingestion:/postback/v3/event/shop/orders {"id":"7","svc_record_time":1767225600} => 200 {}` + "\n"
		tail = "\n" + `GET core:/table/tail/shop/orders => 200 [{"id":"7","time":1767225600}]`
	)
	runRule(t, rule.IngestionTime, map[string]ruleCase{
		"a record with the time of an old event": {
			old + "GET core:/database/list => 200 " + bases + tail,
			[]string{"fail 1 3"},
		},
		"that may have been imported": {old + load + "200 {}" + tail, []string{"inconclusive 1"}},
		"that may have been part of a bulk import": {
			old + "POST core:/bulk_import/commit/a => 200 {}" + tail,
			[]string{"inconclusive 1"},
		},
		"while the import was into another table, or was refused": {
			old + load + "400\nPUT core:/table/import/shop/carts/json.gz {} => 200 {}" + tail, []string{"fail 1 4"},
		},
	})
}
