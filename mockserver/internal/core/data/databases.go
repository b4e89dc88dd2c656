package data

import (
	"time"

	"svc.example/understudy/mockserver/internal/core/access"
	"svc.example/understudy/mockserver/internal/core/wire"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

// databaseForm is a database as lists show it. The strictest client accepts exactly these members.
type databaseForm struct {
	Name            string           `json:"name"`
	Count           int64            `json:"count"`
	CreatedAt       string           `json:"created_at"`
	UpdatedAt       string           `json:"updated_at"`
	Organization    *string          `json:"organization"` // a leftover (public)
	Permission      string           `json:"permission"`
	DeleteProtected bool             `json:"delete_protected"`
	Permissions     *permissionsForm `json:"database_permissions,omitzero"`
}

// oneDatabaseForm is a database on its own.
type oneDatabaseForm struct {
	ID string `json:"id"` // text here, though an integer where deleted tables name their database (public)
	databaseForm
	Datatank bool `json:"datatank"`
}

func databaseView(c *op.Call, d world.Database, count int64, written func(time.Time) string) databaseForm {
	form := databaseForm{
		Name: d.Name, Count: count, CreatedAt: written(d.CreatedAt), UpdatedAt: written(d.UpdatedAt),
		Permission: permissionWord(c.World, c.Caller, d), DeleteProtected: d.DeleteProtected,
	}
	if c.Text("require_permissions") == "true" {
		may := func(r access.Right) bool { return access.May(c.World, c.Caller, d, r) }
		form.Permissions = &permissionsForm{
			Edit: may(access.Edit), Delete: may(access.Delete), Query: may(access.Query), Import: may(access.Import),
			Download: may(access.Download),
		}
	}
	return form
}

type databaseReference struct {
	Database string `json:"database"`
}

// LiveDatabase returns the database with a name that has not been deleted.
func LiveDatabase(w *world.State, name string) (world.Database, error) {
	return op.ByName("database", name, w.Core.DatabaseNames.Get, w.Core.Databases.Get)
}

// DatabaseFor returns the database that the path names, if the caller has a right on it.
func DatabaseFor(r access.Right) func(*op.Call) (world.Database, error) {
	return func(c *op.Call) (world.Database, error) {
		d, err := LiveDatabase(c.World, c.Param("database_name"))
		if err != nil {
			return d, err
		}
		return d, RequireRight(c, d, r)
	}
}

// RequireRight refuses a caller who lacks a right on a database.
func RequireRight(c *op.Call, d world.Database, r access.Right) error {
	if access.May(c.World, c.Caller, d, r) {
		return nil
	}
	return op.Forbidden("your permissions do not include %s on database %s", r, d.Name)
}

// visibleDatabase returns the database that the path names, if the caller has any right on it.
func visibleDatabase(c *op.Call) (world.Database, error) {
	d, err := LiveDatabase(c.World, c.Param("database_name"))
	if err == nil && !access.SeesDatabase(c.World, c.Caller, d) {
		err = op.Forbidden("you have no permissions on database %s", d.Name)
	}
	return d, err
}

// ListDatabases lists the databases on which the caller has a right.
func ListDatabases(c *op.Call) (op.Reply, error) {
	counts := map[int64]int64{} // of records, by database
	for _, t := range table.All(&c.World.Core.Tables) {
		if t.DeletedAt.IsZero() {
			counts[t.Database] += t.Count
		}
	}
	written := wire.OffsetDateTime
	if c.World.Core.UTC {
		written = wire.DateTime
	}
	list := []databaseForm{}
	for id, d := range table.All(&c.World.Core.Databases) {
		if d.DeletedAt.IsZero() && access.SeesDatabase(c.World, c.Caller, d) {
			list = append(list, databaseView(c, d, counts[id], written))
		}
	}
	return op.OK(map[string]any{"databases": list})
}

// GetDatabase returns a database on which the caller has a right.
var GetDatabase = op.On(visibleDatabase, func(c *op.Call, d world.Database) (op.Reply, error) {
	var count int64
	for t := range tablesOf(c.World, d.ID) {
		count += t.Count
	}
	return op.OK(oneDatabaseForm{ID: op.IDText(d.ID), databaseForm: databaseView(c, d, count, wire.DateTime)})
})

// CreateDatabase creates a database, which the caller owns.
func CreateDatabase(c *op.Call) (op.Reply, error) {
	name := c.Param("database_name")
	if err := CheckName("database_name", name); err != nil {
		return op.Reply{}, err
	}
	if !access.MayCreateDatabases(c.World, c.Caller) {
		return op.Reply{}, op.Forbidden("your permissions do not include creating databases")
	}
	if other, err := LiveDatabase(c.World, name); err == nil {
		return op.Reply{}, op.Conflict("database %s (id %d) has this name already", name, other.ID)
	}
	d := world.Database{
		ID: c.World.NewID("core.database"), Name: name, Owner: c.Caller.User.ID,
		CreatedAt: c.Now, UpdatedAt: c.Now,
	}
	putDatabase(c.World, d)
	return op.OK(databaseReference{d.Name})
}

// putDatabase stores a database and indexes its name.
func putDatabase(w *world.State, d world.Database) {
	w.Core.Databases.Put(d.ID, d)
	w.Core.DatabaseNames.Put(d.Name, d.ID)
}

// touchDatabase sets the time at which a database has changed.
func touchDatabase(w *world.State, id int64, now time.Time) {
	d, _ := w.Core.Databases.Get(id)
	d.UpdatedAt = now
	w.Core.Databases.Put(id, d)
}

// DeleteDatabase soft-deletes a database with its tables. The tables can be recovered, and the database with them.
var DeleteDatabase = op.On(DatabaseFor(access.Delete), func(c *op.Call, d world.Database) (op.Reply, error) {
	if d.DeleteProtected {
		return op.Reply{}, op.Forbidden("database %s (id %d) is protected from deletion", d.Name, d.ID)
	}
	for t := range tablesOf(c.World, d.ID) {
		softDelete(c.World, t, c.Now)
	}
	d.UpdatedAt, d.DeletedAt = c.Now, c.Now
	c.World.Core.Databases.Put(d.ID, d)
	c.World.Core.DatabaseNames.Delete(d.Name)
	forgetExpired(c.World, c.Now)
	return op.OK(databaseReference{d.Name})
})

// permissionWord returns the most that a caller may do with a database, in one word, as the listing has it (the words
// are those of clients, their meaning is assumed).
func permissionWord(w *world.State, caller world.Caller, d world.Database) string {
	switch {
	case access.May(w, caller, d, access.Delete):
		return "administrator"
	case access.May(w, caller, d, access.Edit):
		return "full_access"
	case access.May(w, caller, d, access.Query):
		return "query_only"
	}
	return "import_only"
}

type permissionsForm struct {
	Edit     bool `json:"edit"`
	Delete   bool `json:"delete"`
	Query    bool `json:"query"`
	Import   bool `json:"import"`
	Download bool `json:"download"`
}

// MayQuery reports whether a caller may query the live database with a name. For a database that does not exist, it
// reports true only for a caller who may query all databases.
func MayQuery(w *world.State, caller world.Caller, database string) bool {
	d, _ := LiveDatabase(w, database)
	return access.May(w, caller, d, access.Query)
}

// Queryable returns an error if a caller may not query a database.
func Queryable(w *world.State, caller world.Caller, name string) error {
	database, err := LiveDatabase(w, name)
	if err == nil && !access.May(w, caller, database, access.Query) {
		err = op.Forbidden("the permissions of user %d do not include %s on database %s", caller.User.ID, access.Query,
			name)
	}
	return err
}
