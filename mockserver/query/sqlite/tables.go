package sqlite

import (
	"fmt"
	"iter"
	"strconv"
	"strings"

	"svc.example/understudy/mockserver/query"
	"svc.example/understudy/mockserver/query/sqlite/internal/sqlite3"
)

// load creates a table that SQLite has asked for, by the name in SQLite's error, and reports whether there is one.
func (s *session) load(name string) (bool, error) {
	database, table, qualified := strings.Cut(strings.ToLower(name), ".")
	if !qualified {
		database, table = s.query.Database, database
	}
	content, found := s.query.Tables.Table(database, table)
	if !found || s.loaded[database+"."+table] {
		return false, nil
	}
	s.loading = true
	defer func() { s.loading = false }()
	if err := s.attachDatabase(database); err != nil {
		return true, err
	}
	columns, err := s.columns(content)
	if err != nil {
		return true, err
	}
	if columns.isCut {
		s.cut = append(s.cut, cutTable{database + "." + table, content, columns})
	}
	if err := s.createTable(quote(database)+"."+quote(table), columns, content.Rows); err != nil {
		return true, err
	}
	s.loaded[database+"."+table] = true
	return true, s.addAliasView(database, table)
}

// attachDatabase makes the database of a table, which is one of SQLite's schemas. Two are always there.
func (s *session) attachDatabase(database string) error {
	if database == "main" || database == "temp" || s.loaded[database] {
		return nil
	}
	s.loaded[database] = true
	return s.conn.Exec("ATTACH ':memory:' AS " + quote(database))
}

// addAliasView creates a view so that a name without a database means the table of the query's database, since SQLite
// would also find a table of this name in another database that is attached. The views are in the database temp: a
// database of that name has none itself, and its tables cannot be read together with others of their names.
func (s *session) addAliasView(database, table string) error {
	own := s.query.Database
	if database == own || database == "temp" || s.loaded["temp."+table] {
		return nil
	}
	s.loaded["temp."+table] = true
	return s.conn.Exec(fmt.Sprintf("CREATE TEMP VIEW %s AS SELECT * FROM %[2]s.%[1]s", quote(table), quote(own)))
}

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// createTable creates a table of SQLite's with the rows.
func (s *session) createTable(name string, columns columns, rows iter.Seq[query.Row]) error {
	definitions := make([]string, len(columns.list))
	for i, column := range columns.list {
		definitions[i] = definition(column)
	}
	if err := s.conn.Exec("CREATE TABLE " + name + " (" + strings.Join(definitions, ", ") + ")"); err != nil {
		return err
	}
	insert, _, err := s.conn.Prepare("INSERT INTO " + name + " VALUES (?" +
		strings.Repeat(", ?", len(columns.list)-1) + ")")
	if err != nil {
		return err
	}
	defer insert.Close()
	if err := s.conn.Exec("BEGIN"); err != nil {
		return err
	}
	for row := range rows {
		if err := s.insert(insert, columns, row); err != nil {
			return err
		}
	}
	return s.conn.Exec("COMMIT")
}

// rowCost is about what SQLite and its pages take for a row beside its values.
const rowCost = 32

func (s *session) insert(insert *sqlite3.Stmt, columns columns, row query.Row) error {
	if !s.spend(int64(len(row.Values) + rowCost + len(columns.list))) {
		return errMemory
	}
	insert.Reset()
	for value := range s.row.Read(row.Values).Each {
		if i, known := columns.find(value.Key()); known && !value.IsNull() {
			if err := bind(insert, i+1, columns.list[i].Type, value.Plain()); err != nil {
				return err
			}
		}
	}
	insert.BindInt(len(columns.list), row.Time)
	_, err := insert.Step()
	return err
}

// bind sets a column to a value, if that fits its type.
func bind(insert *sqlite3.Stmt, i int, kind, value string) error {
	switch sqliteType(kind) {
	case integerType:
		bits := 64
		if kind == "int" {
			bits = 32
		}
		if n, err := strconv.ParseInt(value, 10, bits); err == nil {
			insert.BindInt(i, n)
		}
	case realType:
		if x, err := strconv.ParseFloat(value, 64); err == nil {
			insert.BindFloat(i, x)
		}
	default:
		return insert.BindText(i, value)
	}
	return nil
}

// The types of SQLite's columns.
const (
	integerType = "INTEGER"
	realType    = "REAL"
	textType    = "TEXT"
)

// sqliteType returns SQLite's type for one of the platform's.
func sqliteType(kind string) string {
	switch kind {
	case "int", "long":
		return integerType
	case "float", "double":
		return realType
	}
	return textType
}
