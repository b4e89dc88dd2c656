package simulation_test

import (
	"slices"
	"time"
)

// violation is one way to break a rule, with all that shows it.
type violation struct {
	kind, rule string
	family     int
	story      func(*planting)
}

// planting lets a client of an account see the platform break a rule.
type planting struct {
	*world
	violation
	c *client
	a *account
}

// then lets others do something else before the next step.
func (p *planting) then() { p.noise(p.a, p.family) }

// wrong runs a step in which the platform breaks the rule.
func (p *planting) wrong(step func()) {
	p.cheat = p.kind
	step()
	p.cheat = ""
}

// seen runs steps that show what is wrong.
func (p *planting) seen(step func()) {
	from := len(p.log)
	step()
	for _, e := range p.log[from:] {
		e.isPlanted = true
	}
}

// plant lets the platform break a rule once.
func (w *world) plant(v violation) {
	c := pick(w, pick(w, w.accounts).clients)
	p := &planting{w, v, c, c.account}
	w.now = w.lastEnd
	v.story(p)
}

// violations lists all ways to break a rule.
func violations() []violation {
	return slices.Concat(poolViolations(), ruleViolations(), attemptViolations(), tableViolations(), accessViolations(),
		integrationViolations(), eventViolations())
}

// emptyPool makes a pool that nothing uses.
func (p *planting) emptyPool() *pool {
	for range 50 {
		if made := p.createPool(p.c); made != nil {
			return made
		}
		for _, x := range p.a.pools {
			if !x.isDefault && p.a.running(p.world, x.id) == 0 &&
				!slices.ContainsFunc(p.a.rules, func(r *poolRule) bool { return r.pool == x.id }) {
				p.deletePool(p.c, x.id)
				break
			}
		}
	}
	panic("no pool can be made")
}

// firstRule makes a rule that comes before all others and takes all attempts of the first project.
func (p *planting) firstRule(pool, priority int) *poolRule {
	if old := find(p.a.rules, func(r *poolRule) bool { return r.priority == priority }); old != nil {
		p.deleteRule(p.c, old.id)
	}
	r := &poolRule{priority: priority, pool: pool, conditions: []condition{{"project_name", []string{"shop"}}}}
	return p.createRule(p.c, r)
}

// clearRules deletes all rules up to a priority.
func (p *planting) clearRules() {
	for _, r := range slices.Clone(p.a.rules) {
		p.deleteRule(p.c, r.id)
	}
	p.listRules(p.c)
}

func (p *planting) shopStart() start {
	s := p.fresh(p.a)
	s.project = p.a.projects[0]
	return s
}

func poolViolations() []violation {
	return []violation{
		{"referenced pool deleted", "pool-deletion", pooling, func(p *planting) {
			made := p.emptyPool()
			p.then()
			p.createRule(p.c, &poolRule{priority: 50 + p.IntN(20), pool: made.id, conditions: p.randomConditions()})
			p.then()
			p.listPools(p.c)
			p.wrong(func() { p.deletePool(p.c, made.id) })
		}},
		{"pool with a running attempt deleted", "pool-deletion", pooling, func(p *planting) {
			p.clearRules()
			made := p.emptyPool()
			r := p.firstRule(made.id, 1)
			t := p.startAttempt(p.c, p.shopStart())
			t.ends = p.now.Add(time.Hour)
			p.deleteRule(p.c, r.id)
			p.then()
			p.getAttempt(p.c, t.id)
			p.wrong(func() { p.deletePool(p.c, made.id) })
			p.then()
			p.getAttempt(p.c, t.id)
		}},
		{"default pool deleted", "pool-deletion", pooling, func(p *planting) {
			p.listPools(p.c)
			p.then()
			p.wrong(func() { p.deletePool(p.c, p.a.defaultPool().id) })
		}},
		{"default pool updated", "default-pool", pooling, func(p *planting) {
			p.listPools(p.c)
			p.then()
			p.wrong(func() { p.updatePool(p.c, p.a.defaultPool().id) })
		}},
		{"two default pools listed", "default-pool", pooling, func(p *planting) {
			p.emptyPool()
			p.wrong(func() { p.listPools(p.c) })
		}},
		{"no default pool listed", "default-pool", pooling, func(p *planting) { p.wrong(func() { p.listPools(p.c) }) }},
		{"wrong sum of limits", "default-pool", pooling, func(p *planting) {
			p.listPools(p.c)
			p.then()
			made := p.emptyPool()
			if p.chance(50) {
				p.updatePool(p.c, made.id)
			}
			p.wrong(func() { p.listPools(p.c) })
		}},
		{"deleted pool read", "use-after-delete", pooling, func(p *planting) {
			made := p.emptyPool()
			p.deletePool(p.c, made.id)
			p.then()
			p.wrong(func() { p.getPool(p.c, made.id) })
		}},
		{"deleted pool listed", "use-after-delete", pooling, func(p *planting) {
			made := p.emptyPool()
			p.listPools(p.c)
			p.wrong(func() { p.deletePool(p.c, made.id) })
			p.then()
			p.seen(func() { p.listPools(p.c) })
		}},
		{"deleted pool rule listed", "use-after-delete", pooling, func(p *planting) {
			made := p.emptyPool()
			r := p.firstRule(made.id, 1)
			p.listRules(p.c)
			p.wrong(func() { p.deleteRule(p.c, r.id) })
			p.then()
			p.seen(func() { p.listRules(p.c) })
		}},
	}
}

// twoRules makes two rules that take the same attempts to two pools.
func (p *planting) twoRules() {
	p.clearRules()
	p.firstRule(p.emptyPool().id, 2)
	p.then()
	p.firstRule(p.emptyPool().id, 5)
	p.listPools(p.c)
	p.listRules(p.c)
	p.then()
}

func ruleViolations() []violation {
	return []violation{
		{"second rule decides", "pool-rule-order", pooling, func(p *planting) {
			p.twoRules()
			p.wrong(func() { p.startAttempt(p.c, p.shopStart()) })
		}},
		{"no rule decides", "pool-rule-order", pooling, func(p *planting) {
			p.twoRules()
			p.wrong(func() { p.startAttempt(p.c, p.shopStart()) })
		}},
		{"attempt in another pool than the default one", "pool-rule-order", pooling, func(p *planting) {
			p.clearRules()
			p.emptyPool()
			p.listPools(p.c)
			p.listRules(p.c)
			p.then()
			p.wrong(func() { p.startAttempt(p.c, p.shopStart()) })
		}},
		{"pool rules listed out of order", "pool-rule-order", pooling, func(p *planting) {
			p.twoRules()
			p.wrong(func() { p.listRules(p.c) })
		}},
	}
}

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
