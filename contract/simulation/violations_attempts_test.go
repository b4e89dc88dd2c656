package simulation_test

import (
	"time"
)

// over waits for the end of an attempt, with the outcome that is asked for.
func (p *planting) over(t *attempt, failing int) {
	t.failing = failing
	p.then()
	p.now = later(p.now, t.ends)
	p.getAttempt(p.c, t.id)
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

func (p *planting) again(t *attempt, retry string) start {
	return start{project: t.project, workflow: t.workflow, time: t.time, retry: retry}
}

func (p *planting) resumed(t *attempt, mode, from string) start {
	s := p.again(t, "resumed")
	s.mode, s.from, s.old = mode, from, t
	return s
}

func (p *planting) first(workflow string) *attempt {
	s := p.shopStart()
	s.workflow = workflow
	return p.startAttempt(p.c, s)
}

func attemptViolations() []violation {
	const rule = "attempt-resume"
	return []violation{
		{"second attempt of a session", rule, pooling, func(p *planting) {
			t := p.first("daily")
			p.then()
			p.wrong(func() { p.startAttempt(p.c, p.again(t, "")) })
		}},
		{"second attempt of a name", rule, pooling, func(p *planting) {
			t := p.first("daily")
			p.startAttempt(p.c, p.again(t, "x"))
			p.then()
			p.wrong(func() { p.startAttempt(p.c, p.again(t, "x")) })
		}},
		{"conflict with another attempt", rule, pooling, func(p *planting) {
			t := p.first("daily")
			p.startAttempt(p.c, p.again(t, "x"))
			p.then()
			p.wrong(func() { p.startAttempt(p.c, p.again(t, "x")) })
		}},
		{"index does not grow", rule, pooling, func(p *planting) {
			t := p.first("daily")
			p.then()
			p.wrong(func() { p.startAttempt(p.c, p.again(t, "x")) })
		}},
		{"success resumed", rule, pooling, func(p *planting) {
			t := p.first("daily")
			p.over(t, 3)
			p.wrong(func() { p.startAttempt(p.c, p.resumed(t, "failed", "")) })
		}},
		{"resume from no task", rule, pooling, func(p *planting) {
			t := p.first("daily")
			p.over(t, 1)
			p.listTasks(p.c, t.id)
			p.then()
			p.wrong(func() { p.startAttempt(p.c, p.resumed(t, "from", "+nothing")) })
		}},
		{"resume from two tasks", rule, pooling, func(p *planting) {
			t := p.first("weekly")
			p.over(t, 1)
			p.listTasks(p.c, t.id)
			p.then()
			p.wrong(func() { p.startAttempt(p.c, p.resumed(t, "from", "+load")) })
		}},
		{"success lost by a resume", rule, pooling, func(p *planting) {
			t := p.first("daily")
			p.over(t, 2)
			p.listTasks(p.c, t.id)
			p.cheat = p.kind
			next := p.startAttempt(p.c, p.resumed(t, "failed", ""))
			p.cheat = ""
			p.over(next, 0)
			p.seen(func() { p.listTasks(p.c, next.id) })
		}},
	}
}
