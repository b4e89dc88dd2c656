package data

import (
	"bytes"
	"fmt"
	"time"

	"github.com/vmihailenco/msgpack/v5"

	"svc.example/understudy/mockserver/internal/core/wire"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/rows"
	"svc.example/understudy/mockserver/internal/world"
)

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
func GetBulkImportErrorRecords(c *op.Call) (op.Reply, error) {
	b, err := bulkImportFromPath(c)
	if err != nil {
		return op.Reply{}, err
	}
	if b.Wrong == nil {
		b.Wrong, err = wire.Gzip(nil)
	}
	return op.Reply{Bytes: b.Wrong, Type: "application/octet-stream"}, err
}
