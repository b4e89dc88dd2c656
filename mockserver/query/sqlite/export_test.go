package sqlite

import (
	"time"

	"svc.example/understudy/mockserver/query/sqlite/internal/sqlite3"
)

// Listed reports whether a query may call a function.
func Listed(name string) bool { return listed[name] }

// Builtin lists what is in the first columns of a query over all that SQLite has, beyond any sandbox.
func Builtin(text string) (rows [][]any, err error) {
	c, err := sqlite3.Open(sqlite3.Config{
		Allow: func(sqlite3.Action) bool { return true },
		Spend: func(int64) bool { return true },
		Stop:  func() bool { return false },
		Funcs: functions(time.Time{}, "presto", func(int64) error { return nil }),
	})
	if err != nil {
		return nil, err
	}
	defer c.Close() //nolint:errcheck // no statement is left
	stmt, _, err := c.Prepare(text)
	if err != nil {
		return nil, err
	}
	defer stmt.Close()
	for {
		more, err := stmt.Step()
		if err != nil || !more {
			return rows, err
		}
		var row []any
		for i := range stmt.Columns() {
			row = append(row, stmt.Value(i))
		}
		rows = append(rows, row)
	}
}
