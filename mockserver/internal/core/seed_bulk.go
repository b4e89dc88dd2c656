package core

import (
	"cmp"
	"errors"
	"time"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver/internal/core/bulkload"
	"svc.example/understudy/mockserver/internal/core/data"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// bulkLoad plans a bulk load session. It runs only from now on.
func (s *seeding) bulkLoad(i int, f fixtures.BulkLoad) {
	what := newSubject("bulk load "+f.Name, "bulkLoads", i).inDatabase(f.Database)
	user := s.user(what, f.User)
	s.plan(what, s.now, func(now time.Time) error {
		body := map[string]any{
			"name": f.Name, "database": f.Database, "table": f.Table, "delay": f.Delay, "config": f.Config,
			"timezone": cmp.Or(f.Timezone, "UTC"),
		}
		if f.Cron != "" {
			body["cron"] = f.Cron
		}
		if f.TimeColumn != "" {
			body["time_column"] = f.TimeColumn
		}
		if _, err := bulkload.CreateBulkLoad(s.Call(now, user, body)); err != nil {
			return err
		}
		id, _ := s.World.Core.BulkLoadNames.Get(f.Name)
		b, _ := s.World.Core.BulkLoads.Get(id)
		s.set(what, "createdAt", f.CreatedAt, &b.CreatedAt)
		b.UpdatedAt = b.CreatedAt
		s.set(what, "updatedAt", f.UpdatedAt, &b.UpdatedAt)
		s.World.Core.BulkLoads.Put(id, b)
		return nil
	})
}

// bulkImport plans a bulk import.
func (s *seeding) bulkImport(i int, f fixtures.BulkImport) {
	what := newSubject("bulk import "+f.Name, "bulkImports", i).inDatabase(f.Database)
	user := s.user(what, f.User)
	s.plan(what, s.past(what.member("createdAt"), f.CreatedAt, s.now), func(at time.Time) error {
		_, err := data.CreateBulkImport(
			s.Call(at, user, nil, "name", f.Name, "database_name", f.Database, "table_name", f.Table))
		return err
	})
	s.finish = append(s.finish, func() {
		id, ok := s.World.Core.BulkImportNames.Get(f.Name)
		if !ok { // it could not be created
			return
		}
		b, _ := s.World.Core.BulkImports.Get(id)
		if _, there := s.World.Core.Jobs.Get(int64(f.Job)); f.Job != 0 && !there {
			s.check(what.member("job"), errors.New("job "+op.IDText(int64(f.Job))+" not found: want the id of a job here"))
		}
		b.Status = cmp.Or(world.BulkImportStatus(f.Status), world.BulkUploading)
		b.Frozen, b.Job = f.Frozen, int64(f.Job)
		b.ValidRecords, b.ErrorRecords = f.ValidRecords, f.ErrorRecords
		b.ValidParts, b.ErrorParts = f.ValidParts, f.ErrorParts
		for _, name := range f.Parts {
			b.Parts = append(b.Parts, world.BulkPart{Name: name})
		}
		s.World.Core.BulkImports.Put(id, b)
	})
}
