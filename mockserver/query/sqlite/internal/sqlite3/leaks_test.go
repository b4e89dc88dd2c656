package sqlite3_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	lib "modernc.org/sqlite/lib"

	"svc.example/understudy/mockserver/query/sqlite/internal/sqlite3"
)

// config allows everything.
func config() sqlite3.Config {
	return sqlite3.Config{
		Allow: func(sqlite3.Action) bool { return true },
		Stop:  func() bool { return false },
		Spend: func(int64) bool { return true },
		Funcs: map[string]sqlite3.Functions{
			"broken": {0: func(sqlite3.Args) (any, error) { return nil, errors.New("broken") }},
			"panics": {0: func(sqlite3.Args) (any, error) { panic("panics") }},
			"long":   {0: func(sqlite3.Args) (any, error) { return strings.Repeat("x", 1<<20), nil }},
		},
	}
}

const rows = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 8000) "

// uses are ways to use a connection, and to leave it.
var uses = map[string]func(*sqlite3.Conn) error{
	"nothing":            func(*sqlite3.Conn) error { return nil },
	"a statement":        func(c *sqlite3.Conn) error { return c.Exec("SELECT 1") },
	"no statement":       func(c *sqlite3.Conn) error { _, _, err := c.Prepare("; -- nothing"); return err },
	"a syntax error":     func(c *sqlite3.Conn) error { return c.Exec("SELEC 1") },
	"a function's error": func(c *sqlite3.Conn) error { return c.Exec("SELECT broken()") },
	"a long text":        func(c *sqlite3.Conn) error { return c.Exec("SELECT long()") },
	"an open transaction": func(c *sqlite3.Conn) error {
		return errors.Join(c.Exec("BEGIN"),
			c.Exec("CREATE TABLE t (a)"))
	},
	"an attached database": func(c *sqlite3.Conn) error { return c.Exec("ATTACH ':memory:' AS other") },
	"a temporary file": func(c *sqlite3.Conn) error {
		return c.Exec(rows +
			"SELECT x FROM n ORDER BY hex(zeroblob(500))")
	},
	"an open statement": func(c *sqlite3.Conn) error {
		_, _, err := c.Prepare("SELECT 1")
		return err
	},
	"an open statement in the middle of a sort in a file": func(c *sqlite3.Conn) error {
		s, _, err := c.Prepare(rows + "SELECT x FROM n ORDER BY hex(zeroblob(500))")
		if err != nil {
			return err
		}
		_, err = s.Step()
		return err
	},
	"a panic in a function": func(c *sqlite3.Conn) (err error) {
		defer func() { err = errors.New(recover().(string)) }()
		return c.Exec("SELECT panics()")
	},
	"a panic in a function while the statement is prepared": func(c *sqlite3.Conn) (err error) {
		defer func() { err = errors.New(recover().(string)) }()
		if err := errors.Join(c.Exec("CREATE TABLE t (a)"), c.Exec("CREATE INDEX i ON t (a)"),
			c.Exec("INSERT INTO t VALUES (1)"), c.Exec("ANALYZE")); err != nil {
			panic(err.Error())
		}
		_, _, err = c.Prepare("SELECT a FROM t WHERE a > panics() AND a < 9")
		return err
	},
}

// Whatever was done with a connection, nothing of it is left once it is closed.
func TestNothingIsLeftOfAConnection(t *testing.T) { //nolint:paralleltest // it counts what the process has
	for name, use := range uses { //nolint:paralleltest // likewise
		t.Run(name, func(t *testing.T) {
			once := func() {
				c, err := sqlite3.Open(config())
				if err != nil {
					t.Fatal(err)
				}
				t.Log(use(c))
				if err := c.Close(); err != nil {
					t.Error(err)
				}
			}
			once() // what SQLite keeps for ever is there then
			allocations, systems, goroutines := sqlite3.Allocations(), sqlite3.FileSystems(), runtime.NumGoroutine()
			for range 3 {
				once()
			}
			if n := sqlite3.Allocations() - allocations; n != 0 {
				t.Errorf("%d allocations of C's are left", n)
			}
			if n := sqlite3.FileSystems() - systems; n != 0 {
				t.Errorf("%d file systems are left", n)
			}
			if n := runtime.NumGoroutine() - goroutines; n > 0 {
				t.Errorf("%d goroutines are left", n)
			}
		})
	}
}

// SQLite does not close a connection that is busy, and goes on to use its file system.
func TestABusyConnectionKeepsItsFileSystem(t *testing.T) { //nolint:paralleltest // it counts what the process has
	c, _, _ := open(t, sqlite3.Config{})
	to, _, _ := open(t, sqlite3.Config{})
	end := c.Backup(to)
	systems := sqlite3.FileSystems()
	var failure *sqlite3.Error
	if err := c.Close(); !errors.As(err, &failure) || failure.Code != lib.SQLITE_BUSY {
		t.Errorf("error %v, want that the connection is busy", err)
	}
	if n := sqlite3.FileSystems(); n != systems {
		t.Errorf("%d file systems, want %d", n, systems)
	}
	if err := c.Exec(rows + "SELECT x FROM n ORDER BY hex(zeroblob(500))"); err != nil {
		t.Errorf("the connection is good for nothing: %v", err)
	}
	end()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if n := sqlite3.FileSystems(); n != systems-1 {
		t.Errorf("%d file systems, want %d", n, systems-1)
	}
}

func TestClosingTwiceDoesNothing(t *testing.T) {
	t.Parallel()
	c, _, _ := open(t, sqlite3.Config{})
	s, _, err := c.Prepare("SELECT 1")
	if err != nil {
		t.Fatal(err)
	}
	left, _, err := c.Prepare("SELECT 2")
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	s.Close()
	for range 2 {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	left.Close()
}
