package sqlite

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	lib "modernc.org/sqlite/lib"

	"svc.example/understudy/mockserver/query/sqlite/internal/sqlite3"
)

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
