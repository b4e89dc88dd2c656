package rule

import "net/http"

// learn takes what an exchange proves. What may or may not have happened makes what it concerns uncertain.
func (s *state) learn(e *Event) {
	s.learnCaller(e)
	s.learnAbsence(e)
	if e.Status == http.StatusNotFound && e.named.kind == poolRules {
		s.vanish(e)
	}
	if !e.OK() && !(e.Operation == "workflow.startAttempt" && e.Status == http.StatusConflict) {
		switch {
		case e.Unknown():
			s.doubt(e)
		case e.does == makes && e.Status == http.StatusConflict && !e.named.isNone():
			s.life(e.named).seen(e, reads) // it is there, whoever made it
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
		if !e.named.isNone() {
			s.life(e.named).mayHaveChanged(e)
		} else if e.does == makes && e.of != nil {
			s.stirred[e.of] = e // under whatever id
		}
		s.doubtListing(e)
	}
	s.stir(e)
}

// stir notes that an exchange may have made things that it does not name.
func (s *state) stir(e *Event) {
	for _, k := range e.stirs {
		s.stirred[k] = e
	}
}

// learnLives learns what was made, is there, and is gone.
func (s *state) learnLives(e *Event) {
	switch e.does {
	case removes:
		s.removals[e.of]++
		s.life(e.named).seen(e, removes)
		return
	case makes, changes, reads:
		if !e.named.isNone() {
			s.life(e.named).seen(e, e.does)
		}
	case nothing, lists:
	}
	if e.does != nothing && !e.within.isNone() {
		s.life(e.within).seen(e, reads)
	}
	for i := range e.shows {
		s.learnShown(e, &e.shows[i])
	}
}

func (s *state) learnShown(e *Event, f *shown) {
	x := s.life(f.thing)
	if !x.seen(e, e.does) {
		return
	}
	if f.ident != "" || !f.born.IsZero() {
		x.ident, x.born, x.showed = f.ident, f.born, e
	}
	if f.alias != "" {
		s.lives[f.kind].put(f.alias, x)
		x.aliased = e
	}
}
