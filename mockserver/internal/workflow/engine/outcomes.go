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
	fits := func(o world.Outcome) bool { return p.outcomeFits(o, t) }
	o, rest := world.Take(p.w.Workflow.Outcomes, fits, func(o *world.Outcome) *int { return &o.Times })
	if o == nil {
		return takes, fails
	}
	p.w.Workflow.Outcomes = rest
	return cmp.Or(o.Takes, takes), cmp.Or(o.Error, fails)
}

func (p *progress) outcomeFits(o world.Outcome, t *world.Task) bool {
	session, _ := p.w.Workflow.Sessions.Get(p.attempt.Session)
	project, _ := p.w.Workflow.Projects.Get(session.Project)
	return (o.Project == "" || o.Project == project.Name) &&
		(o.Workflow == "" || o.Workflow == session.Workflow) &&
		(o.Attempt == 0 || o.Attempt == p.attempt.ID) &&
		strings.HasSuffix(t.Name, o.Task)
}

// DefaultTaskTime is the time that a task takes unless the scenario has another one.
const DefaultTaskTime = time.Second
