package rule

import "slices"

// doubtListing notes that a list may not hold any more.
func (s *state) doubtListing(e *Event) {
	switch {
	case e.of == pools && s.poolListing != nil:
		s.poolListing.unsure = true
	case e.of == poolRules && s.ruleListing != nil:
		s.ruleListing.unsure = true
	}
}

func (s *state) learnPools(e *Event) {
	switch e.Operation {
	case "workflow.deletePool":
		s.poolListing.changed(e)
		return
	case "workflow.listPools":
		if e.Listed && !e.Opaque && s.poolListing.isOlderThan(e) {
			s.poolListing = newPoolListing(e)
		}
	case "workflow.createPool", "workflow.updatePool":
		s.poolListing.changed(e)
	}
	for _, fact := range e.Pools {
		p := s.pool(fact.ID)
		p.fact, p.has = fact, true
		if fact.IsDefault {
			s.defaultID = fact.ID
		}
	}
}

func (s *state) learnRules(e *Event) {
	switch e.Operation {
	case "workflow.deletePoolRule":
		if s.rule(e.ID).gone == e {
			delete(s.live, e.ID)
		}
		s.ruleListing.changed(e)
		return
	case "workflow.listPoolRules":
		if e.Listed && !e.Opaque && s.ruleListing.isOlderThan(e) {
			s.ruleListing = &listing{proof: e}
			s.vanish(e)
		}
	case "workflow.createPoolRule", "workflow.updatePoolRule":
		s.ruleListing.changed(e)
	}
	for _, fact := range e.Rules {
		if r := s.rule(fact.ID); r.proof == e {
			r.fact = fact
			s.live[fact.ID] = r
		}
	}
}

// vanish marks the rules that a complete list no longer shows, or of which an answer says that they are not found:
// someone else deleted them.
func (s *state) vanish(e *Event) {
	for id, r := range s.live {
		isShown := slices.ContainsFunc(e.Rules, func(f ruleFact) bool { return f.ID == id })
		isMeant := e.does == lists || e.Named == r.thing
		if !isShown && isMeant && !r.isNewerThan(e, reads) {
			r.gone = e
			delete(s.live, id)
		}
	}
}

func newPoolListing(e *Event) *listing {
	l := &listing{proof: e, limits: map[string]int64{}}
	for _, fact := range e.Pools {
		l.limits[fact.ID] = fact.Limit
		if fact.IsDefault {
			l.defaultID = fact.ID
		}
	}
	return l
}

// isOlderThan reports whether a list was asked for before another one.
func (l *listing) isOlderThan(e *Event) bool { return l == nil || !before(e, l.proof) }

// changed takes a change that was seen after the list.
func (l *listing) changed(e *Event) {
	if l == nil {
		return
	}
	last := l.proof
	if n := len(l.changes); n > 0 {
		last = l.changes[n-1]
	}
	l.isMixed = l.isMixed || !before(last, e)
	l.apply(e)
	if len(l.changes) >= 2*maxChanges {
		l.changes = slices.Delete(l.changes, 0, maxChanges)
	}
	l.changes = append(l.changes, e)
}

// apply changes the limits of pools as a request should: the default pool takes what others give back, and gives what
// they take.
func (l *listing) apply(e *Event) {
	if e.Operation == "workflow.deletePool" {
		if limit, there := l.limits[e.ID]; there { // or else it is repeated
			delete(l.limits, e.ID)
			l.limits[l.defaultID] += limit
		}
		return
	}
	if e.of != pools {
		return
	}
	if len(e.Pools) != 1 || e.Pools[0].ID == l.defaultID {
		l.isMixed = true
		return
	}
	fact := e.Pools[0]
	l.limits[l.defaultID] += l.limits[fact.ID] - fact.Limit
	l.limits[fact.ID] = fact.Limit
}

func (s *state) learnAttempts(e *Event) {
	for _, fact := range e.Attempts {
		a, ok := s.attempts.get(fact.ID)
		if ok {
			delete(s.running[a.fact.PoolID], fact.ID)
		}
		if ok && fact.PoolID == "" {
			fact.PoolID = a.fact.PoolID
		}
		if !ok {
			a = &attemptState{first: e}
			s.attempts.put(fact.ID, a)
		}
		if fact.Embedded && ok {
			fact.Project, fact.Workflow, fact.Index = a.fact.Project, a.fact.Workflow, a.fact.Index
			fact.SessionTime = a.fact.SessionTime
		}
		a.fact, a.proof = fact, e
		s.run(a)
		name := attemptName{fact.SessionID, fact.Retry}
		if _, taken := s.names.get(name); !taken && fact.SessionID != "" {
			s.names.put(name, a)
		}
		if top, ok := s.sessions.get(fact.SessionID); !fact.Embedded && (!ok || top.fact.Index <= fact.Index) {
			s.sessions.put(fact.SessionID, a)
		}
	}
	if e.Operation == "workflow.listAttemptTasks" && e.Listed {
		listed := &taskState{tasks: e.Tasks, proof: e}
		if a, ok := s.attempts.get(e.ID); ok && a.fact.Done && before(a.proof, e) {
			listed.done = a.proof
		}
		s.tasks.put(e.ID, listed)
	}
	resumes := e.Starting != nil && e.Starting.Mode == "failed" && len(e.Attempts) == 1
	if e.Operation == "workflow.startAttempt" && e.OK() && resumes {
		s.resumes.put(e.Attempts[0].ID, e)
		s.resumed.put(e.Attempts[0].ID, e.Starting.AttemptID)
	}
}

// run keeps the attempts that are under way within reach of their pools.
func (s *state) run(a *attemptState) {
	in := s.running[a.fact.PoolID]
	if a.fact.Done {
		return
	}
	if in == nil {
		in = map[string]*attemptState{}
		s.running[a.fact.PoolID] = in
	}
	in[a.fact.ID] = a
}
