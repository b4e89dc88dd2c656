package rule

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"svc.example/understudy/contract/internal/facts"
	"svc.example/understudy/contract/internal/history"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

var poolRuleOrder = history.Rule{
	Doc: report.RuleDoc{
		ID: PoolRuleOrder, Provenance: specs.Assumed,
		Title: "pool rules are tried in ascending order of priority value; the first one that matches decides",
		Watches: "Attempts that were started, and lists of pool rules. An attempt goes to the pool of the first rule whose " +
			"conditions all match, or otherwise to the default pool. Lists are expected in order of priority, which is " +
			"only assumed.",
		Evidence: "A new attempt is in another pool than the rules, as last listed and changed since, lead to; a list is " +
			"not in order of priority.",
		Inconclusive: "The rules of that time, or the default pool, are not known; a rule changed while the attempt was " +
			"started; the attempt may have matched a rule whose condition is on the kind of workflow, which exchanges do not " +
			"show, or is not documented.",
		Passes: "Attempts without a pool, as in some installations; rules for scheduled attempts, which do not match one " +
			"that a client starts; an attempt that stays in its pool when rules change later.",
	},
	Check: checkPoolRuleOrder,
}

func checkPoolRuleOrder(st *history.Step) {
	switch {
	case st.Operation == "workflow.listPoolRules" && st.OK() && st.Listed && !st.Opaque:
		checkListedOrder(st)
	case st.Operation == "workflow.startAttempt" && st.Status == http.StatusOK && len(st.Attempts) == 1:
		checkChosenPool(st, st.Attempts[0])
	}
}

func checkListedOrder(st *history.Step) {
	r := history.Ruling{Rule: PoolRuleOrder, Aspect: "list", Provenance: specs.Assumed}
	if slices.IsSortedFunc(st.Rules, func(a, b facts.PoolRule) int { return cmp.Compare(a.Priority, b.Priority) }) {
		st.Judge(r, report.Pass)
		return
	}
	r.Message = "pool rules are not listed by priority"
	st.Judge(r, report.Fail)
}

func checkChosenPool(st *history.Step, a facts.Attempt) {
	r := history.Ruling{Rule: PoolRuleOrder, Aspect: "route", Provenance: specs.Documented}
	l := st.State.RuleListing
	if a.PoolID == "" {
		return // not every installation has pools
	}
	if l == nil || !st.Known(l.Proof) || l.Unsure || st.Contested(touchesRules) || !knowsRules(st) {
		r.Message = fmt.Sprintf("attempt %s is in pool %s; the pool rules at that time are not known", a.ID, a.PoolID)
		st.Judge(r, report.Inconclusive)
		return
	}
	possible, open, evidence := possiblePools(st, a)
	evidence = append(append([]*facts.Exchange{l.Proof}, l.Changes...), evidence...)
	fits := slices.Contains(possible, a.PoolID)
	switch {
	case fits && len(possible) == 1 && !open:
		st.Judge(r, report.Pass)
	case !fits && !open:
		r.Message = fmt.Sprintf("attempt %s is in pool %s; by the pool rules it belongs in pool %s",
			a.ID, a.PoolID, possible[0])
		if len(possible) > 1 {
			r.Message = fmt.Sprintf("attempt %s is in pool %s; by the pool rules it belongs in one of the pools %v",
				a.ID, a.PoolID, possible)
		}
		r.Excuses = []history.Excuse{{
			Did: "created, changed or deleted", Kind: facts.PoolRules, After: l.Proof,
			Before: st.Exchange,
		}}
		st.Judge(r, report.Fail, evidence...)
	default:
		r.Message = fmt.Sprintf("attempt %s is in pool %s; the recording does not show which one is right",
			a.ID, a.PoolID)
		st.Judge(r, report.Inconclusive)
	}
}

// knowsRules reports whether the last proof of every rule was over before.
func knowsRules(st *history.Step) bool {
	for _, rule := range st.State.Live {
		if !st.Known(rule.Proof) || rule.Unsure != nil {
			return false
		}
	}
	return true
}

// possiblePools lists the pools that an attempt may belong in, the likeliest first. Open means that others are possible
// too, since the default pool is not known.
func possiblePools(st *history.Step, a facts.Attempt) (pools []string, open bool, evidence []*facts.Exchange) {
	rules := slices.Collect(maps.Values(st.State.Live))
	slices.SortFunc(rules, func(a, b *history.RuleState) int {
		return cmp.Or(cmp.Compare(a.Fact.Priority, b.Fact.Priority), cmp.Compare(a.ID, b.ID))
	})
	for _, rule := range rules {
		switch rule.Fact.Holds(a) {
		case report.Pass:
			return append(pools, rule.Fact.PoolID), false, append(evidence, rule.Proof)
		case report.Inconclusive:
			pools, evidence = append(pools, rule.Fact.PoolID), append(evidence, rule.Proof)
		case report.Fail, report.Skipped:
		}
	}
	if pool, ok := st.State.Pools.Get(st.State.DefaultID); ok && pool.Fact.IsDefault && pool.DeletedBy == nil &&
		st.Known(pool.Proof) {
		return append(pools, pool.ID), false, append(evidence, pool.Proof)
	}
	return pools, true, evidence
}
