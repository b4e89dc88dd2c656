package sqlite

import (
	"errors"
	"fmt"
	"strings"

	lib "modernc.org/sqlite/lib"

	"svc.example/understudy/mockserver/query"
	"svc.example/understudy/mockserver/query/sqlite/internal/sqlite3"
)

// session is one query on a database of its own.
type session struct {
	engine  *Engine
	query   query.Query
	conn    *sqlite3.Conn
	stopped func() error    // why the query has to end, if it has
	free    int64           // bytes of memory that are left
	steps   int64           // steps that are left
	loaded  map[string]bool // the tables that are there, by their names in SQLite, and pins
	cut     []cutTable      // those that have more columns than there is room for
	loading bool            // it is us who speak to SQLite

	stopwatch *stopwatch
	unpaused  int64 // steps since requests were let go first
}

// limits are those of SQLite. A text may be longer than any record that the platform takes, and no longer than what
// SQLite's functions, which nothing can interrupt, get through soon.
var limits = map[int32]int32{
	lib.SQLITE_LIMIT_LENGTH:              maxLength,
	lib.SQLITE_LIMIT_SQL_LENGTH:          maxQuery,
	lib.SQLITE_LIMIT_EXPR_DEPTH:          1000,
	lib.SQLITE_LIMIT_VDBE_OP:             1 << 20,
	lib.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 250,
	lib.SQLITE_LIMIT_WORKER_THREADS:      0,
}

const (
	maxLength = 2 << 20
	maxQuery  = 1 << 20
)

func (s *session) run() (result query.Result, err error) {
	if len(s.query.Text) > maxQuery {
		return query.Result{}, fmt.Errorf("the query is longer than %s", size(maxQuery))
	}
	if strings.ContainsRune(s.query.Text, 0) {
		return query.Result{}, errNul
	}
	conn, err := sqlite3.Open(sqlite3.Config{
		Now:    s.query.Now,
		Limits: limits,
		Allow:  s.allow,
		Spend:  s.spend,
		Stop:   func() bool { return s.charge(sqlite3.Steps) != nil },
		Funcs:  functions(s.query.Now, s.query.Dialect, s.charge),
	})
	if err != nil {
		return query.Result{}, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	s.conn = conn
	stmt, err := s.prepare()
	if err != nil {
		return query.Result{}, err
	}
	defer stmt.Close()
	return s.collect(stmt)
}

// prepare prepares the query, and gives SQLite the tables that it says it lacks.
func (s *session) prepare() (*sqlite3.Stmt, error) {
	text := withCasts(s.query.Text)
	for {
		stmt, rest, err := s.conn.Prepare(text)
		if err == nil {
			return s.check(stmt, rest)
		}
		name, missing := strings.CutPrefix(err.Error(), "no such table: ")
		if !missing {
			return nil, err
		}
		if found, failure := s.load(name); failure != nil {
			return nil, failure
		} else if !found {
			return nil, err
		}
	}
}

// check refuses a text without a statement, and a statement that writes.
func (s *session) check(stmt *sqlite3.Stmt, rest string) (*sqlite3.Stmt, error) {
	err := s.requireSingle(rest)
	switch {
	case stmt == nil:
		return nil, errEmpty
	case err != nil:
	case !stmt.Reads():
		err = errWrites
	case stmt.Parameters() > 0:
		err = errParameters
	}
	if err != nil {
		stmt.Close()
		return nil, err
	}
	return stmt, nil
}

// requireSingle refuses a text that has anything but comments and semicolons after the statement.
func (s *session) requireSingle(rest string) error {
	for rest != "" {
		stmt, further, err := s.conn.Prepare(rest)
		if stmt != nil {
			stmt.Close()
		}
		if stmt != nil || err != nil {
			return errSecond
		}
		if further == rest {
			return nil
		}
		rest = further
	}
	return nil
}

// spend takes memory off the budget, or returns it.
func (s *session) spend(n int64) bool {
	if n > s.free {
		return false
	}
	s.free -= n
	return true
}

// charge takes steps off the budget, and returns the reason if the query has to end.
func (s *session) charge(steps int64) error {
	if s.steps -= steps; s.steps < 0 {
		return errSteps
	}
	if s.unpaused += steps; s.unpaused >= pauseSteps && s.query.Pause != nil {
		s.unpaused = 0
		s.stopwatch.pause(s.query.Pause)
	}
	return s.stopped()
}

// pauseSteps is after how many steps a query lets requests go first: some tenths of a millisecond.
const pauseSteps = 2_000
