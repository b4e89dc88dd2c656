package simulation_test

import (
	"slices"
	"time"
)

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
