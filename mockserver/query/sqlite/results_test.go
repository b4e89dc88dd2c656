package sqlite_test

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/mockserver/query"
	"svc.example/understudy/mockserver/query/sqlite"
)

// run asks a query about a world of one table, db.t.
func run(t *testing.T, dialect, text string, table query.Table) query.Result {
	t.Helper()
	result, err := sqlite.New().Query(t.Context(),
		query.Query{Text: text, Dialect: dialect, Database: "db", Tables: world{"db.t": table}, Now: now})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return result
}

func TestValuesFitTheirColumns(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		kind, value string
		want        any
	}{
		{"int", "42", int64(42)},
		{"int", "-2147483648", int64(math.MinInt32)},
		{"int", "2147483648", nil},
		{"int", "1.0", nil},
		{"int", "", nil},
		{"int", "forty", nil},
		{"long", "9223372036854775807", int64(math.MaxInt64)},
		{"long", "9223372036854775808", nil},
		{"float", "1.5", 1.5},
		{"float", "2", 2.0},
		{"double", "1e300", 1e300},
		{"double", "Infinity", math.Inf(1)},
		{"double", "NaN", nil}, // SQLite has none
		{"double", "one", nil},
		{"string", "42", "42"},
		{"string", "", ""},
		{"string", "a\x00b 'é'", "a\x00b 'é'"},
		{"array<string>", `["a","b"]`, `["a","b"]`},
		{"something", "else", "else"},
	} {
		t.Run(fmt.Sprintf("%s %q", test.kind, test.value), func(t *testing.T) {
			t.Parallel()
			values, err := json.Marshal(map[string]string{"a": test.value})
			if err != nil {
				t.Fatal(err)
			}
			table := records(query.Row{Values: string(values)})
			table.Columns = []query.Column{{Name: "a", Type: test.kind}}
			got := run(t, "presto", "SELECT a FROM t", table).Rows
			if diff := cmp.Diff([][]any{{test.want}}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestColumns(t *testing.T) {
	t.Parallel()
	rows := []query.Row{
		{Time: 10, Values: `{"b":"1","A":"x","time":"yesterday"}`},
		{Time: 20, Values: `{"c":"2","a":"y","b":null}`},
	}
	withSchema := records(rows...)
	withSchema.Columns = []query.Column{
		{Name: "a", Type: "string"}, {Name: "time", Type: "string"}, {Name: "z", Type: "int"},
	}
	t.Run("those of the schema, and the time", func(t *testing.T) {
		t.Parallel()
		want := query.Result{
			Columns: []query.Column{{Name: "a", Type: "varchar"}, {Name: "z", Type: "bigint"}, {Name: "time", Type: "bigint"}},
			Rows:    [][]any{{"x", nil, int64(10)}, {"y", nil, int64(20)}},
		}
		if diff := cmp.Diff(want, run(t, "presto", "SELECT * FROM t", withSchema)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	t.Run("without a schema those that occur", func(t *testing.T) {
		t.Parallel()
		want := query.Result{
			Columns: []query.Column{
				{Name: "b", Type: "varchar"},
				{Name: "A", Type: "varchar"},
				{Name: "c", Type: "varchar"},
				{Name: "time", Type: "bigint"},
			},
			Rows: [][]any{{"1", "x", nil, int64(10)}, {nil, "y", "2", int64(20)}},
		}
		if diff := cmp.Diff(want, run(t, "trino", "SELECT * FROM t", records(rows...))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	t.Run("without records the time alone", func(t *testing.T) {
		t.Parallel()
		want := query.Result{Columns: []query.Column{{Name: "time", Type: "bigint"}}}
		if diff := cmp.Diff(want, run(t, "hive", "SELECT * FROM t", records())); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	t.Run("with names that need quotes", func(t *testing.T) {
		t.Parallel()
		got := run(t, "hive", `SELECT "a ""b"", c" FROM t`, records(query.Row{Values: `{"a \"b\", c":"1"}`}))
		if diff := cmp.Diff([][]any{{"1"}}, got.Rows); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestResultColumns(t *testing.T) {
	t.Parallel()
	table := records(query.Row{Time: 1, Values: `{"i":"1","d":"1.5","s":"x"}`}, query.Row{Time: 2, Values: `{}`})
	table.Columns = []query.Column{{Name: "i", Type: "int"}, {Name: "d", Type: "float"}, {Name: "s", Type: "string"}}
	for _, test := range []struct{ name, dialect, text, want string }{
		{"declared, hive", "hive", "SELECT i, d, s, time FROM t", "[{i bigint} {d double} {s string} {time bigint}]"},
		{"declared, presto", "presto", "SELECT i, d, s FROM t", "[{i bigint} {d double} {s varchar}]"},
		{"declared, trino", "trino", "SELECT s FROM t", "[{s varchar}]"},
		{"declared, without a row", "presto", "SELECT i, s FROM t WHERE 0", "[{i bigint} {s varchar}]"},
		{"declared, through a subquery", "presto", "SELECT x FROM (SELECT i AS x FROM t WHERE 0)", "[{x bigint}]"},
		{
			"by value", "presto", "SELECT count(*), avg(i), max(s), x'00' FROM t",
			"[{_col0 bigint} {_col1 double} {_col2 varchar} {_col3 varbinary}]",
		},
		{"by value, hive", "hive", "SELECT count(*), max(s), x'00' FROM t", "[{_c0 bigint} {_c1 string} {_c2 binary}]"},
		{"nothing but nulls", "presto", "SELECT i + NULL, s || NULL FROM t", "[{_col0 varchar} {_col1 varchar}]"},
		{
			"an alias", "presto", `SELECT i + 1 AS next, i + 1 AS "i + 1", count(*) AS ä FROM t`,
			"[{next bigint} {i + 1 bigint} {ä bigint}]",
		},
		{"twice the same", "presto", "SELECT i, i FROM t", "[{i bigint} {i bigint}]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := fmt.Sprint(run(t, test.dialect, test.text, table).Columns); got != test.want {
				t.Errorf("%s\n got %s\nwant %s", test.text, got, test.want)
			}
		})
	}
}

func TestValuesOfAColumnAreAlike(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text string
		want [][]any
	}{
		{"VALUES (1), (2.5), (NULL)", [][]any{{1.0}, {2.5}, {nil}}},
		{"VALUES (1), ('a'), (2.5), (NULL)", [][]any{{"1"}, {"a"}, {"2.5"}, {nil}}},
		{"VALUES (x'01')", [][]any{{[]byte{1}}}},
		{"VALUES (cast(x'61ff' AS text))", [][]any{{"a\uFFFD"}}},
		{"VALUES (9e999), (-9e999)", [][]any{{math.Inf(1)}, {math.Inf(-1)}}},
		{"VALUES (9223372036854775807)", [][]any{{int64(math.MaxInt64)}}},
		{"VALUES (1 = 1)", [][]any{{true}}},
	} {
		if diff := cmp.Diff(test.want, run(t, "presto", test.text, records()).Rows); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.text, diff)
		}
	}
}
