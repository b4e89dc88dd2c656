package rule

// workflowState holds what is known of the workflow interface.
type workflowState struct {
	pools    *bounded[string, *poolState]
	rules    *bounded[string, *ruleState]
	attempts *bounded[string, *attemptState]
	names    *bounded[attemptName, *attemptState] // by what must be unique
	sessions *bounded[string, *attemptState]      // the attempt of the highest index
	tasks    *bounded[string, *taskState]         // by attempt
	resumes  *bounded[string, *Event]             // by new attempt: the exchange that resumed into it
	resumed  *bounded[string, string]             // by new attempt: the old one

	live      map[string]*ruleState               // the rules that are not known to be gone
	running   map[string]map[string]*attemptState // attempts last seen unfinished, by pool
	defaultID string                              // of the pool that was last seen to be the default one

	poolListing *listing // the last complete list of pools, and what changed since
	ruleListing *listing
}

type poolState struct {
	*entity
	fact poolFact
	has  bool // fact is known
}

type ruleState struct {
	*entity
	fact ruleFact
}

type attemptState struct {
	fact  attemptFact
	first *Event
	proof *Event
}

type attemptName struct{ session, retry string }

type taskState struct {
	tasks []taskFact
	proof *Event
	done  *Event // showed that the attempt was over when its tasks were listed, or nil
}

// listing is a complete list, and the changes seen since.
type listing struct {
	proof   *Event
	changes []*Event // the latest, as evidence
	unsure  bool     // something may have changed unseen

	defaultID string
	limits    map[string]int64 // of pools, after the changes
	isMixed   bool             // changes overlapped, or did not show what they made
}

// maxChanges bounds how many changes since a list are kept as evidence.
const maxChanges = 1_000

func newWorkflowState() workflowState {
	live, running := map[string]*ruleState{}, map[string]map[string]*attemptState{}
	return workflowState{
		live: live, running: running,
		pools: newBounded[string, *poolState](maxEntities, nil),
		rules: newBounded[string, *ruleState](maxEntities, func(r *ruleState) { delete(live, r.id) }),
		attempts: newBounded[string, *attemptState](maxEntities, func(a *attemptState) {
			delete(running[a.fact.PoolID], a.fact.ID)
		}),
		names:    newBounded[attemptName, *attemptState](maxEntities, nil),
		sessions: newBounded[string, *attemptState](maxEntities, nil),
		tasks:    newBounded[string, *taskState](maxEntities/10, nil),
		resumes:  newBounded[string, *Event](maxEntities/10, nil),
		resumed:  newBounded[string, string](maxEntities/10, nil),
	}
}

func (s *state) pool(id string) *poolState {
	p, ok := s.pools.get(id)
	if !ok {
		p = &poolState{entity: s.life(thing{pools, id})}
		s.pools.put(id, p)
	}
	return p
}

func (s *state) rule(id string) *ruleState {
	r, ok := s.rules.get(id)
	if !ok {
		r = &ruleState{entity: s.life(thing{poolRules, id})}
		s.rules.put(id, r)
	}
	return r
}
