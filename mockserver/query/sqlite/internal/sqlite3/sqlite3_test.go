package sqlite3_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	lib "modernc.org/sqlite/lib"

	"svc.example/understudy/mockserver/query/sqlite/internal/sqlite3"
)

// open opens a connection that may do everything, and counts the memory that its files take.
func open(t *testing.T, config sqlite3.Config) (c *sqlite3.Conn, used, peak *int64) {
	t.Helper()
	used, peak = new(int64), new(int64)
	config.Allow = func(sqlite3.Action) bool { return true }
	config.Stop = func() bool { return false }
	config.Spend = func(n int64) bool {
		*used += n
		*peak = max(*peak, *used)
		return true
	}
	c, err := sqlite3.Open(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c, used, peak
}

// one is the one value that a query gives.
func one(t *testing.T, c *sqlite3.Conn, text string) any {
	t.Helper()
	stmt, _, err := c.Prepare(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	defer stmt.Close()
	if more, err := stmt.Step(); err != nil || !more {
		t.Fatalf("%s: row %t, %v", text, more, err)
	}
	return stmt.Value(0)
}

// Even a statement that may do everything reaches no file.
func TestThereAreNoFiles(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file.db")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c, _, _ := open(t, sqlite3.Config{})
	for _, text := range []string{ // some of these succeed, in memory
		"ATTACH '" + file + "' AS a", "CREATE TABLE a.t AS SELECT hex(zeroblob(10000))",
		"ATTACH 'file:" + file + "?vfs=unix' AS b", "CREATE TABLE b.t AS SELECT hex(zeroblob(10000))",
		"VACUUM INTO '" + file + "2'", "VACUUM a INTO 'file:" + file + "3?vfs=unix'",
		"PRAGMA temp_store_directory = '" + filepath.Dir(file) + "'", "PRAGMA a.journal_mode = WAL",
		"SELECT load_extension('" + file + "')",
	} {
		t.Logf("%s: %v", text, c.Exec(text))
	}
	left, err := os.ReadDir(filepath.Dir(file))
	if err != nil || len(left) != 1 {
		t.Errorf("there are %v, %v", left, err)
	}
	if info, err := os.Stat(file); err != nil || info.Size() != 0 {
		t.Errorf("the file is %v, %v", info, err)
	}
}

func TestTemporaryFilesAreMemoryThatIsCounted(t *testing.T) {
	t.Parallel()
	c, used, peak := open(t, sqlite3.Config{})
	const rows = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 8000) "
	for _, text := range []string{
		"CREATE TEMP TABLE t (x INTEGER PRIMARY KEY, s)",
		rows + "INSERT INTO t SELECT x, hex(zeroblob(500)) || x FROM n",
		"BEGIN",
		"UPDATE t SET s = 'short'",
		"ROLLBACK",
	} {
		if err := c.Exec(text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	const right = "SELECT count(*) FROM t WHERE s = hex(zeroblob(500)) || x"
	if got := one(t, c, right); got != int64(8000) {
		t.Errorf("%v rows are as they were", got)
	}
	if got := one(t, c, "PRAGMA temp.integrity_check"); got != "ok" {
		t.Errorf("the file is broken: %v", got)
	}
	if *used < 4<<20 || *peak <= *used {
		t.Errorf("8 MB of rows take %d bytes, at most %d", *used, *peak)
	}
	if err := c.Exec("DROP TABLE t"); err != nil {
		t.Fatal(err)
	}
	before := *used
	const sorted = rows + "SELECT sum(x) FROM (SELECT x FROM n ORDER BY hex(zeroblob(500)), -x)"
	if got := one(t, c, sorted); got != int64(8000*8001/2) {
		t.Errorf("sum %v", got)
	}
	if *used != before {
		t.Errorf("a sort keeps %d bytes", *used-before)
	}
}

func TestNoMemoryEndsAStatement(t *testing.T) {
	t.Parallel()
	c, err := sqlite3.Open(sqlite3.Config{
		Allow: func(sqlite3.Action) bool { return true },
		Stop:  func() bool { return false },
		Spend: func(n int64) bool { return n < 0 },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close() //nolint:errcheck // the other tests see
	err = c.Exec("WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 8000) " +
		"SELECT x FROM n ORDER BY hex(zeroblob(1000)), x")
	var failure *sqlite3.Error
	if !errors.As(err, &failure) || failure.Code != lib.SQLITE_FULL {
		t.Errorf("error %v", err)
	}
}

func TestTheTimeIsTheConnections(t *testing.T) {
	t.Parallel()
	for _, now := range []time.Time{{}, time.UnixMilli(1768469400123), time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)} {
		c, _, _ := open(t, sqlite3.Config{Now: now})
		want := now.UTC().Format("2006-01-02 15:04:05.000")
		if got := one(t, c, "SELECT strftime('%Y-%m-%d %H:%M:%f', 'now')"); got != want {
			t.Errorf("now is %v, want %s", got, want)
		}
	}
}

// SQLite calls functions of constants while it reads the statement.
func TestFunctionsOfConstantsAreCalledInBetween(t *testing.T) {
	t.Parallel()
	c, _, _ := open(t, sqlite3.Config{Funcs: map[string]sqlite3.Functions{
		"long": {0: func(sqlite3.Args) (any, error) { return strings.Repeat("x", 1<<20), nil }},
	}})
	for _, text := range []string{
		"CREATE TABLE t (a TEXT)", "CREATE INDEX i ON t (a)", "INSERT INTO t VALUES ('y')", "ANALYZE",
	} {
		if err := c.Exec(text); err != nil {
			t.Fatal(err)
		}
	}
	text := "SELECT count(*) FROM t WHERE a > long() AND a < 'z' -- " + strings.Repeat("comment ", 100)
	if got := one(t, c, text); got != int64(1) {
		t.Errorf("%v rows", got)
	}
}
