package core

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver/internal/core/bulkload"
	"svc.example/understudy/mockserver/internal/core/data"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/seed"
	"svc.example/understudy/mockserver/internal/world"
)

// Seed creates the databases, connections, schedules and jobs that a fixture describes, through the handlers of
// requests, in the order of its times. The account exists already; later moments are planned on the world's clock.
// Errors name what cannot be created.
func Seed(w *world.State, f fixtures.Core) error {
	s := &seeding{Context: seed.Context{World: w, Part: "core"}, now: w.Now(), missing: map[string]bool{}}
	w.Core.JobTime = world.JobTime{Queued: time.Duration(f.JobTime.Queued), Running: time.Duration(f.JobTime.Running)}
	if len(f.Restrictions) > 0 {
		w.Core.Restrictions = f.Restrictions
	}
	s.results = map[fixtures.ID]fixtures.QueuedResult{}
	for _, r := range f.Results {
		s.results[r.Job] = r
	}
	for i, c := range f.Connections {
		s.connection(i, c)
	}
	for i, d := range f.Databases {
		s.database(i, d)
	}
	for i, schedule := range f.Schedules {
		s.schedule(i, schedule)
	}
	for i, job := range f.Jobs {
		s.job(i, job)
	}
	for i, b := range f.BulkLoads {
		s.bulkLoad(i, b)
	}
	for i, b := range f.BulkImports {
		s.bulkImport(i, b)
	}
	s.playSteps()
	for _, finish := range s.finish {
		finish()
	}
	for i, r := range f.Results {
		if _, there := w.Core.Jobs.Get(int64(r.Job)); there {
			continue // it is the result of that job already
		}
		s.check(newSubject(fmt.Sprintf("result %d", i+1), "results", i), seedResult(w, r))
	}
	return s.Err()
}

// seeding collects everything that has happened by now, as steps, and then plays them.
type seeding struct {
	seed.Context
	now     time.Time
	steps   []seedStep
	missing map[string]bool // resources that could not be created
	finish  []func()        // what only can be set when all steps have been played
	results map[fixtures.ID]fixtures.QueuedResult
}

// set sets a moment of the past, if the fixture gives it.
func (s *seeding) set(what subject, member string, given fixtures.Instant, at *time.Time) {
	if given != "" {
		*at = s.past(what.member(member), given, *at)
	}
}

// subject is a resource of a fixture that is being created: its name in errors, and its place.
type subject struct {
	label  string
	path   []any
	parent string // the resource that it is part of; empty for one that stands by itself
}

func newSubject(what string, path ...any) subject {
	return subject{label: what, path: path}
}

// inDatabase returns the subject as a part of a database.
func (s subject) inDatabase(database string) subject {
	s.parent = "database " + database
	return s
}

// member returns the subject for an error about one of its members.
func (s subject) member(member ...any) subject {
	s.path = slices.Concat(s.path, member)
	return s
}

// seedStep is a change of a resource at a time.
type seedStep struct {
	subject subject
	at      time.Time
	do      func(at time.Time) error
	deletes bool
}

func (s *seeding) plan(what subject, at time.Time, do func(at time.Time) error) {
	s.steps = append(s.steps, seedStep{subject: what, at: at, do: do})
}

func (s *seeding) planDeletion(what subject, at time.Time, do func(at time.Time) error) {
	s.steps = append(s.steps, seedStep{subject: what, at: at, do: do, deletes: true})
}

// playSteps runs the steps in the order of their times. Of those at the same time, deletions come first, since they
// free names for others; the rest keeps its planned order. It skips the steps of a resource that has failed, or that is
// part of a database that has failed: the first error suffices.
func (s *seeding) playSteps() {
	slices.SortStableFunc(s.steps, func(a, b seedStep) int {
		if order := a.at.Compare(b.at); order != 0 || a.deletes == b.deletes {
			return order
		}
		if a.deletes {
			return -1
		}
		return 1
	})
	for _, step := range s.steps {
		if !s.missing[step.subject.label] && !s.missing[step.subject.parent] {
			s.check(step.subject, step.do(step.at))
		}
	}
}

func (s *seeding) check(what subject, err error) {
	if err != nil {
		s.Check(err, what.label, what.path...)
		s.missing[what.label] = true
	}
}

// past returns a moment up to now, or fallback if the fixture leaves it out.
func (s *seeding) past(what subject, i fixtures.Instant, fallback time.Time) time.Time {
	at, err := s.Past(i, fallback)
	s.check(what, err)
	return at
}

func (s *seeding) moment(what subject, i fixtures.Instant, fallback time.Time) time.Time {
	at, err := s.Moment(i, fallback)
	s.check(what, err)
	return at
}

// user returns the id of the user whom a reference names.
func (s *seeding) user(what subject, ref string) int64 {
	u, err := s.User(ref)
	s.check(what, err)
	return u.ID
}

func (s *seeding) connection(i int, f fixtures.Connection) {
	what := newSubject("connection "+f.Name, "connections", i)
	user := s.user(what, "")
	s.plan(what, time.Time{}, func(time.Time) error { // they have no time, and jobs may refer to them at any
		body := map[string]string{"url": f.URL}
		return s.World.WithID("core.connection", int64(f.ID), func() error {
			_, err := data.CreateConnection(s.Call(s.now, user, body, "connection_name", f.Name))
			return err
		})
	})
}

// bulkLoad plans a bulk load session. It runs only from now on.
func (s *seeding) bulkLoad(i int, f fixtures.BulkLoad) {
	what := newSubject("bulk load "+f.Name, "bulkLoads", i).inDatabase(f.Database)
	user := s.user(what, f.User)
	s.plan(what, s.now, func(now time.Time) error {
		body := map[string]any{
			"name": f.Name, "database": f.Database, "table": f.Table, "delay": f.Delay, "config": f.Config,
			"timezone": cmp.Or(f.Timezone, "UTC"),
		}
		addTexts(body, map[string]string{"cron": f.Cron, "time_column": f.TimeColumn})
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
