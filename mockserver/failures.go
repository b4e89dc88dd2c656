package mockserver

import (
	"time"

	"svc.example/understudy/mockserver/internal/table"
)

// IngestionFailure is an event that was answered with 200 and then dropped: its key belongs to no user or may not
// import into the database, or the database or the table does not exist. The platform does not report it to the sender.
type IngestionFailure struct {
	At       time.Time
	Database string
	Table    string
	Reason   string
}

// IngestionFailures are the events that the world has dropped, oldest first; the last thousand of them.
func (w *World) IngestionFailures() []IngestionFailure {
	kept := w.live.Read().Ingestion.Failures
	failures := make([]IngestionFailure, 0, table.Len(&kept))
	for _, f := range table.All(&kept) {
		failures = append(failures, IngestionFailure(f))
	}
	return failures
}
