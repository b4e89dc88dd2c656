package workflow

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs/source"
)

// shareTime finds how long a task may take so that the attempt is over by the end that the fixture gives it.
func (p *seededAttempt) shareTime(w *world.State, now time.Time) error {
	if p.FinishedAt == "" {
		return nil
	}
	end, err := seedInstant(p.FinishedAt, p.createdAt, now)
	if err != nil {
		return fixtures.At(err, "finishedAt", "finishedAt")
	}
	d, err := definitionAt(w, p.Project, p.Workflow, p.createdAt)
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
	for _, given := range []struct {
		member string
		at     fixtures.Instant
		set    *time.Time
	}{{"startedAt", f.StartedAt, &t.StartedAt}, {"updatedAt", f.UpdatedAt, &t.UpdatedAt}} {
		if given.at == "" {
			continue
		}
		moment, err := seedInstant(given.at, time.Time{}, s.now)
		if err != nil {
			return fixtures.At(err, given.member, given.member)
		}
		*given.set = moment
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
		if f.FileTime != "" {
			var err error
			if at, err = seedInstant(f.FileTime, time.Time{}, s.now); err != nil {
				return fixtures.At(err, "fileTime", "logs", i, "fileTime")
			}
		}
		t.Logs = append(t.Logs, world.TaskLog{
			Name: f.FileName, Time: at, Agent: cmp.Or(f.AgentID, agentID), Text: f.Text,
		})
	}
	return nil
}
