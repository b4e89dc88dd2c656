package rule

import (
	"net/http"
	"strings"
)

// dwhState holds what is known of the targets that integrations may load into.
type dwhState struct {
	targetLists *bounded[targetList, *targetsListed]
}

// targetList is a list of databases, or of the tables of one, as a caller sees it.
type targetList struct {
	caller   uint64
	database string // empty of a list of databases
}

type targetsListed struct {
	proof *Event
	ids   map[string]bool
}

// maxTargetLists bounds how many of such lists are kept.
const maxTargetLists = 200

func newDWHState() dwhState {
	return dwhState{targetLists: newBounded[targetList, *targetsListed](maxTargetLists, nil)}
}

// databaseOf is the database that a table is in, or none.
func databaseOf(t thing) thing {
	if t.kind != tables {
		return thing{}
	}
	database, _, _ := strings.Cut(t.id, "/")
	return thing{databases, database}
}

// absent returns the thing that an answer shows not to be there.
func (e *Event) absent() thing {
	switch {
	case e.Status != http.StatusNotFound:
	case e.Operation == "core.getTable", e.Operation == "core.getDatabase":
		return e.Named
	case e.Operation == "core.listTables":
		return e.Within
	}
	return thing{}
}

// listsTargets reports whether an answer lists databases, or the tables of one, all that the caller may see.
func (e *Event) listsTargets() bool {
	isList := e.Operation == "core.listTables" || e.Operation == "core.listDatabases"
	return isList && e.OK() && e.Listed && !e.Opaque
}

// lacks reports whether an answer shows that a target is not there.
func (e *Event) lacks(t thing) bool {
	if !e.listsTargets() {
		return e.absent() == t
	}
	return e.of == t.kind && e.Within == databaseOf(t) && !e.showsThing(t)
}

// learnAbsence learns which databases and tables are not there.
func (s *state) learnAbsence(e *Event) {
	if t := e.absent(); !t.isNone() {
		s.life(t).missing = e
	}
	if !e.listsTargets() {
		return
	}
	l := &targetsListed{e, map[string]bool{}}
	for _, f := range e.Shows {
		l.ids[f.Thing.id] = true
	}
	s.targetLists.put(targetList{e.Caller, e.Within.id}, l)
}
