package workflow

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sort"
	"strings"
	"time"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver/internal/dig"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/workflow/engine"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs/source"
)

// seeding plays the attempts of a fixture: each is started, at its time and by the same rules as any other, and
// outcomes of its own bring it to where it must stand now.
type seeding struct {
	w        *world.State
	now      time.Time
	attempts []seededAttempt
	sessions map[seededSession]sessionIDs

	projects  map[string]int64           // by name or id; of those with a name, the live one or the latest
	revisions map[int64][]world.Revision // of projects, oldest first
	ids       map[int]int64              // of attempts that have started, by place
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
	s := &seeding{
		w: w, now: now, sessions: map[seededSession]sessionIDs{},
		projects: map[string]int64{}, revisions: map[int64][]world.Revision{}, ids: map[int]int64{},
	}
	s.indexProjects()
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
	s.keepOutcomes()
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
		if err := s.shareTime(&p); err != nil {
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
		d, err := s.definition(p)
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
	definition, err := s.definition(p)
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
		if pool, ok = s.w.Workflow.PoolNamed(p.Pool); !ok {
			return fmt.Errorf("pool %q not found", p.Pool)
		}
	}
	if err := s.bindOutcomes(p, definition); err != nil {
		return err
	}
	attempt, existing, err := s.start(p, start{
		Definition: definition, Time: sessionTime.UTC().Truncate(time.Second), RetryName: p.RetryAttemptName,
		Params: p.Params, Queue: true, Scheduled: p.Scheduled, After: after, Pool: pool.ID, Index: p.Index, Seeded: true,
	})
	if existing {
		return fmt.Errorf("the session already has an attempt with the retryAttemptName %q", p.RetryAttemptName)
	}
	p.id, s.ids[p.place] = attempt.ID, attempt.ID
	if err == nil && p.Status == string(engine.Killed) && attempt.State != world.Done {
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

// bindOutcomes gives an attempt its own outcomes. The attempt is to be the next that starts.
func (s *seeding) bindOutcomes(p *seededAttempt, d world.Definition) error {
	bound, err := p.outcomes(d.Workflow.Tasks)
	if err != nil {
		return err
	}
	fork := *s.w
	id := fork.NewID("workflow.attempt")
	for i := range bound {
		bound[i].Attempt = id
	}
	s.w.Workflow.Bound.Put(id, world.NewQueue(bound...))
	return nil
}

// keepOutcomes puts the outcomes of single attempts before all others, and drops those for attempts that are done.
func (s *seeding) keepOutcomes() {
	var all []world.Outcome
	for _, bound := range s.w.Workflow.Bound.Rows().Before(0) {
		all = append(all, bound.(*world.Queue[world.Outcome]).List()...)
	}
	left := slices.DeleteFunc(append(all, s.w.Workflow.Outcomes.List()...), func(o world.Outcome) bool {
		a, ok := s.w.Workflow.Attempts.Get(o.Attempt)
		return ok && a.State == world.Done
	})
	s.w.Workflow.Outcomes, s.w.Workflow.Bound = world.NewQueue(left...), table.Table[world.Queue[world.Outcome]]{}
}

func (s *seeding) predecessor(p *seededAttempt) (int64, error) {
	if p.After == 0 {
		return 0, nil
	}
	if id := s.ids[p.After]; id != 0 {
		return id, nil
	}
	return 0, fmt.Errorf("after: %d is not an attempt of this list that starts before", p.After)
}

// indexProjects finds out what attempts may call projects: one by its name, or a deleted one by its id.
func (s *seeding) indexProjects() {
	x := &s.w.Workflow
	for id, p := range table.All(&x.Projects) {
		s.projects[p.Name], s.projects[op.IDText(id)] = id, id
	}
	maps.Insert(s.projects, table.Entries(&x.ProjectNames))
	for _, r := range table.All(&x.Revisions) {
		s.revisions[r.Project] = append(s.revisions[r.Project], r)
	}
}

// definition finds the workflow of an attempt as it was when that began, in the project's first revision if that was
// later.
func (s *seeding) definition(p *seededAttempt) (world.Definition, error) {
	revisions := s.revisions[s.projects[p.Project]]
	if len(revisions) == 0 {
		return world.Definition{}, fmt.Errorf("project %q not found", p.Project)
	}
	later := sort.Search(len(revisions), func(i int) bool { return revisions[i].CreatedAt.After(p.createdAt) })
	return definitionIn(s.w, revisions[max(0, later-1)].ID, p.Workflow)
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

// seedOutcomes queues the outcomes of a fixture. Lost are the names of the projects that could not be made.
func seedOutcomes(w *world.State, outcomes []fixtures.Outcome, lost map[string]bool) error {
	var errs []error
	for i, o := range outcomes {
		err := errors.Join(checkOutcome(w, o, lost), addOutcome(w, o))
		errs = append(errs, fixtures.At(err, fmt.Sprintf("outcome %d", i+1), "workflow", "outcomes", i))
	}
	return errors.Join(errs...)
}

// QueueOutcome adds an outcome behind those that the world has.
func QueueOutcome(w *world.State, o fixtures.Outcome) error {
	if err := errors.Join(checkNames(w, o), checkOutcome(w, o, nil)); err != nil {
		return err
	}
	return addOutcome(w, o)
}

// checkNames refuses an outcome for a project or a workflow that the world does not have.
func checkNames(w *world.State, o fixtures.Outcome) error {
	if o.Later {
		return nil
	}
	for r := range revisionsOf(w, o.Project) {
		for d := range definitionsOf(w, r.ID) {
			if cmp.Or(o.Workflow, d.Workflow.Name) == d.Workflow.Name {
				return nil
			}
		}
	}
	projects, workflows := map[string]bool{}, map[string]bool{}
	for _, r := range table.All(&w.Workflow.Revisions) {
		p, ok := w.Workflow.Projects.Get(r.Project)
		if !ok {
			continue
		}
		projects[p.Name] = true
		for d := range definitionsOf(w, r.ID) {
			if cmp.Or(o.Project, p.Name) == p.Name {
				workflows[d.Workflow.Name] = true
			}
		}
	}
	switch {
	case o.Project != "" && !projects[o.Project]:
		return fmt.Errorf("project %s: want %s", o.Project, source.OneOf(o.Project, slices.Sorted(maps.Keys(projects))))
	case o.Workflow != "" && !workflows[o.Workflow]:
		return fmt.Errorf("workflow %s: want %s", o.Workflow, source.OneOf(o.Workflow, slices.Sorted(maps.Keys(workflows))))
	}
	return nil
}

func addOutcome(w *world.State, o fixtures.Outcome) error {
	row := world.Outcome{
		Project: o.Project, Workflow: o.Workflow, Attempt: int64(o.Attempt), RetryName: o.RetryAttemptName, Nth: o.Nth,
		Task: o.Task, Takes: time.Duration(o.Takes), Error: o.Error, Times: o.Times,
	}
	if o.SessionTime != "" {
		at, err := o.SessionTime.At(w.Now())
		if err != nil {
			return fixtures.At(err, "sessionTime", "sessionTime")
		}
		row.Session = at.UTC().Truncate(time.Second)
	}
	w.Workflow.Outcomes.Add(row)
	return nil
}

// checkOutcome refuses an outcome that would never apply: for a task that is in no revision of the workflows that it
// fits. If there are no projects, or if the outcome says so, the task comes later, with an upload.
func checkOutcome(w *world.State, o fixtures.Outcome, lost map[string]bool) error {
	if o.Times < 0 {
		return fixtures.At(fmt.Errorf("%d: want 0 or more", o.Times), "times", "times")
	}
	if o.Nth < 0 {
		return fixtures.At(fmt.Errorf("%d: want 0 or more", o.Nth), "nth", "nth")
	}
	unknown := lost[o.Project] || o.Project == "" && len(lost) > 0
	if o.Task == "" || o.Later || unknown || table.Len(&w.Workflow.Projects) == 0 {
		return nil
	}
	var plan []dig.Task
	for r := range revisionsOf(w, o.Project) {
		for d := range definitionsOf(w, r.ID) {
			if cmp.Or(o.Workflow, d.Workflow.Name) == d.Workflow.Name {
				plan = append(plan, d.Workflow.Tasks...)
			}
		}
	}
	return fixtures.At(checkTask(o.Task, plan), "task "+o.Task, "task")
}

// revisionsOf yields the revisions of a live project, by its name, or all that there are without a name.
func revisionsOf(w *world.State, project string) iter.Seq[world.Revision] {
	return func(yield func(world.Revision) bool) {
		if project == "" {
			table.All(&w.Workflow.Revisions)(func(_ int64, r world.Revision) bool { return yield(r) })
			return
		}
		id, _ := w.Workflow.ProjectNames.Get(project)
		p, _ := w.Workflow.Projects.Get(id)
		r, ok := w.Workflow.Revisions.Get(p.Revision)
		for ok && yield(r) {
			r, ok = w.Workflow.Revisions.Get(r.Previous)
		}
	}
}

// checkTask refuses a name with which the full name of no task in a plan ends. Groups do not count: they run nothing,
// and end as their tasks do.
func checkTask(end string, plan []dig.Task) error {
	parts := strings.Count(end, "+")
	var known []string
	for _, t := range plan {
		if t.Group {
			continue
		}
		if strings.HasSuffix(t.Name, end) {
			return nil
		}
		known = append(known, lastNameParts(t.Name, parts))
	}
	slices.Sort(known)
	return fmt.Errorf("does not match the end of the full name of a task that runs an operator; want %s",
		source.OneOf(end, slices.Compact(known)))
}

// lastNameParts returns the end of a task's full name: so many of its parts, each of which begins with +.
func lastNameParts(name string, n int) string {
	for i := len(name) - 1; i > 0; i-- {
		if name[i] != '+' {
			continue
		}
		if n--; n == 0 {
			return name[i:]
		}
	}
	return name
}

// ViewOutcome returns an outcome as fixtures have it.
func ViewOutcome(o world.Outcome) fixtures.Outcome {
	view := fixtures.Outcome{
		Project: o.Project, Workflow: o.Workflow, Attempt: fixtures.ID(o.Attempt), RetryAttemptName: o.RetryName,
		Nth: o.Nth, Task: o.Task, Takes: fixtures.Duration(o.Takes), Error: o.Error, Times: o.Times,
	}
	if !o.Session.IsZero() {
		view.SessionTime = fixtures.Instant(o.Session.Format(time.RFC3339))
	}
	return view
}

// shareTime finds how long a task may take so that the attempt is over by the end that the fixture gives it.
func (s *seeding) shareTime(p *seededAttempt) error {
	if p.FinishedAt == "" {
		return nil
	}
	end, err := seedInstant(p.FinishedAt, p.createdAt, s.now)
	if err != nil {
		return fixtures.At(err, "finishedAt", "finishedAt")
	}
	d, err := s.definition(p)
	if err != nil {
		return nil //nolint:nilerr // play says so
	}
	tries := 1
	for _, t := range d.Workflow.Tasks {
		tries += 1 + t.Retries
	}
	p.share = max(1, end.Sub(p.createdAt)/time.Duration(tries))
	return nil
}

// setCourses gives the attempts, once all have reached their statuses, the times of their ends, and their tasks what
// the fixture says of them.
func (s *seeding) setCourses() error {
	var errs []error
	for _, p := range s.attempts {
		a, _ := s.w.Workflow.Attempts.Get(p.id)
		if p.FinishedAt != "" && a.State == world.Done {
			a.FinishedAt, _ = p.FinishedAt.At(s.now)
			a.FinishedAt = a.FinishedAt.UTC()
			s.w.Workflow.PutAttempt(a)
		}
		tasks, _ := s.w.Workflow.Tasks.Get(p.id)
		tasks = slices.Clone(tasks)
		for i, f := range p.Tasks {
			if err := s.setTask(tasks, f); err != nil {
				errs = append(errs, p.wrap(fixtures.At(err, "task "+f.Name, "tasks", i)))
			}
		}
		if len(p.Tasks) > 0 {
			s.w.Workflow.Tasks.Put(p.id, tasks)
		}
	}
	return errors.Join(errs...)
}

// setTask gives a task of an attempt what the fixture says of it.
func (s *seeding) setTask(tasks []world.Task, f fixtures.AttemptTask) error {
	at := slices.IndexFunc(tasks, func(t world.Task) bool { return t.Name == f.Name })
	if at < 0 {
		var known []string
		for _, t := range tasks {
			known = append(known, t.Name)
		}
		return fixtures.At(fmt.Errorf("the attempt has no such task; want %s", source.OneOf(f.Name, known)), "name", "name")
	}
	t := &tasks[at]
	if f.ID != 0 {
		t.ID = int64(f.ID)
	}
	if f.State != "" {
		t.State = world.TaskState(f.State)
		if f.Error == "" && !slices.Contains([]world.TaskState{world.TaskError, world.TaskGroupError}, t.State) {
			t.Error = ""
		}
	}
	if f.Error != "" {
		t.Error = f.Error
	}
	err := cmp.Or(setInstant(&t.StartedAt, f.StartedAt, s.now, "startedAt"),
		setInstant(&t.UpdatedAt, f.UpdatedAt, s.now, "updatedAt"))
	if err != nil {
		return err
	}
	if f.StartedAt != "" && len(t.Starts) > 0 { // which the names of log files show
		t.Starts = append(slices.Clone(t.Starts[:len(t.Starts)-1]), t.StartedAt)
	}
	return s.setLogs(t, f.Logs)
}

// setLogs gives a task the log files that the fixture has.
func (s *seeding) setLogs(t *world.Task, logs []fixtures.TaskLog) error {
	for i, f := range logs {
		at := t.StartedAt
		if err := setInstant(&at, f.FileTime, s.now, "logs", i, "fileTime"); err != nil {
			return err
		}
		t.Logs = append(t.Logs, world.TaskLog{
			Name: f.FileName, Time: at, Agent: cmp.Or(f.AgentID, agentID), Text: f.Text,
		})
	}
	return nil
}
