package learn

import (
	"slices"
	"strconv"

	"github.com/tidwall/gjson"
)

func (l *learner) poolRules(p *pools) *sequence {
	s := newSequence()
	for _, t := range byNumber(l.things.of(poolRuleKind)) {
		if len(t.sights) == 0 {
			l.notes = append(l.notes, "pool rule "+t.id+": no answer shows it")
			continue
		}
		m := newMapping()
		m.set("id", idOf(t.id))
		for _, name := range []string{"priority", "poolId", "conditions"} {
			value, isChanged := t.value(name)
			if name == "poolId" {
				name, value = "pool", gjson.Parse(strconv.Quote(p.name(value.String())))
			}
			if isChanged {
				m.guess(name, value, "it was set before an answer showed it")
				continue
			}
			m.set(name, value)
		}
		s.add(m)
	}
	p.addGuessedRules(s)
	for _, e := range l.exchanges {
		t := l.things.find(poolKind, param(e, "poolId"))
		isRefused := e.name() == "workflow.deletePool" && e.Status() == 400 && t != nil && t.wasThere()
		if !isRefused || t.first().Get("default").Bool() || p.isUsed(t.id) || slices.Contains(p.held, t.id) {
			continue
		}
		p.held = append(p.held, t.id)
		m := newMapping()
		m.set("priority", guessedPriority(s))
		m.set("pool", p.name(t.id))
		m.set("conditions", gjson.Parse(`[{"type":"project_name","operator":"starts_with","values":["unknown_"]}]`))
		s.addGuessed(m, "the deletion of the pool was refused, and no answer shows why")
	}
	return s
}

// isUsed reports whether something that an answer shows keeps a pool from being deleted.
func (p *pools) isUsed(id string) bool {
	for _, kind := range []string{attemptKind, poolRuleKind} {
		isIn := func(t *thing) bool { return t.first().Get("poolId").String() == id }
		if slices.ContainsFunc(p.things.all(kind), isIn) {
			return true
		}
	}
	return false
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
	for _, t := range p.things.all(attemptKind) {
		o, pool := p.attemptObject(t), t.first().Get("poolId").String()
		if t.wasThere() || pool == "" || !o.Exists() {
			continue
		}
		how := started{o.Get("workflow.name").String(), "on_demand"}
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
			p.held = append(p.held, id)
			s.addGuessed(p.ruleFor(how, id, guessedPriority(s)), "attempts ran in the pool, and no answer shows why")
		}
	}
}

// mayHaveRule reports whether a rule may name a pool at the beginning: it was there, stays, and is not the default one.
func (p *pools) mayHaveRule(id string) bool {
	if id == "" || p.names[id] == defaultPool {
		return false
	}
	t := p.things.find(poolKind, id)
	return t == nil || t.wasThere() && t.gone == nil && !t.first().Get("default").Bool()
}

func (p *pools) ruleFor(how started, pool string, priority int) *mapping {
	name, by, conditions := newMapping(), newMapping(), newSequence()
	name.set("type", "workflow_name")
	name.set("operator", "starts_with")
	name.set("values", []string{how.workflow})
	by.set("type", "invocation_type")
	by.set("values", []string{how.by})
	conditions.add(name)
	conditions.add(by)
	m := newMapping()
	m.set("priority", priority)
	m.set("pool", p.name(pool))
	m.set("conditions", conditions)
	return m
}

// guessedPriority returns the priority of a rule that is guessed, which is lower than those of others.
func guessedPriority(s *sequence) int { return 9_001 + len(s.node.Content) }
