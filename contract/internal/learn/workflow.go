package learn

// Kinds of the workflow interface.
const (
	poolKind     = "workflow.pool"
	poolRuleKind = "workflow.pool-rule"
	projectKind  = "workflow.project"
	workflowKind = "workflow.workflow"
	scheduleKind = "workflow.schedule"
	sessionKind  = "workflow.session"
	attemptKind  = "workflow.attempt"
	taskKind     = "workflow.task"
	secretKind   = "workflow.secret"
)

// workflow returns the section of the workflow interface.
func (l *learner) workflow() *mapping {
	m := newMapping()
	pools := l.pools()
	p := l.projects()
	attempts, rules := l.attempts(p, pools), l.poolRules(pools)
	l.accountLimit(m, pools)
	m.set("projects", p.list())
	m.set("pools", pools.list())
	m.set("poolRules", rules)
	m.set("outcomes", l.outcomes(p))
	m.set("attempts", attempts)
	return m
}
