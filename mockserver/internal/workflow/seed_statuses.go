package workflow

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"svc.example/understudy/mockserver/internal/dig"
	"svc.example/understudy/mockserver/internal/workflow/engine"
	"svc.example/understudy/mockserver/internal/world"
)

// outcomes bring an attempt to its status. Attempts that wait need none, they depend on others.
func (p *seededAttempt) outcomes(plan []dig.Task) ([]world.Outcome, error) {
	takes := time.Duration(p.Takes)
	usual := world.Outcome{Takes: p.share}
	takes = cmp.Or(takes, p.share)
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
