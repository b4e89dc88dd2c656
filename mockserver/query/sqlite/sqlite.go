// Package sqlite answers queries with SQLite, in memory: give the mock an engine with
// mockserver.WithQueryEngine(sqlite.New()).
//
// The SQL is SQLite's. Tables of the world are there as table and as database.table, and are filled when the query
// turns out to need them; their columns are what the schema says, and time last (assumed). An int or a long becomes an
// integer, a float or a double a real, anything else a text. A value that does not fit its column's type is null, and
// so is one that the record lacks (assumed). A table without a schema has the keys of its records as columns, all of
// them text (assumed): the first 1999 of them, in the order of the records, and no others (assumed).
//
// Beside SQLite's own functions there are now(), from_unixtime(seconds), unix_timestamp(), unix_timestamp(text),
// to_unixtime(text), strpos(text, part), regexp_like(text, pattern) and the operator REGEXP, which take patterns of
// Go's package regexp. Times are texts in UTC, such as 2026-01-15 09:30:00.
//
// A column of the result has the type that its table declares, else that of its values, in the words of the dialect. An
// expression without an alias is called _col0, _col1, … by its place, in Hive _c0, _c1, …. SQLite has no boolean; a
// column is true and false where the text of the query shows that it is: by a condition, true or false, a cast to
// boolean, or CASE, coalesce and the like around them, also in a subquery that the column comes from. Anything else
// that compares, such as the sum of conditions, is a number.
//
// # What a query cannot do
//
// A text is untrusted. Four walls stand around it, each of which would do for most of what the others keep out:
//
//   - It has to be one statement that gives rows and changes nothing, by SQLite's own judgement of what it compiled.
//   - All that the statement does has to be on a list, which SQLite asks about while it compiles: it may select, read
//     the tables that are there, and call functions that are listed. So it cannot attach or write, set a pragma, look
//     into SQLite's schema, load an extension, or draw a random number.
//   - The connection has a file system of its own, in which no file exists and none can be named. What SQLite spills
//     goes to memory, which is counted. The time in it is the query's, so that the same query over the same rows
//     gives the same result; only the modifier localtime, of date and the like, asks the machine for its zone.
//   - Time, steps, memory, the length of texts and of the query, and the size of the result have limits.
//
// That takes an authorizer, the file system, the end of a statement, a progress handler and limits, all on one
// connection. Neither of the libraries that wrap this SQLite has them all: database/sql with modernc.org/sqlite runs
// what is behind a semicolon as well; zombiezen.com/go/sqlite, which is built for an older one, loses the authorizer
// of a connection when one that had the same address is still being closed, and then panics. Hence a small binding of
// our own, internal/sqlite3, to modernc.org/sqlite/lib.
package sqlite

import (
	"context"
	"time"

	"svc.example/understudy/mockserver/internal/clock"
	"svc.example/understudy/mockserver/query"
)

// Engine is a query.Engine. It is safe for concurrent use: each query has a database of its own.
type Engine struct {
	time   time.Duration
	steps  int64
	rows   int
	result int64
	memory int64
}

var _ query.Engine = (*Engine)(nil)

// New makes an engine.
func New(opts ...Option) *Engine {
	e := &Engine{
		time: DefaultTimeLimit, steps: DefaultStepLimit, rows: DefaultRowLimit, result: DefaultResultLimit,
		memory: DefaultMemoryLimit,
	}
	for _, opt := range opts {
		opt(e)
	}
	return e
}

// Query implements query.Engine. The error's text is meant for who wrote the query.
func (e *Engine) Query(ctx context.Context, q query.Query) (query.Result, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s := &session{
		engine: e, query: q, stopped: ctx.Err, free: e.memory, steps: e.steps, loaded: map[string]bool{},
		stopwatch: newStopwatch(e.time, func() { cancel(errTime) }),
	}
	defer s.stopwatch.stop()
	result, err := s.run()
	if err != nil {
		return query.Result{}, s.explain(err, context.Cause(ctx))
	}
	return result, nil
}

// The default limits of an engine.
const (
	DefaultTimeLimit   = 5 * time.Second
	DefaultStepLimit   = 1 << 30
	DefaultRowLimit    = 1_000_000
	DefaultResultLimit = 64 << 20
	DefaultMemoryLimit = 256 << 20
)

// Option is a setting of an engine. One that is not above 0 is ignored.
type Option func(*Engine)

// WithTimeLimit bounds how long a query takes, with the tables that it needs. While it lets requests go first, its time
// stands still.
func WithTimeLimit(d time.Duration) Option { return func(e *Engine) { e.time = ifPositive(d, e.time) } }

// WithStepLimit bounds how much work a query is, on any machine: a step is an instruction of SQLite's, a byte that one
// of our own functions is given, or an instruction of a regular expression on a byte of the text.
func WithStepLimit(steps int64) Option {
	return func(e *Engine) { e.steps = ifPositive(steps, e.steps) }
}

// WithRowLimit bounds how many rows a result has.
func WithRowLimit(rows int) Option { return func(e *Engine) { e.rows = ifPositive(rows, e.rows) } }

// WithResultLimit bounds how many bytes a result has: 16 a value, and those of texts.
func WithResultLimit(bytes int64) Option {
	return func(e *Engine) { e.result = ifPositive(bytes, e.result) }
}

// WithMemoryLimit bounds how many bytes a query may take for the tables that it reads and for what it sorts, groups or
// keeps in between.
func WithMemoryLimit(bytes int64) Option {
	return func(e *Engine) { e.memory = ifPositive(bytes, e.memory) }
}

func ifPositive[N ~int | ~int64](n, fallback N) N {
	if n > 0 {
		return n
	}
	return fallback
}

// stopwatch measures how long a query works, and calls a function when that is too long.
type stopwatch struct {
	left  time.Duration
	begin time.Time // when it was started last
	timer *time.Timer
}

func newStopwatch(limit time.Duration, end func()) *stopwatch {
	return &stopwatch{left: limit, begin: clock.Wall(), timer: time.AfterFunc(limit, end)}
}

func (w *stopwatch) stop() bool { return w.timer.Stop() }

// pause does not count the time that a function takes.
func (w *stopwatch) pause(rest func()) {
	if !w.stop() {
		return // it is too long already
	}
	w.left -= clock.Wall().Sub(w.begin)
	rest()
	w.begin = clock.Wall()
	w.timer.Reset(max(0, w.left))
}
