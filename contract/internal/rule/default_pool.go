package rule

import (
	"fmt"
	"maps"
	"net/http"
	"slices"

	"svc.example/understudy/contract/internal/facts"
	"svc.example/understudy/contract/internal/history"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

var defaultPool = history.Rule{
	Doc: report.RuleDoc{
		ID: DefaultPool, Provenance: specs.Documented,
		Title: "the default pool is never changed by hand, and absorbs what other pools take and give back",
		Watches: "Updates and deletions of a pool that is known to be the default one, and every list of pools: it has one " +
			"default pool, and its limits are those of the previous list, with the changes of other pools taken from or " +
			"given back to the default pool, so that their sum remains the limit of the account.",
		Evidence: "An update or deletion of the default pool that succeeded; a list without a default pool or with " +
			"several; a limit of the default pool that does not follow from the changes since the previous list, while all " +
			"other limits do; a pool that was given more than the default pool had.",
		Inconclusive: "Between two lists, a change had no response, could not be read or overlapped another one; a caller " +
			"outside of the recording changed other pools; only the limit of the account changed.",
		Passes: "A list without any pools, since the default pool is created when it is first needed; a repeated deletion; " +
			"refused requests.",
	},
	Check: checkDefaultPool,
}

func checkDefaultPool(st *history.Step) {
	switch st.Operation {
	case "workflow.updatePool", "workflow.deletePool":
		checkDefaultPoolKept(st)
		checkSlotsLeft(st)
	case "workflow.createPool":
		checkSlotsLeft(st)
	case "workflow.listPools":
		if st.OK() && st.Listed && !st.Opaque {
			checkOneDefaultPool(st)
			checkSumOfLimits(st)
		}
	}
}

func checkDefaultPoolKept(st *history.Step) {
	pool := st.State.Pool(st.ID)
	proof := pool.Proof
	isDefault := pool.IsKnown && pool.Fact.IsDefault && st.Known(proof)
	if st.OK() && slices.ContainsFunc(st.Pools, func(f facts.Pool) bool { return f.ID == st.ID && f.IsDefault }) {
		isDefault, proof = true, nil // the answer says so itself
	}
	if !isDefault {
		return
	}
	verb := map[facts.Verb]string{facts.Changes: "updated", facts.Deletes: "deleted"}[st.Verb]
	r := history.Ruling{Rule: DefaultPool, Aspect: verb, Provenance: specs.Documented}
	switch {
	case st.OK():
		r.Message = fmt.Sprintf("the default pool %s was %s by hand", st.ID, verb)
		st.Judge(r, report.Fail, proof)
	case st.Status == http.StatusBadRequest:
		st.Judge(r, report.Pass)
	}
}

func checkOneDefaultPool(st *history.Step) {
	n := 0
	for _, fact := range st.Pools {
		if fact.IsDefault {
			n++
		}
	}
	r := history.Ruling{Rule: DefaultPool, Aspect: "one", Provenance: specs.Documented}
	if n == 1 || n == 0 && len(st.Pools) == 0 { // it is made when it is first needed
		st.Judge(r, report.Pass)
		return
	}
	r.Message = fmt.Sprintf("the list of pools has %d default pools", n)
	st.Judge(r, report.Fail)
}

// checkSumOfLimits compares a list with the one before it.
func checkSumOfLimits(st *history.Step) {
	l := st.State.PoolListing
	if l == nil || !st.Known(l.Proof) {
		return
	}
	r := history.Ruling{Rule: DefaultPool, Aspect: "sum", Provenance: specs.Documented}
	evidence := append([]*facts.Exchange{l.Proof}, l.Changes...)
	expected, defaultID := l.Limits, l.DefaultID
	limits := map[string]int64{}
	for _, fact := range st.Pools {
		limits[fact.ID] = fact.Limit
	}
	switch {
	case l.Unsure || l.IsMixed || defaultID == "" || st.Contested(changesPools):
		r.Message = "pools may have been changed between two lists of them"
		st.Judge(r, report.Inconclusive, evidence...)
	case maps.Equal(expected, limits):
		st.Judge(r, report.Pass)
	case !othersEqual(expected, limits, defaultID):
		r.Message = "pools were changed between two lists of them by a caller outside of the recording"
		st.Judge(r, report.Inconclusive, evidence...)
	case len(l.Changes) == 0:
		r.Message = "the limit of the account changed between two lists of pools"
		st.Judge(r, report.Inconclusive, evidence...)
	default:
		r.Message = fmt.Sprintf("the default pool has limit %d; after the changes of other pools it should have %d",
			limits[defaultID], expected[defaultID])
		r.Excuses = []history.Excuse{{Did: "changed", Kind: facts.Pools, After: l.Proof, Before: st.Exchange}}
		st.Judge(r, report.Fail, evidence...)
	}
}

// checkSlotsLeft looks whether a pool took more than the default pool had to give.
func checkSlotsLeft(st *history.Step) {
	l := st.State.PoolListing
	if !st.OK() || st.Verb == facts.Deletes || len(st.Pools) != 1 || st.Pools[0].IsDefault || l == nil ||
		!st.Known(l.Proof) || l.Unsure || l.IsMixed || l.DefaultID == "" || st.Contested(changesPools) {
		return
	}
	pool := st.Pools[0]
	before, isOld := l.Limits[pool.ID]
	if st.Operation == "workflow.updatePool" && !isOld {
		return
	}
	if left := l.Limits[l.DefaultID] + before - pool.Limit; left < 0 {
		st.Judge(history.Ruling{
			Rule: DefaultPool, Aspect: "slots", Provenance: specs.Documented,
			Message: fmt.Sprintf("pool %s was given %d slots, but only %d were left in the default pool", pool.ID, pool.Limit,
				left+pool.Limit),
			Excuses: []history.Excuse{{Did: "changed", Kind: facts.Pools, After: l.Proof, Before: st.Exchange}},
		}, report.Fail, append([]*facts.Exchange{l.Proof}, l.Changes...)...)
	}
}

func changesPools(e *facts.Exchange) bool {
	return e.Kind == facts.Pools && e.Verb.Writes()
}

func othersEqual(a, b map[string]int64, except string) bool {
	a, b = maps.Clone(a), maps.Clone(b)
	delete(a, except)
	delete(b, except)
	return maps.Equal(a, b)
}
