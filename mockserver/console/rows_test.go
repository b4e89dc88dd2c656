package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/console"
	"svc.example/understudy/mockserver/query/sqlite"
)

// A table shows its rows, a page of them, in the order of any column; and answers to SQL.
func TestRowsOfATable(t *testing.T) {
	t.Parallel()
	base := start(t, mockserver.WithScenario("full-account"), mockserver.WithQueryEngine(sqlite.New()))
	client := http.DefaultClient
	for _, query := range []string{"select status from orders", `SELECT * FROM "orders" LIMIT 51 OFFSET 0`} {
		if got := post(t, client, base+console.Path+"do", url.Values{ // it stands in no table
			"call": {"POST worlds/default/jobs/results"}, "string:query": {query}, "json:rows": {`[["scripted"]]`},
			"json:columns": {`[["said","varchar"]]`}, "back": {"worlds"},
		}); !strings.Contains(got.body, "Done.") {
			t.Fatalf("script a result: %d %s", got.status, text(got.body))
		}
	}
	table := base + console.Path + "w/default/resources/core.table/shop/"
	for query, want := range map[string]struct{ has, hasNot []string }{
		"orders": {
			[]string{"id bigint customer_id bigint product_id bigint quantity bigint status varchar total double", "1001 16 6 2", "from row 1 on Next"},
			[]string{"Back", "scripted"},
		},
		"orders?from=100":                {[]string{"1101 ", "from row 101 on Back"}, []string{"1001 ", "Next"}},
		"orders?by=total":                {[]string{`aria-sort="ascending"`, "by=-total"}, nil},
		"orders?by=-total&from=129":      {[]string{`aria-sort="descending"`, "from row 130 on"}, []string{"1001 16 6 2"}},
		"orders?by=no%22thing%3B--":      {[]string{`&#34;no&#34;&#34;thing;--&#34;`}, nil},
		"orders?from=10000":              {[]string{"There are none.", "from row 10001 on Back"}, nil},
		"orders?from=-7":                 {[]string{"from row 1 on"}, nil},
		"orders?sql=select+1+as+%3Cb%3E": {[]string{"near"}, []string{"<b>"}},
		"orders?sql=select+x":            {[]string{"no such column: x", "Back to the rows of the table"}, nil},
		"customers?sql=%20":              {[]string{"Aiko Mori"}, nil},
	} {
		page := open(t, client, table+query)
		shown := strings.Join(strings.Fields(text(page.body)), " ")
		for _, words := range want.has {
			if !strings.Contains(shown, words) && !strings.Contains(page.body, words) {
				t.Errorf("%s: %q is not in %.2000s", query, words, shown)
			}
		}
		for _, words := range want.hasNot {
			if strings.Contains(shown, words) {
				t.Errorf("%s: %q is in %.2000s", query, words, shown)
			}
		}
	}
	scripted := open(t, client, table+"orders?sql=select+status+from+orders")
	if shown := text(scripted.body); !strings.Contains(shown, "scripted") || !strings.Contains(shown, "said") {
		t.Errorf("a query of one's own is answered by %.2000s, want what a script has in store", shown)
	}
	without := start(t, mockserver.WithScenario("full-account"))
	page := open(t, client, without+console.Path+"w/default/resources/core.table/shop/orders")
	if shown := text(page.body); !strings.Contains(shown, "Here nothing runs queries") || !strings.Contains(shown, "130 rows") {
		t.Errorf("without an engine: %.2000s", shown)
	}
}

// Lists show the names of what objects belong to, before numbers that nobody knows.
func TestListsShowNames(t *testing.T) {
	t.Parallel()
	base := start(t, mockserver.WithScenario("full-account"))
	for kind, want := range map[string]string{
		"workflow.attempt": "id status project workflow", "workflow.session": "id project workflow",
		"workflow.workflow": "name id project",
	} {
		page := open(t, http.DefaultClient, base+console.Path+"w/default/resources/"+kind)
		if shown := strings.Join(strings.Fields(text(page.body)), " "); !strings.Contains(shown, want) {
			t.Errorf("%s: %q is not in %.1000s", kind, want, shown)
		}
	}
}
