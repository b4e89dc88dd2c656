package workflow

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver/internal/dig"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/workflow/engine"
	"svc.example/understudy/mockserver/internal/world"
)

// seedPools makes a fixture's pools and rules through the rules of the interface.
func seedPools(w *world.State, pools []fixtures.Pool, rules []fixtures.PoolRule, now time.Time) error {
	ensureDefaultPool(w)
	var errs []error
	for i, p := range pools {
		err := callHandler(w, createPool, p, now)
		errs = append(errs, fixtures.At(err, "pool "+p.Name, "workflow", "pools", i))
	}
	for i, r := range rules {
		p, ok := poolNamed(w, r.Pool, 0)
		err := fmt.Errorf("pool %q not found", r.Pool)
		if ok {
			body := map[string]any{"priority": r.Priority, "poolId": p.ID, "conditions": r.Conditions}
			err = callHandler(w, createPoolRule, body, now)
		}
		errs = append(errs, fixtures.At(err, fmt.Sprintf("pool rule with priority %d", r.Priority), "workflow", "poolRules",
			i))
	}
	return errors.Join(errs...)
}

func callHandler(w *world.State, handler op.Handler, body any, now time.Time) error {
	text, err := json.Marshal(body)
	if err == nil {
		_, err = handler(&op.Call{World: w, Body: text, Now: now})
	}
	return err
}

// seeding plays the attempts of a fixture: each is started, at its time and by the same rules as any other, and
// outcomes of its own bring it to where it must stand now.
type seeding struct {
	w        *world.State
	now      time.Time
	attempts []seededAttempt
}

type seededAttempt struct {
	fixtures.Attempt
	place     int // in the fixture's list, from 1
	createdAt time.Time
	id        int64
}

// seedAttempts plays a fixture's attempts, in the order of their times.
func seedAttempts(w *world.State, list []fixtures.Attempt, now time.Time) error {
	s := &seeding{w: w, now: now}
	if err := s.sortByStart(list); err != nil {
		return err
	}
	misspelt := s.checkTasks()
	var errs []error
	for i := range s.attempts {
		if err := s.play(&s.attempts[i]); err != nil {
			errs = append(errs, s.attempts[i].wrap(err))
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
	w.Workflow.Outcomes = slices.DeleteFunc(slices.Clone(w.Workflow.Outcomes), func(o world.Outcome) bool {
		a, ok := w.Workflow.Attempts.Get(o.Attempt)
		return ok && a.State == world.Done
	})
	return errors.Join(misspelt, s.checkStatuses())
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
	attempt, existing, err := start{
		Definition: definition, Time: sessionTime.UTC().Truncate(time.Second), RetryName: p.RetryAttemptName,
		Params: p.Params, Queue: true, Scheduled: p.Scheduled, After: after, Pool: pool.ID,
	}.run(s.w, p.createdAt)
	if existing {
		return fmt.Errorf("the session already has an attempt with the retryAttemptName %q", p.RetryAttemptName)
	}
	if p.id = attempt.ID; err == nil && p.Status == string(engine.Killed) && attempt.State != world.Done {
		engine.Kill(s.w, attempt, p.createdAt)
	}
	return err
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
	s.w.Workflow.Outcomes = slices.Concat(bound, s.w.Workflow.Outcomes)
	return nil
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
		if !ok && p.Name == project {
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

// outcomes bring an attempt to its status. Attempts that wait need none, they depend on others.
func (p *seededAttempt) outcomes(plan []dig.Task) ([]world.Outcome, error) {
	takes := time.Duration(p.Takes)
	usual := world.Outcome{}
	switch engine.Status(p.Status) {
	case engine.Success, engine.Killed:
		return []world.Outcome{{Task: p.Task, Takes: takes}, usual}, nil
	case engine.Failed:
		message, task := p.Error, p.Task
		if message == "" {
			message = "the task failed"
		}
		if task == "" {
			task = lastTaskName(plan)
		}
		return []world.Outcome{{Task: task, Takes: takes, Error: message}, usual}, nil
	case engine.Running, engine.Canceling:
		if takes == 0 {
			takes = 12 * time.Hour
		}
		return []world.Outcome{{Task: p.Task, Takes: takes, Times: 1}}, nil
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
