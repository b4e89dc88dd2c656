package data

import (
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/mockserver/internal/core/access"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/rows"
	"svc.example/understudy/mockserver/internal/world"
)

// loading holds rows on their way into a table. Their columns join its schema, if it detects schemas.
type loading struct {
	*world.Core
	table world.Table
	now   time.Time // of rows that have no time of their own
	batch []world.Record
	held  []world.Column // columns that the table had before
	shown columnSet
}

// batchSize is the number of rows that are stored at once, so that an upload larger than a world may hold is never in
// memory whole.
const batchSize = 1000

func newLoading(x *world.Core, t world.Table, now time.Time) *loading {
	l := &loading{Core: x, table: t, now: now, held: t.Schema}
	if t.DetectSchema && len(t.Schema) == 0 {
		l.held = heldColumns(x, t)
	}
	return l
}

// add adds a row of an upload.
func (l *loading) add(row rows.Row, err error) error {
	if err != nil {
		return err
	}
	record := world.Record{Time: l.now.Unix(), Values: row.JSON()}
	if row.Timed {
		record.Time = row.Time
	}
	for _, value := range row.Values {
		l.shown.add(value.Name, value.Type)
	}
	if l.batch = append(l.batch, record); len(l.batch) >= batchSize {
		l.store()
	}
	return nil
}

func (l *loading) store() {
	l.table = l.Store(l.table, l.batch...)
	l.batch = l.batch[:0]
}

// finish stores the remaining rows, and the schema if the table detects schemas.
func (l *loading) finish() error {
	if l.table.DetectSchema && len(l.shown.list) > 0 {
		schema, err := withMissingColumns(l.held, l.shown.list)
		if err != nil {
			return err
		}
		l.table.Schema = schema
	}
	l.table.CounterUpdatedAt = l.now
	l.store()
	return nil
}

// WithColumnsOf returns a table to which a record of texts is about to be added. The record's columns join the schema
// if the table detects schemas and has one: without a schema queries see all columns anyway. Columns beyond the limit
// do not join.
func WithColumnsOf(t world.Table, r world.Record) world.Table {
	if !t.DetectSchema || len(t.Schema) == 0 {
		return t
	}
	var shown columnSet
	for value := range jsontree.Parse(r.Values).Each {
		if name := value.Name(); !hasColumn(t.Schema, name) {
			shown.add(name, "string")
		}
	}
	if len(shown.list) > 0 {
		if schema, err := withMissingColumns(t.Schema, shown.list); err == nil {
			t.Schema = schema
		}
	}
	return t
}

func hasColumn(schema []world.Column, name string) bool {
	return slices.ContainsFunc(schema, func(c world.Column) bool { return c.Name == name })
}

// heldColumns returns the columns that the records of a table have. Queries see them as long as the table has no
// schema, and they must be among its columns once it has one.
func heldColumns(x *world.Core, t world.Table) []world.Column {
	var held columnSet
	var tree jsontree.Tree
	records, _ := x.Records.Get(t.ID)
	for record := range records.All() {
		for value := range tree.Read(record.Values).Each {
			held.add(value.Name(), "string")
		}
	}
	return held.list
}

// withMissingColumns returns a schema with those columns of another list that it lacks.
func withMissingColumns(schema, more []world.Column) ([]world.Column, error) {
	schema = slices.Clip(schema)
	for _, column := range more {
		if !hasColumn(schema, column.Name) {
			schema = append(schema, column)
		}
	}
	if len(schema) > rows.MaxColumns {
		return nil, fmt.Errorf("the table would have %d columns, want %d at most", len(schema), rows.MaxColumns)
	}
	return schema, nil
}

// columnSet holds columns in the order in which rows show them.
type columnSet struct {
	list   []world.Column
	places map[string]int
}

// add adds a column, or widens its type to one that holds all its values. A value whose name is not valid for a column,
// or reserved, stays in its row, where queries do not see it.
func (s *columnSet) add(name, kind string) {
	name = strings.ToLower(name)
	place, known := s.places[name]
	switch {
	case !known && (name == timeColumn || name == reservedColumn || checkColumnName(name) != nil ||
		len(s.list) > rows.MaxColumns):
		return
	case !known:
		if s.places == nil {
			s.places = map[string]int{}
		}
		s.places[name] = len(s.list)
		s.list = append(s.list, world.Column{Name: name, Type: kind})
		return
	}
	switch before := &s.list[place].Type; {
	case *before == kind:
	case *before != "string" && kind != "string":
		*before = "double"
	default:
		*before = "string"
	}
}

// MaxImport is the largest size of an upload of rows, in bytes.
const MaxImport = 32 << 20

type importForm struct {
	UniqueID    *string `json:"unique_id"`
	Database    string  `json:"database"`
	Table       string  `json:"table"`
	MD5         string  `json:"md5_hex"`
	ElapsedTime float64 `json:"elapsed_time"` // by the world's clock, for which an import takes no time
}

// ImportTable loads the rows of the body into a table. A second import with the same id gets the answer of the first
// (client).
var ImportTable = op.OnTwo(tableFor(access.Import), func(
	c *op.Call, d world.Database, t world.Table,
) (op.Reply, error) {
	form := importForm{Database: d.Name, Table: t.Name}
	id := c.Param("unique_id")
	if id != "" {
		form.UniqueID = &id
		if before, ok := c.World.Core.Imports.Find(t.ID, id); ok {
			form.MD5 = before.MD5
			return op.OK(form)
		}
	}
	sum := md5.Sum(c.Raw)
	form.MD5 = hex.EncodeToString(sum[:])
	unpacked := strings.EqualFold(c.Header("Content-Encoding"), "gzip")
	l := newLoading(&c.World.Core, t, c.Now)
	err := rows.Read(c.Param("format"), c.Raw, unpacked, l.add)
	if err == nil {
		err = l.finish()
	}
	if err != nil {
		return op.Reply{}, op.Invalid("", "request body: %v", err)
	}
	if id != "" {
		c.World.Core.Imports.Add(world.Import{Table: t.ID, UniqueID: id, MD5: form.MD5})
	}
	return op.OK(form)
})

// ImportTarget returns the table that the path names, by database_name and table_name, if the caller may import into
// it.
func ImportTarget(c *op.Call) (world.Table, error) {
	_, t, err := tableFor(access.Import)(c)
	return t, err
}
