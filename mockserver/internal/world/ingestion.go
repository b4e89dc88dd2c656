package world

import (
	"time"

	"svc.example/understudy/mockserver/internal/table"
)

// Ingestion is the state of the event ingestion interface. The events themselves are records of tables, in Core.
type Ingestion struct {
	Failures table.Table[IngestionFailure] // the last maxFailures, counted from 1
	Failed   int64                         // how many there ever were
}

const maxFailures = 1000

// IngestionFailure is an event that was answered with 200 and then not stored: what fails after the answer.
type IngestionFailure struct {
	At       time.Time `json:"at"`
	Database string    `json:"database"`
	Table    string    `json:"table"`
	Reason   string    `json:"reason"`
}

// Fail adds a failure, and drops the oldest one when there are too many.
func (x *Ingestion) Fail(f IngestionFailure) {
	x.Failed++
	x.Failures.Put(x.Failed, f)
	table.Delete(&x.Failures, x.Failed-maxFailures)
}
