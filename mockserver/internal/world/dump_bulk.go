package world

import (
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/dig"
)

var bulkStatuses = []BulkImportStatus{BulkUploading, BulkPerforming, BulkReady, BulkCommitting, BulkCommitted}

// bulkImports also plans when their rows are in the tables.
func (l *loader) bulkImports(*coreDump) {
	x := &l.w.Core
	for id, b := range x.BulkImports.All() {
		if other, twice := x.BulkImportNames.Get(b.Name); twice {
			l.wrong("bulk import", id, "bulk import %d has the name %s already", other, b.Name)
		}
		x.BulkImportNames.Put(b.Name, id)
		if reason := l.wrongBulkImport(b); reason != "" {
			l.wrong("bulk import", id, "%s", reason)
			continue
		}
		if !b.CommitAt.IsZero() {
			l.w.Plan(Event{At: b.CommitAt, Kind: BulkImportEvent, ID: id})
		}
	}
}

func (l *loader) wrongBulkImport(b BulkImport) string {
	_, user := l.w.Account.Users.Get(b.User)
	job, hasJob := l.w.Core.Jobs.Get(b.Job)
	names := map[string]bool{"": true}
	for _, part := range b.Parts {
		if names[part.Name] {
			return "want parts with a name of their own each"
		}
		names[part.Name] = true
	}
	switch {
	case b.Name == "" || b.Database == "" || b.Table == "":
		return "want a name, a database and a table"
	case !user:
		return fmt.Sprintf("there is no user %d", b.User)
	case !slices.Contains(bulkStatuses, b.Status):
		return fmt.Sprintf("status %q: want one of %v", b.Status, bulkStatuses)
	case b.Job != 0 && (!hasJob || job.BulkImport != b.ID), b.Job == 0 && b.Status != BulkUploading:
		return "want a job that reads its parts, unless it is uploading"
	case (b.Status == BulkCommitting) == b.CommitAt.IsZero():
		return "want commitAt while it is committing, and only then"
	case b.ValidRecords < 0 || b.ErrorRecords < 0 || b.ValidParts < 0 || b.ErrorParts < 0:
		return "want counts of 0 or more"
	}
	return ""
}

// bulkLoads also plans their next runs.
func (l *loader) bulkLoads(*coreDump) {
	x := &l.w.Core
	for id, b := range x.BulkLoads.All() {
		if other, twice := x.BulkLoadNames.Get(b.Name); twice {
			l.wrong("bulk load", id, "bulk load %d has the name %s already", other, b.Name)
		}
		x.BulkLoadNames.Put(b.Name, id)
		if reason := l.wrongBulkLoad(b); reason != "" {
			l.wrong("bulk load", id, "%s", reason)
			continue
		}
		if !b.PlannedAt.IsZero() {
			l.w.Plan(Event{At: b.PlannedAt, Kind: BulkLoadEvent, ID: id})
		}
	}
}

func (l *loader) wrongBulkLoad(b BulkLoad) string {
	_, user := l.w.Account.Users.Get(b.User)
	zone, err := time.LoadLocation(b.Timezone)
	if err != nil {
		return fmt.Sprintf("timezone %q: want the IANA name of one", b.Timezone)
	}
	_, err = dig.NewSchedule("cron", b.Cron, zone)
	config := jsontext.Value(b.Config)
	switch {
	case b.Name == "" || b.Database == "" || b.Table == "":
		return "want a name, a database and a table"
	case !user:
		return fmt.Sprintf("there is no user %d", b.User)
	case !config.IsValid() || config.Kind() != '{':
		return "want a config that is an object"
	case err != nil && !slices.Contains([]string{"", "@hourly", "@daily"}, b.Cron):
		return err.Error()
	case b.Slot.IsZero() != b.PlannedAt.IsZero() || b.Cron == "" && !b.Slot.IsZero():
		return "want slot together with plannedAt, and neither without cron"
	}
	return ""
}
