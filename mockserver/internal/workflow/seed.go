package workflow

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver/internal/dig"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/seed"
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
	poolErrs := seedPools(w, f.Pools, f.PoolRules, now)
	lost, projects := seedProjects(w, f.Projects, now)
	err := errors.Join(limits, poolErrs, projects, seedOutcomes(w, f.Outcomes, lost))
	ofLost := func(a fixtures.Attempt) bool { return lost[a.Project] }
	if limits == nil && poolErrs == nil && !slices.ContainsFunc(f.Attempts, ofLost) {
		err = errors.Join(err, seedAttempts(w, f.Attempts, now))
	}
	if err != nil {
		return err
	}
	for _, s := range table.All(&w.Workflow.Schedules) {
		seedSlot(w, s, now)
	}
	return seedNextRuns(w, f.Projects, now)
}

func seedLimits(w *world.State, f fixtures.Workflow) error {
	if f.AccountLimit < 0 {
		return fixtures.At(fmt.Errorf("%d: want 1 or more", f.AccountLimit), "accountLimit", "workflow", "accountLimit")
	}
	w.Workflow.AccountLimit = cmp.Or(f.AccountLimit, defaultAccountLimit)
	w.Workflow.TaskTime = cmp.Or(time.Duration(f.TaskTime), engine.DefaultTaskTime)
	return nil
}

// projectSeeding makes the projects of a fixture.
type projectSeeding struct {
	seed.Context
	now   time.Time
	owner int64 // the user who has uploaded what the fixture leaves open
}

// seedProjects returns the names of the projects that cannot be made, and why.
func seedProjects(w *world.State, projects []fixtures.Project, now time.Time) (lost map[string]bool, _ error) {
	s := &projectSeeding{Context: seed.Context{World: w, Part: "workflow"}, now: now}
	for id, user := range table.All(&w.Account.Users) {
		if s.owner == 0 || user.Role == world.Owner {
			s.owner = id
		}
	}
	left := map[string]int{} // how many are to come, by name
	for _, p := range projects {
		left[p.Name]++
	}
	lost = map[string]bool{}
	for i, p := range projects {
		err := s.project(p)
		left[p.Name]--
		switch {
		case err != nil:
		case p.DeletedAt != "":
			err = seedDeletion(w, p, now)
		case left[p.Name] > 0:
			err = errors.New("is given twice: a name can only be used again after a project with deletedAt")
		}
		if err != nil {
			lost[p.Name] = true
			s.Check(err, "project "+p.Name, "projects", i)
		}
	}
	return lost, s.Err()
}

// project uploads the revisions, at their times, and lets no schedule run yet.
func (s *projectSeeding) project(f fixtures.Project) error {
	if len(f.Revisions) == 0 {
		return errors.New("has no revisions: want one or more, oldest first")
	}
	w, now := s.World, s.now
	var p world.Project
	for i, r := range f.Revisions {
		at, err := seedInstant(r.CreatedAt, p.UpdatedAt, now)
		if err == nil {
			err = w.WithID("workflow.project", int64(f.ID), func() (err error) {
				p, err = s.revision(f, r, at)
				return err
			})
		}
		if err != nil {
			return fixtures.At(err, "revision "+r.Name, "revisions", i)
		}
	}
	if err := seedProjectTimes(&p, f, now); err != nil {
		return err
	}
	for i, key := range f.Secrets {
		if err := dig.CheckSecretKey(key); err != nil {
			return fixtures.At(err, "secret "+key, "secrets", i)
		}
	}
	p.Secrets = slices.Clone(f.Secrets)
	w.Workflow.Projects.Put(p.ID, p)
	return seedSchedules(w, p, f, now)
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

// setInstant sets a moment of the past, if the fixture gives it. The path leads to the member, which comes last.
func setInstant(at *time.Time, given fixtures.Instant, now time.Time, path ...any) (err error) {
	if given != "" {
		*at, err = seedInstant(given, time.Time{}, now)
	}
	return fixtures.At(err, fmt.Sprint(path[len(path)-1]), path...)
}

func (s *projectSeeding) revision(p fixtures.Project, f fixtures.Revision, at time.Time) (world.Project, error) {
	revision := Files{Project: p.Name, Revision: f.Name, Files: f.Files, User: s.owner}
	if f.User != "" {
		user, err := s.User(f.User)
		if err != nil {
			return world.Project{}, err
		}
		revision.User = user.ID
	}
	u, err := revision.upload()
	if err != nil {
		return world.Project{}, err
	}
	u.ids, u.scheduleIDs = map[string]int64{}, map[string]int64{}
	for name, id := range f.WorkflowIDs {
		u.ids[name] = int64(id)
	}
	for _, s := range p.Schedules {
		u.scheduleIDs[s.Workflow] = int64(s.ID)
	}
	made, err := u.run(s.World, at)
	if err != nil {
		err = cmp.Or(brokenFiles(f.Files), err)
	}
	return made, err
}

// seedProjectTimes sets the times of a project that do not follow from its revisions.
func seedProjectTimes(p *world.Project, f fixtures.Project, now time.Time) error {
	if f.CreatedAt != "" {
		at, err := seedInstant(f.CreatedAt, time.Time{}, now)
		if err == nil && at.After(p.CreatedAt) {
			err = fmt.Errorf("%s: want a time that is not after the first revision", f.CreatedAt)
		}
		if err != nil {
			return fixtures.At(err, "createdAt", "createdAt")
		}
		p.CreatedAt = at
	}
	if f.UpdatedAt != "" {
		at, err := seedInstant(f.UpdatedAt, p.UpdatedAt, now)
		if err != nil {
			return fixtures.At(err, "updatedAt", "updatedAt")
		}
		p.UpdatedAt = at
	}
	return nil
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

// seedPools makes a fixture's pools and rules through the rules of the interface.
func seedPools(w *world.State, pools []fixtures.Pool, rules []fixtures.PoolRule, now time.Time) error {
	seedDefaultPool(w, pools)
	var errs []error
	for i, p := range pools {
		if p.Name == defaultPoolName {
			continue
		}
		err := w.WithID("workflow.pool", int64(p.ID), func() error {
			body := map[string]any{"name": p.Name, "concurrencyLimit": p.ConcurrencyLimit}
			return callHandler(w, createPool, body, now)
		})
		errs = append(errs, fixtures.At(err, "pool "+p.Name, "workflow", "pools", i))
	}
	for i, r := range rules {
		p, ok := w.Workflow.PoolNamed(r.Pool)
		err := fmt.Errorf("pool %q not found", r.Pool)
		if ok {
			body := map[string]any{"priority": r.Priority, "poolId": p.ID, "conditions": r.Conditions}
			err = w.WithID(poolRules.IDs, int64(r.ID), func() error { return callHandler(w, createPoolRule, body, now) })
		}
		errs = append(errs, fixtures.At(err, fmt.Sprintf("pool rule with priority %d", r.Priority), "workflow", "poolRules",
			i))
	}
	return errors.Join(errs...)
}

// seedDefaultPool makes the default pool with the id that a fixture gives it.
func seedDefaultPool(w *world.State, pools []fixtures.Pool) {
	id := int64(1)
	for _, p := range pools {
		if p.ID == 1 && p.Name != defaultPoolName {
			id = 0
		}
	}
	for _, p := range pools {
		if p.Name == defaultPoolName {
			id = int64(p.ID)
		}
	}
	_ = w.WithID("workflow.pool", id, func() error {
		ensureDefaultPool(w)
		return nil
	})
}

func callHandler(w *world.State, handler op.Handler, body any, now time.Time) error {
	text, err := json.Marshal(body)
	if err == nil {
		_, err = handler(&op.Call{World: w, Body: text, Now: now})
	}
	return err
}

// outcomes bring an attempt to its status. Attempts that wait need none, they depend on others.
func (p *seededAttempt) outcomes(plan []dig.Task) ([]world.Outcome, error) {
	takes, usual := cmp.Or(time.Duration(p.Takes), p.share), world.Outcome{Takes: p.share}
	switch engine.Status(p.Status) {
	case engine.Success, engine.Killed:
		return []world.Outcome{{Task: p.Task, Takes: takes}, usual}, nil
	case engine.Failed:
		task, message := cmp.Or(p.Task, lastTaskName(plan)), cmp.Or(p.Error, "the task failed")
		return []world.Outcome{{Task: task, Takes: takes, Error: message}, usual}, nil
	case engine.Running, engine.Canceling:
		takes = cmp.Or(takes, 12*time.Hour)
		return []world.Outcome{{Task: p.Task, Takes: takes, Error: p.Error, Times: 1}}, nil
	case engine.Queued, engine.Blocked:
		return nil, nil
	}
	return nil, fmt.Errorf("status %q: want success, error, killed, running, canceling, queued or blocked", p.Status)
}

func lastTaskName(plan []dig.Task) string {
	for _, t := range slices.Backward(plan) {
		if !t.Group {
			return t.Name
		}
	}
	return ""
}

func (s *seeding) checkStatuses() error {
	var errs []error
	for _, p := range s.attempts {
		a, _ := s.w.Workflow.Attempts.Get(p.id)
		if got := engine.StatusOf(a); string(got) != p.Status {
			errs = append(errs, p.wrap(fmt.Errorf("it should be %s, but is %s: %s", p.Status, got, statusHint(p, got))))
		}
	}
	return errors.Join(errs...)
}

func statusHint(p seededAttempt, got engine.Status) string {
	switch want := engine.Status(p.Status); {
	case want == engine.Queued:
		return "its pool has free slots; fill it with running attempts of this list, or lower its limit"
	case want == engine.Blocked:
		return "set after to the index of an attempt that has not ended yet"
	case got == engine.Queued || got == engine.Blocked:
		return "it waits for others; raise the limit of its pool, or drop its after"
	case got == engine.Running:
		return "its tasks need more time; set createdAt earlier, or taskTime lower"
	case want == engine.Running || want == engine.Canceling:
		return "its tasks have ended; set createdAt later, takes higher, or task to one that runs"
	}
	return "check its tasks: fail> always fails, and task must be the end of a task's full name"
}
