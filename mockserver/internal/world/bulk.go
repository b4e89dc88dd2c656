package world

import (
	"encoding/json"
	"time"

	"svc.example/understudy/mockserver/internal/table"
)

// BulkImportStatus is the status of a bulk import, as on the wire.
type BulkImportStatus string

// The statuses. A job takes an import from performing to ready, or back to uploading.
const (
	BulkUploading  BulkImportStatus = "uploading"
	BulkPerforming BulkImportStatus = "performing"
	BulkReady      BulkImportStatus = "ready"
	BulkCommitting BulkImportStatus = "committing"
	BulkCommitted  BulkImportStatus = "committed"
)

// BulkImport is rows that are uploaded in parts, read by a job, and then put into a table together.
type BulkImport struct {
	ID           int64            `json:"id"`
	Name         string           `json:"name"`
	Database     string           `json:"database"`
	Table        string           `json:"table"`
	User         int64            `json:"user"`
	Status       BulkImportStatus `json:"status"`
	Frozen       bool             `json:"frozen,omitempty"`
	Parts        []BulkPart       `json:"parts,omitempty"` // replaced, never changed in place
	Job          int64            `json:"job,omitempty"`   // the last one
	ValidRecords int64            `json:"validRecords,omitempty"`
	ErrorRecords int64            `json:"errorRecords,omitempty"`
	ValidParts   int64            `json:"validParts,omitempty"`
	ErrorParts   int64            `json:"errorParts,omitempty"`
	Wrong        []byte           `json:"wrong,omitempty"` // the wrong rows, as they are answered
	CreatedAt    time.Time        `json:"createdAt"`
	CommitAt     time.Time        `json:"commitAt,omitzero"` // when its rows are in the table, while it is committing
}

// BulkPart is a part of a bulk import, as it was uploaded.
type BulkPart struct {
	Name string `json:"name"`
	Body []byte `json:"body"`
}

// BulkLoad is a named configuration of a load from another place. It runs when its cron text says so; never by itself
// when that is empty.
type BulkLoad struct {
	ID         int64           `json:"id"`
	Name       string          `json:"name"`
	Database   string          `json:"database"`
	Table      string          `json:"table"`
	Cron       string          `json:"cron,omitempty"`
	Timezone   string          `json:"timezone"`
	Delay      int64           `json:"delay,omitempty"` // seconds from a slot to its job
	TimeColumn string          `json:"timeColumn,omitempty"`
	Config     json.RawMessage `json:"config"` // an object, without white space
	User       int64           `json:"user"`
	CreatedAt  time.Time       `json:"createdAt"`
	UpdatedAt  time.Time       `json:"updatedAt"`
	Slot       time.Time       `json:"slot,omitzero"`      // the next one
	PlannedAt  time.Time       `json:"plannedAt,omitzero"` // when its job starts: slot and delay
}

// Imports are the imports with an id of the client's choice, so that a repetition is known for one.
type Imports struct {
	Done table.Table[Import] // the last maxImports, counted from 1
	Last int64               // how many there ever were

	IDs table.Index[ImportKey, int64] // of those done
}

// maxImports is the number of imports that a world remembers: clients repeat one soon, or never.
const maxImports = 10_000

// ImportKey identifies an import that is repeated.
type ImportKey struct {
	Table int64
	ID    string
}

// Import is an import of rows into a table.
type Import struct {
	ID       int64  `json:"id"`
	Table    int64  `json:"table"`
	UniqueID string `json:"uniqueId"`
	MD5      string `json:"md5"` // of the body, in hex digits
}

// Find finds the import into a table with an id of the client's.
func (x *Imports) Find(table int64, uniqueID string) (Import, bool) {
	id, ok := x.IDs.Get(ImportKey{table, uniqueID})
	if !ok {
		return Import{}, false
	}
	return x.Done.Get(id)
}

// Add adds an import, and drops the oldest one when there are too many.
func (x *Imports) Add(i Import) {
	x.Last++
	i.ID = x.Last
	x.put(i)
	if oldest, ok := x.Done.Get(i.ID - maxImports); ok {
		table.Delete(&x.Done, oldest.ID)
		x.IDs.Delete(ImportKey{oldest.Table, oldest.UniqueID})
	}
}

func (x *Imports) put(i Import) {
	x.Done.Put(i.ID, i)
	x.IDs.Put(ImportKey{i.Table, i.UniqueID}, i.ID)
}
