package data

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"github.com/vmihailenco/msgpack/v5"

	"svc.example/understudy/mockserver/internal/core/access"
	"svc.example/understudy/mockserver/internal/core/wire"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/rows"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

// bulkImportForm is a BulkImport.
type bulkImportForm struct {
	Name         string                 `json:"name"`
	Database     string                 `json:"database"`
	Table        string                 `json:"table"`
	Status       world.BulkImportStatus `json:"status"`
	Frozen       bool                   `json:"upload_frozen"`
	JobID        *string                `json:"job_id"`
	ValidRecords int64                  `json:"valid_records"`
	ErrorRecords int64                  `json:"error_records"`
	ValidParts   int64                  `json:"valid_parts"`
	ErrorParts   int64                  `json:"error_parts"`
}

func bulkImportView(w *world.State, b world.BulkImport) bulkImportForm {
	form := bulkImportForm{
		Name: b.Name, Database: b.Database, Table: b.Table, Status: bulkStatus(w, b), Frozen: b.Frozen,
		ValidRecords: b.ValidRecords, ErrorRecords: b.ErrorRecords, ValidParts: b.ValidParts, ErrorParts: b.ErrorParts,
	}
	if b.Job != 0 {
		form.JobID = new(op.IDText(b.Job))
	}
	return form
}

// bulkStatus returns the status of a bulk import. One whose job has failed, or was killed, has the status from before
// the job.
func bulkStatus(w *world.State, b world.BulkImport) world.BulkImportStatus {
	job, _ := w.Core.Jobs.Get(b.Job)
	if b.Status == world.BulkPerforming && job.Status.Finished() {
		return world.BulkUploading
	}
	return b.Status
}

// BulkImportReference names a bulk import in the answers of the operations that change one. Clients read its name under
// either key.
type BulkImportReference struct {
	Name       string `json:"name"`
	BulkImport string `json:"bulk_import"`
	JobID      int64  `json:"job_id,omitzero"` // an integer, where the bulk import itself has it as text (client)
}

// ReferToBulkImport answers with the name of a bulk import.
func ReferToBulkImport(b world.BulkImport) (op.Reply, error) {
	return op.OK(BulkImportReference{Name: b.Name, BulkImport: b.Name})
}

// ListBulkImports lists the bulk imports of the account. All users see them (assumed).
func ListBulkImports(c *op.Call) (op.Reply, error) {
	list := []bulkImportForm{}
	for _, b := range table.All(&c.World.Core.BulkImports) {
		list = append(list, bulkImportView(c.World, b))
	}
	return op.OK(map[string]any{"bulk_imports": list})
}

// CreateBulkImport creates a bulk import without parts.
var CreateBulkImport = op.OnTwo(tableFor(access.Import), func(
	c *op.Call, d world.Database, t world.Table,
) (op.Reply, error) {
	name := c.Param("name")
	if other, taken := c.World.Core.BulkImportNames.Get(name); taken {
		return op.Reply{}, op.Conflict("bulk import %d already has the name %s", other, name)
	}
	b := world.BulkImport{
		ID: c.World.NewID("core.bulk_import"), Name: name, Database: d.Name, Table: t.Name, User: c.Caller.User.ID,
		Status: world.BulkUploading, CreatedAt: c.Now,
	}
	c.World.Core.BulkImports.Put(b.ID, b)
	c.World.Core.BulkImportNames.Put(b.Name, b.ID)
	return ReferToBulkImport(b)
})

// GetBulkImport returns a bulk import.
var GetBulkImport = op.On(bulkImportFromPath, func(c *op.Call, b world.BulkImport) (op.Reply, error) {
	return op.OK(bulkImportView(c.World, b))
})

// DeleteBulkImport deletes a bulk import with its parts, and cancels its commit.
var DeleteBulkImport = op.On(ownBulkImport, func(c *op.Call, b world.BulkImport) (op.Reply, error) {
	if b.Status == world.BulkCommitting {
		c.World.Cancel(world.DueEvent{At: b.CommitAt, Kind: world.BulkImportEvent, ID: b.ID})
	}
	table.Delete(&c.World.Core.BulkImports, b.ID)
	c.World.Core.BulkImportNames.Delete(b.Name)
	return ReferToBulkImport(b)
})

func bulkImportFromPath(c *op.Call) (world.BulkImport, error) {
	return op.ByName("bulk import", c.Param("name"), c.World.Core.BulkImportNames.Get, c.World.Core.BulkImports.Get)
}

// ownBulkImport returns the bulk import of the path if the caller created it or is an administrator (assumed).
func ownBulkImport(c *op.Call) (world.BulkImport, error) {
	b, err := bulkImportFromPath(c)
	if err == nil && b.User != c.Caller.User.ID && !c.Caller.Administers() {
		err = op.Forbidden("bulk import %s belongs to another user: only administrators may do this", b.Name)
	}
	return b, err
}

// BulkImportIn returns a bulk import that the caller may change and that has one of the given statuses.
func BulkImportIn(statuses ...world.BulkImportStatus) func(*op.Call) (world.BulkImport, error) {
	return func(c *op.Call) (world.BulkImport, error) {
		b, err := ownBulkImport(c)
		if err != nil {
			return b, err
		}
		if b.Status = bulkStatus(c.World, b); !slices.Contains(statuses, b.Status) {
			return b, op.Unprocessable("", "bulk import %s is %s; want one that is %s", b.Name, b.Status, statuses[0])
		}
		return b, nil
	}
}

// BulkImportPending reports the progress of a bulk import: first of its job, then of its commit.
var BulkImportPending = op.PendingOn(bulkImportFromPath, func(
	c *op.Call, b world.BulkImport,
) (string, time.Time, bool) {
	job, _ := c.World.Core.Jobs.Get(b.Job)
	switch status := bulkStatus(c.World, b); status {
	case world.BulkPerforming:
		return string(status) + " " + string(job.Status), job.StepAt, true
	case world.BulkCommitting:
		return string(status), b.CommitAt, true
	default:
		return string(status), time.Time{}, false
	}
})

// ListBulkImportParts lists the names of the parts of a bulk import.
var ListBulkImportParts = op.On(bulkImportFromPath, func(_ *op.Call, b world.BulkImport) (op.Reply, error) {
	parts := []string{}
	for _, part := range b.Parts {
		parts = append(parts, part.Name)
	}
	return op.OK(map[string]any{"name": b.Name, "bulk_import": b.Name, "parts": parts})
})

// UploadBulkImportPart adds a part, or replaces the one of the same name, so that a client may repeat an upload
// (assumed).
var UploadBulkImportPart = op.On(openBulkImport, func(c *op.Call, b world.BulkImport) (op.Reply, error) {
	if len(c.Raw) == 0 {
		return op.Reply{}, op.Invalid("", "the request has no body; want rows in msgpack.gz")
	}
	part := world.BulkPart{Name: c.Param("part_name"), Body: bytes.Clone(c.Raw)}
	b.Parts = slices.Clone(b.Parts)
	if at := partNamed(b, part.Name); at >= 0 {
		b.Parts[at] = part
	} else {
		b.Parts = append(b.Parts, part)
	}
	c.World.Core.BulkImports.Put(b.ID, b)
	return ReferToBulkImport(b)
})

func partNamed(b world.BulkImport, name string) int {
	return slices.IndexFunc(b.Parts, func(p world.BulkPart) bool { return p.Name == name })
}

// DeleteBulkImportPart removes a part of a bulk import.
var DeleteBulkImportPart = op.On(openBulkImport, func(c *op.Call, b world.BulkImport) (op.Reply, error) {
	at := partNamed(b, c.Param("part_name"))
	if at < 0 {
		return op.Reply{}, op.NotFound("part", "name", c.Param("part_name"))
	}
	b.Parts = slices.Delete(slices.Clone(b.Parts), at, at+1)
	c.World.Core.BulkImports.Put(b.ID, b)
	return ReferToBulkImport(b)
})

// openBulkImport returns a bulk import that accepts parts.
func openBulkImport(c *op.Call) (world.BulkImport, error) {
	b, err := BulkImportIn(world.BulkUploading)(c)
	if err == nil && b.Frozen {
		err = op.Unprocessable("", "bulk import %s is frozen: unfreeze it first", b.Name)
	}
	return b, err
}

// FreezeBulkImport ends the upload of parts, whatever the status of the bulk import. A frozen one stays frozen.
var FreezeBulkImport = op.On(ownBulkImport, func(c *op.Call, b world.BulkImport) (op.Reply, error) {
	b.Frozen = true
	c.World.Core.BulkImports.Put(b.ID, b)
	return ReferToBulkImport(b)
})

// UnfreezeBulkImport allows the upload of parts again, after which a job must read them again.
var UnfreezeBulkImport = op.On(BulkImportIn(world.BulkUploading, world.BulkReady), func(
	c *op.Call, b world.BulkImport,
) (op.Reply, error) {
	b.Frozen, b.Status = false, world.BulkUploading
	c.World.Core.BulkImports.Put(b.ID, b)
	return ReferToBulkImport(b)
})

// wrongRecord is the place and the error of a wrong row (assumed): a row that cannot be read cannot be shown.
type wrongRecord struct {
	Part  string `msgpack:"part"`
	Row   int    `msgpack:"row"`
	Error string `msgpack:"error"`
}

// maxWrongRecords is the largest number of wrong rows that a bulk import keeps for inspection.
const maxWrongRecords = 10_000

// CountRows counts the good and the wrong rows of a bulk import. A part that cannot be read to its end has no good
// rows.
func CountRows(b world.BulkImport) (world.BulkImport, error) {
	b.ValidRecords, b.ErrorRecords, b.ValidParts, b.ErrorParts = 0, 0, 0, 0
	var wrong []wrongRecord
	for _, part := range b.Parts {
		good, last := int64(0), 0
		err := readPart(part, func(row rows.Row, err error) error {
			if last = row.Number; err == nil {
				good++
				return nil
			}
			b.ErrorRecords++
			wrong = append(wrong, wrongRecord{part.Name, row.Number, err.Error()})
			return nil
		})
		if err != nil {
			b.ErrorParts++
			wrong = append(wrong, wrongRecord{part.Name, last + 1, err.Error()})
			continue
		}
		b.ValidParts++
		b.ValidRecords += good
	}
	var stream bytes.Buffer
	encoder := msgpack.NewEncoder(&stream)
	for _, record := range wrong[:min(len(wrong), maxWrongRecords)] {
		if err := encoder.Encode(record); err != nil {
			return b, err
		}
	}
	packed, err := wire.Gzip(stream.Bytes())
	b.Wrong = packed
	return b, err
}

// LoadRows loads the good rows of every readable part into the table.
func LoadRows(w *world.State, b world.BulkImport, now time.Time) error {
	t, err := LiveTable(w, b.Database, b.Table)
	if err != nil {
		return err
	}
	l := newLoading(&w.Core, t, now)
	for _, part := range b.Parts {
		if readPart(part, func(rows.Row, error) error { return nil }) != nil {
			continue
		}
		err := readPart(part, func(row rows.Row, err error) error {
			if err != nil {
				return nil //nolint:nilerr // it was counted as wrong
			}
			return l.add(row, nil)
		})
		if err != nil {
			return err
		}
	}
	return l.finish()
}

// readPart reads a part. Every row of a bulk import must have a time.
func readPart(part world.BulkPart, take func(rows.Row, error) error) error {
	return rows.Read("msgpack.gz", part.Body, false, func(row rows.Row, err error) error {
		if err == nil && !row.Timed {
			err = fmt.Errorf("row %d: has no time, in Unix seconds", row.Number)
		}
		return take(row, err)
	})
}

// EndBulkImportCommit loads the good rows into the table. If that fails, because the table is gone for instance, the
// bulk import stays ready.
func EndBulkImportCommit(w *world.State, e world.DueEvent) {
	b, ok := w.Core.BulkImports.Get(e.ID)
	if !ok || !b.CommitAt.Equal(e.At) {
		return
	}
	b.CommitAt, b.Status = time.Time{}, world.BulkReady
	trial := *w
	if LoadRows(&trial, b, e.At) == nil {
		*w = trial
		b.Status, b.Parts = world.BulkCommitted, nil
	}
	w.Core.BulkImports.Put(b.ID, b)
}

// GetBulkImportErrorRecords returns the wrong rows that the last job found, or none before the first job.
var GetBulkImportErrorRecords = op.On(bulkImportFromPath, func(_ *op.Call, b world.BulkImport) (op.Reply, error) {
	var err error
	if b.Wrong == nil {
		b.Wrong, err = wire.Gzip(nil)
	}
	return op.Reply{Bytes: b.Wrong, Type: "application/octet-stream"}, err
})
