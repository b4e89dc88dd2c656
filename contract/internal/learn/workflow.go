package learn

import (
	"cmp"
	"slices"
	"strconv"
)

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

// sequenceOf lists the things of a kind that were there at the beginning, by their numbers, but for those of which
// nothing is set.
func (l *learner) sequenceOf(kind string, set func(m *mapping, t *thing)) *sequence {
	s := newSequence()
	for _, t := range byNumber(l.things.of(kind)) {
		m := newMapping()
		if set(m, t); !m.isEmpty() {
			s.add(m)
		}
	}
	return s
}

// byNumber orders things by their ids, which are numbers that count up.
func byNumber(list []*thing) []*thing {
	slices.SortStableFunc(list, func(a, b *thing) int { return cmp.Compare(number(a.key()), number(b.key())) })
	return list
}

func number(text string) int64 {
	n, _ := strconv.ParseInt(text, 10, 64)
	return n
}

const unseen = "no answer shows it"
