package data

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/core/access"
	"svc.example/understudy/mockserver/internal/core/wire"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

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
	if o.DetectSchema != nil {
		t.DetectSchema = *o.DetectSchema
	}
	if o.IncludeV != nil {
		t.IncludeV = *o.IncludeV
	}
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
	d, err := DatabaseFor(c, access.Edit)
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
func UpdateTable(c *op.Call) (op.Reply, error) {
	d, t, err := tableFor(c, access.Edit)
	if err != nil {
		return op.Reply{}, err
	}
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
}
