package jobs

import (
	"fmt"
	"strings"

	"svc.example/understudy/mockserver/internal/core/access"
	"svc.example/understudy/mockserver/internal/core/data"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/mockserver/query"
)

// queryTables holds the tables of a world that a user may query.
type queryTables struct {
	world  *world.State
	caller world.Caller
	part   []string // tables that were asked for and have let records go, with how many are left
}

// Databases implements query.Tables.
func (t *queryTables) Databases() []string {
	names := []string{}
	for _, database := range table.All(&t.world.Core.Databases) {
		if database.DeletedAt.IsZero() && access.May(t.world, t.caller, database, access.Query) {
			names = append(names, database.Name)
		}
	}
	return names
}

// Table implements query.Tables.
func (t *queryTables) Table(database, name string) (query.Table, bool) {
	d, err := data.LiveDatabase(t.world, database)
	if err != nil || !access.May(t.world, t.caller, d, access.Query) {
		return query.Table{}, false
	}
	row, err := data.LiveTableIn(t.world, d, name)
	if err != nil {
		return query.Table{}, false
	}
	columns := make([]query.Column, len(row.Schema))
	for i, column := range row.Schema {
		columns[i] = query.Column{Name: column.Name, Type: column.Type}
	}
	records, _ := t.world.Core.Records.Get(row.ID)
	if held := int64(records.Len()); held < row.Count {
		t.part = append(t.part, fmt.Sprintf("%s.%s (%d of %d)", database, name, held, row.Count))
	}
	return query.Table{Columns: columns, Rows: func(yield func(query.Row) bool) {
		for record := range records.All() {
			if !yield(query.Row{Time: record.Time, Values: record.Values}) {
				return
			}
		}
	}}, true
}

// note returns a text for a query that did not see all records that its tables count, which would be a puzzle
// otherwise, or the empty text if it saw all.
func (t *queryTables) note(subject string) string {
	if t.part == nil {
		return ""
	}
	return fmt.Sprintf("%s has read only the records that the world keeps, not all that were counted: %s; the "+
		"world drops the oldest beyond its limit, which is set with WithRecordLimit or --record-limit", subject,
		strings.Join(t.part, ", "))
}
