package rule

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

var poolDeletion = watch{
	about: report.RuleDoc{
		ID: PoolDeletion, Provenance: specs.Documented,
		Title:   "a pool cannot be deleted while attempts run or wait in it, a rule references it, or it is the default pool",
		Watches: "Deletions of pools that succeeded or were refused with 400.",
		Evidence: "The deletion succeeds although the pool is known to be the default one, a pool rule was last seen " +
			"referencing it, or an attempt in it is seen unfinished both before and after. A deletion is a pass if the " +
			"list of rules is known and none references the pool, and a refusal is a pass if a reason for it is known.",
		Inconclusive: "It is not known which pool rules existed at that time, or whether it was the default pool; a rule may have " +
			"changed while the deletion was under way; an attempt that was last seen unfinished may have ended before; " +
			"a refusal without a known reason.",
		Passes: "A pool that is known to be deleted and is deleted again, since clients repeat requests; a rule that was " +
			"moved to another pool, deleted, or no longer listed before; an attempt that had finished before.",
	},
	see: seePoolDeletion,
}

func seePoolDeletion(st *step) {
	if len(st.Attempts) > 0 {
		st.settle(PoolDeletion)
	}
	if st.Operation != "workflow.deletePool" || !st.OK() && st.Status != http.StatusBadRequest {
		return
	}
	pool := st.s.pool(st.ID)
	if pool.gone != nil && st.OK() {
		return
	}
	b := st.blockers(pool)
	if !st.OK() {
		st.refusedDeletion(b)
		return
	}
	r := ruling{rule: PoolDeletion, provenance: specs.Documented}
	switch {
	case b.isDefault != nil:
		r.aspect, r.message = "default", fmt.Sprintf("pool %s was deleted although it is the default pool", st.ID)
		st.judge(r, report.Fail, pool.created, b.isDefault)
	case b.rule != nil:
		r.aspect = "rule"
		r.message = fmt.Sprintf("pool %s was deleted although pool rule %s references it", st.ID, b.rule.id)
		r.excuses = []excuse{excused("changed or deleted", b.rule.thing, b.rule.proof, st.Event)}
		st.judge(r, report.Fail, pool.created, b.rule.created, b.rule.proof)
	case len(b.attempts) > 0:
		st.wait(pool, b)
	default:
		st.unblockedDeletion(pool, b)
	}
}

// blockers holds what forbids the deletion of a pool, as far as it is known.
type blockers struct {
	isDefault *Event
	rule      *ruleState
	attempts  []*attemptState // last seen unfinished
	perhaps   bool            // a rule may point at it
}

func (st *step) blockers(pool *poolState) blockers {
	var b blockers
	if pool.has && pool.fact.IsDefault && st.known(pool.proof) && pool.unsure == nil {
		b.isDefault = pool.proof
	}
	for _, fact := range st.Pools { // the answer shows what was deleted
		if fact.ID == st.ID && fact.IsDefault && st.OK() {
			b.isDefault = st.Event
		}
	}
	for _, id := range slices.Sorted(maps.Keys(st.s.live)) {
		rule := st.s.live[id]
		isSure := st.known(rule.proof) && rule.unsure == nil && !st.contested(changesRule(rule.id))
		switch {
		case !isSure:
			b.perhaps = true
		case rule.fact.PoolID != st.ID:
		case b.rule == nil || rule.proof.Number < b.rule.proof.Number:
			b.rule = rule
		}
	}
	for _, a := range st.s.inPool(st.ID) {
		if !a.fact.Done && st.known(a.proof) {
			b.attempts = append(b.attempts, a)
		}
	}
	return b
}

func changesRule(id string) func(*Event) bool {
	return func(e *Event) bool {
		return e.Named == thing{poolRules, id} && (e.does == changes || e.does == removes)
	}
}

func touchesRules(e *Event) bool {
	return e.of == poolRules && e.does.writes()
}

// inPool lists the attempts that were last seen unfinished in a pool.
func (s *state) inPool(id string) []*attemptState {
	list := slices.Collect(maps.Values(s.running[id]))
	slices.SortFunc(list, func(a, b *attemptState) int { return cmp.Compare(a.first.Number, b.first.Number) })
	return list
}

func (st *step) refusedDeletion(b blockers) {
	r := ruling{rule: PoolDeletion, aspect: "refusal", provenance: specs.Documented}
	switch {
	case b.isDefault != nil, b.rule != nil, len(b.attempts) > 0:
		st.judge(r, report.Pass)
	default:
		r.message = fmt.Sprintf("deleting pool %s was refused; the recording does not show why", st.ID)
		st.judge(r, report.Inconclusive)
	}
}

// unblockedDeletion judges a success when nothing is known that forbids it.
func (st *step) unblockedDeletion(pool *poolState, b blockers) {
	r := ruling{rule: PoolDeletion, aspect: "unknown", provenance: specs.Documented}
	l := st.s.ruleListing
	switch {
	case l == nil:
		r.message = fmt.Sprintf("pool %s was deleted; the recording does not show the pool rules at that time", st.ID)
	case !st.known(l.proof), l.unsure, b.perhaps, st.contested(touchesRules):
		r.message = fmt.Sprintf("pool %s was deleted while pool rules may have been changing", st.ID)
	case !pool.has && !slices.ContainsFunc(st.Pools, func(f poolFact) bool { return f.ID == st.ID }):
		r.message = fmt.Sprintf("pool %s was deleted; the recording does not show whether it was the default pool", st.ID)
	default:
		st.judge(r, report.Pass)
		return
	}
	st.judge(r, report.Inconclusive, pool.created)
}

// pendingDeletion is a deletion that waits for proof that an attempt was still under way.
type pendingDeletion struct {
	pending
	deletion *Event
	attempts map[string]*Event // the last proof before the deletion, by attempt
	pool     *Event
}

// wait puts off the verdict: an attempt that was under way before may have ended in between. Only one that is seen
// unfinished afterwards, or to have finished later, was certainly under way.
func (st *step) wait(pool *poolState, b blockers) {
	p := &pendingDeletion{deletion: st.Event, attempts: map[string]*Event{}, pool: pool.created}
	for _, a := range b.attempts {
		p.attempts[a.fact.ID] = a.proof
	}
	p.ruling = ruling{
		rule: PoolDeletion, aspect: "attempt", operation: st.Operation, provenance: specs.Documented,
		message: fmt.Sprintf("pool %s was deleted; attempt %s, last seen under way in it, may have ended before",
			st.ID, b.attempts[0].fact.ID),
		evidence: []*Event{pool.created, b.attempts[0].proof, st.Event},
	}
	p.look = p.resolve
	st.await(PoolDeletion, &p.pending)
}

// resolve looks whether an exchange proves that an attempt was under way when its pool was deleted.
func (p *pendingDeletion) resolve(st *step) bool {
	for _, fact := range st.Attempts {
		proof := p.attempts[fact.ID]
		if proof == nil || fact.PoolID != p.deletion.ID || !before(p.deletion, st.Event) || !p.outlived(fact) {
			continue
		}
		p.ruling.verdict = report.Fail
		p.ruling.message = fmt.Sprintf("pool %s was deleted while attempt %s was under way in it", p.deletion.ID, fact.ID)
		p.ruling.evidence = []*Event{p.pool, proof, st.Event, p.deletion}
		st.say(p.ruling)
		return true
	}
	return false
}

// outlived reports whether an attempt ended after the deletion, or has not ended. Times of the platform are whole
// seconds of its own clock, and are compared with that clock where the answer shows it.
func (p *pendingDeletion) outlived(fact attemptFact) bool {
	if !fact.Done {
		return true
	}
	deleted := p.deletion.End
	if !p.deletion.Date.IsZero() {
		deleted = p.deletion.Date
	}
	return !deleted.IsZero() && fact.FinishedAt.After(deleted.Add(time.Second))
}
