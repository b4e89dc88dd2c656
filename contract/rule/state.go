package rule

import "svc.example/understudy/contract/report"

const (
	maxEntities = 20_000 // of each kind, in each world
	maxPending  = 1_000
)

// state is what is known of one world. Every fact keeps the exchange that proved it.
type state struct {
	pools    *bounded[string, *poolState]
	rules    *bounded[string, *ruleState]
	attempts *bounded[string, *attemptState]
	names    *bounded[attemptName, *attemptState] // by what must be unique
	sessions *bounded[string, *attemptState]      // the attempt of the highest index
	tasks    *bounded[string, *taskState]         // by attempt
	resumes  *bounded[string, *Event]             // by new attempt: the exchange that resumed into it
	resumed  *bounded[string, string]             // by new attempt: the old one
	projects *bounded[string, *entity]
	secrets  *bounded[string, *entity] // by project/key
	callers  *bounded[uint64, *callerState]

	live      map[string]*ruleState               // the rules that are not known to be gone
	running   map[string]map[string]*attemptState // attempts last seen unfinished, by pool
	deletions int
	defaultID string // of the pool that was last seen to be the default one

	poolListing *listing // the last complete list of pools, and what changed since
	ruleListing *listing
	pending     []*pendingDeletion
}

// entity is what is known of the life of something.
type entity struct {
	id      string
	created *Event
	proof   *Event // the last exchange that showed or changed it
	gone    *Event // that deleted it
	unsure  *Event // that may have deleted or changed it
}

type poolState struct {
	entity
	fact poolFact
	has  bool // fact is known
}

type ruleState struct {
	entity
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
	pools   map[string]poolFact
	changes []*Event
	unsure  bool // something may have changed unseen
}

// maxChanges bounds how many changes since a list are kept; beyond, the list tells nothing any more.
const maxChanges = 1_000

func newState() *state {
	live, running := map[string]*ruleState{}, map[string]map[string]*attemptState{}
	return &state{
		live: live, running: running,
		pools: newBounded[string, *poolState](maxEntities, nil),
		rules: newBounded[string, *ruleState](maxEntities, func(r *ruleState) { delete(live, r.id) }),
		attempts: newBounded[string, *attemptState](maxEntities, func(a *attemptState) {
			delete(running[a.fact.poolID], a.fact.id)
		}),
		names:    newBounded[attemptName, *attemptState](maxEntities, nil),
		sessions: newBounded[string, *attemptState](maxEntities, nil),
		tasks:    newBounded[string, *taskState](maxEntities/10, nil),
		resumes:  newBounded[string, *Event](maxEntities/10, nil),
		resumed:  newBounded[string, string](maxEntities/10, nil),
		projects: newBounded[string, *entity](maxEntities, nil),
		secrets:  newBounded[string, *entity](maxEntities, nil),
		callers:  newBounded[uint64, *callerState](maxEntities, nil),
	}
}

func (s *state) pool(id string) *poolState {
	p, ok := s.pools.get(id)
	if !ok {
		p = &poolState{entity: entity{id: id}}
		s.pools.put(id, p)
	}
	return p
}

func (s *state) rule(id string) *ruleState {
	r, ok := s.rules.get(id)
	if !ok {
		r = &ruleState{entity: entity{id: id}}
		s.rules.put(id, r)
	}
	return r
}

// poolEntity returns what is known of the life of a pool, or nil.
func (s *state) poolEntity(id string) *entity {
	if p, ok := s.pools.get(id); ok {
		return &p.entity
	}
	return nil
}

// ruleEntity returns what is known of the life of a rule, or nil.
func (s *state) ruleEntity(id string) *entity {
	if r, ok := s.rules.get(id); ok {
		return &r.entity
	}
	return nil
}

func of(entities *bounded[string, *entity], id string) *entity {
	e, ok := entities.get(id)
	if !ok {
		e = &entity{id: id}
		entities.put(id, e)
	}
	return e
}

// seen notes that an entity was shown or made.
func (x *entity) seen(e *Event, created bool) {
	x.proof, x.gone, x.unsure = e, nil, nil
	if created {
		x.created = e
	}
}

// abandon gives up on verdicts that waited for evidence.
func (s *state) abandon(say func(ruling)) {
	for _, p := range s.pending {
		p.ruling.verdict = report.Inconclusive
		say(p.ruling)
	}
	s.pending = nil
}
