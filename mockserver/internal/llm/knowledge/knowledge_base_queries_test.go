package knowledge_test

import (
	"fmt"
	"strings"
	"testing"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver/internal/llm/llmtest"
)

// ask runs a function on a knowledge base.
func ask(c *mocktest.Client, id, function, arguments string) mocktest.Answer {
	c.Helper()
	return c.Post("/api/knowledge_bases/"+id+"/query", fmt.Sprintf(`{"function":%q,"arguments":%s}`, function, arguments))
}

func TestKnowledgeBaseQueries(t *testing.T) {
	t.Parallel()
	c, project := llmtest.NewShop(t)
	base := func(more string) string {
		return llmtest.Make(c, "knowledge_bases", llmtest.KnowledgeBase(project, more))
	}
	plain, few := base(""), base(`,"maxRows":2`)
	markdown := base(`,"formatType":"MARKDOWN_KV","maxRows":2`)
	tables := base(`,"tables":[
		{"name":"open_orders","svcQuery":"SELECT id, total FROM orders WHERE status = 'open'","enableData":true},
		{"name":"states","svcQuery":"SELECT DISTINCT status AS word FROM orders","enableDataIndex":true}]`)
	const orders = `{"table":"orders","columns":[{"name":"id","type":"long"},` +
		`{"name":"status","type":"string","description":"Where the order stands"},{"name":"total","type":"double"}]}`
	const customers = `{"table":"customers","columns":[{"name":"id","type":"long"},{"name":"email","type":"string"}]}`
	const openOrders = `{"table":"open_orders","columns":[{"name":"id","type":"bigint"},{"name":"total","type":"double"}]}`
	const states = `{"table":"states","columns":[{"name":"word","type":"varchar"}]}`
	for _, test := range []struct{ name, base, function, arguments, want string }{
		{"columns of the database", plain, "LIST_COLUMNS", `{}`, "[" + orders + "," + customers + "]"},
		{"columns of one table", plain, "LIST_COLUMNS", `{"tables":" customers"}`, "[" + customers + "]"},
		{
			"tables of its own stand in place of those of the database", tables, "LIST_COLUMNS", `{"tables":null}`,
			"[" + openOrders + "," + states + "]",
		},
		{
			"columns in Markdown", markdown, "LIST_COLUMNS", `{"tables":"orders"}`,
			"## orders\n\n- id: long\n- status: string, Where the order stands\n- total: double",
		},
		{
			"a search finds columns by name", plain, "SEARCH_SCHEMA", `{"keywords":"EMAIL phone"}`,
			`[{"table":"customers","columns":[{"name":"email","type":"string"}]}]`,
		},
		{
			"a search finds columns by description", plain, "SEARCH_SCHEMA", `{"keywords":"stands"}`,
			`[{"table":"orders","columns":[{"name":"status","type":"string","description":"Where the order stands"}]}]`,
		},
		{"a search finds whole tables by name", plain, "SEARCH_SCHEMA", `{"keywords":"custom"}`, "[" + customers + "]"},
		{"a search finds values that are indexed", tables, "SEARCH_SCHEMA", `{"keywords":"paid"}`, "[" + states + "]"},
		{"a search that finds nothing", tables, "SEARCH_SCHEMA", `{"keywords":"12.5"}`, "[]"},
		{
			"rows are objects", plain, "QUERY_DATA_DIRECT",
			`{"query":"SELECT status, count(*) AS orders FROM orders GROUP BY status"}`,
			`[{"status":"open","orders":2},{"status":"paid","orders":1}]`,
		},
		{
			"a query may be called a statement", plain, "QUERY_DATA_DIRECT",
			`{"statement":"SELECT total FROM orders WHERE id = 3"}`, `[{"total":7.0}]`,
		},
		{
			"rows are cut, with a note", few, "QUERY_DATA_DIRECT", `{"query":"SELECT id FROM orders ORDER BY id"}`,
			`[{"id":1},{"id":2},{"note":"only the first 2 of 3 rows are shown"}]`,
		},
		{"no rows", plain, "QUERY_DATA_DIRECT", `{"query":"SELECT id FROM orders WHERE id > 9"}`, `[]`},
		{
			"rows in Markdown", markdown, "QUERY_DATA_DIRECT", `{"query":"SELECT id, status FROM orders ORDER BY id"}`,
			"# Records\n\n## Record 1\n\n```\nid: 1\nstatus: open\n```\n\n## Record 2\n\n```\nid: 2\nstatus: paid\n```\n\n" +
				"# Warning\n\n[TRUNCATED] Results limited to 2 rows. Use a narrower WHERE, or LIMIT and OFFSET, " +
				"to get the other rows.",
		},
		{
			"rows in Markdown that are all there", markdown, "QUERY_DATA_DIRECT",
			`{"query":"SELECT id, total FROM orders WHERE id = 1"}`,
			"# Records\n\n## Record 1\n\n```\nid: 1\ntotal: 12.5\n```",
		},
		{
			"values in Markdown have one line each, in a fence of their own", markdown, "QUERY_DATA_DIRECT",
			`{"query":"SELECT 'a' || char(10) || 'b' AS lines, replace('aaa', 'a', char(96)) AS fence, NULL AS absent"}`,
			"# Records\n\n## Record 1\n\n````\nlines: \"a\\nb\"\nfence: ```\nabsent: null\n````",
		},
		{
			"no rows in Markdown", markdown, "QUERY_DATA_DIRECT", `{"query":"SELECT id FROM orders WHERE id > 9"}`,
			"# Records\n\nNo records.",
		},
		{
			"tables of its own can be queried", tables, "QUERY_DATA_DIRECT",
			`{"query":"SELECT sum(total) AS sum FROM open_orders"}`, `[{"sum":19.5}]`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := c.In(t)
			if got := ask(c, test.base, test.function, test.arguments).Want(200).Value("content").Text(); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
	t.Run("what cannot be run is refused", func(t *testing.T) {
		t.Parallel()
		c := c.In(t)
		ask(c, plain, "DROP", `{}`).Refused(422, "LIST_COLUMNS", "SEARCH_SCHEMA", "QUERY_DATA_DIRECT", `"status":"422"`)
		ask(c, plain, "QUERY_DATA_DIRECT", `{}`).Refused(422, "arguments.query")
		ask(c, plain, "SEARCH_SCHEMA", `{"keywords":" , "}`).Refused(422, "arguments.keywords")
		ask(c, plain, "LIST_COLUMNS", `{"tables":"orders,invoices"}`).Refused(422, "arguments.tables", "invoices")
		ask(c, plain, "QUERY_DATA_DIRECT", `{"query":"SELECT nothing FROM orders"}`).Refused(422, "nothing")
		ask(c, plain, "QUERY_DATA_DIRECT", `{"query":"DELETE FROM orders"}`).Refused(422, "query failed")
		ask(c, tables, "QUERY_DATA_DIRECT", `{"query":"SELECT * FROM states"}`).Refused(422, "states")
		ask(c.As("1/analyst"), plain, "LIST_COLUMNS", `{}`).Refused(422, "permissions")
		ask(c.As("1/analyst"), plain, "QUERY_DATA_DIRECT", `{"query":"SELECT 1"}`).Refused(422, "permissions")
		ask(c, llmtest.NoID, "LIST_COLUMNS", `{}`).Refused(404, `"status":404`)
		c.Post("/api/knowledge_bases/"+plain+"/query", `{"function":"LIST_COLUMNS"}`).Refused(400, "arguments")
		llmtest.RefusesText(c, "POST", "/api/knowledge_bases/"+plain+"/query")
	})
	t.Run("a table of its own that fails says so", func(t *testing.T) {
		t.Parallel()
		c := c.In(t)
		broken := base(`,"tables":[{"name":"broken","svcQuery":"SELECT nothing FROM orders","enableData":true}]`)
		ask(c, broken, "LIST_COLUMNS", `{}`).Refused(422, "table broken", "nothing")
		ask(c, broken, "QUERY_DATA_DIRECT", `{"query":"SELECT * FROM broken"}`).Refused(422, "table broken", "nothing")
	})
}

func TestQueriesWithoutEngine(t *testing.T) {
	t.Parallel()
	c, _ := llmtest.NewProject(t)
	c.Load(strings.Replace(llmtest.ShopData, "core:\n", `core:
  results:
  - {query: SELECT 1, columns: [[n, bigint]], rows: [[1]]}
  - {query: SELECT 2, error: no such number}
`, 1))
	id := llmtest.Make(c, "knowledge_bases", llmtest.KnowledgeBase(llmtest.MakeProject(c, "Shop"), ""))
	t.Run("what is queued for the jobs of core answers", func(t *testing.T) {
		t.Parallel()
		c := c.In(t)
		ask(c, id, "QUERY_DATA_DIRECT", `{"query":"SELECT 1"}`).Want(200).Wants("content", `[{"n":1}]`)
		ask(c, id, "QUERY_DATA_DIRECT", `{"query":"SELECT 2"}`).Refused(422, "no such number")
	})
	t.Run("nothing else does, and the text and the journal say so", func(t *testing.T) {
		t.Parallel()
		c := c.In(t)
		ask(c, id, "QUERY_DATA_DIRECT", `{"query":"SELECT 3"}`).Want(200).
			Wants("content", `[{"note":"the mock has no query engine"}]`)
		calls, err := c.World().Journal("llm.queryKnowledgeBase")
		if err != nil || len(calls) == 0 {
			t.Fatalf("calls %v, error %v", calls, err)
		}
		if notes := calls[len(calls)-1].Notes; len(notes) != 1 || !strings.Contains(notes[0], "WithQueryEngine") {
			t.Errorf("notes are %q, want one that names WithQueryEngine", notes)
		}
	})
}
