package rule

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"svc.example/understudy/contract/internal/facts"
	"svc.example/understudy/contract/internal/history"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

var poolDeletion = history.Rule{
	Doc: report.RuleDoc{
		ID: PoolDeletion, Provenance: specs.Documented,
		Title:   "a pool cannot be deleted while attempts run or wait in it, a rule references it, or it is the default pool",
		Watches: "Deletions of pools that succeeded or were refused with 400.",
		Evidence: "The deletion succeeds although the pool is known to be the default one, a pool rule was last seen " +
			"referencing it, or an attempt in it is seen unfinished both before and after. A deletion is a pass if the " +
			"list of rules is known and none references the pool, and a refusal is a pass if a reason for it is known.",
		Inconclusive: "It is not known which pool rules existed at that time, or whether it was the default pool; a rule " +
			"may have changed while the deletion was under way; an attempt that was last seen unfinished may have ended " +
			"before; a refusal without a known reason.",
		Passes: "A pool that is known to be deleted and is deleted again, since clients repeat requests; a rule that was " +
			"moved to another pool, deleted, or no longer listed before; an attempt that had finished before.",
	},
	Check: checkPoolDeletion,
}

func checkPoolDeletion(st *history.Step) {
	if len(st.Attempts) > 0 {
		st.Resolve(PoolDeletion)
	}
	if st.Operation != "workflow.deletePool" || !st.OK() && st.Status != http.StatusBadRequest {
		return
	}
	pool := st.State.Pool(st.ID)
	if pool.DeletedBy != nil && st.OK() {
		return
	}
	b := findBlockers(st, pool)
	if !st.OK() {
		checkRefusedDeletion(st, b)
		return
	}
	r := history.Ruling{Rule: PoolDeletion, Provenance: specs.Documented}
	switch {
	case b.isDefault != nil:
		r.Aspect, r.Message = "default", fmt.Sprintf("pool %s was deleted although it is the default pool", st.ID)
		st.Judge(r, report.Fail, pool.CreatedBy, b.isDefault)
	case b.rule != nil:
		r.Aspect = "rule"
		r.Message = fmt.Sprintf("pool %s was deleted although pool rule %s references it", st.ID, b.rule.ID)
		r.Excuses = []history.Excuse{history.NewExcuse("changed or deleted", b.rule.Entity, b.rule.Proof, st.Exchange)}
		st.Judge(r, report.Fail, pool.CreatedBy, b.rule.CreatedBy, b.rule.Proof)
	case len(b.attempts) > 0:
		awaitReference(st, pool, b)
	default:
		checkUnblockedDeletion(st, pool, b)
	}
}

// blockers holds what forbids the deletion of a pool, as far as it is known.
type blockers struct {
	isDefault *facts.Exchange
	rule      *history.RuleState
	attempts  []*history.AttemptState // last seen unfinished
	perhaps   bool                    // a rule may point at it
}

func findBlockers(st *history.Step, pool *history.PoolState) blockers {
	var b blockers
	if pool.IsKnown && pool.Fact.IsDefault && st.Known(pool.Proof) && pool.Unsure == nil {
		b.isDefault = pool.Proof
	}
	for _, fact := range st.Pools { // the answer shows what was deleted
		if fact.ID == st.ID && fact.IsDefault && st.OK() {
			b.isDefault = st.Exchange
		}
	}
	for _, id := range slices.Sorted(maps.Keys(st.State.Live)) {
		rule := st.State.Live[id]
		isSure := st.Known(rule.Proof) && rule.Unsure == nil && !st.Contested(changesRule(rule.ID))
		switch {
		case !isSure:
			b.perhaps = true
		case rule.Fact.PoolID != st.ID:
		case b.rule == nil || rule.Proof.Number < b.rule.Proof.Number:
			b.rule = rule
		}
	}
	for _, a := range inPool(st.State, st.ID) {
		if !a.Fact.Done && st.Known(a.Proof) {
			b.attempts = append(b.attempts, a)
		}
	}
	return b
}

func changesRule(id string) func(*facts.Exchange) bool {
	return func(e *facts.Exchange) bool {
		return e.Target == facts.Entity{Kind: facts.PoolRules, ID: id} && (e.Verb == facts.Changes || e.Verb == facts.Deletes)
	}
}

func touchesRules(e *facts.Exchange) bool {
	return e.Kind == facts.PoolRules && e.Verb.Writes()
}

// inPool lists the attempts that were last seen unfinished in a pool.
func inPool(s *history.State, id string) []*history.AttemptState {
	list := slices.Collect(maps.Values(s.Running[id]))
	slices.SortFunc(list, func(a, b *history.AttemptState) int { // several are first seen in one list
		return cmp.Or(cmp.Compare(a.First.Number, b.First.Number), cmp.Compare(a.Fact.ID, b.Fact.ID))
	})
	return list
}

func checkRefusedDeletion(st *history.Step, b blockers) {
	r := history.Ruling{Rule: PoolDeletion, Aspect: "refusal", Provenance: specs.Documented}
	switch {
	case b.isDefault != nil, b.rule != nil, len(b.attempts) > 0:
		st.Judge(r, report.Pass)
	default:
		r.Message = fmt.Sprintf("deleting pool %s was refused; the recording does not show why", st.ID)
		st.Judge(r, report.Inconclusive)
	}
}

// checkUnblockedDeletion judges a success when nothing is known that forbids it.
func checkUnblockedDeletion(st *history.Step, pool *history.PoolState, b blockers) {
	r := history.Ruling{Rule: PoolDeletion, Aspect: "unknown", Provenance: specs.Documented}
	l := st.State.RuleListing
	switch {
	case l == nil:
		r.Message = fmt.Sprintf("pool %s was deleted; the recording does not show the pool rules at that time", st.ID)
	case !st.Known(l.Proof), l.Unsure, b.perhaps, st.Contested(touchesRules):
		r.Message = fmt.Sprintf("pool %s was deleted while pool rules may have been changing", st.ID)
	case !pool.IsKnown && !slices.ContainsFunc(st.Pools, func(f facts.Pool) bool { return f.ID == st.ID }):
		r.Message = fmt.Sprintf("pool %s was deleted; the recording does not show whether it was the default pool", st.ID)
	default:
		st.Judge(r, report.Pass)
		return
	}
	st.Judge(r, report.Inconclusive, pool.CreatedBy)
}

// pendingDeletion is a deletion that waits for proof that an attempt was still under way.
type pendingDeletion struct {
	history.Pending
	deletion *facts.Exchange
	attempts map[string]*facts.Exchange // the last proof before the deletion, by attempt
	pool     *facts.Exchange
}

// awaitReference puts off the verdict: an attempt that was under way before may have ended in between. Only one that
// is seen unfinished afterwards, or to have finished later, was certainly under way.
func awaitReference(st *history.Step, pool *history.PoolState, b blockers) {
	p := &pendingDeletion{deletion: st.Exchange, attempts: map[string]*facts.Exchange{}, pool: pool.CreatedBy}
	for _, a := range b.attempts {
		p.attempts[a.Fact.ID] = a.Proof
	}
	p.Ruling = history.Ruling{
		Rule: PoolDeletion, Aspect: "attempt", Operation: st.Operation, Provenance: specs.Documented,
		Message: fmt.Sprintf("pool %s was deleted; attempt %s, last seen under way in it, may have ended before",
			st.ID, b.attempts[0].Fact.ID),
		Evidence: []*facts.Exchange{pool.CreatedBy, b.attempts[0].Proof, st.Exchange},
	}
	p.Look = p.resolve
	st.Await(PoolDeletion, &p.Pending)
}

// resolve looks whether an exchange proves that an attempt was under way when its pool was deleted.
func (p *pendingDeletion) resolve(st *history.Step) bool {
	for _, fact := range st.Attempts {
		proof := p.attempts[fact.ID]
		if proof == nil || fact.PoolID != p.deletion.ID || !facts.Before(p.deletion, st.Exchange) || !p.outlived(fact) {
			continue
		}
		p.Ruling.Verdict = report.Fail
		p.Ruling.Message = fmt.Sprintf("pool %s was deleted while attempt %s was under way in it", p.deletion.ID, fact.ID)
		p.Ruling.Evidence = []*facts.Exchange{p.pool, proof, st.Exchange, p.deletion}
		st.Say(p.Ruling)
		return true
	}
	return false
}

// outlived reports whether an attempt ended after the deletion, or has not ended. Times of the platform are whole
// seconds of its own clock, and are compared with that clock where the answer shows it.
func (p *pendingDeletion) outlived(fact facts.Attempt) bool {
	if !fact.Done {
		return true
	}
	deleted := p.deletion.End
	if !p.deletion.Date.IsZero() {
		deleted = p.deletion.Date
	}
	return !deleted.IsZero() && fact.FinishedAt.After(deleted.Add(time.Second))
}
