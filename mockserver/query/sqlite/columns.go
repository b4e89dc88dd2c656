package sqlite

import (
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"svc.example/understudy/mockserver/query"
)

// What SQLite has room for in a table. A record may have any number of keys, so that a table without a schema may have
// more columns than that: those that come first are its columns, the others are left out (assumed).
const (
	maxTableColumns = 2000 - 1      // beside time
	maxNames        = maxQuery >> 1 // bytes of the columns' definitions
)

// columns are those of a table, the column time behind the others.
type columns struct {
	list   []query.Column
	place  map[string]int // by name, in lower case: names that differ in case only are one for SQLite
	length int            // of the definitions
	isCut  bool           // there are more than SQLite has room for
}

func (c *columns) find(name string) (int, bool) {
	if i, found := c.place[name]; found {
		return i, true
	}
	i, found := c.place[strings.ToLower(name)]
	return i, found
}

// add puts a column behind the others, unless it is there, stands for the time, or cannot be named in a query.
func (c *columns) add(column query.Column) {
	name := strings.ToLower(column.Name)
	if _, there := c.place[name]; there || name == "time" || strings.ContainsRune(name, 0) {
		return
	}
	length := c.length + len(definition(column)) + len(", ")
	if len(c.list) == maxTableColumns || length > maxNames {
		c.isCut = true
		return
	}
	c.length = length
	c.place[name] = len(c.list)
	c.list = append(c.list, column)
}

// definition returns a column as CREATE TABLE wants it.
func definition(column query.Column) string {
	return quote(column.Name) + " " + sqliteType(column.Type)
}

func (s *session) columns(t query.Table) (columns, error) {
	c := columns{place: map[string]int{}}
	err := s.eachColumn(t, func(column query.Column) bool {
		c.add(column)
		return !c.isCut
	})
	c.list = append(c.list, query.Column{Name: "time", Type: "long"})
	return c, err
}

// eachColumn goes through the columns of a table's schema, or else through the keys of its records, until yield returns
// false.
func (s *session) eachColumn(t query.Table, yield func(query.Column) bool) error {
	if len(t.Columns) > 0 {
		for _, column := range t.Columns {
			if !yield(column) {
				break
			}
		}
		return nil
	}
	goOn := true
	for row := range t.Rows {
		if err := s.stopped(); err != nil || !goOn {
			return err
		}
		gjson.Parse(row.Values).ForEach(func(key, _ gjson.Result) bool {
			goOn = yield(query.Column{Name: key.Str, Type: "string"})
			return goOn
		})
	}
	return nil
}

// cutTable is a table that has more columns than a query sees.
type cutTable struct {
	name    string
	content query.Table
	columns columns
}

// leftOut returns a hint about a column that SQLite does not know because it was left out, or nothing if no table has
// it. The name may have a table's before it.
func (s *session) leftOut(name string) string {
	_, column, isQualified := strings.Cut(name, ".")
	for _, t := range s.cut {
		found := false
		_ = s.eachColumn(t.content, func(c query.Column) bool { // an end that comes early finds nothing
			found = strings.EqualFold(c.Name, name) || isQualified && strings.EqualFold(c.Name, column)
			_, isKept := t.columns.find(c.Name)
			found = found && !isKept
			return !found
		})
		if found {
			return fmt.Sprintf("%s has it, but a query can see only the first %d columns; "+
				"define a schema with the columns that the query needs", t.name, len(t.columns.list)-1)
		}
	}
	return ""
}
