package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"svc.example/understudy/mockserver/query"
	"svc.example/understudy/mockserver/query/sqlite"
)

const endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) "

// within fails when something takes absurdly long. It does not measure.
func within(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		t.Fatal("it does not end")
	}
}

func TestTimeLimit(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		endless + "SELECT count(*) FROM n",
		endless + "SELECT max(length(s)) FROM (SELECT string_agg('', '') OVER (ORDER BY x) AS s FROM n)",
		endless + "SELECT x FROM n WHERE x < 0",
		"WITH RECURSIVE n(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM n LIMIT 3000) " +
			"SELECT count(*) FROM n a, n b, n c, n d WHERE a.x + b.x + c.x + d.x = 0",
	} {
		within(t, func() {
			refused(t, text, "the query takes longer than 50ms", sqlite.WithTimeLimit(50*time.Millisecond))
		})
	}
}

// The time that a query lets others go first is not its own.
func TestTimeLimitStandsWhilePaused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		pauses := 0
		result, err := sqlite.New(sqlite.WithTimeLimit(time.Minute)).Query(t.Context(), query.Query{
			Text: "SELECT count(*) FROM (WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 10000) SELECT x " +
				"FROM n)",
			Pause: func() {
				pauses++
				time.Sleep(time.Hour)
			},
			Tables: world{},
		})
		if err != nil || pauses < 10 || len(result.Rows) != 1 {
			t.Errorf("after %d pauses: %v, error %v", pauses, result.Rows, err)
		}
	})
}

func TestTimeLimitWhileATableIsRead(t *testing.T) {
	t.Parallel()
	rows := func(yield func(query.Row) bool) {
		for yield(query.Row{Values: `{"a":"1"}`}) {
		}
	}
	for _, columns := range [][]query.Column{{{Name: "a", Type: "int"}}, nil} {
		w := world{"db.t": {Columns: columns, Rows: rows}}
		within(t, func() {
			_, err := sqlite.New(sqlite.WithTimeLimit(50*time.Millisecond)).Query(t.Context(),
				query.Query{Text: "SELECT count(*) FROM t", Database: "db", Tables: w})
			if err == nil || err.Error() != "the query takes longer than 50ms" {
				t.Errorf("columns %v: error %v", columns, err)
			}
		})
	}
}

// A function may be called on megabytes by every one of SQLite's instructions.
func TestTimeLimitWithinFunctions(t *testing.T) {
	t.Parallel()
	const text = "printf('%.*c', 1000000, 'a')"
	for _, call := range []string{
		"regexp_like(" + text + " || x, '(a?){500}b')",
		"regexp_like(" + text + " || x, '(?:a|b|c)*d' || x)",
		"length(replace(" + text + " || x, 'a', 'b'))",
		"length(trim(" + text + " || x, 'äöü'))",
		"instr(" + text + ", x || 'b')",
		"length(hex(zeroblob(1000000 - x)))",
		text + " || x LIKE '" + strings.Repeat("%a", 100) + "b'",
		text + " || x LIKE '%" + strings.Repeat("a", 248) + "b'",
		text + " || x GLOB '*" + strings.Repeat("a", 248) + "b'",
		"replace(" + text + " || x, " + text + ", '')",
		"json_extract('[' || x || ',\"' || " + text + " || '\"]', '$[1]')",
		"substr(" + text + " || x, -999999) = " + text,
		text + " || x GLOB '" + strings.Repeat("*a", 100) + "b'",
		"length(upper(" + text + " || x))",
		"json_valid('[' || " + text + " || x)",
		"length(quote(" + text + " || x))",
	} {
		within(t, func() {
			refused(t, endless+"SELECT sum("+call+") FROM n", "the query takes longer than 50ms",
				sqlite.WithTimeLimit(50*time.Millisecond), sqlite.WithStepLimit(math.MaxInt64))
		})
	}
}

func TestStepLimit(t *testing.T) {
	t.Parallel()
	const want = "the query takes more than 1000000 steps"
	for _, text := range []string{
		endless + "SELECT count(*) FROM n",
		"SELECT regexp_like(hex(zeroblob(900000)), '0{100}1')",
		endless + "SELECT sum(regexp_like('a', 'b{100}' || x)) FROM n",
		endless + "SELECT sum(length(replace(hex(zeroblob(1000)), '0', x))) FROM n",
	} {
		within(t, func() { refused(t, text, want, sqlite.WithStepLimit(1_000_000), sqlite.WithTimeLimit(time.Hour)) })
	}
	if _, err := ask(t, "SELECT regexp_like(hex(zeroblob(1000)), '0+1') FROM orders",
		sqlite.WithStepLimit(1_000_000)); err != nil {
		t.Error(err)
	}
}

// No look at the limits is further away than this many steps of a match.
func TestACancelledContextEndsAFunction(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	within(t, func() {
		_, err := sqlite.New(sqlite.WithTimeLimit(time.Hour), sqlite.WithStepLimit(math.MaxInt64)).Query(ctx, query.Query{
			Text: "SELECT regexp_like(printf('%.*c', 2000000, 'a'), '(?:a?){900}b')", Tables: world{},
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want that of the context", err)
		}
	})
}

func TestACancelledContextEndsAQuery(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	within(t, func() {
		_, err := sqlite.New(sqlite.WithTimeLimit(time.Hour)).Query(ctx,
			query.Query{Text: endless + "SELECT count(*) FROM n", Tables: world{}})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want that of the context", err)
		}
	})
}

func TestResultLimits(t *testing.T) {
	t.Parallel()
	refused(t, endless+"SELECT x FROM n", "the result has more than 1000 rows", sqlite.WithRowLimit(1000))
	refused(t, endless+"SELECT hex(zeroblob(100)) FROM n", "the result has more than 64 KiB",
		sqlite.WithResultLimit(64<<10))
	gives(t, "SELECT count(*) FROM ("+endless+"SELECT x FROM n LIMIT 1000)", "[[1000]]")
	result, err := ask(t, endless+"SELECT x FROM n LIMIT 1000", sqlite.WithRowLimit(1000))
	if err != nil || len(result.Rows) != 1000 {
		t.Errorf("as many rows as there may be: %d, %v", len(result.Rows), err)
	}
}

func TestMemoryLimit(t *testing.T) {
	t.Parallel()
	const want = "the query needs more than 8 MiB of memory"
	const texts = "WITH RECURSIVE n(x, s) AS (SELECT 1, hex(zeroblob(50000)) UNION ALL SELECT x + 1, s || x FROM n) "
	for _, text := range []string{
		texts + "SELECT s FROM n ORDER BY x DESC",
		texts + "SELECT DISTINCT s FROM n WHERE x < 0 UNION SELECT s FROM n",
		texts + "SELECT count(DISTINCT s) FROM n",
		texts + "SELECT last_value(s) OVER (ORDER BY x ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM n",
	} {
		within(t, func() {
			refused(t, text, want, sqlite.WithMemoryLimit(8<<20), sqlite.WithTimeLimit(time.Minute))
		})
	}
}

func TestMemoryLimitOfTables(t *testing.T) {
	t.Parallel()
	row := query.Row{Values: `{"a":"` + strings.Repeat("x", 1000) + `"}`}
	table := func(n int) query.Table {
		return query.Table{Rows: func(yield func(query.Row) bool) {
			for range n {
				if !yield(row) {
					return
				}
			}
		}}
	}
	w := world{"db.small": table(500), "db.large": table(1500)}
	engine := sqlite.New(sqlite.WithMemoryLimit(1 << 20))
	ask := func(text string) error {
		_, err := engine.Query(t.Context(), query.Query{Text: text, Database: "db", Tables: w})
		return err
	}
	if err := ask("SELECT count(a) FROM small"); err != nil {
		t.Error(err)
	}
	if err := ask("SELECT count(a) FROM large"); err == nil || err.Error() != "the query needs more than 1 MiB of memory" {
		t.Errorf("error %v", err)
	}
}

func TestLongAndDeepQueries(t *testing.T) {
	t.Parallel()
	const tooBig = "the query creates a string, a blob or a row of more than 2 MiB"
	bomb := "WITH a0 AS (SELECT 1 AS x)"
	for i := range 12 {
		bomb += fmt.Sprintf(", a%d AS (SELECT p.x FROM a%d p, a%[2]d q, a%[2]d r)", i+1, i)
	}
	for _, test := range []struct{ name, text, want string }{
		{"a blob", "SELECT zeroblob(1e9)", tooBig},
		{"a format", "SELECT printf('%.*c', 1e9, 'x')", tooBig},
		{"a width", "SELECT format('%1000000000d', 1)", tooBig},
		{
			"texts that double",
			"WITH RECURSIVE n(s) AS (SELECT 'a' UNION ALL SELECT s || s FROM n) SELECT max(s) FROM n", tooBig,
		},
		{"replacements", "SELECT replace(hex(zeroblob(100000)), '0', '0123456789abcdef')", tooBig},
		{"an aggregate", "SELECT string_agg(hex(zeroblob(1000000)), '') FROM (VALUES (1), (2))", tooBig},
		{"parentheses", "SELECT " + strings.Repeat("(", 100_000) + "1" + strings.Repeat(")", 100_000), "Recursion limit"},
		{"negations", "SELECT " + strings.Repeat("NOT ", 100_000) + "1", "Recursion limit"},
		{"terms", "SELECT 1" + strings.Repeat("+1", 100_000), "Expression tree is too large (maximum depth 1000)"},
		{"selects", "SELECT 1" + strings.Repeat(" UNION ALL SELECT 1", 2000), "too many terms in compound SELECT"},
		{"columns", "SELECT " + strings.Repeat("1,", 5000) + "1", "too many columns in result set"},
		{"tables", "SELECT count(*) FROM orders" + strings.Repeat(", orders", 70), "at most 64 tables in a join"},
		{"table expressions", bomb + "SELECT count(*) FROM a12", "VIEWs and/or subqueries nested too deep"},
		{
			"JSON", "SELECT json_valid('" + strings.Repeat("[", 100_000) + "'), json('" + strings.Repeat("[", 100_000) + "')",
			"malformed JSON",
		},
		{"the query", "SELECT '" + strings.Repeat("x", 1<<20) + "'", "the query is longer than 1 MiB"},
		{"a pattern of LIKE", "SELECT 'a' LIKE '" + strings.Repeat("%a", 200) + "'", "LIKE or GLOB pattern too complex"},
		{
			"a pattern of REGEXP", "SELECT regexp_like('a', printf('%.*c', 2000000, 'a'))",
			"regular expression: the pattern is too long",
		},
		{
			"a pattern of REGEXP that repeats", "SELECT regexp_like('a', replace(printf('%.*c', 1000, 'a'), 'a', '(?:b{900})'))",
			"regular expression: the pattern is too long",
		},
		{"characters to trim", "SELECT trim('a', printf('%.*c', 2000, 'b'))", "too many characters to trim"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			within(t, func() { refused(t, test.text, test.want) })
		})
	}
}

// Nothing can interrupt a function of SQLite's while it runs. These would take minutes if they compared every place
// with every part.
func TestFunctionsAreLinear(t *testing.T) {
	t.Parallel()
	const a, b = "printf('%.*c', 2000000, 'a')", "printf('%.*c', 1000000, 'a') || 'b'"
	within(t, func() {
		gives(t, fmt.Sprintf("SELECT instr(%s, %s)", a, b), "[[0]]")
		gives(t, fmt.Sprintf("SELECT length(replace(%s, %s, 'c'))", a, b), "[[2000000]]")
		gives(t, fmt.Sprintf("SELECT %s LIKE '%s'", a, strings.Repeat("%a", 100)+"b"), "[[false]]")
	})
}

func TestALimitThatIsNoneIsIgnored(t *testing.T) {
	t.Parallel()
	if _, err := ask(t, "SELECT * FROM orders", sqlite.WithTimeLimit(0), sqlite.WithRowLimit(-1),
		sqlite.WithResultLimit(0), sqlite.WithMemoryLimit(0)); err != nil {
		t.Error(err)
	}
}
