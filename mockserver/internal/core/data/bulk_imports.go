package data

import (
	"slices"
	"time"

	"svc.example/understudy/mockserver/internal/core/access"
	"svc.example/understudy/mockserver/internal/op"
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
func CreateBulkImport(c *op.Call) (op.Reply, error) {
	d, t, err := tableFor(c, access.Import)
	if err != nil {
		return op.Reply{}, err
	}
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
}

// GetBulkImport returns a bulk import.
func GetBulkImport(c *op.Call) (op.Reply, error) {
	b, err := bulkImportFromPath(c)
	if err != nil {
		return op.Reply{}, err
	}
	return op.OK(bulkImportView(c.World, b))
}

// DeleteBulkImport deletes a bulk import with its parts, and cancels its commit.
func DeleteBulkImport(c *op.Call) (op.Reply, error) {
	b, err := ownBulkImport(c)
	if err != nil {
		return op.Reply{}, err
	}
	if b.Status == world.BulkCommitting {
		c.World.Cancel(world.DueEvent{At: b.CommitAt, Kind: world.BulkImportEvent, ID: b.ID})
	}
	table.Delete(&c.World.Core.BulkImports, b.ID)
	c.World.Core.BulkImportNames.Delete(b.Name)
	return ReferToBulkImport(b)
}

func bulkImportFromPath(c *op.Call) (world.BulkImport, error) {
	id, ok := c.World.Core.BulkImportNames.Get(c.Param("name"))
	if !ok {
		return world.BulkImport{}, op.NotFound("bulk import", "name", c.Param("name"))
	}
	b, _ := c.World.Core.BulkImports.Get(id)
	return b, nil
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
func BulkImportIn(c *op.Call, statuses ...world.BulkImportStatus) (world.BulkImport, error) {
	b, err := ownBulkImport(c)
	if err != nil {
		return b, err
	}
	if b.Status = bulkStatus(c.World, b); !slices.Contains(statuses, b.Status) {
		return b, op.Unprocessable("", "bulk import %s is %s; want one that is %s", b.Name, b.Status, statuses[0])
	}
	return b, nil
}

// BulkImportPending reports the progress of a bulk import: first of its job, then of its commit.
func BulkImportPending(c *op.Call) (string, time.Time, bool) {
	b, err := bulkImportFromPath(c)
	if err != nil {
		return "", time.Time{}, false
	}
	job, _ := c.World.Core.Jobs.Get(b.Job)
	switch status := bulkStatus(c.World, b); status {
	case world.BulkPerforming:
		return string(status) + " " + string(job.Status), job.StepAt, true
	case world.BulkCommitting:
		return string(status), b.CommitAt, true
	default:
		return string(status), time.Time{}, false
	}
}
