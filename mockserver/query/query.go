// Package query is what the mock asks of a SQL engine. The engine itself is in a package of its own, sqlite, so that
// only those who want one pay for it.
package query

import (
	"context"
	"iter"
	"time"
)

// Engine answers queries over the tables of a world.
type Engine interface {
	// Query runs one query to its end. The error's text is what the job shows to its client; callers do not distinguish
	// errors that are not the query's fault. It is called for several queries at once, and has to return soon after the
	// context ends, which happens when no caller waits for the result any more.
	Query(ctx context.Context, q Query) (Result, error)
}

// Query is one query and what it may see.
type Query struct {
	Text     string
	Dialect  string // the job's type: hive, presto, trino, …
	Database string // where names without a database are looked up
	Tables   Tables
	Now      time.Time // what the query takes for the present
	Pause    func()    // lets requests go first: to be called now and then by an engine that works for long; may be nil
}

// Tables gives access to the tables that a query may see. An engine asks for a table when the query names it.
type Tables interface {
	// Databases lists the names of the databases.
	Databases() []string
	// Table finds a table by the names of its database and itself.
	Table(database, name string) (Table, bool)
}

// Table is one table's columns and rows. Every table has a column time, Unix seconds, that is not among Columns.
type Table struct {
	Columns []Column
	Rows    iter.Seq[Row]
}

// Column is a column with its type in the platform's words: int, long, float, double, string, array<string>, …
type Column struct{ Name, Type string }

// Row is one record: its time, and a JSON object of texts by column name. What a record has and the schema does not
// name, no query sees.
type Row struct {
	Time   int64
	Values string
}

// Result holds the rows that a query returns. Values are nil, bool, int64, float64, string or []byte.
type Result struct {
	Columns []Column // types in the dialect's words: bigint, double, varchar, …
	Rows    [][]any
}
