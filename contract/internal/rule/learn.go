package rule

import "net/http"

// learn takes what an exchange proves. What may or may not have happened makes what it concerns uncertain.
func (s *state) learn(e *Event) {
	s.learnCaller(e)
	s.learnAbsence(e)
	if e.Status == http.StatusNotFound && e.Named.kind == poolRules {
		s.vanish(e)
	}
	if !e.OK() && !(e.Operation == "workflow.startAttempt" && e.Status == http.StatusConflict) {
		switch {
		case e.Unknown():
			s.doubt(e)
		case e.does == makes && e.Status == http.StatusConflict && !e.Named.isNone():
			s.life(e.Named).seen(e, reads) // it is there, whoever made it
		}
		return
	}
	s.learnBelongings(e)
	s.learnLives(e)
	if e.Opaque {
		s.doubt(e)
	}
	s.learnPools(e)
	s.learnRules(e)
	s.learnAttempts(e)
	s.learnJobs(e)
	s.learnTokens(e)
	s.learnSubUsers(e)
	s.learnTables(e)
}

// doubt forgets what an exchange may have changed.
func (s *state) doubt(e *Event) {
	if e.does.writes() {
		if !e.Named.isNone() {
			s.life(e.Named).mayHaveChanged(e)
		} else if e.does == makes && e.of != "" {
			s.stirred[e.of] = e // under whatever id
		}
		s.doubtListing(e)
	}
	s.stir(e)
}

// stir notes that an exchange may have made things that it does not name.
func (s *state) stir(e *Event) {
	for _, k := range e.mayStir() {
		s.stirred[k] = e
	}
}

// learnLives learns what was made, is there, and is gone.
func (s *state) learnLives(e *Event) {
	if e.does != nothing && !e.Within.isNone() {
		s.life(e.Within).seen(e, reads)
	}
	switch e.does {
	case removes:
		s.removals[e.of]++
		s.life(e.Named).seen(e, removes)
		return
	case makes, changes, reads:
		if !e.Named.isNone() {
			s.life(e.Named).seen(e, e.does)
		}
	case nothing, lists:
	}
	for _, u := range e.Uses {
		if u.Does != nothing {
			s.life(u.Thing).seen(e, u.Does)
		}
	}
	for i := range e.Shows {
		s.learnShown(e, &e.Shows[i])
	}
}

func (s *state) learnShown(e *Event, f *shown) {
	x := s.life(f.Thing)
	if !x.seen(e, f.Does) {
		return
	}
	if f.Ident != "" && f.Thing.kind == tables {
		s.idents.put(f.Ident, f.Thing)
	}
	if f.Ident != "" || !f.Born.IsZero() {
		x.ident, x.born, x.showed = f.Ident, f.Born, e
	}
	for _, alias := range f.Aliases {
		s.lives[f.Thing.kind].put(alias, x)
		x.aliased = e
	}
}
