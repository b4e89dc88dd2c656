package simulation_test

import (
	"slices"
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

// plant lets the platform break a rule once. Nothing overlaps with that: clients go on with what others were answered.
func (w *world) plant(v violation) {
	c := pick(w, pick(w, w.accounts).clients)
	p := &planting{w, v, c, c.account}
	overlaps := w.overlaps
	w.overlaps, w.now = false, w.lastEnd
	v.story(p)
	w.overlaps, w.settled = overlaps, w.lastEnd
}

// violations lists all ways to break a rule.
func violations() []violation {
	return slices.Concat(poolViolations(), ruleViolations(), attemptViolations(), tableViolations(), accessViolations(),
		integrationViolations(), eventViolations())
}
