package history

import "svc.example/understudy/contract/internal/facts"

// workflowState holds what is known of the workflow interface.
type workflowState struct {
	Pools    *bounded[string, *PoolState]
	rules    *bounded[string, *RuleState]
	Attempts *bounded[string, *AttemptState]
	Names    *bounded[AttemptName, *AttemptState] // by what must be unique
	Sessions *bounded[string, *AttemptState]      // the attempt of the highest index
	Tasks    *bounded[string, *taskState]         // by attempt
	Resumes  *bounded[string, *facts.Exchange]    // by new attempt: the exchange that resumed into it
	Resumed  *bounded[string, string]             // by new attempt: the old one

	Live      map[string]*RuleState               // the rules that are not known to be gone
	Running   map[string]map[string]*AttemptState // attempts last seen unfinished, by pool
	DefaultID string                              // of the pool that was last seen to be the default one

	PoolListing *listing // the last complete list of pools, and what changed since
	RuleListing *listing
}

// PoolState holds what is known of a pool.
type PoolState struct {
	*Entity
	Fact    facts.Pool
	IsKnown bool // Fact is known
}

// RuleState holds what is known of a pool rule.
type RuleState struct {
	*Entity
	Fact facts.PoolRule
}

// AttemptState holds what is known of an attempt.
type AttemptState struct {
	Fact  facts.Attempt
	First *facts.Exchange
	Proof *facts.Exchange
}

// AttemptName identifies an attempt: a session has one attempt of each retry name.
type AttemptName struct{ Session, Retry string }

type taskState struct {
	Tasks []facts.Task
	Proof *facts.Exchange
	Done  *facts.Exchange // showed that the attempt was over when its tasks were listed, or nil
}

// listing is a complete list, and the changes seen since.
type listing struct {
	Proof   *facts.Exchange
	Changes []*facts.Exchange // the latest, as evidence
	Unsure  bool              // something may have changed unseen

	DefaultID string
	Limits    map[string]int64 // of pools, after the changes
	IsMixed   bool             // changes overlapped, or did not show what they made
}

// maxChanges bounds how many changes since a list are kept as evidence.
const maxChanges = 1_000

func newWorkflowState() workflowState {
	live, running := map[string]*RuleState{}, map[string]map[string]*AttemptState{}
	return workflowState{
		Live: live, Running: running,
		Pools: newBounded[string, *PoolState](maxEntities, nil),
		rules: newBounded[string, *RuleState](maxEntities, func(r *RuleState) { delete(live, r.ID) }),
		Attempts: newBounded[string, *AttemptState](maxEntities, func(a *AttemptState) {
			delete(running[a.Fact.PoolID], a.Fact.ID)
		}),
		Names:    newBounded[AttemptName, *AttemptState](maxEntities, nil),
		Sessions: newBounded[string, *AttemptState](maxEntities, nil),
		Tasks:    newBounded[string, *taskState](maxEntities/10, nil),
		Resumes:  newBounded[string, *facts.Exchange](maxEntities/10, nil),
		Resumed:  newBounded[string, string](maxEntities/10, nil),
	}
}

// Pool returns what is known of a pool, which may be nothing yet.
func (s *State) Pool(id string) *PoolState {
	p, ok := s.Pools.Get(id)
	if !ok {
		p = &PoolState{Entity: s.entity(facts.Thing{Kind: facts.Pools, ID: id})}
		s.Pools.put(id, p)
	}
	return p
}

func (s *State) rule(id string) *RuleState {
	r, ok := s.rules.Get(id)
	if !ok {
		r = &RuleState{Entity: s.entity(facts.Thing{Kind: facts.PoolRules, ID: id})}
		s.rules.put(id, r)
	}
	return r
}
