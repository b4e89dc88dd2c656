package sqlite

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"svc.example/understudy/mockserver/query"
	"svc.example/understudy/mockserver/query/sqlite/internal/sqlite3"
)

// collect takes all rows of a statement.
func (s *session) collect(stmt *sqlite3.Stmt) (query.Result, error) {
	var rows [][]any
	width := stmt.Columns()
	kinds := make([]kind, width)
	for bytes := int64(0); ; {
		more, err := stmt.Step()
		if err != nil {
			return query.Result{}, err
		}
		if !more {
			break
		}
		if len(rows) == s.engine.rows {
			return query.Result{}, fmt.Errorf("the result has more than %d rows", s.engine.rows)
		}
		row := make([]any, width)
		for i := range row {
			row[i] = stmt.Value(i)
			kinds[i] = max(kinds[i], kindOf(row[i]))
			bytes += cost(row[i])
		}
		if bytes > s.engine.result {
			return query.Result{}, fmt.Errorf("the result has more than %s", size(s.engine.result))
		}
		rows = append(rows, row)
	}
	return s.result(stmt, kinds, rows), nil
}

func cost(value any) int64 {
	switch v := value.(type) {
	case string:
		return 16 + int64(len(v))
	case []byte:
		return 16 + int64(len(v))
	}
	return 16
}

// kind is the kind of the values of a column, the more general the greater.
type kind int

const (
	unknown kind = iota
	whole
	decimal
	textual
	binary
	logical
)

func kindOf(value any) kind {
	switch value.(type) {
	case int64:
		return whole
	case float64:
		return decimal
	case string:
		return textual
	case []byte:
		return binary
	}
	return unknown
}

// result returns the rows with a name and a type for each column, and all values of a column in one type.
func (s *session) result(stmt *sqlite3.Stmt, kinds []kind, rows [][]any) query.Result {
	result := query.Result{Columns: make([]query.Column, len(kinds)), Rows: rows}
	truths := s.truths(stmt, rows)
	for i := range kinds {
		origin, declared := stmt.Origin(i)
		kinds[i] = max(kinds[i], kindOfDeclared(declared))
		if truths[i] {
			kinds[i] = logical
		}
		name := stmt.Name(i)
		if origin == "" && s.isExpression(name) {
			name = expressionName(s.query.Dialect, i)
		}
		result.Columns[i] = query.Column{Name: name, Type: typeName(s.query.Dialect, kinds[i])}
	}
	for _, row := range rows {
		for i, value := range row {
			row[i] = widen(value, kinds[i])
		}
	}
	return result
}

// truths reports which columns are truth values, as the query says, and as their values could be.
func (s *session) truths(stmt *sqlite3.Stmt, rows [][]any) []bool {
	names := make([]string, stmt.Columns())
	for i := range names {
		names[i] = stmt.Name(i)
	}
	truths := booleans(s.query.Text, names)
	for _, row := range rows {
		for i, value := range row {
			n, isInteger := value.(int64)
			truths[i] = truths[i] && (value == nil || isInteger && n>>1 == 0)
		}
	}
	return truths
}

func kindOfDeclared(declared string) kind {
	switch declared {
	case integerType:
		return whole
	case realType:
		return decimal
	case textType:
		return textual
	}
	return unknown
}

// widen makes a value one of its column's kind.
func widen(value any, k kind) any {
	switch v := value.(type) {
	case int64:
		switch k {
		case decimal:
			return float64(v)
		case textual:
			return strconv.FormatInt(v, 10)
		case logical:
			return v == 1
		default: // it is one, or a blob's neighbour
		}
	case float64:
		if k == textual {
			return strconv.FormatFloat(v, 'g', -1, 64)
		}
	case string:
		return strings.ToValidUTF8(v, "\uFFFD")
	}
	return value
}

func typeName(dialect string, k kind) string {
	hive := dialect == "hive"
	switch {
	case k == whole:
		return "bigint"
	case k == decimal:
		return "double"
	case k == logical:
		return "boolean"
	case k == binary && hive:
		return "binary"
	case k == binary:
		return "varbinary"
	case hive:
		return "string"
	}
	return "varchar"
}

var identifier = regexp.MustCompile(`^[\pL_][\pL\pN_$]*$`)

// isExpression reports whether a column's name is the text of an expression, which SQLite takes where there is no
// alias. What reads like a name is one, and so is what stands in the query in quotes.
func (s *session) isExpression(name string) bool {
	return !identifier.MatchString(name) && !strings.Contains(s.query.Text, quote(name)) &&
		!strings.Contains(s.query.Text, "`"+name+"`")
}

// expressionName returns a dialect's name for a column that has no name.
func expressionName(dialect string, i int) string {
	if dialect == "hive" {
		return "_c" + strconv.Itoa(i)
	}
	return "_col" + strconv.Itoa(i)
}
