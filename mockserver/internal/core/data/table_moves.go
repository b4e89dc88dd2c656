package data

import (
	"slices"
	"strings"

	"svc.example/understudy/mockserver/internal/core/access"
	"svc.example/understudy/mockserver/internal/core/wire"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

// renameTo gives a table another name in its database. If another table has this name, it is a conflict, unless that
// may be overwritten: then it is deleted, as DeleteTable does it.
func renameTo(c *op.Call, d world.Database, t world.Table, name string, overwrite bool) (world.Table, error) {
	if err := CheckName("name", name); err != nil {
		return t, err
	}
	if other, err := LiveTableIn(c.World, d, name); err == nil {
		if !overwrite {
			return t, nameTaken(d, other)
		}
		if err := requireUnprotected(other); err != nil {
			return t, err
		}
		softDelete(c.World, other, c.Now)
	}
	return moveTable(c, t, d, name), nil
}

// RenameTable gives a table another name in its database.
var RenameTable = op.On(DatabaseFor(access.Edit), func(c *op.Call, d world.Database) (op.Reply, error) {
	t, err := LiveTableIn(c.World, d, c.Param("current_table_name"))
	if err != nil {
		return op.Reply{}, err
	}
	name := c.Param("new_table_name")
	if name == t.Name {
		return tableReferenceOf(d, t)
	}
	overwrite, err := c.Flag("overwrite", false)
	if err != nil {
		return op.Reply{}, err
	}
	if t, err = renameTo(c, d, t, name, overwrite); err != nil {
		return op.Reply{}, err
	}
	return tableReferenceOf(d, t)
})

type swappedTables struct {
	Database string `json:"database"`
	Table1   string `json:"table1"`
	Table2   string `json:"table2"`
}

// SwapTables exchanges two tables in everything except their names: records, ids and schemas (assumed).
var SwapTables = op.On(DatabaseFor(access.Edit), func(c *op.Call, d world.Database) (op.Reply, error) {
	one, err := LiveTableIn(c.World, d, c.Param("table_name_1"))
	if err != nil {
		return op.Reply{}, err
	}
	other, err := LiveTableIn(c.World, d, c.Param("table_name_2"))
	if err != nil {
		return op.Reply{}, err
	}
	answer := swappedTables{Database: d.Name, Table1: one.Name, Table2: other.Name}
	one.Name, other.Name = other.Name, one.Name
	one.UpdatedAt, other.UpdatedAt = c.Now, c.Now
	putTable(c.World, one)
	putTable(c.World, other)
	touchDatabase(c.World, d.ID, c.Now)
	return op.OK(answer)
})

// ChangeTableDatabase moves a table to another database. It answers 403 for a target that the caller may not change or
// that has a table of this name, and 404 for an unknown target (client).
var ChangeTableDatabase = op.OnTwo(tableFor(access.Edit), func(
	c *op.Call, _ world.Database, t world.Table,
) (op.Reply, error) {
	var body struct {
		Database *string `json:"dest_database_name"`
	}
	if err := c.Decode(&body); err != nil {
		return op.Reply{}, err
	}
	if body.Database == nil {
		return op.Reply{}, op.Invalid("dest_database_name", "is missing")
	}
	to, err := LiveDatabase(c.World, *body.Database)
	if err != nil {
		return op.Reply{}, err
	}
	if err := RequireRight(c, to, access.Edit); err != nil {
		return op.Reply{}, err
	}
	if other, err := LiveTableIn(c.World, to, t.Name); err == nil {
		return op.Reply{}, wire.Recode(nameTaken(to, other), op.CodeConflict, op.CodeForbidden)
	}
	return tableReferenceOf(to, moveTable(c, t, to, t.Name))
})

// transferRequest is the body of a transfer.
type transferRequest struct {
	Database string `json:"dest_database_name"`
	Table    string `json:"dest_table_name"`
	Key      string `json:"idempotent_key"`
}

type transferredTable struct {
	Database string `json:"database_name"`
	Table    string `json:"table_name"`
}

// TransferTable transfers a table to another account, and removes it from this one for good. A repetition with the same
// idempotent_key gets the first answer.
var TransferTable = op.OnSent(DatabaseFor(access.Edit), func(
	c *op.Call, d world.Database, body transferRequest,
) (op.Reply, error) {
	if err := transferable(c, body); err != nil {
		return op.Reply{}, err
	}
	name := c.Param("table_name")
	key := world.TransferKey{Database: d.ID, Table: name, Key: body.Key}
	if done, ok := c.World.Core.Transfers.Get(key); ok && body.Key != "" {
		return op.OK(transferredTable(done))
	}
	t, err := LiveTableIn(c.World, d, name)
	if err != nil {
		return op.Reply{}, err
	}
	releaseName(c.World, t)
	table.Delete(&c.World.Core.Tables, t.ID)
	c.World.Core.Discard(t.ID)
	touchDatabase(c.World, d.ID, c.Now)
	done := world.Transfer{Database: body.Database, Table: body.Table}
	if body.Key != "" {
		c.World.Core.Transfers.Put(key, done)
	}
	return op.OK(transferredTable(done))
})

// transferable returns why a table cannot go to the target of a request, or nil: the account is not enabled for it
// (documented), the second key belongs to no account, or the other account has no such database (both assumed).
func transferable(c *op.Call, body transferRequest) error {
	if !c.World.Account.Has(world.FeatureTableTransfer) {
		return op.Forbidden("this account is not enabled for the transfer of tables")
	}
	_, key, _ := strings.Cut(c.Header("Secondary-Authorization"), " ")
	partner, ok := partnerOf(c.World, strings.TrimSpace(key))
	if !ok {
		return &op.Error{
			Code: op.CodeUnauthorized, Field: "Secondary-Authorization",
			Message: "want the API key of the account that receives the table",
		}
	}
	if !slices.Contains(partner.Databases, body.Database) {
		return op.NotFound("database of the other account", "name", body.Database)
	}
	return CheckName("dest_table_name", body.Table)
}

func partnerOf(w *world.State, key string) (world.Partner, bool) {
	for _, p := range w.Account.Partners {
		if p.Shows(key) {
			return p, true
		}
	}
	return world.Partner{}, false
}
