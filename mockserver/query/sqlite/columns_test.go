package sqlite_test

import (
	"fmt"
	"strings"
	"testing"

	"svc.example/understudy/mockserver/query"
	"svc.example/understudy/mockserver/query/sqlite"
)

// wide is a table whose records have so many keys together, a hundred each.
func wide(keys int, name string) query.Table {
	return query.Table{Rows: func(yield func(query.Row) bool) {
		for from := 0; from < keys; from += 100 {
			var members []string
			for i := from; i < min(keys, from+100); i++ {
				members = append(members, fmt.Sprintf(`"`+name+`":"%[1]d"`, i))
			}
			if !yield(query.Row{Time: int64(from), Values: "{" + strings.Join(members, ",") + "}"}) {
				return
			}
		}
	}}
}

func TestTablesWithMoreColumnsThanThereIsRoomFor(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1000)
	schema := wide(1, "k%d")
	for i := range 2500 {
		schema.Columns = append(schema.Columns, query.Column{Name: fmt.Sprintf("k%d", i), Type: "int"})
	}
	w := world{
		"db.wide": wide(2500, "k%d"), "db.exact": wide(1999, "k%d"), "db.long": wide(1500, long+"%d"), "db.schema": schema,
		"db.nul": records(query.Row{Values: `{"a\u0000b":"1","c":"2"}`}), "other.wide": wide(2500, "k%d"),
		"db.dots": wide(2500, "a.k%d"),
	}
	const hint = " has it, but a query can see only the first 1999 columns; " +
		"define a schema with the columns that the query needs"
	for _, test := range []struct{ text, want string }{
		{"SELECT count(*), max(time), min(k0), min(k1998) FROM wide", "[[25 2400 0 1998]]"},
		{"SELECT k1 FROM wide WHERE k1 IS NOT NULL", "[[1]]"},
		{"SELECT count(*) FROM wide a JOIN other.wide b ON a.k7 = b.k7", "[[1]]"},
		{"SELECT k1998 FROM exact WHERE time = 1900", "[[1998]]"},
		{"SELECT count(*) FROM (SELECT * FROM wide)", "[[25]]"},
		{"SELECT k0 FROM schema", "[[0]]"},
		{"SELECT c FROM nul", "[[2]]"},
		{"SELECT count(*), min(" + long + "0) FROM long", "[[15 0]]"},
		{"SELECT k1999 FROM wide", "line 1:8: no such column: k1999: db.wide" + hint},
		{`SELECT a."K2400" FROM wide a`, "line 1:8: no such column: a.K2400: db.wide" + hint},
		{`SELECT "a.k2400" FROM dots`, `line 1:8: no such column: "a.k2400": db.dots` + hint},
		{"SELECT 1 FROM schema WHERE k2000 > 0", "line 1:28: no such column: k2000: db.schema" + hint},
		{"SELECT k2500 FROM wide", "line 1:8: no such column: k2500"},
		{"SELECT k1999 FROM exact", "line 1:8: no such column: k1999"},
		{"SELECT b.k1 FROM wide a", "line 1:8: no such column: b.k1"},
		{"SELECT a.*, b.* FROM wide a, other.wide b", "too many columns in result set"},
	} {
		result, err := sqlite.New().Query(t.Context(), query.Query{Text: test.text, Database: "db", Tables: w})
		got := fmt.Sprint(result.Rows)
		if err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%.100s:\n got %s\nwant %s", test.text, got, test.want)
		}
	}
}
