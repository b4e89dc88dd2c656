package sqlite_test

import (
	"os"
	"testing"
	"time"

	"svc.example/understudy/mockserver/query"
	"svc.example/understudy/mockserver/query/sqlite"
)

// FuzzQuery holds against any text: it ends, and leaves no file.
func FuzzQuery(f *testing.F) {
	for _, text := range []string{
		"SELECT * FROM orders NATURAL JOIN old.orders",
		"WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 9) SELECT sum(x) OVER (ORDER BY x) FROM n",
		"SELECT user, group_concat(DISTINCT id), max(price) FROM orders GROUP BY 1 HAVING count(*) > 1 ORDER BY 2 DESC",
		"ATTACH 'file.db' AS a; SELECT 1", "VACUUM INTO 'file.db'", "PRAGMA journal_mode=wal",
		"SELECT json_extract(value, '$.a'), regexp_like(key, '.') FROM json_tree('{\"a\":[1]}')",
		"SELECT replace(trim(user, 'a'), 'b', x'00'), from_unixtime(time), strftime('%s', 'now', time) " +
			"FROM temp.t, main.t, orders",
		"SELECT * FROM pragma_database_list('x')", "VALUES (1), ('a'), (x'00'), (1e999), (NULL)",
		"WITH a(f) AS (SELECT id > 1 FROM orders) SELECT a.f, x.*, CASE WHEN f THEN true END " +
			"FROM a JOIN (SELECT * FROM a) AS x",
		"SELECT cast(user AS boolean), coalesce(id = 1, NULL) is FROM orders UNION VALUES ((1 > 2), (((NOT 1))))",
		"SELECT printf('%.*c', 1e9, 'x')", "SELECT \"a\", `b`, [c] FROM orders AS \"x\"", "\x00", ";;", "SELECT ?1, :a",
	} {
		f.Add(text, "presto")
	}
	f.Add("SELECT count(*) FROM orders", "hive")
	f.Chdir(f.TempDir())
	f.Setenv("SQLITE_TMPDIR", f.TempDir())
	engine := sqlite.New(sqlite.WithTimeLimit(100*time.Millisecond), sqlite.WithMemoryLimit(16<<20),
		sqlite.WithResultLimit(1<<20))
	f.Fuzz(func(t *testing.T, text, dialect string) {
		within(t, func() {
			result, err := engine.Query(t.Context(),
				query.Query{Text: text, Dialect: dialect, Database: "shop", Tables: shop(), Now: now})
			if err != nil && err.Error() == "" {
				t.Error("an error without a text")
			}
			for _, row := range result.Rows {
				if len(row) != len(result.Columns) {
					t.Errorf("%d values for %d columns", len(row), len(result.Columns))
				}
			}
		})
		for _, dir := range []string{".", os.Getenv("SQLITE_TMPDIR")} {
			if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
				t.Errorf("left behind in %s: %v, %v", dir, left, err)
			}
		}
	})
}
