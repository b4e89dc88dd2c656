package workflow

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"svc.example/understudy/mockserver/internal/world"
)

// outcome decides how a try ends. The operator fail> fails whatever an outcome says; an outcome may give it another
// message.
func (p *progress) outcome(t *world.Task) (takes time.Duration, fails string) {
	takes = cmp.Or(p.w.Workflow.TaskTime, defaultTaskTime)
	if planned := p.plan[t.Plan]; planned.Operator == "fail" {
		fails = cmp.Or(planned.Command, "the task failed")
	}
	outcomes := p.w.Workflow.Outcomes
	i := slices.IndexFunc(outcomes, func(o world.Outcome) bool { return p.fits(o, t) })
	if i < 0 {
		return takes, fails
	}
	o := outcomes[i]
	if o.Times > 0 {
		p.w.Workflow.Outcomes = useUp(outcomes, i)
	}
	return cmp.Or(o.Takes, takes), cmp.Or(o.Error, fails)
}

// useUp counts down how often an outcome still applies, in a copy of the list.
func useUp(outcomes []world.Outcome, i int) []world.Outcome {
	left := slices.Clone(outcomes)
	if left[i].Times--; left[i].Times > 0 {
		return left
	}
	return slices.Delete(left, i, i+1)
}

func (p *progress) fits(o world.Outcome, t *world.Task) bool {
	session, _ := p.w.Workflow.Sessions.Get(p.attempt.Session)
	project, _ := p.w.Workflow.Projects.Get(session.Project)
	return (o.Project == "" || o.Project == project.Name) &&
		(o.Workflow == "" || o.Workflow == session.Workflow) &&
		(o.Attempt == 0 || o.Attempt == p.attempt.ID) &&
		strings.HasSuffix(t.Name, o.Task)
}
