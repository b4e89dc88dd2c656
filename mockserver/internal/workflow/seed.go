package workflow

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver/internal/dig"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/workflow/engine"
	"svc.example/understudy/mockserver/internal/world"
)

const (
	defaultAccountLimit = 100
)

// Seed creates the resources that a fixture describes, through the handlers of requests. The world's clock stands at
// its beginning: what the fixture puts before that has happened, and schedules run from then on. Errors name what
// cannot be made, all of it; attempts are not played when what they need was not made.
func Seed(w *world.State, f fixtures.Workflow) error {
	now := w.Now()
	limits := seedLimits(w, f)
	pools := seedPools(w, f.Pools, f.PoolRules, now)
	lost, projects := seedProjects(w, f.Projects, now)
	err := errors.Join(limits, pools, projects, seedOutcomes(w, f.Outcomes, lost))
	ofLost := func(a fixtures.Attempt) bool { return slices.Contains(lost, a.Project) }
	if limits == nil && pools == nil && !slices.ContainsFunc(f.Attempts, ofLost) {
		err = errors.Join(err, seedAttempts(w, f.Attempts, now))
	}
	if err != nil {
		return err
	}
	for _, s := range table.All(&w.Workflow.Schedules) {
		seedSlot(w, s, now)
	}
	return nil
}

func seedLimits(w *world.State, f fixtures.Workflow) error {
	if f.AccountLimit < 0 {
		return fixtures.At(fmt.Errorf("%d: want 1 or more", f.AccountLimit), "accountLimit", "workflow", "accountLimit")
	}
	w.Workflow.AccountLimit = cmp.Or(f.AccountLimit, defaultAccountLimit)
	w.Workflow.TaskTime = cmp.Or(time.Duration(f.TaskTime), engine.DefaultTaskTime)
	return nil
}

// seedProjects returns the names of the projects that cannot be made, and why.
func seedProjects(w *world.State, projects []fixtures.Project, now time.Time) (lost []string, all error) {
	for i, p := range projects {
		err := seedProject(w, p, now)
		again := slices.ContainsFunc(projects[i+1:], func(o fixtures.Project) bool { return o.Name == p.Name })
		switch {
		case err != nil:
		case p.DeletedAt != "":
			err = seedDeletion(w, p, now)
		case again:
			err = errors.New("is given twice: a name can only be used again after a project with deletedAt")
		}
		if err != nil {
			lost = append(lost, p.Name)
			all = errors.Join(all, fixtures.At(err, "project "+p.Name, "workflow", "projects", i))
		}
	}
	return lost, all
}

// seedProject uploads the revisions, at their times, and lets no schedule run yet.
func seedProject(w *world.State, f fixtures.Project, now time.Time) error {
	if len(f.Revisions) == 0 {
		return errors.New("has no revisions: want one or more, oldest first")
	}
	var p world.Project
	for i, r := range f.Revisions {
		at, err := seedInstant(r.CreatedAt, p.UpdatedAt, now)
		if err == nil {
			p, err = seedRevision(w, f.Name, r, at)
		}
		if err != nil {
			return fixtures.At(err, "revision "+r.Name, "revisions", i)
		}
	}
	for i, key := range f.Secrets {
		if err := dig.CheckSecretKey(key); err != nil {
			return fixtures.At(err, "secret "+key, "secrets", i)
		}
	}
	p.Secrets = slices.Clone(f.Secrets)
	w.Workflow.Projects.Put(p.ID, p)
	for i, name := range f.Disabled {
		if !slices.ContainsFunc(p.Schedules, func(id int64) bool { return scheduleName(w, id) == name }) {
			err := errors.New("the latest revision has no workflow of that name with a schedule")
			return fixtures.At(err, "disabled "+name, "disabled", i)
		}
	}
	for _, id := range p.Schedules {
		s, _ := w.Workflow.Schedules.Get(id)
		w.Cancel(world.DueEvent{At: s.PlannedAt, Kind: world.ScheduleEvent, ID: id})
		s.PlannedAt = time.Time{}
		if slices.Contains(f.Disabled, s.Name) {
			s.DisabledAt = p.UpdatedAt
		}
		w.Workflow.Schedules.Put(id, s)
	}
	return nil
}

func scheduleName(w *world.State, id int64) string {
	s, _ := w.Workflow.Schedules.Get(id)
	return s.Name
}

// seedInstant returns a moment of the past that comes after another one; now when the fixture leaves it open.
func seedInstant(i fixtures.Instant, after, now time.Time) (time.Time, error) {
	if i == "" {
		return now, nil
	}
	at, err := i.At(now)
	if err != nil {
		return at, err
	}
	if at = at.UTC(); at.After(now) || at.Before(after) || at.Year() < 1 {
		return at, fmt.Errorf("%s: want a time before now, and not before the previous one", i)
	}
	return at, nil
}

func seedRevision(w *world.State, project string, f fixtures.Revision, at time.Time) (world.Project, error) {
	revision := Files{Project: project, Revision: f.Name, Files: f.Files}
	for id, user := range table.All(&w.Account.Users) {
		if revision.User == 0 || user.Role == world.Owner {
			revision.User = id
		}
	}
	p, err := revision.Upload(w, at)
	if err != nil {
		err = cmp.Or(brokenFiles(f.Files), err)
	}
	return p, err
}

// brokenFiles returns what is wrong with each workflow that cannot be read even by itself.
func brokenFiles(files map[string]string) error {
	var errs []error
	for _, file := range slices.Sorted(maps.Keys(files)) {
		if !strings.HasSuffix(file, ".dig") || strings.Contains(file, "/") {
			continue
		}
		if _, err := dig.ReadDefinition(file, []byte(files[file])); err != nil {
			errs = append(errs, fixtures.At(err, "the archive is invalid", "files", file))
		}
	}
	return errors.Join(errs...)
}

func seedDeletion(w *world.State, f fixtures.Project, now time.Time) error {
	p, err := projectByName(w, f.Name)
	if err != nil {
		return err
	}
	at, err := seedInstant(f.DeletedAt, p.UpdatedAt, now)
	if err != nil {
		return fixtures.At(err, "deletedAt", "deletedAt")
	}
	removeProject(w, p, at)
	return nil
}

// seedSlot plans a schedule's first run from now on, and takes the one before it for run. One that is disabled stays
// where it was.
func seedSlot(w *world.State, s world.Schedule, now time.Time) {
	d, _ := w.Workflow.Definitions.Get(s.Definition)
	schedule := d.Workflow.Schedule
	if s.DisabledAt.IsZero() {
		next, last := schedule.First(now), schedule.Last(now)
		if !next.IsZero() {
			last = schedule.Last(next.Time.Add(-1))
		}
		if !last.Run.Before(s.CreatedAt) {
			s.LastTime = last.Time.UTC()
		}
		setSlot(&s, next)
	}
	planSchedule(w, s, now)
}
