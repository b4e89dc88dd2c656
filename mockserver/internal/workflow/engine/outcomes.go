package engine

import (
	"cmp"
	"strings"
	"time"

	"svc.example/understudy/mockserver/internal/world"
)

// outcome decides how a try ends. The operator fail> fails whatever an outcome says; an outcome may give it another
// message.
func (p *progress) outcome(t *world.Task) (takes time.Duration, fails string) {
	takes = cmp.Or(p.w.Workflow.TaskTime, DefaultTaskTime)
	if planned := p.plan[t.Plan]; planned.Operator == "fail" {
		fails = cmp.Or(planned.Command, "the task failed")
	}
	fits := func(o *world.Outcome) bool { return p.outcomeFits(*o, t) }
	times := func(o *world.Outcome) *int { return &o.Times }
	var o *world.Outcome
	if bound, ok := p.w.Workflow.Bound.Get(p.attempt.ID); ok {
		o = world.TakeFirst(&bound, fits, times)
		p.w.Workflow.Bound.Put(p.attempt.ID, bound)
	}
	if o == nil {
		o = world.TakeFirst(&p.w.Workflow.Outcomes, fits, times)
	}
	if o == nil {
		return takes, fails
	}
	return cmp.Or(o.Takes, takes), cmp.Or(o.Error, fails)
}

func (p *progress) outcomeFits(o world.Outcome, t *world.Task) bool {
	return o.Nth == 0 && strings.HasSuffix(t.Name, o.Task) && fitsAttempt(p.w, o, p.attempt)
}

// fitsAttempt reports whether an outcome is for tasks of an attempt.
func fitsAttempt(w *world.State, o world.Outcome, a world.Attempt) bool {
	session, _ := w.Workflow.Sessions.Get(a.Session)
	project, _ := w.Workflow.Projects.Get(session.Project)
	return (o.Project == "" || o.Project == project.Name) &&
		(o.Workflow == "" || o.Workflow == session.Workflow) &&
		(o.Attempt == 0 || o.Attempt == a.ID) &&
		(o.Session.IsZero() || o.Session.Equal(session.Time)) &&
		(o.RetryName == "" || o.RetryName == a.RetryName)
}

// CountAttempt counts a new attempt for the outcomes that are for the nth of those that they fit.
func CountAttempt(w *world.State, a world.Attempt) {
	before := w.Workflow.Outcomes
	for number, o := range world.EntriesOf(&before) {
		if o.Nth == 0 || !fitsAttempt(w, *o, a) {
			continue
		}
		counted := *o
		if counted.Nth--; counted.Nth == 0 {
			counted.Attempt = a.ID
		}
		world.Requeue(&w.Workflow.Outcomes, number, counted)
	}
}

// DefaultTaskTime is the time that a task takes unless the scenario has another one.
const DefaultTaskTime = time.Second
