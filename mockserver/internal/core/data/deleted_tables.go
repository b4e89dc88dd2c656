package data

import (
	"cmp"
	"time"

	"svc.example/understudy/mockserver/internal/core/access"
	"svc.example/understudy/mockserver/internal/core/wire"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/resource"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

// retention is the time for which a deleted table can be recovered (public).
const retention = 7 * 24 * time.Hour

// recoverable reports whether a table is deleted and can still be recovered.
func recoverable(t world.Table, now time.Time) bool {
	return !t.DeletedAt.IsZero() && now.Before(t.DeletedAt.Add(retention))
}

// forgetExpired removes the deleted tables that can no longer be recovered, with their records, and the deleted
// databases without any tables left. It runs whenever something is deleted, which bounds how much is kept. It is not an
// event of its own, so that a world with only a deleted table counts as idle.
func forgetExpired(w *world.State, now time.Time) {
	kept := map[int64]bool{} // databases that have tables, deleted ones or not
	for id, t := range table.All(&w.Core.Tables) {
		if t.DeletedAt.IsZero() || recoverable(t, now) {
			kept[t.Database] = true
			continue
		}
		table.Delete(&w.Core.Tables, id)
		w.Core.Discard(id)
	}
	for id, d := range table.All(&w.Core.Databases) {
		if !d.DeletedAt.IsZero() && !kept[id] {
			table.Delete(&w.Core.Databases, id)
		}
	}
}

var deletedTables = resource.New(resource.Of[world.Table]{
	Noun: "deleted table", Key: "table_id", Dialect: resource.Dialect{List: deletedPage},
	Rows:  func(w *world.State) *table.Table[world.Table] { return &w.Core.Tables },
	Page:  resource.ByID{Last: "cursor_id", Size: "page_size", Default: 25, Max: 100}.PageOf,
	Match: matchDeleted,
	View:  deletedTableView,
})

type deletedTablePage struct {
	Tables   []any  `json:"tables"`
	CursorID *int64 `json:"cursor_id"` // null on the last page (public)
}

func deletedPage(_ *op.Call, list resource.List) any {
	page := deletedTablePage{Tables: list.Items}
	if list.More {
		page.CursorID = &list.Last
	}
	return page
}

type deletedTableForm struct {
	ID           int64  `json:"id"`
	Name         string `json:"name"`
	DatabaseID   int64  `json:"database_id"`
	DatabaseName string `json:"database_name"`
	CreatedAt    string `json:"created_at"`
	DeletedAt    string `json:"deleted_at"`
}

func deletedTableView(c *op.Call, t world.Table) any {
	d, _ := c.World.Core.Databases.Get(t.Database)
	return deletedTableForm{
		ID: t.ID, Name: t.Name, DatabaseID: d.ID, DatabaseName: d.Name,
		CreatedAt: wire.DateTime(t.CreatedAt), DeletedAt: wire.DateTime(t.DeletedAt),
	}
}

func matchDeleted(c *op.Call) (func(world.Table) bool, error) {
	database, err := c.Int("database_id", 0)
	return func(t world.Table) bool {
		if !recoverable(t, c.Now) || c.Has("database_id") && t.Database != database {
			return false
		}
		d, _ := c.World.Core.Databases.Get(t.Database)
		return access.SeesDatabase(c.World, c.Caller, d)
	}, err
}

// ListDeletedTables lists the deleted tables that can still be recovered.
func ListDeletedTables(c *op.Call) (op.Reply, error) { return deletedTables.List(c) }

// RecoverTable recovers a deleted table, and its database if that is deleted too and the caller has the right to it;
// without the right nothing is recovered (documented, except for the status).
var RecoverTable = resource.On(deletedTables, func(c *op.Call, t world.Table) (op.Reply, error) {
	if !recoverable(t, c.Now) {
		return op.Reply{}, op.NotFound(deletedTables.Noun, "id", t.ID)
	}
	var body struct {
		Table    *string `json:"table_name"`
		Database *string `json:"database_name"`
	}
	if err := c.Decode(&body); err != nil {
		return op.Reply{}, err
	}
	home, err := recoveryDatabase(c, t, body.Database)
	if err != nil {
		return op.Reply{}, err
	}
	if body.Table != nil {
		t.Name = *body.Table
		if err := CheckName("table_name", t.Name); err != nil {
			return op.Reply{}, err
		}
	}
	if other, err := LiveTableIn(c.World, home, t.Name); err == nil {
		return op.Reply{}, nameTaken(home, other)
	}
	t.Database, t.DeletedAt, t.UpdatedAt = home.ID, time.Time{}, c.Now
	home.UpdatedAt = c.Now
	putDatabase(c.World, home)
	putTable(c.World, t)
	return op.OK(bareTableView(t))
})

// recoveryDatabase returns the database that a deleted table is recovered into, as it will be: the requested one, else
// the one that the table was in. A deleted database comes back under its own name, or under the requested one if no
// database has that. Who may delete a database may also recover it (assumed).
func recoveryDatabase(c *op.Call, t world.Table, wanted *string) (world.Database, error) {
	parent, _ := c.World.Core.Databases.Get(t.Database)
	if err := RequireRight(c, parent, access.Edit); err != nil {
		return parent, err
	}
	if wanted == nil && parent.DeletedAt.IsZero() {
		return parent, nil
	}
	name := *cmp.Or(wanted, &parent.Name)
	if err := CheckName("database_name", name); err != nil {
		return parent, err
	}
	other, err := LiveDatabase(c.World, name)
	switch {
	case err == nil && wanted != nil:
		return other, RequireRight(c, other, access.Edit)
	case err == nil:
		return parent, op.Conflict("database %s (id %d) has the name of the table's deleted database (id %d): "+
			"pass another one as database_name", other.Name, other.ID, parent.ID)
	case parent.DeletedAt.IsZero():
		return parent, err
	}
	if err := RequireRight(c, parent, access.Delete); err != nil {
		return parent, op.Forbidden("your permissions do not include recovering database %s", parent.Name)
	}
	parent.Name, parent.DeletedAt = name, time.Time{}
	return parent, nil
}
