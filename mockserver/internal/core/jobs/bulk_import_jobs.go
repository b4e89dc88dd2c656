package jobs

import (
	"cmp"
	"errors"
	"fmt"

	"svc.example/understudy/mockserver/internal/core/data"
	"svc.example/understudy/mockserver/internal/core/wire"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// BulkImportJob is the type of jobs that read bulk imports (client).
const BulkImportJob = "bulk_import_perform"

// PerformBulkImport issues the job that reads the parts.
func PerformBulkImport(c *op.Call) (op.Reply, error) {
	b, err := data.BulkImportIn(world.BulkUploading, world.BulkReady)(c)
	switch {
	case err != nil:
		return op.Reply{}, err
	case !b.Frozen:
		return op.Reply{}, op.Unprocessable("", "bulk import %s still accepts parts: freeze it first", b.Name)
	case len(b.Parts) == 0:
		return op.Reply{}, op.Unprocessable("", "bulk import %s has no parts", b.Name)
	}
	var body struct {
		Priority *int    `json:"priority"`
		Pool     *string `json:"pool_name"`
	}
	if err := errors.Join(c.Decode(&body), checkRanges(body.Priority, nil)); err != nil {
		return op.Reply{}, err
	}
	job := world.Job{
		Type: BulkImportJob, Database: b.Database, Table: b.Table, User: c.Caller.User.ID, BulkImport: b.ID,
	}
	wire.Set(&job.Priority, body.Priority)
	wire.Set(&job.Pool, body.Pool)
	if job, err = IssueWithin(c.World, job, c.Now); err != nil {
		return op.Reply{}, err
	}
	b.Status, b.Job = world.BulkPerforming, job.ID
	c.World.Core.BulkImports.Put(b.ID, b)
	return op.OK(data.BulkImportReference{Name: b.Name, BulkImport: b.Name, JobID: job.ID})
}

// readParts ends the job of a bulk import: it counts good and wrong rows, and loads them into a copy of the world to
// check that they fit into the table.
func readParts(w *world.State, job *world.Job) error {
	b, ok := w.Core.BulkImports.Get(job.BulkImport)
	if !ok || b.Job != job.ID {
		return errors.New("the bulk import was deleted")
	}
	b, err := data.CountRows(b)
	if err != nil {
		return err
	}
	trial := *w
	if err := data.LoadRows(&trial, b, job.UpdatedAt); err != nil {
		return err
	}
	b.Status = world.BulkReady
	w.Core.BulkImports.Put(b.ID, b)
	job.RecordsInserted = b.ValidRecords
	job.Cmdout += fmt.Sprintf("valid records: %d\nerror records: %d\n", b.ValidRecords, b.ErrorRecords)
	return nil
}

// CommitBulkImport plans the loading of the good rows into the table, for the time at which a job would start.
func CommitBulkImport(c *op.Call) (op.Reply, error) {
	b, err := data.BulkImportIn(world.BulkReady)(c)
	if err != nil {
		return op.Reply{}, err
	}
	if _, err := data.LiveTable(c.World, b.Database, b.Table); err != nil {
		return op.Reply{}, err
	}
	b.Status = world.BulkCommitting
	b.CommitAt = c.Now.Add(cmp.Or(c.World.Core.JobTime.Queued, QueuedTime)).UTC().Round(0)
	c.World.Core.BulkImports.Put(b.ID, b)
	c.World.Plan(world.DueEvent{At: b.CommitAt, Kind: world.BulkImportEvent, ID: b.ID})
	return data.ReferToBulkImport(b)
}
