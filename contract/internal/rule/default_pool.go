package rule

import (
	"fmt"
	"maps"
	"net/http"
	"slices"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

var defaultPool = watch{
	about: report.RuleDoc{
		ID: DefaultPool, Provenance: specs.Documented,
		Title: "the default pool is never changed by hand, and absorbs what other pools take and give back",
		Watches: "Updates and deletions of a pool that is known to be the default one, and every list of pools: it has one " +
			"default pool, and its limits are those of the previous list, with the changes of other pools taken from or " +
			"given back to the default pool, so that their sum remains the limit of the account.",
		Evidence: "An update or deletion of the default pool that succeeded; a list without a default pool or with several; a " +
			"limit of the default pool that does not follow from the changes since the previous list, while all other " +
			"limits do.",
		Inconclusive: "Between two lists, a change had no response, could not be read or overlapped another one; a caller outside " +
			"of the recording changed other pools; only the limit of the account changed.",
		Passes: "A list without any pools, since the default pool is created when it is first needed; a repeated deletion; " +
			"refused requests.",
	},
	see: seeDefaultPool,
}

func seeDefaultPool(st *step) {
	switch st.Operation {
	case "workflow.updatePool", "workflow.deletePool":
		st.defaultTouched()
	case "workflow.listPools":
		if st.OK() && st.Listed && !st.Opaque {
			st.oneDefault()
			st.sameSum()
		}
	}
}

func (st *step) defaultTouched() {
	pool := st.s.pool(st.ID)
	proof := pool.proof
	isDefault := pool.has && pool.fact.IsDefault && st.known(proof)
	if st.OK() && slices.ContainsFunc(st.Pools, func(f poolFact) bool { return f.ID == st.ID && f.IsDefault }) {
		isDefault, proof = true, nil // the answer says so itself
	}
	if !isDefault {
		return
	}
	verb := map[verb]string{changes: "updated", removes: "deleted"}[st.does]
	r := ruling{rule: DefaultPool, aspect: verb, provenance: specs.Documented}
	switch {
	case st.OK():
		r.message = fmt.Sprintf("the default pool %s was %s by hand", st.ID, verb)
		st.judge(r, report.Fail, proof)
	case st.Status == http.StatusBadRequest:
		st.judge(r, report.Pass)
	}
}

func (st *step) oneDefault() {
	n := 0
	for _, fact := range st.Pools {
		if fact.IsDefault {
			n++
		}
	}
	r := ruling{rule: DefaultPool, aspect: "one", provenance: specs.Documented}
	if n == 1 || n == 0 && len(st.Pools) == 0 { // it is made when it is first needed
		st.judge(r, report.Pass)
		return
	}
	r.message = fmt.Sprintf("the list of pools has %d default pools", n)
	st.judge(r, report.Fail)
}

// sameSum compares a list with the one before it.
func (st *step) sameSum() {
	l := st.s.poolListing
	if l == nil || !st.known(l.proof) {
		return
	}
	r := ruling{rule: DefaultPool, aspect: "sum", provenance: specs.Documented}
	evidence := append([]*Event{l.proof}, l.changes...)
	expected, defaultID := l.limits, l.defaultID
	limits := map[string]int64{}
	for _, fact := range st.Pools {
		limits[fact.ID] = fact.Limit
	}
	switch {
	case l.unsure || l.isMixed || defaultID == "" || st.contested(changesPools):
		r.message = "pools may have been changed between two lists of them"
		st.judge(r, report.Inconclusive, evidence...)
	case maps.Equal(expected, limits):
		st.judge(r, report.Pass)
	case !othersEqual(expected, limits, defaultID):
		r.message = "pools were changed between two lists of them by a caller outside of the recording"
		st.judge(r, report.Inconclusive, evidence...)
	case len(l.changes) == 0:
		r.message = "the limit of the account changed between two lists of pools"
		st.judge(r, report.Inconclusive, evidence...)
	default:
		r.message = fmt.Sprintf("the default pool has limit %d; after the changes of other pools it should have %d",
			limits[defaultID], expected[defaultID])
		r.excuses = []excuse{{did: "changed", kind: pools, after: l.proof, before: st.Event}}
		st.judge(r, report.Fail, evidence...)
	}
}

func changesPools(e *Event) bool {
	return e.of == pools && e.does.writes()
}

func othersEqual(a, b map[string]int64, except string) bool {
	a, b = maps.Clone(a), maps.Clone(b)
	delete(a, except)
	delete(b, except)
	return maps.Equal(a, b)
}
