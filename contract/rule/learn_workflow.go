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
		if e.listed && !e.Opaque && s.poolListing.isOlderThan(e) {
			s.poolListing = &listing{proof: e, pools: map[string]poolFact{}}
			for _, fact := range e.pools {
				s.poolListing.pools[fact.id] = fact
			}
		}
	case "workflow.createPool", "workflow.updatePool":
		s.poolListing.changed(e)
	}
	for _, fact := range e.pools {
		p := s.pool(fact.id)
		p.fact, p.has = fact, true
		if fact.isDefault {
			s.defaultID = fact.id
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
		if e.listed && !e.Opaque && s.ruleListing.isOlderThan(e) {
			s.ruleListing = &listing{proof: e}
			s.vanish(e)
		}
	case "workflow.createPoolRule", "workflow.updatePoolRule":
		s.ruleListing.changed(e)
	}
	for _, fact := range e.rules {
		if r := s.rule(fact.id); r.proof == e {
			r.fact = fact
			s.live[fact.id] = r
		}
	}
}

// vanish marks the rules that a complete list no longer shows, or of which an answer says that they are not found:
// someone else deleted them.
func (s *state) vanish(e *Event) {
	for id, r := range s.live {
		isShown := slices.ContainsFunc(e.rules, func(f ruleFact) bool { return f.id == id })
		isMeant := e.does == lists || e.named == r.thing
		if !isShown && isMeant && !r.isNewerThan(e, reads) {
			r.gone = e
			delete(s.live, id)
		}
	}
}

// isOlderThan reports whether a list was asked for before another one.
func (l *listing) isOlderThan(e *Event) bool { return l == nil || !before(e, l.proof) }

func (l *listing) changed(e *Event) {
	if l == nil {
		return
	}
	if len(l.changes) >= maxChanges {
		l.unsure = true
		return
	}
	l.changes = append(l.changes, e)
}

func (s *state) learnAttempts(e *Event) {
	for _, fact := range e.attempts {
		a, ok := s.attempts.get(fact.id)
		if ok {
			delete(s.running[a.fact.poolID], fact.id)
		}
		if ok && fact.poolID == "" {
			fact.poolID = a.fact.poolID
		}
		if !ok {
			a = &attemptState{first: e}
			s.attempts.put(fact.id, a)
		}
		if fact.embedded && ok {
			fact.project, fact.workflow, fact.index = a.fact.project, a.fact.workflow, a.fact.index
			fact.sessionTime = a.fact.sessionTime
		}
		a.fact, a.proof = fact, e
		s.run(a)
		name := attemptName{fact.sessionID, fact.retry}
		if _, taken := s.names.get(name); !taken && fact.sessionID != "" {
			s.names.put(name, a)
		}
		if top, ok := s.sessions.get(fact.sessionID); !fact.embedded && (!ok || top.fact.index <= fact.index) {
			s.sessions.put(fact.sessionID, a)
		}
	}
	if e.Operation == "workflow.listAttemptTasks" && e.listed {
		listed := &taskState{tasks: e.tasks, proof: e}
		if a, ok := s.attempts.get(e.ID); ok && a.fact.done && before(a.proof, e) {
			listed.done = a.proof
		}
		s.tasks.put(e.ID, listed)
	}
	resumes := e.start != nil && e.start.mode == "failed" && len(e.attempts) == 1
	if e.Operation == "workflow.startAttempt" && e.OK() && resumes {
		s.resumes.put(e.attempts[0].id, e)
		s.resumed.put(e.attempts[0].id, e.start.attemptID)
	}
}

// run keeps the attempts that are under way within reach of their pools.
func (s *state) run(a *attemptState) {
	in := s.running[a.fact.poolID]
	if a.fact.done {
		return
	}
	if in == nil {
		in = map[string]*attemptState{}
		s.running[a.fact.poolID] = in
	}
	in[a.fact.id] = a
}
