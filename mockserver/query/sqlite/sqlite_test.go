package sqlite_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/mockserver/query"
	"svc.example/understudy/mockserver/query/sqlite"
)

// world is tables by database.table.
type world map[string]query.Table

func (w world) Databases() []string {
	var names []string
	for name := range w {
		database, _, _ := strings.Cut(name, ".")
		names = append(names, database)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (w world) Table(database, name string) (query.Table, bool) {
	t, found := w[database+"."+name]
	return t, found
}

func records(rows ...query.Row) query.Table { return query.Table{Rows: slices.Values(rows)} }

var now = time.Date(2026, 1, 15, 9, 30, 0, 0, time.UTC)

// shop is a world with two databases that have a table of the same name.
func shop() world {
	orders := records(
		query.Row{Time: 100, Values: `{"id":"1","user":"ada","price":"2.5"}`},
		query.Row{Time: 200, Values: `{"id":"2","user":"bob","price":"10"}`},
		query.Row{Time: 300, Values: `{"id":"3","user":"ada"}`},
	)
	orders.Columns = []query.Column{
		{Name: "id", Type: "long"}, {Name: "user", Type: "string"}, {Name: "price", Type: "double"},
	}
	return world{
		"shop.orders":  orders,
		"shop.users":   records(query.Row{Time: 1, Values: `{"name":"ada","country":"GB"}`}),
		"old.orders":   records(query.Row{Time: 1, Values: `{"id":"9"}`}),
		"old.archived": records(query.Row{Time: 1, Values: `{"id":"8"}`}, query.Row{Time: 2, Values: `{"id":"7"}`}),
		"main.t":       records(query.Row{Time: 1, Values: `{"a":"m"}`}),
		"temp.t":       records(query.Row{Time: 1, Values: `{"a":"t"}`}),
	}
}

// ask runs a query of the database shop.
func ask(t *testing.T, text string, opts ...sqlite.Option) (query.Result, error) {
	t.Helper()
	return sqlite.New(opts...).Query(t.Context(),
		query.Query{Text: text, Dialect: "presto", Database: "shop", Tables: shop(), Now: now})
}

// gives checks the rows of a query's result, as fmt.Sprint writes them.
func gives(t *testing.T, text, want string) {
	t.Helper()
	result, err := ask(t, text)
	if err != nil {
		t.Errorf("%s: %v", text, err)
		return
	}
	if got := fmt.Sprint(result.Rows); got != want {
		t.Errorf("%s: %s, want %s", text, got, want)
	}
}

// refused checks the error of a query.
func refused(t *testing.T, text, want string, opts ...sqlite.Option) {
	t.Helper()
	result, err := ask(t, text, opts...)
	switch {
	case err == nil:
		t.Errorf("%.100s: %v, want error %q", text, result.Rows, want)
	case err.Error() != want:
		t.Errorf("%.100s:\n got %q\nwant %q", text, err, want)
	}
}

func TestQueries(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, rows string }{
		{"a table", `SELECT id, user FROM orders ORDER BY id`, "[[1 ada] [2 bob] [3 ada]]"},
		{"no table", `SELECT 1 + 1`, "[[2]]"},
		{"values", `VALUES (1), (2)`, "[[1] [2]]"},
		{"a count alone", `SELECT count(*) FROM orders`, "[[3]]"},
		{"no row", `SELECT id FROM orders WHERE id > 9`, "[]"},
		{
			"an aggregate",
			`SELECT user, count(*), sum(price) FROM orders GROUP BY user ORDER BY user`, "[[ada 2 2.5] [bob 1 10]]",
		},
		{"a join", `SELECT o.id, country FROM orders o JOIN users u ON u.name = o.user ORDER BY 1`, "[[1 GB] [3 GB]]"},
		{"a join by a column's name", `SELECT count(*) FROM orders a JOIN orders b USING (user)`, "[[5]]"},
		{"a natural join", `SELECT count(*) FROM orders NATURAL JOIN orders b`, "[[2]]"}, // null prices are not equal
		{"a subquery", `SELECT id FROM orders WHERE user IN (SELECT name FROM users) ORDER BY id`, "[[1] [3]]"},
		{"a scalar subquery", `SELECT (SELECT max(id) FROM orders)`, "[[3]]"},
		{"a common table expression", `WITH a AS (SELECT user FROM orders) SELECT count(DISTINCT user) FROM a`, "[[2]]"},
		{"one that is called like a table", `WITH orders AS (SELECT 7 AS id) SELECT id FROM orders`, "[[7]]"},
		{
			"recursion",
			`WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 4) SELECT sum(x) FROM n`, "[[10]]",
		},
		{
			"a window",
			`SELECT id, row_number() OVER (PARTITION BY user ORDER BY id DESC) FROM orders ORDER BY 1`, "[[1 2] [2 1] [3 1]]",
		},
		{"a union", `SELECT id FROM orders UNION ALL SELECT 4 ORDER BY 1 DESC LIMIT 2`, "[[4] [3]]"},
		{"names in double quotes", `SELECT "id" FROM "shop"."orders" WHERE "user" = 'bob'`, "[[2]]"},
		{"names in backticks", "SELECT `id` FROM `orders` WHERE `user` = 'bob'", "[[2]]"},
		{"names in capitals", `SELECT ID FROM Shop.ORDERS WHERE User = 'bob'`, "[[2]]"},
		{"its own database", `SELECT shop.orders.id FROM shop.orders LIMIT 1`, "[[1]]"},
		{"both forms of a name", `SELECT count(*) FROM orders a, shop.orders b`, "[[9]]"},
		{"another database", `SELECT id, time FROM old.archived ORDER BY id`, "[[7 2] [8 1]]"},
		{"tables of the same name", `SELECT a.id, b.id FROM old.orders a, orders b ORDER BY 2 LIMIT 1`, "[[9 1]]"},
		{"a database called like SQLite's own", `SELECT a FROM main.t`, "[[m]]"},
		{"or like that for views", `SELECT a FROM temp.t`, "[[t]]"},
		{"JSON", `SELECT json_extract('{"a":[1,2]}', '$.a[1]'), value FROM json_each('["x"]')`, "[[2 x]]"},
		{"a semicolon behind it", `SELECT 1;`, "[[1]]"},
		{"comments around it", "-- first\nSELECT /* 2 */ 1; -- ; SELECT 2\n ; /* end", "[[1]]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			gives(t, test.text, test.rows)
		})
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, want string }{
		{"a syntax error", "SELECT id\nFORM orders", `line 2:6: near "orders": syntax error`},
		{"an unfinished query", "SELECT", `incomplete input`},
		{"an unknown table", "SELECT * FROM nope", `no such table: nope`},
		{"an unknown table of a database", "SELECT * FROM old.nope", `no such table: old.nope`},
		{"an unknown database", "SELECT * FROM nope.orders", `no such table: nope.orders`},
		{"a table of another database without it", "SELECT * FROM archived", `no such table: archived`},
		{"that, beside the table itself", "SELECT * FROM old.archived JOIN archived", `no such table: shop.archived`},
		{"a name with a dot in quotes", `SELECT * FROM "old.orders"`, `no such table: old.orders`},
		{"an unknown column", "SELECT id,\n  nam FROM orders", `line 2:3: no such column: nam`},
		{
			"a text in double quotes", `SELECT id FROM orders WHERE user = "ada"`,
			`line 1:36: no such column: "ada" - should this be a string literal in single-quotes?`,
		},
		{"an unknown function", "SELECT nope(1)", `line 1:8: no such function: nope`},
		{"an empty query", "", `the query is empty`},
		{"nothing but a comment", "-- SELECT 1\n;", `the query is empty`},
		{"a parameter", "SELECT * FROM orders WHERE id = ?", `the query has parameters, which have no values`},
		{"a NUL character", "SELECT 1\x00; DROP TABLE orders", `the query contains a NUL character`},
		{
			"a broken regular expression", "SELECT 'a' REGEXP '('",
			"regular expression: error parsing regexp: missing closing ): `(`",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			refused(t, test.text, test.want)
		})
	}
}

func TestDatabases(t *testing.T) {
	t.Parallel()
	w := world{}
	var from []string
	for i := range 12 {
		w[fmt.Sprintf("db%d.t", i)] = records(query.Row{Values: `{}`})
		from = append(from, fmt.Sprintf("db%d.t AS t%d", i, i))
	}
	run := func(n int) error {
		_, err := sqlite.New().Query(t.Context(), query.Query{
			Text: "SELECT count(*) FROM " + strings.Join(from[:n], ", "), Database: "db0", Tables: w,
		})
		return err
	}
	if err := run(10); err != nil {
		t.Errorf("ten databases: %v", err)
	}
	if err := run(11); err == nil || err.Error() != "the query reads more databases than ten" {
		t.Errorf("eleven databases: %v", err)
	}
}

func TestQueriesAreIndependent(t *testing.T) {
	t.Parallel()
	engine := sqlite.New()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 20 {
				id := fmt.Sprintf("%d-%d", i, j)
				w := world{"db.t": records(query.Row{Time: int64(j), Values: `{"id":"` + id + `"}`})}
				result, err := engine.Query(context.Background(),
					query.Query{Text: "SELECT id, time FROM t", Database: "db", Tables: w})
				if diff := cmp.Diff([][]any{{id, int64(j)}}, result.Rows); err != nil || diff != "" {
					t.Errorf("query %s: %v (-want +got):\n%s", id, err, diff)
				}
			}
		})
	}
	wg.Wait()
}

func TestSameRowsGiveTheSameResult(t *testing.T) {
	t.Parallel()
	const text = `SELECT o.*, date('now'), current_timestamp, now() FROM orders o JOIN orders p USING (user)`
	first, err := ask(t, text)
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		again, err := ask(t, text)
		if diff := cmp.Diff(first, again); err != nil || diff != "" {
			t.Fatalf("%v (-first +again):\n%s", err, diff)
		}
	}
}
