package sqlite_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"svc.example/understudy/mockserver/query/sqlite"
)

const reads = "a query can only read"

func TestAQueryCanOnlyRead(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file.db")
	for _, text := range []string{
		"INSERT INTO orders VALUES (1, 'a', 1, 1)",
		"INSERT INTO orders VALUES (1, 'a', 1, 1) RETURNING id",
		"REPLACE INTO orders VALUES (1, 'a', 1, 1)",
		"UPDATE orders SET id = 1",
		"UPDATE orders SET id = 1 RETURNING id",
		"DELETE FROM orders",
		"WITH a AS (SELECT 1) DELETE FROM orders",
		"CREATE TABLE t (a)",
		"CREATE TEMP TABLE t AS SELECT * FROM orders",
		"CREATE VIEW v AS SELECT * FROM orders",
		"CREATE VIRTUAL TABLE t USING fts5(a)",
		"DROP TABLE orders",
		"ALTER TABLE orders RENAME TO o",
		"ATTACH ':memory:' AS a",
		"ATTACH '" + file + "' AS a",
		"ATTACH 'file:" + file + "?vfs=unix' AS a",
		"DETACH shop",
		"PRAGMA user_version",
		"PRAGMA temp_store_directory = '/tmp'",
		"PRAGMA journal_mode = DELETE",
		"PRAGMA writable_schema = ON",
		"VACUUM",
		"VACUUM INTO '" + file + "'",
		"ANALYZE",
		"REINDEX",
		"BEGIN",
		"BEGIN IMMEDIATE",
		"COMMIT",
		"ROLLBACK",
		"SAVEPOINT a",
		"RELEASE a",
		"EXPLAIN SELECT 1",
		"EXPLAIN QUERY PLAN SELECT * FROM orders",
	} {
		refused(t, text, reads)
	}
	refused(t, "CREATE INDEX i ON orders (id)", "no such table: main.orders")
	refused(t, "CREATE TRIGGER i AFTER INSERT ON orders BEGIN SELECT 1; END", "no such table: main.orders")
	if _, err := os.Stat(file); err == nil {
		t.Error("a file is there")
	}
}

func TestAQueryIsOneStatement(t *testing.T) {
	t.Parallel()
	const second = "a query is a single statement, but another one follows"
	for _, text := range []string{
		"SELECT 1; SELECT 2",
		"SELECT 1;;; SELECT 2",
		"SELECT 1; -- and\nDROP TABLE orders",
		"SELECT 1; /* and */ ATTACH ':memory:' AS a",
		"SELECT 1; nonsense",
		"SELECT * FROM orders; DELETE FROM orders",
		"SELECT 1; REINDEX",
	} {
		refused(t, text, second)
	}
	refused(t, "; DELETE FROM orders", reads)
	gives(t, "SELECT ';', '-- SELECT 2' /* ; SELECT 3 */;", "[[; -- SELECT 2]]")
}

// Every function that SQLite has is one that a query may call, or is refused.
func TestFunctionsAreListed(t *testing.T) {
	t.Parallel()
	functions, err := sqlite.Builtin("SELECT DISTINCT name, narg FROM pragma_function_list")
	if err != nil {
		t.Fatal(err)
	}
	var known []string
	for _, f := range functions {
		name := f[0].(string)
		known = append(known, name)
		if !sqlite.Listed(name) {
			args := strings.TrimSuffix(strings.Repeat("1,", int(max(f[1].(int64), 0))), ",")
			text := fmt.Sprintf(`SELECT "%s"(%s)`, name, args)
			if _, err := ask(t, text); err == nil || !strings.Contains(err.Error(), "not authorized to use function") {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
	for _, name := range []string{
		"load_extension", "random", "randomblob", "fts3_tokenizer", "sqlite_version", "json_group_array", "changes",
	} {
		if sqlite.Listed(name) {
			t.Errorf("%s is listed", name)
		}
	}
	for _, name := range []string{"count", "regexp", "now", "->", "row_number", "strftime"} {
		if !sqlite.Listed(name) || !slices.Contains(known, name) {
			t.Errorf("%s is not listed, or unknown", name)
		}
	}
	for _, name := range []string{"readfile", "writefile", "edit", "fsdir", "eval", "sqlite_dbpage", "shell"} {
		refused(t, "SELECT "+name+"('/etc/passwd')", "line 1:8: no such function: "+name)
	}
}

// Every table that SQLite has of its own is closed, whichever way a query comes to it, except two that only take
// JSON apart.
func TestTablesOfSQLiteAreClosed(t *testing.T) {
	t.Parallel()
	modules, err := sqlite.Builtin("SELECT name FROM pragma_module_list " +
		"UNION SELECT 'pragma_' || name FROM pragma_pragma_list")
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"sqlite_schema", "sqlite_temp_schema", "sqlite_temp_master", "shop.sqlite_master", "sqlite_stat1"}
	for _, m := range modules {
		if name := m[0].(string); name != "json_each" && name != "json_tree" {
			names = append(names, name)
		}
	}
	for _, name := range names {
		for _, text := range []string{
			"SELECT * FROM " + name, "SELECT count(*) FROM " + name, "SELECT * FROM " + name + "('orders')",
			"SELECT count(*) FROM orders, " + name, "SELECT (SELECT 1 FROM " + strings.ToUpper(name) + ")",
		} {
			if result, err := ask(t, text); err == nil {
				t.Errorf("%s: %v", text, result.Rows)
			}
		}
	}
}

// What SQLite spills would go to files. There are none, not even for a moment: the directory for them does not exist.
func TestNoFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "nowhere")
	for _, name := range []string{"SQLITE_TMPDIR", "TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, dir)
	}
	t.Chdir(t.TempDir())
	const numbers = "WITH RECURSIVE n(x, s) AS (SELECT 1, hex(zeroblob(400)) UNION ALL " +
		"SELECT x + 1, s FROM n LIMIT 5000) "
	for _, test := range []struct{ text, rows string }{
		{"SELECT string_agg(x, ' ') FROM (SELECT x FROM n ORDER BY s, -x LIMIT 3)", "[[5000 4999 4998]]"},
		{"SELECT x FROM n ORDER BY s, -x LIMIT 2 OFFSET 4998", "[[2] [1]]"},
		{"SELECT count(*), sum(y) FROM (SELECT DISTINCT s, x % 4000 AS y FROM n)", "[[4000 7998000]]"},
		{"SELECT count(*), sum(length(a.s)) FROM n a JOIN n b ON a.x = b.x + 1", "[[4999 3999200]]"},
		{"SELECT max(y) FROM (SELECT sum(x) OVER (ORDER BY s, x ROWS 1 PRECEDING) AS y FROM n)", "[[9999]]"},
	} {
		result, err := ask(t, numbers+test.text, sqlite.WithTimeLimit(time.Minute))
		if got := fmt.Sprint(result.Rows); err != nil || got != test.rows {
			t.Errorf("%s: %s, %v, want %s", test.text, got, err, test.rows)
		}
	}
	if left, err := os.ReadDir("."); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
