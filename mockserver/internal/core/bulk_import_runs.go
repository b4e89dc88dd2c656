package core

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/vmihailenco/msgpack/v5"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/rows"
	"svc.example/understudy/mockserver/internal/world"
)

// bulkImportJob is the type of the job that reads the parts of a bulk import (client).
const bulkImportJob = "bulk_import_perform"

// performBulkImport issues the job that reads the parts.
func performBulkImport(c *op.Call) (op.Reply, error) {
	b, err := bulkImportIn(c, world.BulkUploading, world.BulkReady)
	switch {
	case err != nil:
		return op.Reply{}, err
	case !b.Frozen:
		return op.Reply{}, op.Unprocessable("", "bulk import %s takes parts still: freeze it first", b.Name)
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
		Type: bulkImportJob, Database: b.Database, Table: b.Table, User: c.Caller.User.ID, BulkImport: b.ID,
	}
	set(&job.Priority, body.Priority)
	set(&job.Pool, body.Pool)
	if job, err = issue(c.World, job, c.Now); err != nil {
		return op.Reply{}, err
	}
	b.Status, b.Job = world.BulkPerforming, job.ID
	c.World.Core.BulkImports.Put(b.ID, b)
	return op.OK(bulkImportReference{Name: b.Name, BulkImport: b.Name, JobID: op.IDText(job.ID)})
}

// readParts ends the job of a bulk import: good and wrong rows are counted. That they fit into the table is
// found out by loading them into a copy of the world.
func readParts(w *world.World, job *world.Job) error {
	b, ok := w.Core.BulkImports.Get(job.BulkImport)
	if !ok || b.Job != job.ID {
		return errors.New("the bulk import is gone")
	}
	b, err := counted(b)
	if err != nil {
		return err
	}
	trial := *w
	if err := load(&trial, b, job.UpdatedAt); err != nil {
		return err
	}
	b.Status = world.BulkReady
	w.Core.BulkImports.Put(b.ID, b)
	job.RecordsInserted = b.ValidRecords
	job.Cmdout += fmt.Sprintf("valid records: %d\nerror records: %d\n", b.ValidRecords, b.ErrorRecords)
	return nil
}

// wrongRecord is a row that was found wrong, by its place (assumed): what cannot be read cannot be shown.
type wrongRecord struct {
	Part  string `msgpack:"part"`
	Row   int    `msgpack:"row"`
	Error string `msgpack:"error"`
}

// maxWrongRecords is how many wrong rows of a bulk import can be looked at.
const maxWrongRecords = 10_000

// counted counts the good and the wrong rows of a bulk import. A part that cannot be read to its end has no good rows.
func counted(b world.BulkImport) (world.BulkImport, error) {
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
	packed, err := compressed(stream.Bytes())
	b.Wrong = packed
	return b, err
}

// load puts the good rows of all parts that can be read into the table.
func load(w *world.World, b world.BulkImport, now time.Time) error {
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
			return l.take(row, nil)
		})
		if err != nil {
			return err
		}
	}
	return l.end()
}

// readPart reads a part. A row of a bulk import has a time of its own.
func readPart(part world.BulkPart, take func(rows.Row, error) error) error {
	return rows.Read("msgpack.gz", part.Body, false, func(row rows.Row, err error) error {
		if err == nil && !row.Timed {
			err = fmt.Errorf("row %d: has no time, in Unix seconds", row.Number)
		}
		return take(row, err)
	})
}

// commitBulkImport has the good rows put into the table, as soon as a job would begin.
func commitBulkImport(c *op.Call) (op.Reply, error) {
	b, err := bulkImportIn(c, world.BulkReady)
	if err != nil {
		return op.Reply{}, err
	}
	if _, err := LiveTable(c.World, b.Database, b.Table); err != nil {
		return op.Reply{}, err
	}
	b.Status = world.BulkCommitting
	b.CommitAt = c.Now.Add(cmp.Or(c.World.Core.JobTime.Queued, queuedTime)).UTC().Round(0)
	c.World.Core.BulkImports.Put(b.ID, b)
	c.World.Plan(world.Event{At: b.CommitAt, Kind: world.BulkImportEvent, ID: b.ID})
	return referToBulkImport(b)
}

// endCommit puts the good rows into the table. Where that is gone by now, the bulk import stays ready.
func endCommit(w *world.World, e world.Event) {
	b, ok := w.Core.BulkImports.Get(e.ID)
	if !ok || !b.CommitAt.Equal(e.At) {
		return
	}
	b.CommitAt, b.Status = time.Time{}, world.BulkReady
	trial := *w
	if load(&trial, b, e.At) == nil {
		*w = trial
		b.Status, b.Parts = world.BulkCommitted, nil
	}
	w.Core.BulkImports.Put(b.ID, b)
}

// getBulkImportErrorRecords gives the wrong rows that the last job has found: none before there was one.
func getBulkImportErrorRecords(c *op.Call) (op.Reply, error) {
	b, err := calledBulkImport(c)
	if err != nil {
		return op.Reply{}, err
	}
	if b.Wrong == nil {
		b.Wrong, err = compressed(nil)
	}
	return op.Reply{Bytes: b.Wrong, Type: "application/octet-stream"}, err
}
