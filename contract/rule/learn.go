package rule

import (
	"net/http"
	"slices"
)

// learn takes what an exchange proves. What may or may not have happened makes what it concerns uncertain.
func (s *state) learn(e *Event) {
	if !e.OK() && !(e.Operation == "startAttempt" && e.Status == http.StatusConflict) {
		if e.Unknown() {
			s.doubt(e)
		}
		return
	}
	if e.Opaque {
		s.doubt(e)
	}
	if isDeletion(e) {
		s.deletions++
	}
	s.learnPools(e)
	s.learnRules(e)
	s.learnAttempts(e)
	s.learnProjects(e)
}

// doubt forgets what an exchange may have changed.
func (s *state) doubt(e *Event) {
	switch e.Operation {
	case "createPool", "updatePool", "deletePool":
		if e.ID != "" {
			s.pool(e.ID).unsure = e
		}
		if s.poolListing != nil {
			s.poolListing.unsure = true
		}
	case "createPoolRule", "updatePoolRule", "deletePoolRule":
		if e.ID != "" {
			s.rule(e.ID).unsure = e
		}
		if s.ruleListing != nil {
			s.ruleListing.unsure = true
		}
	case "deleteProject":
		of(s.projects, e.ID).unsure = e
	case "putProjectSecret", "deleteProjectSecret":
		of(s.secrets, e.ID+"/"+e.Key).unsure = e
	}
}

func (s *state) learnPools(e *Event) {
	switch e.Operation {
	case "deletePool":
		p := s.pool(e.ID)
		if p.gone == nil {
			p.gone, p.proof = e, e
		}
		s.poolListing.changed(e)
		return
	case "listPools":
		if e.listed && !e.Opaque {
			s.poolListing = &listing{proof: e, pools: map[string]poolFact{}}
			for _, fact := range e.pools {
				s.poolListing.pools[fact.id] = fact
			}
		}
	case "createPool", "updatePool":
		s.poolListing.changed(e)
	}
	for _, fact := range e.pools {
		p := s.pool(fact.id)
		p.fact, p.has = fact, true
		if fact.isDefault {
			s.defaultID = fact.id
		}
		p.seen(e, e.Operation == "createPool")
	}
}

func (s *state) learnRules(e *Event) {
	switch e.Operation {
	case "deletePoolRule":
		r := s.rule(e.ID)
		r.gone, r.proof = e, e
		delete(s.live, e.ID)
		s.ruleListing.changed(e)
		return
	case "listPoolRules":
		if e.listed && !e.Opaque {
			s.ruleListing = &listing{proof: e}
			s.vanish(e)
		}
	case "createPoolRule", "updatePoolRule":
		s.ruleListing.changed(e)
	}
	for _, fact := range e.rules {
		r := s.rule(fact.id)
		r.fact = fact
		s.live[fact.id] = r
		r.seen(e, e.Operation == "createPoolRule")
	}
}

// vanish marks the rules that a complete list no longer shows: someone else deleted them.
func (s *state) vanish(e *Event) {
	for id, r := range s.live {
		if !slices.ContainsFunc(e.rules, func(f ruleFact) bool { return f.id == id }) {
			r.gone = e
			delete(s.live, id)
		}
	}
}

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
	if e.Operation == "listAttemptTasks" && e.listed {
		listed := &taskState{tasks: e.tasks, proof: e}
		if a, ok := s.attempts.get(e.ID); ok && a.fact.done && before(a.proof, e) {
			listed.done = a.proof
		}
		s.tasks.put(e.ID, listed)
	}
	if e.Operation == "startAttempt" && e.OK() && e.start != nil && e.start.mode == "failed" && len(e.attempts) == 1 {
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

func (s *state) learnProjects(e *Event) {
	switch e.Operation {
	case "deleteProject":
		if p := of(s.projects, e.ID); p.gone == nil {
			p.gone, p.proof = e, e
		}
		return
	case "putProjectSecret":
		of(s.secrets, e.ID+"/"+e.Key).seen(e, true)
	case "deleteProjectSecret":
		x := of(s.secrets, e.ID+"/"+e.Key)
		x.gone, x.proof = e, e
	}
	for _, fact := range e.projects {
		of(s.projects, fact.id).seen(e, e.Operation == "putProject")
	}
}
