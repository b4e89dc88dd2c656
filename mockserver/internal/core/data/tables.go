package data

import (
	"iter"
	"slices"
	"time"

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
func tableFor(c *op.Call, r access.Right) (d world.Database, t world.Table, err error) {
	if d, err = DatabaseFor(c, r); err == nil {
		t, err = LiveTableIn(c.World, d, c.Param("table_name"))
	}
	return d, t, err
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
func ListTables(c *op.Call) (op.Reply, error) {
	d, err := visibleDatabase(c)
	if err != nil {
		return op.Reply{}, err
	}
	described, err := c.Flag("include_descriptions", false)
	if err != nil {
		return op.Reply{}, err
	}
	list := []any{}
	for t := range tablesOf(c.World, d.ID) {
		list = append(list, tableView(t, described))
	}
	return op.OK(map[string]any{"database": d.Name, "tables": list})
}

// GetTable returns a table.
func GetTable(c *op.Call) (op.Reply, error) {
	t, err := visibleTable(c)
	if err != nil {
		return op.Reply{}, err
	}
	described, err := c.Flag("include_descriptions", false)
	if err != nil {
		return op.Reply{}, err
	}
	return op.OK(tableView(t, described))
}

// DeleteTable soft-deletes a table. Its name is free at once (assumed); it can be recovered for a while.
func DeleteTable(c *op.Call) (op.Reply, error) {
	d, t, err := tableFor(c, access.Edit)
	if err != nil {
		return op.Reply{}, err
	}
	if err := requireUnprotected(t); err != nil {
		return op.Reply{}, err
	}
	softDelete(c.World, t, c.Now)
	touchDatabase(c.World, d.ID, c.Now)
	forgetExpired(c.World, c.Now)
	return tableReferenceOf(d, t)
}

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
func GetTableDistribution(c *op.Call) (op.Reply, error) {
	t, err := visibleTable(c)
	if err != nil {
		return op.Reply{}, err
	}
	d := t.Distribution
	if d == nil {
		return op.Reply{}, &op.Error{Code: op.CodeNotFound, Message: "table " + t.Name + " has no distribution"}
	}
	return op.OK(distributionForm{Buckets: d.Buckets, Function: d.Function, Columns: d.Columns})
}

// LiveTables returns the tables of a database, in the order in which they were made.
func LiveTables(w *world.State, database string) []world.Table {
	d, err := LiveDatabase(w, database)
	if err != nil {
		return nil
	}
	return slices.Collect(tablesOf(w, d.ID))
}
