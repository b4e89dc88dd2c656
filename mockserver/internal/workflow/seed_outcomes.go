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
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs/source"
)

// seedOutcomes queues the outcomes of a fixture. Lost are the names of the projects that could not be made.
func seedOutcomes(w *world.State, outcomes []fixtures.Outcome, lost []string) error {
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
func checkOutcome(w *world.State, o fixtures.Outcome, lost []string) error {
	if o.Times < 0 {
		return fixtures.At(fmt.Errorf("%d: want 0 or more", o.Times), "times", "times")
	}
	if o.Nth < 0 {
		return fixtures.At(fmt.Errorf("%d: want 0 or more", o.Nth), "nth", "nth")
	}
	unknown := slices.Contains(lost, o.Project) || o.Project == "" && len(lost) > 0
	if o.Task == "" || o.Later || unknown || table.Len(&w.Workflow.Projects) == 0 {
		return nil
	}
	var plan []dig.Task
	for _, r := range table.All(&w.Workflow.Revisions) {
		p, _ := w.Workflow.Projects.Get(r.Project)
		for d := range definitionsOf(w, r.ID) {
			if cmp.Or(o.Project, p.Name) == p.Name && cmp.Or(o.Workflow, d.Workflow.Name) == d.Workflow.Name {
				plan = append(plan, d.Workflow.Tasks...)
			}
		}
	}
	return fixtures.At(checkTask(o.Task, plan), "task "+o.Task, "task")
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
