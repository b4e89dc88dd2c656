package history

import (
	"slices"

	"svc.example/understudy/contract/internal/facts"
)

// workflowState holds what is known of the workflow interface.
type workflowState struct {
	Pools    bounded[string, *PoolState]
	rules    bounded[string, *RuleState]
	Attempts bounded[string, *AttemptState]
	Names    bounded[AttemptName, *AttemptState] // by what must be unique
	Sessions bounded[string, *AttemptState]      // the attempt of the highest index
	Tasks    bounded[string, *taskState]         // by attempt
	Resumes  bounded[string, *facts.Exchange]    // by new attempt: the exchange that resumed into it
	Resumed  bounded[string, string]             // by new attempt: the old one

	Live      map[string]*RuleState               // the rules that are not known to be gone
	Running   map[string]map[string]*AttemptState // attempts last seen unfinished, by pool
	DefaultID string                              // of the pool that was last seen to be the default one

	PoolListing *listing // the last complete list of pools, and what changed since
	RuleListing *listing
}

// PoolState holds what is known of a pool.
type PoolState struct {
	*EntityState
	Fact    facts.Pool
	IsKnown bool // Fact is known
}

// RuleState holds what is known of a pool rule.
type RuleState struct {
	*EntityState
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
	w := workflowState{Live: live, Running: running}
	w.rules.evicted = func(r *RuleState) { delete(live, r.ID) }
	w.Attempts.evicted = func(a *AttemptState) { delete(running[a.Fact.PoolID], a.Fact.ID) }
	w.Tasks.limit, w.Resumes.limit, w.Resumed.limit = maxEntities/10, maxEntities/10, maxEntities/10
	return w
}

// Pool returns what is known of a pool, which may be nothing yet.
func (s *State) Pool(id string) *PoolState {
	return s.Pools.of(id, func() *PoolState {
		return &PoolState{EntityState: s.entity(facts.Entity{Kind: facts.Pools, ID: id})}
	})
}

func (s *State) rule(id string) *RuleState {
	return s.rules.of(id, func() *RuleState {
		return &RuleState{EntityState: s.entity(facts.Entity{Kind: facts.PoolRules, ID: id})}
	})
}

// doubtListing notes that a list may not hold any more.
func (s *State) doubtListing(e *facts.Exchange) {
	switch {
	case e.Kind == facts.Pools && s.PoolListing != nil:
		s.PoolListing.Unsure = true
	case e.Kind == facts.PoolRules && s.RuleListing != nil:
		s.RuleListing.Unsure = true
	}
}

func (s *State) learnPools(e *facts.Exchange) {
	switch e.Operation {
	case "workflow.deletePool":
		s.PoolListing.changed(e)
		return
	case "workflow.listPools":
		if e.Listed && !e.Opaque && s.PoolListing.isOlderThan(e) {
			s.PoolListing = newPoolListing(e)
		}
	case "workflow.createPool", "workflow.updatePool":
		s.PoolListing.changed(e)
	}
	for _, fact := range e.Pools {
		p := s.Pool(fact.ID)
		if p.IsKnown && p.Proof != e { // it may be older than what is known
			continue
		}
		p.Fact, p.IsKnown = fact, true
		if fact.IsDefault {
			s.DefaultID = fact.ID
		}
	}
}

func (s *State) learnRules(e *facts.Exchange) {
	switch e.Operation {
	case "workflow.deletePoolRule":
		if s.rule(e.ID).DeletedBy == e {
			delete(s.Live, e.ID)
		}
		s.RuleListing.changed(e)
		return
	case "workflow.listPoolRules":
		if e.Listed && !e.Opaque && s.RuleListing.isOlderThan(e) {
			s.RuleListing = &listing{Proof: e}
			s.vanish(e)
		}
	case "workflow.createPoolRule", "workflow.updatePoolRule":
		s.RuleListing.changed(e)
	}
	for _, fact := range e.Rules {
		if r := s.rule(fact.ID); r.Proof == e {
			r.Fact = fact
			s.Live[fact.ID] = r
		}
	}
}

// vanish marks the rules that a complete list no longer shows, or of which an answer says that they are not found:
// someone else deleted them.
func (s *State) vanish(e *facts.Exchange) {
	for id, r := range s.Live {
		isShown := slices.ContainsFunc(e.Rules, func(f facts.PoolRule) bool { return f.ID == id })
		isMeant := e.Verb == facts.Lists || e.Target == r.Entity
		if !isShown && isMeant && !r.isNewerThan(e, facts.Reads) {
			r.DeletedBy = e
			delete(s.Live, id)
		}
	}
}

func newPoolListing(e *facts.Exchange) *listing {
	l := &listing{Proof: e, Limits: map[string]int64{}}
	for _, fact := range e.Pools {
		l.Limits[fact.ID] = fact.Limit
		if fact.IsDefault {
			l.DefaultID = fact.ID
		}
	}
	return l
}

// isOlderThan reports whether a list was asked for before another one.
func (l *listing) isOlderThan(e *facts.Exchange) bool { return l == nil || !facts.Before(e, l.Proof) }

// changed takes a change that was seen after the list.
func (l *listing) changed(e *facts.Exchange) {
	if l == nil {
		return
	}
	last := l.Proof
	if n := len(l.Changes); n > 0 {
		last = l.Changes[n-1]
	}
	l.IsMixed = l.IsMixed || !facts.Before(last, e)
	l.apply(e)
	if len(l.Changes) >= 2*maxChanges {
		l.Changes = slices.Delete(l.Changes, 0, maxChanges)
	}
	l.Changes = append(l.Changes, e)
}

// apply changes the limits of pools as a request should: the default pool takes what others give back, and gives what
// they take.
func (l *listing) apply(e *facts.Exchange) {
	if e.Operation == "workflow.deletePool" {
		if limit, there := l.Limits[e.ID]; there { // or else it is repeated
			delete(l.Limits, e.ID)
			l.Limits[l.DefaultID] += limit
		}
		return
	}
	if e.Kind != facts.Pools {
		return
	}
	if len(e.Pools) != 1 || e.Pools[0].ID == l.DefaultID {
		l.IsMixed = true
		return
	}
	fact := e.Pools[0]
	l.Limits[l.DefaultID] += l.Limits[fact.ID] - fact.Limit
	l.Limits[fact.ID] = fact.Limit
}

func (s *State) learnAttempts(e *facts.Exchange) {
	for _, fact := range e.Attempts {
		a, ok := s.Attempts.Get(fact.ID)
		if ok {
			delete(s.Running[a.Fact.PoolID], fact.ID)
		}
		if ok && fact.PoolID == "" {
			fact.PoolID = a.Fact.PoolID
		}
		if !ok {
			a = &AttemptState{First: e}
			s.Attempts.put(fact.ID, a)
		}
		if fact.Embedded && ok {
			fact.Project, fact.Workflow, fact.Index = a.Fact.Project, a.Fact.Workflow, a.Fact.Index
			fact.SessionTime = a.Fact.SessionTime
		}
		a.Fact, a.Proof = fact, e
		s.run(a)
		name := AttemptName{fact.SessionID, fact.Retry}
		if _, taken := s.Names.Get(name); !taken && fact.SessionID != "" {
			s.Names.put(name, a)
		}
		if top, ok := s.Sessions.Get(fact.SessionID); !fact.Embedded && (!ok || top.Fact.Index <= fact.Index) {
			s.Sessions.put(fact.SessionID, a)
		}
	}
	if e.Operation == "workflow.listAttemptTasks" && e.Listed {
		listed := &taskState{Tasks: e.Tasks, Proof: e}
		if a, ok := s.Attempts.Get(e.ID); ok && a.Fact.Done && facts.Before(a.Proof, e) {
			listed.Done = a.Proof
		}
		s.Tasks.put(e.ID, listed)
	}
	resumes := e.Starting != nil && e.Starting.Mode == "failed" && len(e.Attempts) == 1
	if e.Operation == "workflow.startAttempt" && e.OK() && resumes {
		s.Resumes.put(e.Attempts[0].ID, e)
		s.Resumed.put(e.Attempts[0].ID, e.Starting.AttemptID)
	}
}

// run keeps the attempts that are under way within reach of their pools.
func (s *State) run(a *AttemptState) {
	in := s.Running[a.Fact.PoolID]
	if a.Fact.Done {
		return
	}
	if in == nil {
		in = map[string]*AttemptState{}
		s.Running[a.Fact.PoolID] = in
	}
	in[a.Fact.ID] = a
}
