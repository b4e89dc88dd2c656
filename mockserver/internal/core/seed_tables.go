package core

import (
	"cmp"
	"fmt"
	"time"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver/internal/core/data"
	"svc.example/understudy/mockserver/internal/world"
)

// seededAge is the age of a database whose age a fixture leaves out.
const seededAge = 30 * 24 * time.Hour

func (s *seeding) database(i int, f fixtures.Database) {
	what := newSubject("database "+f.Name, "databases", i)
	owner := s.user(what, f.Owner)
	created := s.past(what.member("createdAt"), f.CreatedAt, s.now.Add(-seededAge))
	s.plan(what, created, func(at time.Time) error {
		err := s.World.WithID("core.database", int64(f.ID), func() error {
			_, err := data.CreateDatabase(s.Call(at, owner, nil, "database_name", f.Name))
			return err
		})
		if err != nil {
			return err
		}
		d, err := data.LiveDatabase(s.World, f.Name)
		d.DeleteProtected = f.DeleteProtected
		s.World.Core.Databases.Put(d.ID, d)
		s.finish = append(s.finish, func() {
			d, _ := s.World.Core.Databases.Get(d.ID)
			s.set(what, "updatedAt", f.UpdatedAt, &d.UpdatedAt)
			s.World.Core.Databases.Put(d.ID, d)
		})
		return err
	})
	for j, t := range f.Tables {
		s.table(what.member("tables", j), f, t, created)
	}
	if f.DeletedAt != "" {
		s.planDeletion(what, s.past(what.member("deletedAt"), f.DeletedAt, s.now), func(at time.Time) error {
			_, err := data.DeleteDatabase(s.Call(at, owner, nil, "database_name", f.Name))
			return err
		})
	}
}

// table plans a table. Its records are imported at the time of the last one, as far as that fits the table's own life.
func (s *seeding) table(what subject, d fixtures.Database, f fixtures.Table, created time.Time) {
	what.label = fmt.Sprintf("table %s of database %s", f.Name, d.Name)
	what = what.inDatabase(d.Name)
	user := s.user(what, d.Owner)
	path := []string{"database_name", d.Name, "table_name", f.Name}
	created = s.past(what.member("createdAt"), f.CreatedAt, created)
	s.plan(what, created, func(at time.Time) error {
		err := s.World.WithID("core.table", int64(f.ID), func() error {
			_, err := data.CreateTable(s.Call(at, user, optionsOf(f), path...))
			return err
		})
		if err != nil {
			return err
		}
		t, err := s.liveTable(d.Name, f.Name)
		t.DeleteProtected, t.Distribution = f.DeleteProtected, distributionOf(f.Distribution)
		s.World.Core.Tables.Put(t.ID, t)
		s.finish = append(s.finish, func() { s.setTable(what, f, t.ID) })
		return err
	})
	end := s.past(what.member("deletedAt"), f.DeletedAt, s.past(what, d.DeletedAt, time.Time{}))
	if records, last := s.records(what, f.Records.List); len(records) > 0 || f.Count > 0 {
		if last.After(s.now) {
			last = s.now
		}
		if last.Before(created) || !end.IsZero() && !last.Before(end) {
			last = created
		}
		s.plan(what, last, func(at time.Time) error { return s.storeRecords(d.Name, f, records, at) })
	}
	if f.DeletedAt != "" {
		s.planDeletion(what, end, func(at time.Time) error {
			_, err := data.DeleteTable(s.Call(at, user, nil, path...))
			return err
		})
	}
}

// setTable gives a table what does not follow from its records.
func (s *seeding) setTable(what subject, f fixtures.Table, id int64) {
	t, _ := s.World.Core.Tables.Get(id)
	s.set(what, "updatedAt", f.UpdatedAt, &t.UpdatedAt)
	s.set(what, "counterUpdatedAt", f.CounterUpdatedAt, &t.CounterUpdatedAt)
	if f.LastRecordAt != "" {
		t.LastLogAt = s.moment(what.member("lastRecordAt"), f.LastRecordAt, time.Time{}).Unix()
	}
	t.Bytes = cmp.Or(f.StorageSize, t.Bytes)
	s.World.Core.Tables.Put(id, t)
}

func (s *seeding) liveTable(database, name string) (t world.Table, err error) {
	d, err := data.LiveDatabase(s.World, database)
	if err == nil {
		t, err = data.LiveTableIn(s.World, d, name)
	}
	return t, err
}

func optionsOf(f fixtures.Table) map[string]any {
	options := map[string]any{}
	if f.Schema != nil {
		options["schema"] = f.Schema
	}
	if f.Description != "" {
		options["description"] = f.Description
	}
	if f.ExpireDays != 0 {
		options["expire_days"] = f.ExpireDays
	}
	if f.DetectSchema != nil {
		options["detect_schema"] = *f.DetectSchema
	}
	if f.IncludeV != nil {
		options["include_v"] = *f.IncludeV
	}
	return options
}

func distributionOf(f *fixtures.Distribution) *world.Distribution {
	if f == nil {
		return nil
	}
	d := &world.Distribution{Buckets: f.Buckets, Function: f.Function}
	for _, c := range f.Columns {
		d.Columns = append(d.Columns, world.DistributionColumn(c))
	}
	return d
}

// records returns the records in the form that the world stores, and the time of the latest.
func (s *seeding) records(what subject, list []fixtures.Record) (records []world.Record, last time.Time) {
	for _, r := range list {
		at := s.moment(what, r.Time, s.now)
		if at.After(last) {
			last = at
		}
		records = append(records, world.Record{Time: at.Unix(), Values: r.Values})
	}
	return records, last
}

func (s *seeding) storeRecords(database string, f fixtures.Table, records []world.Record, at time.Time) error {
	t, err := s.liveTable(database, f.Name)
	if err != nil {
		return err
	}
	t.CounterUpdatedAt = at
	t = s.World.Core.Store(t, records...)
	t.Count = max(t.Count, f.Count)
	s.World.Core.Tables.Put(t.ID, t)
	return nil
}
