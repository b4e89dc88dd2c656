package workflow

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/workflow/engine"
	"svc.example/understudy/mockserver/internal/world"
)

// seeding plays the attempts of a fixture: each is started, at its time and by the same rules as any other, and
// outcomes of its own bring it to where it must stand now.
type seeding struct {
	w        *world.State
	now      time.Time
	attempts []seededAttempt
	sessions map[seededSession]sessionIDs
}

// seededSession identifies the session of an attempt, as the fixture names it. Time is in Unix seconds.
type seededSession struct {
	project, workflow string
	time              int64
}

type sessionIDs struct {
	id   fixtures.ID
	uuid string
}

type seededAttempt struct {
	fixtures.Attempt
	place     int // in the fixture's list, from 1
	createdAt time.Time
	share     time.Duration // that each task takes, so that the attempt is over by finishedAt; 0: the usual time
	id        int64
}

// seedAttempts plays a fixture's attempts, in the order of their times.
func seedAttempts(w *world.State, list []fixtures.Attempt, now time.Time) error {
	s := &seeding{w: w, now: now, sessions: map[seededSession]sessionIDs{}}
	if err := s.sortByStart(list); err != nil {
		return err
	}
	misspelt := s.checkTasks()
	var errs []error
	for i := range s.attempts {
		p := &s.attempts[i]
		if err := w.WithID("workflow.attempt", int64(p.ID), func() error { return s.play(p) }); err != nil {
			errs = append(errs, p.wrap(err))
		}
	}
	if len(errs) > 0 {
		return errors.Join(misspelt, errors.Join(errs...))
	}
	runUntil(w, now)
	for _, p := range s.attempts {
		if a, _ := w.Workflow.Attempts.Get(p.id); p.Status == string(engine.Canceling) && a.State == world.Running {
			engine.RequestCancel(w, a, now)
		}
	}
	s.dropOutcomes()
	return errors.Join(misspelt, s.checkStatuses(), s.setCourses())
}

func (p seededAttempt) wrap(err error) error {
	what := fmt.Sprintf("attempt %d (%s, %s, %s)", p.place, p.Project, p.Workflow, p.SessionTime)
	return fixtures.At(err, what, "workflow", "attempts", p.place-1)
}

func (s *seeding) sortByStart(list []fixtures.Attempt) error {
	var errs []error
	for i, attempt := range list {
		p := seededAttempt{Attempt: attempt, place: i + 1, createdAt: s.now}
		var err error
		if attempt.CreatedAt != "" {
			p.createdAt, err = attempt.CreatedAt.At(s.now)
		}
		if err == nil && p.createdAt.After(s.now) {
			err = fmt.Errorf("createdAt %s is in the future", attempt.CreatedAt)
		}
		if err != nil {
			errs = append(errs, p.wrap(err))
		}
		if err := p.shareTime(s.w, s.now); err != nil {
			errs = append(errs, p.wrap(err))
		}
		if at, err := p.SessionTime.At(s.now); err == nil {
			of := seededSession{p.Project, p.Workflow, at.Unix()}
			s.sessions[of] = sessionIDs{
				id: cmp.Or(s.sessions[of].id, p.SessionID), uuid: cmp.Or(s.sessions[of].uuid, p.SessionUUID),
			}
		}
		s.attempts = append(s.attempts, p)
	}
	slices.SortStableFunc(s.attempts, func(a, b seededAttempt) int { return a.createdAt.Compare(b.createdAt) })
	return errors.Join(errs...)
}

// checkTasks refuses names of tasks that the workflows do not have. Such an attempt is played without, to see what else
// is wrong.
func (s *seeding) checkTasks() error {
	var errs []error
	for i := range s.attempts {
		p := &s.attempts[i]
		d, err := definitionAt(s.w, p.Project, p.Workflow, p.createdAt)
		if err != nil || p.Task == "" {
			continue // play says so
		}
		if err := checkTask(p.Task, d.Workflow.Tasks); err != nil {
			errs = append(errs, p.wrap(fixtures.At(err, "task "+p.Task, "task")))
			p.Task = ""
		}
	}
	return errors.Join(errs...)
}

func (s *seeding) play(p *seededAttempt) error {
	runUntil(s.w, p.createdAt)
	definition, err := definitionAt(s.w, p.Project, p.Workflow, p.createdAt)
	if err != nil {
		return err
	}
	sessionTime, err := p.SessionTime.At(s.now)
	if err != nil {
		return fmt.Errorf("sessionTime: %w", err)
	}
	after, err := s.predecessor(p)
	if err != nil {
		return err
	}
	var pool world.Pool
	if p.Pool != "" {
		var ok bool
		if pool, ok = poolNamed(s.w, p.Pool, 0); !ok {
			return fmt.Errorf("pool %q not found", p.Pool)
		}
	}
	if err := s.prependOutcomes(p, definition); err != nil {
		return err
	}
	attempt, existing, err := s.start(p, start{
		Definition: definition, Time: sessionTime.UTC().Truncate(time.Second), RetryName: p.RetryAttemptName,
		Params: p.Params, Queue: true, Scheduled: p.Scheduled, After: after, Pool: pool.ID, Index: p.Index, Seeded: true,
	})
	if existing {
		return fmt.Errorf("the session already has an attempt with the retryAttemptName %q", p.RetryAttemptName)
	}
	if p.id = attempt.ID; err == nil && p.Status == string(engine.Killed) && attempt.State != world.Done {
		engine.Kill(s.w, attempt, p.createdAt)
	}
	return err
}

// start starts an attempt, in a session with the ids that any attempt of it gives.
func (s *seeding) start(p *seededAttempt, with start) (attempt world.Attempt, existing bool, err error) {
	session := s.sessions[seededSession{p.Project, p.Workflow, with.Time.Unix()}]
	key := world.SessionKey{Project: with.Definition.Project, Workflow: p.Workflow, Time: with.Time.Unix()}
	id := int64(session.id)
	if _, known := s.w.Workflow.SessionKeys.Get(key); known {
		id = 0
	}
	err = s.w.WithID("workflow.session", id, func() error {
		attempt, existing, err = with.run(s.w, p.createdAt)
		return err
	})
	if row, ok := s.w.Workflow.Sessions.Get(attempt.Session); ok && session.uuid != "" {
		row.UUID = session.uuid
		s.w.Workflow.Sessions.Put(row.ID, row)
	}
	return attempt, existing, err
}

// prependOutcomes puts an attempt's own outcomes before all others. The attempt is to be the next that starts.
func (s *seeding) prependOutcomes(p *seededAttempt, d world.Definition) error {
	bound, err := p.outcomes(d.Workflow.Tasks)
	if err != nil {
		return err
	}
	fork := *s.w
	id := fork.NewID("workflow.attempt")
	for i := range bound {
		bound[i].Attempt = id
	}
	s.dropOutcomes() // so that they stay few while many attempts are played
	s.w.Workflow.Outcomes = world.NewQueue(slices.Concat(bound, s.w.Workflow.Outcomes.List())...)
	return nil
}

// dropOutcomes drops the outcomes for attempts that are done.
func (s *seeding) dropOutcomes() {
	left := slices.DeleteFunc(s.w.Workflow.Outcomes.List(), func(o world.Outcome) bool {
		a, ok := s.w.Workflow.Attempts.Get(o.Attempt)
		return ok && a.State == world.Done
	})
	s.w.Workflow.Outcomes = world.NewQueue(left...)
}

func (s *seeding) predecessor(p *seededAttempt) (int64, error) {
	if p.After == 0 {
		return 0, nil
	}
	for _, before := range s.attempts {
		if before.place == p.After && before.id != 0 {
			return before.id, nil
		}
	}
	return 0, fmt.Errorf("after: %d is not an attempt of this list that starts before", p.After)
}

// definitionAt finds a workflow as it was at a time, in the project's first revision if that was later. The project
// may be one that is deleted by now.
func definitionAt(w *world.State, project, workflow string, at time.Time) (world.Definition, error) {
	id, ok := w.Workflow.ProjectNames.Get(project)
	for candidate, p := range table.All(&w.Workflow.Projects) {
		if !ok && (p.Name == project || op.IDText(candidate) == project) {
			id = candidate
		}
	}
	var revision world.Revision
	for _, r := range table.All(&w.Workflow.Revisions) {
		if r.Project == id && (revision.ID == 0 || !r.CreatedAt.After(at)) {
			revision = r
		}
	}
	if revision.ID == 0 {
		return world.Definition{}, fmt.Errorf("project %q not found", project)
	}
	return definitionIn(w, revision.ID, workflow)
}

// runUntil runs the events that are due by a time.
func runUntil(w *world.State, until time.Time) {
	for {
		event, ok := w.Next()
		if !ok || event.At.After(until) {
			return
		}
		w.Cancel(event)
		switch event.Kind {
		case world.AttemptEvent:
			engine.RunAttempt(w, event)
		case world.ScheduleEvent:
			runSchedule(w, event)
		}
	}
}
