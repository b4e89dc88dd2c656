package sqlite

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	lib "modernc.org/sqlite/lib"

	"svc.example/understudy/internal/jsontree"
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
	row     jsontree.Tree   // the one that is read

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

// allow reports whether a statement may do something.
func (s *session) allow(a sqlite3.Action) bool {
	if s.loading {
		return true
	}
	switch a.Code {
	case lib.SQLITE_SELECT, lib.SQLITE_RECURSIVE:
		return true
	case lib.SQLITE_READ:
		return s.readable(a)
	case lib.SQLITE_FUNCTION:
		return listed[strings.ToLower(a.Second)]
	}
	return false
}

// readable reports whether a statement may read a column, or, where there is none, count the rows of something that it
// calls a name, which may be one of its own making.
func (s *session) readable(a sqlite3.Action) bool {
	name := strings.ToLower(a.First)
	if a.Second == "" {
		return !strings.HasPrefix(name, "sqlite_") && !strings.HasPrefix(name, "pragma_") && name != "dbstat"
	}
	return s.loaded[a.Database+"."+name] || name == "json_each" || name == "json_tree"
}

// listed are the functions that a query may call: those that depend on nothing but their arguments and the query's
// time, and whose time and memory are about linear in the length of what they are given and bounded by the limits.
// JSON aggregates and json_pretty are not: SQLite lets them grow until they are done.
var listed = func() map[string]bool {
	set := map[string]bool{}
	for name := range strings.FieldsSeq(`
		abs ceil ceiling exp floor ln log log10 log2 mod pi pow power radians degrees round sign sqrt trunc
		acos acosh asin asinh atan atan2 atanh cos cosh sin sinh tan tanh
		char concat concat_ws format glob hex instr length like lower ltrim octet_length printf quote replace rtrim
		soundex substr substring trim unhex unicode unistr unistr_quote upper zeroblob
		coalesce if ifnull iif likelihood likely max min nullif typeof unlikely
		avg count group_concat string_agg sum total
		row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value
		date time datetime julianday strftime timediff unixepoch current_date current_time current_timestamp
		json json_array json_array_length json_extract json_insert json_object
		json_quote json_remove json_replace json_set json_type json_valid -> ->>
		bool now from_unixtime unix_timestamp to_unixtime strpos regexp_like regexp`) {
		set[name] = true
	}
	return set
}()

var (
	errTime       = errors.New("time limit")
	errSteps      = errors.New("step limit")
	errMemory     = errors.New("memory limit")
	errTooLong    = errors.New("string or blob too big") // as SQLite says it
	errNul        = errors.New("the query contains a NUL character")
	errEmpty      = errors.New("the query is empty")
	errSecond     = errors.New("a query is a single statement, but another one follows")
	errWrites     = errors.New("a query can only read")
	errParameters = errors.New("the query has parameters, which have no values")
)

// explain returns an error in terms that help the author of the query.
func (s *session) explain(err, cause error) error {
	var failure *sqlite3.Error
	switch {
	case s.steps < 0:
		return fmt.Errorf("the query takes more than %d steps", s.engine.steps)
	case errors.Is(cause, errTime):
		return fmt.Errorf("the query takes longer than %s", s.engine.time)
	case cause != nil:
		return fmt.Errorf("the query was ended: %w", cause)
	case errors.Is(err, errMemory):
		return fmt.Errorf("the query needs more than %s of memory", size(s.engine.memory))
	case errors.As(err, &failure):
		return s.explainFailure(failure)
	}
	return err
}

func (s *session) explainFailure(e *sqlite3.Error) error {
	switch {
	case e.Code == lib.SQLITE_FULL:
		return fmt.Errorf("the query needs more than %s of memory", size(s.engine.memory))
	case e.Message == errTooLong.Error():
		return fmt.Errorf("the query creates a string, a blob or a row of more than %s", size(maxLength))
	case e.Code == lib.SQLITE_AUTH && e.Message == "not authorized":
		return errWrites
	case strings.HasPrefix(e.Message, "too many attached databases"):
		return errors.New("the query reads more databases than ten")
	case e.Offset < 0 || e.Offset > len(s.query.Text):
		return e
	}
	before := s.query.Text[:e.Offset]
	line := strings.Count(before, "\n") + 1
	column := utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
	if name, unknown := strings.CutPrefix(e.Message, "no such column: "); unknown {
		name, _, _ = strings.Cut(name, " - should this be a string literal")
		if hint := s.leftOut(strings.Trim(name, `"`)); hint != "" {
			return fmt.Errorf("line %d:%d: no such column: %s: %s", line, column, name, hint)
		}
	}
	return fmt.Errorf("line %d:%d: %w", line, column, e)
}

func size(bytes int64) string {
	switch {
	case bytes%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", bytes>>20)
	case bytes%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", bytes>>10)
	}
	return fmt.Sprintf("%d bytes", bytes)
}
