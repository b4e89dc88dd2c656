package history

import (
	"net/http"

	"svc.example/understudy/contract/internal/facts"
)

// learn takes what an exchange proves. What may or may not have happened makes what it concerns uncertain.
func (s *State) learn(e *facts.Exchange) {
	if e.MayChange() {
		s.lastWrite, s.lastWriteOf[e.Kind] = e, e
	}
	s.learnCaller(e)
	s.learnAbsence(e)
	if e.Status == http.StatusNotFound && e.Target.Kind == facts.PoolRules {
		s.vanish(e)
	}
	if !e.OK() && !(e.Operation == "workflow.startAttempt" && e.Status == http.StatusConflict) {
		switch {
		case e.Unknown():
			s.doubt(e)
		case e.Verb == facts.Creates && e.Status == http.StatusConflict && !e.Target.IsNone():
			s.entity(e.Target).update(e, facts.Reads) // it is there, whoever made it
		}
		return
	}
	s.learnMemberships(e)
	s.learnEntities(e)
	if e.Opaque {
		s.doubt(e)
	}
	s.learnPools(e)
	s.learnRules(e)
	s.learnAttempts(e)
	s.learnJobs(e)
	s.learnEnds(e)
	s.learnTokens(e)
	s.learnSubUsers(e)
	s.learnTables(e)
}

// doubt forgets what an exchange may have changed.
func (s *State) doubt(e *facts.Exchange) {
	if e.Verb.Writes() {
		switch {
		case !e.Target.IsNone():
			s.entity(e.Target).mayHaveChanged(e)
		case e.Verb == facts.Creates && e.Kind != "":
			s.MayHaveCreated[e.Kind] = e // under whatever id
		default:
			s.doubtAll(e)
		}
		s.doubtListing(e)
	}
	if e.Recovered != nil && !e.OK() { // of which it is not known whether it took place
		s.recoveredUnknown = e
	}
	s.stir(e)
}

// doubtAll makes all of the kind uncertain that an exchange does not name.
func (s *State) doubtAll(e *facts.Exchange) {
	if known := s.entities[e.Kind]; known != nil {
		for _, x := range known.entries {
			x.mayHaveChanged(e)
		}
	}
}

// stir notes that an exchange may have made entities that it does not name.
func (s *State) stir(e *facts.Exchange) {
	for _, k := range e.MayCreate {
		s.MayHaveCreated[k] = e
	}
}

// learnEntities learns what was made, is there, and is gone.
func (s *State) learnEntities(e *facts.Exchange) {
	if e.Verb != facts.NoVerb && !e.Parent.IsNone() {
		s.entity(e.Parent).update(e, facts.Reads)
	}
	switch e.Verb {
	case facts.Deletes:
		s.Removals[e.Kind]++
		if e.Target.IsNone() { // several, whichever they are
			s.doubtAll(e)
		} else {
			s.entity(e.Target).update(e, facts.Deletes)
		}
		return
	case facts.Creates, facts.Changes, facts.Reads:
		if !e.Target.IsNone() {
			s.entity(e.Target).update(e, e.Verb)
			if e.Verb == facts.Creates {
				s.noteMade(s.entity(e.Target), e.Parent)
			}
		}
	case facts.NoVerb, facts.Lists:
	}
	for _, u := range e.Uses {
		if u.Does != facts.NoVerb {
			s.entity(u.Entity).update(e, u.Does)
		}
	}
	for i := range e.Shows {
		s.learnShown(e, &e.Shows[i])
	}
	if to := e.RenamedTo(s.Kinds); !to.IsNone() {
		s.move(e, e.Target, to, e.Parent)
	}
}

func (s *State) learnShown(e *facts.Exchange, f *facts.Shown) {
	x := s.entity(f.Entity)
	if !x.update(e, f.Does) {
		return
	}
	if f.Ident != "" && f.Entity.Kind == facts.Tables {
		s.idents.put(f.Ident, f.Entity)
	}
	if f.Does == facts.Creates {
		s.noteMade(x, e.Parent)
	}
	if f.Object != nil {
		s.learnObject(e, x, f.Object)
	}
	if len(f.Set) > 0 {
		x.learnSettings(e, f.Set)
	}
	if f.Ident != "" || !f.Born.IsZero() {
		x.Ident, x.born, x.IdentifiedBy = f.Ident, f.Born, e
	}
	for _, alias := range f.Aliases {
		s.entities[f.Entity.Kind].put(alias, x)
		x.aliasedBy = e
	}
}

// dwhState holds what is known of the targets that integrations may load into.
type dwhState struct {
	TargetLists bounded[TargetList, *targetsListed]
}

// TargetList is a list of databases, or of the tables of one, as a caller sees it.
type TargetList struct {
	Caller   uint64
	Database string // empty of a list of databases
}

type targetsListed struct {
	Proof *facts.Exchange
	IDs   map[string]bool
}

// maxTargetLists bounds how many of such lists are kept.
const maxTargetLists = 200

// learnAbsence learns which databases and tables are not there.
func (s *State) learnAbsence(e *facts.Exchange) {
	if t := e.Absent(); !t.IsNone() {
		s.entity(t).MissedBy = e
	}
	if !e.ListsTargets() {
		return
	}
	l := &targetsListed{e, map[string]bool{}}
	for _, f := range e.Shows {
		l.IDs[f.Entity.ID] = true
	}
	s.TargetLists.put(TargetList{e.Caller, e.Parent.ID}, l)
}
