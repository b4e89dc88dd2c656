package rule

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

var poolRuleOrder = watch{
	about: report.RuleDoc{
		ID: PoolRuleOrder, Provenance: specs.Assumed,
		Title: "pool rules are tried in ascending order of priority value; the first one that matches decides",
		Watches: "Attempts that were started, and lists of pool rules. An attempt goes to the pool of the first rule whose " +
			"conditions all match, or otherwise to the default pool. Lists are expected in order of priority, which is " +
			"only assumed.",
		Evidence: "A new attempt is in another pool than the rules, as last listed and changed since, lead to; a list is not " +
			"in order of priority.",
		Inconclusive: "The rules of that time, or the default pool, are not known; a rule changed while the attempt was started; " +
			"the attempt may have matched a rule whose condition is on the kind of workflow, which exchanges do not " +
			"show, or is not documented.",
		Passes: "Attempts without a pool, as in some installations; rules for scheduled attempts, which do not match one " +
			"that a client starts; an attempt that stays in its pool when rules change later.",
	},
	see: seePoolRuleOrder,
}

func seePoolRuleOrder(st *step) {
	switch {
	case st.Operation == "workflow.listPoolRules" && st.OK() && st.Listed && !st.Opaque:
		st.listedInOrder()
	case st.Operation == "workflow.startAttempt" && st.Status == http.StatusOK && len(st.Attempts) == 1:
		st.routed(st.Attempts[0])
	}
}

func (st *step) listedInOrder() {
	r := ruling{rule: PoolRuleOrder, aspect: "list", provenance: specs.Assumed}
	if slices.IsSortedFunc(st.Rules, func(a, b ruleFact) int { return cmp.Compare(a.Priority, b.Priority) }) {
		st.judge(r, report.Pass)
		return
	}
	r.message = "pool rules are not listed by priority"
	st.judge(r, report.Fail)
}

func (st *step) routed(a attemptFact) {
	r := ruling{rule: PoolRuleOrder, aspect: "route", provenance: specs.Documented}
	l := st.s.ruleListing
	if a.PoolID == "" {
		return // not every installation has pools
	}
	if l == nil || !st.known(l.proof) || l.unsure || st.contested(touchesRules) || !st.rulesKnown() {
		r.message = fmt.Sprintf("attempt %s is in pool %s; the pool rules at that time are not known", a.ID, a.PoolID)
		st.judge(r, report.Inconclusive)
		return
	}
	possible, open, evidence := st.possiblePools(a)
	evidence = append(append([]*Event{l.proof}, l.changes...), evidence...)
	fits := slices.Contains(possible, a.PoolID)
	switch {
	case fits && len(possible) == 1 && !open:
		st.judge(r, report.Pass)
	case !fits && !open:
		r.message = fmt.Sprintf("attempt %s is in pool %s; by the pool rules it belongs in pool %s",
			a.ID, a.PoolID, possible[0])
		if len(possible) > 1 {
			r.message = fmt.Sprintf("attempt %s is in pool %s; by the pool rules it belongs in one of the pools %v",
				a.ID, a.PoolID, possible)
		}
		r.excuses = []excuse{{did: "created, changed or deleted", kind: poolRules, after: l.proof, before: st.Event}}
		st.judge(r, report.Fail, evidence...)
	default:
		r.message = fmt.Sprintf("attempt %s is in pool %s; the recording does not show which one is right",
			a.ID, a.PoolID)
		st.judge(r, report.Inconclusive)
	}
}

// rulesKnown reports whether the last proof of every rule was over before.
func (st *step) rulesKnown() bool {
	for _, rule := range st.s.live {
		if !st.known(rule.proof) || rule.unsure != nil {
			return false
		}
	}
	return true
}

// possiblePools lists the pools that an attempt may belong in, the likeliest first. Open means that others are possible
// too, since the default pool is not known.
func (st *step) possiblePools(a attemptFact) (pools []string, open bool, evidence []*Event) {
	rules := slices.Collect(maps.Values(st.s.live))
	slices.SortFunc(rules, func(a, b *ruleState) int {
		return cmp.Or(cmp.Compare(a.fact.Priority, b.fact.Priority), cmp.Compare(a.id, b.id))
	})
	for _, rule := range rules {
		switch rule.fact.holds(a) {
		case report.Pass:
			return append(pools, rule.fact.PoolID), false, append(evidence, rule.proof)
		case report.Inconclusive:
			pools, evidence = append(pools, rule.fact.PoolID), append(evidence, rule.proof)
		case report.Fail, report.Skipped:
		}
	}
	if pool, ok := st.s.pools.get(st.s.defaultID); ok && pool.fact.IsDefault && pool.gone == nil && st.known(pool.proof) {
		return append(pools, pool.id), false, append(evidence, pool.proof)
	}
	return pools, true, evidence
}

// holds returns the verdict on whether all conditions of a rule hold for an attempt that a client started.
func (r ruleFact) holds(a attemptFact) report.Verdict {
	all := report.Pass
	for _, c := range r.Conditions {
		switch c.holds(a) {
		case report.Fail:
			return report.Fail
		case report.Inconclusive:
			all = report.Inconclusive
		case report.Pass, report.Skipped:
		}
	}
	return all
}

func (c conditionFact) holds(a attemptFact) report.Verdict {
	switch c.Kind {
	case "project_name":
		return c.startsWith(a.Project)
	case "workflow_name":
		return c.startsWith(a.Workflow)
	case "invocation_type":
		return verdictOf(slices.Contains(c.Values, "on_demand"))
	}
	return report.Inconclusive
}

func (c conditionFact) startsWith(name string) report.Verdict {
	if name == "" || c.Operator != "starts_with" && c.Operator != "" {
		return report.Inconclusive
	}
	return verdictOf(anyPrefix(name, c.Values))
}

func verdictOf(holds bool) report.Verdict {
	if holds {
		return report.Pass
	}
	return report.Fail
}
