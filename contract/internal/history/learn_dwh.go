package history

import "svc.example/understudy/contract/internal/facts"

// dwhState holds what is known of the targets that integrations may load into.
type dwhState struct {
	TargetLists *bounded[TargetList, *targetsListed]
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

func newDWHState() dwhState {
	return dwhState{TargetLists: newBounded[TargetList, *targetsListed](maxTargetLists, nil)}
}

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
		l.IDs[f.Thing.ID] = true
	}
	s.TargetLists.put(TargetList{e.Caller, e.Parent.ID}, l)
}
