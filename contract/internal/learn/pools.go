package learn

import "slices"

// pools are the pools of the beginning, by id.
type pools struct {
	*learner
	names   map[string]string
	defined []*entity
	assumed []string // ids that entities refer to, and no answer shows
}

func (l *learner) pools() *pools {
	p := &pools{learner: l, names: map[string]string{}}
	for _, t := range l.entities.all(poolKind) {
		if name := t.text("name"); name != "" && p.names[t.id] == "" {
			p.names[t.id] = name
		}
	}
	p.defined = byNumber(l.entities.of(poolKind))
	p.assumeDefault()
	return p
}

// assumeDefault takes the one pool that attempts refer to, and that neither an answer shows nor a rule names, for the
// default one, if no answer shows which that is.
func (p *pools) assumeDefault() {
	for _, t := range p.entities.all(poolKind) {
		if t.first().Get("default").Bool() {
			return
		}
	}
	only := ""
	for _, t := range p.entities.all(attemptKind) {
		switch id := t.text("poolId"); {
		case id == "" || p.names[id] != "" || id == only || p.isNamedByRule(id):
		case only != "":
			return // there are several
		default:
			only = id
		}
	}
	if only != "" {
		p.names[only] = defaultPool
		p.assumed = append(p.assumed, only)
	}
}

const defaultPool = "default"

// isNamedByRule reports whether a rule of the beginning sends attempts to a pool.
func (p *pools) isNamedByRule(id string) bool {
	return slices.ContainsFunc(p.entities.of(poolRuleKind), func(t *entity) bool {
		named, isChanged := t.value("poolId")
		return named.Text() == id && !isChanged
	})
}

// name returns the name of a pool that an entity of the beginning refers to.
func (p *pools) name(id string) string {
	if id == "" {
		return ""
	}
	if p.names[id] == "" {
		p.names[id] = "pool-" + id
		p.assumed = append(p.assumed, id)
	}
	return p.names[id]
}

func (p *pools) list() *sequence {
	s := newSequence()
	for _, t := range p.defined {
		m := newMapping()
		m.set("id", idOf(t.id))
		if m.shown(t, "name"); !m.has("name") { // a name that is asked for is assumed
			m.guess("name", p.name(t.id), unseen)
		}
		if !t.first().Get("default").Bool() {
			m.shown(t, "concurrencyLimit")
			m.guess("concurrencyLimit", p.limitOf(t.id), unseen)
		}
		s.add(m)
	}
	for _, id := range p.assumed {
		if p.entities.find(poolKind, id) != nil {
			continue
		}
		m := mappingOf("id", idOf(id), "name", p.names[id])
		if p.names[id] != defaultPool {
			m.set("concurrencyLimit", p.limitOf(id))
		}
		s.addGuessed(m, "something refers to it, and no answer shows it")
	}
	return s
}

// limitOf guesses the limit of a pool: the number of attempts that ran in it if others waited.
func (p *pools) limitOf(id string) int {
	running, waiting := p.inPool(id)
	if waiting > 0 {
		return max(1, running)
	}
	const usual = 10
	return max(usual, running)
}

// inPool returns how many attempts ran in a pool, and how many waited for it, at the beginning.
func (p *pools) inPool(id string) (running, waiting int) {
	for _, t := range p.entities.of(attemptKind) {
		if t.text("poolId") != id {
			continue
		}
		switch t.text("status") {
		case "running", "canceling":
			running++
		case "queued":
			waiting++
		}
	}
	return running, waiting
}

// accountLimit sets the limit of all pools together, of which the default pool has what the others leave.
func (l *learner) accountLimit(m *mapping, p *pools) {
	others, own, isKnown := int64(0), int64(0), false // what the default pool has, and whether an answer shows it
	for _, id := range p.assumed {
		if p.names[id] != defaultPool {
			others += int64(p.limitOf(id))
		}
	}
	for _, t := range p.defined {
		limit, _ := t.value("concurrencyLimit")
		switch {
		case t.first().Get("default").Bool():
			own, isKnown = own+t.first().Get("concurrencyLimit").Int(), true
		case limit.Int() > 0:
			others += limit.Int()
		default:
			others += int64(p.limitOf(t.id))
		}
	}
	for _, body := range l.successes("workflow.listPools") {
		shown := int64(0)
		for pool := range body.Get("pools").List {
			shown += pool.Get("concurrencyLimit").Int()
		}
		if shown > others {
			m.set("accountLimit", shown)
		} else if shown > 0 {
			m.guess("accountLimit", others+1, "answers show more pools than one list does")
		}
	}
	if isKnown {
		m.guess("accountLimit", others+own, "there may be pools that no answer shows")
	} else if others > 0 {
		m.guess("accountLimit", others+100, "no answer shows the default pool")
	}
}

func (l *learner) poolRules(p *pools) *sequence {
	s := l.sequenceOf(poolRuleKind, func(m *mapping, t *entity) {
		if len(t.sights) == 0 {
			l.notes = append(l.notes, "pool rule "+t.id+": no answer shows it")
			return
		}
		m.set("id", idOf(t.id))
		m.shown(t, "priority", "pool=poolId", "conditions")
		if pool := m.get("pool"); pool != nil {
			*pool = *scalar(p.name(pool.Value))
		}
	})
	p.addGuessedRules(s)
	return s
}

// started describes attempts that pool rules treat alike, with as much as the two conditions of a rule can say.
type started struct{ workflow, by string }

// addGuessedRules adds a rule for the attempts that started in the recording and ran in another pool than the default
// one, if no answer shows the rules.
func (p *pools) addGuessedRules(s *sequence) {
	if slices.ContainsFunc(p.exchanges, func(e *Exchange) bool { return e.name() == "workflow.listPoolRules" && e.ok() }) {
		return
	}
	var order []started
	poolOf := map[started]string{} // empty if there were several
	for _, t := range p.entities.all(attemptKind) {
		o, pool := p.attemptObject(t), t.text("poolId")
		if t.wasThere() || pool == "" || !o.Exists() {
			continue
		}
		how := started{o.Get("workflow", "name").Text(), "on_demand"}
		if t.late {
			how.by = "scheduled"
		}
		known, isKnown := poolOf[how]
		switch {
		case !isKnown:
			order = append(order, how)
			poolOf[how] = pool
		case known != pool:
			poolOf[how] = ""
		}
	}
	for _, how := range order {
		if id := poolOf[how]; p.mayHaveRule(id) {
			priority := 9_001 + len(s.node.Content) // lower than those of others
			s.addGuessed(p.ruleFor(how, id, priority), "attempts ran in the pool, and no answer shows why")
		}
	}
}

// mayHaveRule reports whether a rule may name a pool at the beginning: it was there, stays, and is not the default one.
func (p *pools) mayHaveRule(id string) bool {
	if id == "" || p.names[id] == defaultPool {
		return false
	}
	t := p.entities.find(poolKind, id)
	return t == nil || t.wasThere() && t.gone == nil && !t.first().Get("default").Bool()
}

func (p *pools) ruleFor(how started, pool string, priority int) *mapping {
	return mappingOf("priority", priority, "pool", p.name(pool), "conditions", newSequence(
		mappingOf("type", "workflow_name", "operator", "starts_with", "values", []string{how.workflow}),
		mappingOf("type", "invocation_type", "values", []string{how.by}),
	))
}
