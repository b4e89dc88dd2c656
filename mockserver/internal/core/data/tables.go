package data

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/vmihailenco/msgpack/v5"

	"svc.example/understudy/mockserver/internal/core/access"
	"svc.example/understudy/mockserver/internal/core/wire"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

// tableKind is the only type of tables (documented).
const tableKind = "log"

// tableReference names a table and its database in the answers of the operations that change one.
type tableReference struct {
	Database string `json:"database"`
	Table    string `json:"table"`
	Type     string `json:"type"`
}

func tableReferenceOf(d world.Database, t world.Table) (op.Reply, error) {
	return op.OK(tableReference{Database: d.Name, Table: t.Name, Type: tableKind})
}

// bareTableForm is a table without its schema, the form in which recovery answers.
type bareTableForm struct {
	ID               int64   `json:"id"`
	Name             string  `json:"name"`
	Type             string  `json:"type"`
	Count            int64   `json:"count"`
	CreatedAt        string  `json:"created_at"`
	UpdatedAt        string  `json:"updated_at"`
	CounterUpdatedAt *string `json:"counter_updated_at"`
	LastLogTimestamp *string `json:"last_log_timestamp"` // most clients fail on an integer (client)
	DeleteProtected  bool    `json:"delete_protected"`
	StorageSize      int64   `json:"estimated_storage_size"`
	ExpireDays       *int    `json:"expire_days"`
	IncludeV         bool    `json:"include_v"` // obsolete, but still there (public)
}

type tableForm struct {
	bareTableForm
	Schema string `json:"schema"`
}

// describedTableForm is a table with its description, for requests that ask for descriptions.
type describedTableForm struct {
	tableForm
	Description *string `json:"description"`
}

func bareTableView(t world.Table) bareTableForm {
	form := bareTableForm{
		ID: t.ID, Name: t.Name, Type: tableKind, Count: t.Count,
		CreatedAt: wire.DateTime(t.CreatedAt), UpdatedAt: wire.DateTime(t.UpdatedAt),
		CounterUpdatedAt: op.OptionalInstant(t.CounterUpdatedAt), DeleteProtected: t.DeleteProtected,
		StorageSize: t.Bytes, ExpireDays: t.ExpireDays, IncludeV: t.IncludeV,
	}
	if t.LastLogAt > 0 && t.LastLogAt <= wire.MaxTime {
		form.LastLogTimestamp = new(op.Instant(time.Unix(t.LastLogAt, 0)))
	}
	return form
}

func tableView(t world.Table, described bool) any {
	form := tableForm{bareTableForm: bareTableView(t), Schema: schemaText(t.Schema, described)}
	if described {
		return describedTableForm{tableForm: form, Description: t.Description}
	}
	return form
}

// LiveTableIn returns the live table with a name in a database.
func LiveTableIn(w *world.State, d world.Database, name string) (world.Table, error) {
	id, ok := w.Core.TableNames.Get(world.TableName{Database: d.ID, Name: name})
	if !ok {
		return world.Table{}, op.NotFound("table", "name", name)
	}
	t, _ := w.Core.Tables.Get(id)
	return t, nil
}

// LiveTable returns a live table by the names of its database and itself.
func LiveTable(w *world.State, database, name string) (world.Table, error) {
	d, err := LiveDatabase(w, database)
	if err != nil {
		return world.Table{}, err
	}
	return LiveTableIn(w, d, name)
}

// tablesOf iterates over the live tables of a database, the oldest first.
func tablesOf(w *world.State, database int64) iter.Seq[world.Table] {
	return func(yield func(world.Table) bool) {
		for _, t := range table.All(&w.Core.Tables) {
			if t.Database == database && t.DeletedAt.IsZero() && !yield(t) {
				return
			}
		}
	}
}

// tableFor returns the table that the path names, with its database, if the caller has a right on the database.
func tableFor(r access.Right) func(*op.Call) (world.Database, world.Table, error) {
	return func(c *op.Call) (d world.Database, t world.Table, err error) {
		if d, err = DatabaseFor(r)(c); err == nil {
			t, err = LiveTableIn(c.World, d, c.Param("table_name"))
		}
		return d, t, err
	}
}

// visibleTable returns the table that the path names, if the caller has any right on its database.
func visibleTable(c *op.Call) (t world.Table, err error) {
	d, err := visibleDatabase(c)
	if err != nil {
		return t, err
	}
	return LiveTableIn(c.World, d, c.Param("table_name"))
}

// putTable stores a live table and indexes its name.
func putTable(w *world.State, t world.Table) {
	w.Core.Tables.Put(t.ID, t)
	w.Core.TableNames.Put(world.TableName{Database: t.Database, Name: t.Name}, t.ID)
}

// releaseName releases the name of a table.
func releaseName(w *world.State, t world.Table) {
	w.Core.TableNames.Delete(world.TableName{Database: t.Database, Name: t.Name})
}

// moveTable gives a live table another name, another database, or both.
func moveTable(c *op.Call, t world.Table, to world.Database, name string) world.Table {
	releaseName(c.World, t)
	touchDatabase(c.World, t.Database, c.Now)
	t.Database, t.Name, t.UpdatedAt = to.ID, name, c.Now
	putTable(c.World, t)
	touchDatabase(c.World, to.ID, c.Now)
	return t
}

// ListTables lists the tables of a database.
var ListTables = op.On(visibleDatabase, func(c *op.Call, d world.Database) (op.Reply, error) {
	described, err := c.Flag("include_descriptions", false)
	if err != nil {
		return op.Reply{}, err
	}
	list := []any{}
	for t := range tablesOf(c.World, d.ID) {
		list = append(list, tableView(t, described))
	}
	return op.OK(map[string]any{"database": d.Name, "tables": list})
})

// GetTable returns a table.
var GetTable = op.On(visibleTable, func(c *op.Call, t world.Table) (op.Reply, error) {
	described, err := c.Flag("include_descriptions", false)
	if err != nil {
		return op.Reply{}, err
	}
	return op.OK(tableView(t, described))
})

// DeleteTable soft-deletes a table. Its name is free at once (assumed); it can be recovered for a while.
var DeleteTable = op.OnTwo(tableFor(access.Edit), func(c *op.Call, d world.Database, t world.Table) (op.Reply, error) {
	if err := requireUnprotected(t); err != nil {
		return op.Reply{}, err
	}
	softDelete(c.World, t, c.Now)
	touchDatabase(c.World, d.ID, c.Now)
	forgetExpired(c.World, c.Now)
	return tableReferenceOf(d, t)
})

// requireUnprotected refuses a protected table with 403 (assumed).
func requireUnprotected(t world.Table) error {
	if t.DeleteProtected {
		return op.Forbidden("table %s (id %d) is protected from deletion", t.Name, t.ID)
	}
	return nil
}

// softDelete marks a live table as deleted: its row stays, and its name is released.
func softDelete(w *world.State, t world.Table, now time.Time) {
	releaseName(w, t)
	t.DeletedAt = now
	w.Core.Tables.Put(t.ID, t)
}

type distributionForm struct {
	Buckets  int                        `json:"bucket_count"`
	Function string                     `json:"partition_function"`
	Columns  []world.DistributionColumn `json:"columns"`
}

// GetTableDistribution returns the distribution of a table. A table without one is 404 (client).
var GetTableDistribution = op.On(visibleTable, func(_ *op.Call, t world.Table) (op.Reply, error) {
	d := t.Distribution
	if d == nil {
		return op.Reply{}, &op.Error{Code: op.CodeNotFound, Message: "table " + t.Name + " has no distribution"}
	}
	return op.OK(distributionForm{Buckets: d.Buckets, Function: d.Function, Columns: d.Columns})
})

// LiveTables returns the tables of a database, in the order in which they were made.
func LiveTables(w *world.State, database string) []world.Table {
	d, err := LiveDatabase(w, database)
	if err != nil {
		return nil
	}
	return slices.Collect(tablesOf(w, d.ID))
}

// tableOptions is the body of requests on a table. An absent field leaves its value as it is.
type tableOptions struct {
	Name             *string               `json:"name"`
	Overwrite        bool                  `json:"overwrite"`
	Schema           jsontext.Value        `json:"schema"`
	IgnoreDuplicates bool                  `json:"ignore_duplicate_schema"`
	DetectSchema     *bool                 `json:"detect_schema"`
	ExpireDays       wire.Nullable[int]    `json:"expire_days"`
	IncludeV         *bool                 `json:"include_v"`
	Description      wire.Nullable[string] `json:"description"`
}

func readOptions(c *op.Call) (options tableOptions, err error) {
	return options, c.Decode(&options)
}

// columns returns the schema, which must be present.
func (o tableOptions) columns() ([]world.Column, error) {
	if o.Schema == nil {
		return nil, op.Invalid("schema", "is missing")
	}
	columns, err := parseSchema(o.Schema)
	if err == nil && o.IgnoreDuplicates {
		columns = withoutDuplicates(columns)
	}
	return columns, err
}

// apply changes a table according to the options, except for its name.
func (o tableOptions) apply(t *world.Table) error {
	if days := o.ExpireDays.Value; days != nil && *days < 0 {
		return op.Invalid("expire_days", "want a number of days, or 0 or null for no expiry, not %d", *days)
	}
	if o.Schema != nil {
		columns, err := o.columns()
		if err == nil {
			err = requireDistinct(columns)
		}
		if err != nil {
			return err
		}
		t.Schema = columns
	}
	if o.ExpireDays.Sent {
		t.ExpireDays = o.ExpireDays.Value
	}
	if o.Description.Sent {
		t.Description = o.Description.Value
	}
	wire.Set(&t.DetectSchema, o.DetectSchema)
	wire.Set(&t.IncludeV, o.IncludeV)
	return nil
}

// CreateTableWithType creates a table of the only type.
func CreateTableWithType(c *op.Call) (op.Reply, error) {
	if kind := c.Param("table_type"); kind != tableKind {
		return op.Reply{}, op.Invalid("table_type", "want %s, the only type, not %q", tableKind, kind)
	}
	return CreateTable(c)
}

// CreateTable creates a table. A repetition with the same idempotent_key gets the first answer (assumed).
func CreateTable(c *op.Call) (op.Reply, error) {
	name, key := c.Param("table_name"), c.Text("idempotent_key")
	if err := CheckName("table_name", name); err != nil {
		return op.Reply{}, err
	}
	d, err := DatabaseFor(access.Edit)(c)
	if err != nil {
		return op.Reply{}, err
	}
	if other, err := LiveTableIn(c.World, d, name); err == nil {
		if key != "" && key == other.IdempotentKey {
			return tableReferenceOf(d, other)
		}
		return op.Reply{}, nameTaken(d, other)
	}
	t, err := newTable(c, d)
	if err != nil {
		return op.Reply{}, err
	}
	t.Name, t.IdempotentKey = name, key
	return tableReferenceOf(d, AddTable(c.World, d, t, c.Now))
}

// AddTable adds a new table to a database in which its name is free.
func AddTable(w *world.State, d world.Database, t world.Table, now time.Time) world.Table {
	t.ID, t.Database, t.CreatedAt, t.UpdatedAt = w.NewID("core.table"), d.ID, now, now
	putTable(w, t)
	touchDatabase(w, d.ID, now)
	return t
}

// newTable returns the schema and the options of a table to create: those of the body, else those of the source table,
// else the platform's (assumed: that new columns join the schema by themselves).
func newTable(c *op.Call, d world.Database) (t world.Table, err error) {
	t = world.Table{IncludeV: true, DetectSchema: true}
	if name := c.Text("source_table"); name != "" {
		if t, err = copyOf(c, d, name, t); err != nil {
			return t, err
		}
	}
	options, err := readOptions(c)
	if err != nil {
		return t, err
	}
	return t, options.apply(&t)
}

// copyOf gives a new table the schema of another one and, with including_properties, its options and its distribution.
func copyOf(c *op.Call, d world.Database, source string, t world.Table) (world.Table, error) {
	from, err := LiveTableIn(c.World, d, source)
	if err != nil {
		return t, err
	}
	all, err := c.Flag("including_properties", false)
	if err != nil {
		return t, err
	}
	t.Schema = from.Schema
	if all {
		t.ExpireDays, t.IncludeV, t.Description = from.ExpireDays, from.IncludeV, from.Description
		t.DetectSchema, t.Distribution = from.DetectSchema, from.Distribution
	}
	return t, nil
}

func nameTaken(d world.Database, t world.Table) error {
	return op.Conflict("table %s (id %d) of database %s has this name already", t.Name, t.ID, d.Name)
}

// UpdateTableSchema replaces the schema. A name in use is 422 here: the document of this operation has no 409.
func UpdateTableSchema(c *op.Call) (op.Reply, error) {
	options, err := readOptions(c)
	if err == nil && options.Schema == nil {
		err = op.Invalid("schema", "is missing")
	}
	if err != nil {
		return op.Reply{}, err
	}
	reply, err := UpdateTable(c)
	return reply, wire.Recode(err, op.CodeConflict, op.CodeUnprocessable)
}

// UpdateTable changes the options of a table.
var UpdateTable = op.OnTwo(tableFor(access.Edit), func(c *op.Call, d world.Database, t world.Table) (op.Reply, error) {
	options, err := readOptions(c)
	if err == nil {
		err = options.apply(&t)
	}
	if err != nil {
		return op.Reply{}, err
	}
	t.UpdatedAt = c.Now
	if options.Name == nil || *options.Name == t.Name {
		putTable(c.World, t)
		return tableReferenceOf(d, t)
	}
	if t, err = renameTo(c, d, t, *options.Name, options.Overwrite); err != nil {
		return op.Reply{}, err
	}
	return tableReferenceOf(d, t)
})

// TailTable returns the records that were added last, in the order in which they were added (assumed); without a count
// it returns one. The suffix of the path, or else format, chooses the form.
var TailTable = op.OnTwo(tableFor(access.Query), func(c *op.Call, _ world.Database, t world.Table) (op.Reply, error) {
	count, err := c.Int("count", 1)
	if err != nil {
		return op.Reply{}, err
	}
	if count < 1 {
		return op.Reply{}, op.Invalid("count", "must be at least 1, but is %d", count)
	}
	records, err := lastRecords(c.World, t, count)
	if err != nil {
		return op.Reply{}, err
	}
	switch form := cmp.Or(strings.TrimPrefix(c.Param("path_format"), "."), c.Text("format"), "json"); form {
	case "json":
		return op.OK(records)
	case "msgpack":
		var b bytes.Buffer
		encoder := msgpack.NewEncoder(&b)
		for _, r := range records {
			if err := encoder.Encode(r); err != nil {
				return op.Reply{}, fmt.Errorf("write a record as msgpack: %w", err)
			}
		}
		return op.Reply{Bytes: b.Bytes(), Type: "application/octet-stream"}, nil
	default:
		return op.Reply{}, op.Invalid("format", "want json or msgpack, not %q", form)
	}
})

func lastRecords(w *world.State, t world.Table, count int64) ([]record, error) {
	list := []record{}
	rows, _ := w.Core.Records.Get(t.ID)
	for row := range rows.Backward() {
		r, err := newRecord(t, row)
		if err != nil {
			return nil, err
		}
		list = append(list, r)
		if int64(len(list)) == count {
			break
		}
	}
	slices.Reverse(list)
	return list, nil
}

// record is one record on the wire: a map whose keys have a fixed order.
type record struct {
	fields []field
	time   int64
}

// field is a value of a record; values are texts (documented).
type field struct{ key, text string }

// newRecord puts the columns of the schema first, in their order, then other keys in alphabetical order, and the time
// last.
func newRecord(t world.Table, row world.Record) (record, error) {
	texts := map[string]string{}
	if err := json.Unmarshal([]byte(row.Values), &texts); err != nil {
		return record{}, fmt.Errorf("read a record of table %d: %w", t.ID, err)
	}
	delete(texts, timeColumn)
	r := record{time: row.Time}
	for _, column := range t.Schema {
		if text, ok := texts[column.Name]; ok {
			r.fields = append(r.fields, field{column.Name, text})
			delete(texts, column.Name)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(texts)) {
		r.fields = append(r.fields, field{key, texts[key]})
	}
	return r, nil
}

// MarshalJSONTo implements json.MarshalerTo.
func (r record) MarshalJSONTo(e *jsontext.Encoder) error {
	tokens := []jsontext.Token{jsontext.BeginObject}
	for _, f := range r.fields {
		tokens = append(tokens, jsontext.String(f.key), jsontext.String(f.text))
	}
	tokens = append(tokens, jsontext.String(timeColumn), jsontext.Int(r.time), jsontext.EndObject)
	for _, token := range tokens {
		if err := e.WriteToken(token); err != nil {
			return err
		}
	}
	return nil
}

// EncodeMsgpack implements msgpack.CustomEncoder.
func (r record) EncodeMsgpack(e *msgpack.Encoder) error {
	if err := e.EncodeMapLen(len(r.fields) + 1); err != nil {
		return err
	}
	for _, f := range r.fields {
		if err := errors.Join(e.EncodeString(f.key), e.EncodeString(f.text)); err != nil {
			return err
		}
	}
	return errors.Join(e.EncodeString(timeColumn), e.EncodeInt(r.time))
}
