package data

import (
	"crypto/md5"
	"encoding/hex"
	"strings"

	"svc.example/understudy/mockserver/internal/core/access"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/rows"
	"svc.example/understudy/mockserver/internal/world"
)

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
func ImportTable(c *op.Call) (op.Reply, error) {
	d, t, err := tableFor(c, access.Import)
	if err != nil {
		return op.Reply{}, err
	}
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
	err = rows.Read(c.Param("format"), c.Raw, unpacked, l.add)
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
}

// ImportTarget returns the table that the path names, by database_name and table_name, if the caller may import into
// it.
func ImportTarget(c *op.Call) (world.Table, error) {
	_, t, err := tableFor(c, access.Import)
	return t, err
}
