package sqlite_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/mockserver/query"
)

// flags is a table whose column paid is text, as records have it.
func flags() query.Table {
	table := records(
		query.Row{Time: 1, Values: `{"i":"1","s":"ada","paid":"true"}`},
		query.Row{Time: 2, Values: `{"i":"0","paid":"false"}`},
	)
	table.Columns = []query.Column{{Name: "i", Type: "int"}, {Name: "s", Type: "string"}, {Name: "paid", Type: "string"}}
	return table
}

func TestConditionsAreTrueOrFalseInResults(t *testing.T) {
	t.Parallel()
	for _, test := range [][2]string{
		{"SELECT i > 0 FROM t", "[[true] [false]]"},
		{"SELECT i = 0, i <> 0 AS x FROM t", "[[false true] [true false]]"},
		{"SELECT s IS NULL, s IS NOT NULL FROM t", "[[false true] [true false]]"},
		{"SELECT s NOTNULL, s NOT NULL FROM t", "[[true true] [false false]]"},
		{"SELECT s LIKE 'a%' FROM t", "[[true] [<nil>]]"},
		{"SELECT NOT i FROM t", "[[false] [true]]"},
		{"SELECT i = 1 AND s = 'ada' both FROM t", "[[true] [false]]"},
		{"SELECT i + 1 BETWEEN 1 AND 1 FROM t", "[[false] [true]]"},
		{"SELECT i IN (1, 2), i NOT IN (1) FROM t", "[[true false] [false true]]"},
		{"SELECT s IS DISTINCT FROM 'ada' FROM t", "[[false] [true]]"},
		{"SELECT (((i > 0))) AS \"is\" FROM t", "[[true] [false]]"},
		{"SELECT true, FALSE, NULL", "[[true false <nil>]]"},
		{"SELECT EXISTS (SELECT 1 FROM t), 'a' = 'b'", "[[true false]]"},
		{"SELECT regexp_like(s, '^a') FROM t", "[[true] [<nil>]]"},
		{"SELECT coalesce(s = 'ada', false) FROM t", "[[true] [false]]"},
		{"SELECT if(i > 0, s IS NULL, true) FROM t", "[[false] [true]]"},
		{"SELECT CASE WHEN i > 0 THEN s = 'bob' WHEN i = 5 THEN NULL ELSE i = 0 END f FROM t", "[[false] [true]]"},
		{"SELECT max(i > 0), count(*) FROM t", "[[true 2]]"},
		{"SELECT lag(i > 0) OVER (ORDER BY time) FROM t", "[[<nil>] [true]]"},
		{"SELECT i > 0 FROM t UNION ALL SELECT false", "[[true] [false] [false]]"},
		{"SELECT (SELECT max(i) > 0 FROM t), 1", "[[true 1]]"},
		{"SELECT f, n FROM (SELECT i > 0 AS f, i AS n FROM t)", "[[true 1] [false 0]]"},
		{"SELECT x.f FROM t JOIN (SELECT i, i > 0 AS f FROM t) AS x ON x.i = t.i", "[[true] [false]]"},
		{"SELECT * FROM (SELECT i > 0 AS f, i FROM t)", "[[true 1] [false 0]]"},
		{
			"SELECT i > 0 AS g, x.*, i = 0 FROM (SELECT i, s IS NULL AS f FROM t) x",
			"[[true 1 false false] [false 0 true true]]",
		},
		{"WITH c AS (SELECT i > 0 AS f FROM t) SELECT c.f, NOT f AS g FROM c", "[[true false] [false true]]"},
		{"WITH c(f) AS (SELECT i > 0 FROM t), d AS (SELECT f FROM c) SELECT max(f) FROM d", "[[true]]"},
		{"VALUES (1 > 0, 1), (NULL, 0)", "[[true 1] [<nil> 0]]"},
		{"SELECT /* = */ i > 0 -- and i\nFROM t;", "[[true] [false]]"},
		{"SELECT cast(i AS boolean), CAST ( paid AS BOOLEAN ) FROM t", "[[true true] [false false]]"},
		{"SELECT i FROM t WHERE CAST(paid AS boolean)", "[[1]]"},
		{
			"SELECT cast(cast('f' AS boolean) AS boolean), cast(NULL AS boolean), cast(2.5 AS boolean)",
			"[[false <nil> true]]",
		},

		// What only looks like it.
		{"SELECT i FROM t", "[[1] [0]]"},
		{"SELECT i AS \"a = b\" FROM t", "[[1] [0]]"},
		{"SELECT (i > 0) + 0, -(i > 0) FROM t", "[[1 -1] [0 0]]"},
		{"SELECT sum(i > 0), count(i > 0), abs(i = 1) FROM t", "[[1 2 1]]"},
		{"SELECT CASE i > 0 WHEN true THEN 1 ELSE 0 END FROM t", "[[1] [0]]"},
		{"SELECT coalesce(i > 0, 1), if(i > 0, 1, 0) FROM t", "[[1 1] [0 0]]"},
		{"SELECT i > 0 FROM t UNION ALL SELECT 2", "[[1] [0] [2]]"},
		{"SELECT i > 0 FROM t UNION ALL SELECT i FROM t", "[[1] [0] [1] [0]]"},
		{"SELECT f FROM (SELECT i > 0 AS g, i AS f FROM t)", "[[1] [0]]"},
		{"SELECT * FROM t JOIN (SELECT i > 0 AS f FROM t) LIMIT 0", "[]"},
		{"SELECT length(s || 'a = b'), i & 1 FROM t", "[[8 1] [<nil> 0]]"},
		{"SELECT '1 = 1', \"i\", [i], `i` FROM t", "[[1 = 1 1 1 1] [1 = 1 0 0 0]]"},
		{"SELECT cast(i AS int), cast('boolean' AS text) FROM t", "[[1 boolean] [0 boolean]]"},
	} {
		if got := fmt.Sprint(run(t, "presto", test[0], flags()).Rows); got != test[1] {
			t.Errorf("%s\n got %s\nwant %s", test[0], got, test[1])
		}
	}
}

func TestConditionsHaveTheTypeBoolean(t *testing.T) {
	t.Parallel()
	for _, dialect := range []string{"presto", "trino", "hive"} {
		got := run(t, dialect, "SELECT i > 0 AS f, cast(s AS boolean) AS g, i FROM t WHERE i > 9", flags()).Columns
		want := []query.Column{{Name: "f", Type: "boolean"}, {Name: "g", Type: "boolean"}, {Name: "i", Type: "bigint"}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", dialect, diff)
		}
	}
}

func TestCastsToBooleanByDialect(t *testing.T) {
	t.Parallel()
	const text = "VALUES (cast('yes' AS boolean), cast('' AS boolean), cast('off' AS boolean), cast('T' AS boolean))"
	if got := fmt.Sprint(run(t, "hive", text, flags()).Rows); got != "[[true false false true]]" {
		t.Errorf("in Hive %s", got)
	}
	_, err := ask(t, "SELECT 1,\n  cast('yes' AS boolean)")
	if err == nil || !strings.Contains(err.Error(), `cannot cast "yes" to boolean`) {
		t.Errorf("error %v", err)
	}
	_, err = ask(t, "SELECT cast(1 AS boolean),\n  nothing")
	if err == nil || !strings.HasPrefix(err.Error(), "line 2:3: ") {
		t.Errorf("an error behind a cast is not where it was: %v", err)
	}
}

// SQLite does not look at tables that a query does not use, so it does not mind how many columns they would have.
func TestUnusedTablesOfManyColumnsTakeNoTime(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	text.WriteString("WITH c0 AS (SELECT i > 0 AS f FROM t)")
	for n := range 60 {
		fmt.Fprintf(&text, ", c%d AS (SELECT * FROM c%d AS a, c%[2]d AS b)", n+1, n)
	}
	text.WriteString(" SELECT f FROM c0")
	within(t, func() {
		if got := fmt.Sprint(run(t, "presto", text.String(), flags()).Rows); got != "[[true] [false]]" {
			t.Error(got)
		}
	})
}
