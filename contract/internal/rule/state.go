package rule

import (
	"slices"
	"time"

	"svc.example/understudy/contract/report"
)

const (
	maxEntities = 20_000 // of each kind, in each world
	maxPending  = 1_000  // verdicts of each rule that wait for evidence
)

// state holds what is known of one world. Every fact keeps the exchange that proved it.
type state struct {
	kinds    catalogue
	lives    map[kind]*bounded[string, *entity]
	removals map[kind]int
	stirred  map[kind]*Event // the last exchange that may have made one unseen
	brought  *Event          // the last recovery of an unknown table
	callers  *bounded[uint64, *callerState]
	waiting  map[string][]*pending // by rule
	first    *Event                // at the place, of whichever account
	isMixed  bool                  // callers are hidden alike, and what is made contradicts what is there, as if they were several

	unseen
	workflowState
	coreState
	dwhState
	ingestionState
}

// entity holds what is known of the life of a thing.
type entity struct {
	thing
	ident   string // as it was last shown
	born    time.Time
	showed  *Event // the exchange that showed these
	created *Event
	wholes  []belonging // what it is a part of, and gone with
	parted  *Event      // showed that something is a part of it
	missing *Event      // showed that it was not there
	fed     *Event      // that may have made it along with a record
	filled  *Event      // that put rows into it whose times are their own
	proof   *Event      // the last exchange that showed or changed it
	changed *Event      // the last one that changed it, or may have
	aliased *Event      // that showed its other name
	gone    *Event      // that deleted it
	went    *Event      // the last one that deleted it, also if it is there again
	back    *Event      // that showed it to be there again, which nothing explains
	because []*Event    // what shows why that deleted it, when it named another thing
	unsure  *Event      // that may have deleted or changed it
}

func newState(kinds catalogue) *state {
	return &state{
		kinds: kinds,
		lives: map[kind]*bounded[string, *entity]{}, removals: map[kind]int{}, stirred: map[kind]*Event{},
		callers: newBounded[uint64, *callerState](maxEntities, nil), waiting: map[string][]*pending{},
		unseen: newUnseen(), workflowState: newWorkflowState(), coreState: newCoreState(), dwhState: newDWHState(),
	}
}

// life returns what is known of a thing, which may be nothing yet.
func (s *state) life(t thing) *entity {
	x := s.lookUp(t)
	if x == nil {
		x = &entity{thing: t}
		s.lives[t.kind].put(t.id, x)
	}
	return x
}

// lookUp returns what is known of a thing, or nil.
func (s *state) lookUp(t thing) *entity {
	if t.isNone() {
		return nil
	}
	ofKind := s.lives[t.kind]
	if ofKind == nil {
		ofKind = newBounded[string, *entity](maxEntities, nil)
		s.lives[t.kind] = ofKind
	}
	x, _ := ofKind.get(t.id)
	return x
}

// seen notes what an exchange proves of a thing that it shows or names, and did to it. It reports whether that is news.
func (x *entity) seen(e *Event, did verb) bool {
	if x.proof == e || x.isNewerThan(e, did) {
		return x.proof == e
	}
	overlaps := x.changed != nil && !before(x.changed, e)
	switch {
	case did == makes || did == removes || e.Recovered != nil:
		x.back = nil
	case x.gone != nil:
		x.back = e
	}
	x.proof, x.gone, x.because, x.unsure = e, nil, nil, nil
	if did.writes() {
		if overlaps { // which of them came last is not known
			x.unsure = e
		}
		x.changed = e
	}
	if did == makes {
		x.created = e
		x.ident, x.born, x.showed = "", time.Time{}, nil // it is another one now
	}
	if did == removes {
		x.gone, x.went = e, e
	}
	return true
}

// isNewerThan reports whether what is known of a thing may be newer than what an exchange shows of it: an answer may
// have been read before a change that was under way, and a recording may be far out of order.
func (x *entity) isNewerThan(e *Event, did verb) bool {
	if x.proof != nil && before(e, x.proof) {
		return true
	}
	return !did.writes() && x.changed != nil && x.changed != e && !before(x.changed, e)
}

// mayHaveChanged notes an exchange that may have changed or deleted a thing.
func (x *entity) mayHaveChanged(e *Event) {
	if !x.isNewerThan(e, changes) {
		x.unsure, x.changed = e, e
	}
}

// pending is a verdict that waits for evidence. Without it, it is inconclusive; if its ruling names no rule by then, it
// has not had its chance.
type pending struct {
	ruling ruling
	look   func(*step) bool // takes the next exchange that may matter, and reports whether the case is closed
}

// await puts off a verdict. When too many wait, it is inconclusive at once.
func (st *step) await(rule string, p *pending) {
	if len(st.s.waiting[rule]) >= maxPending {
		st.s.giveUp(p, st.say)
		return
	}
	st.s.waiting[rule] = append(st.s.waiting[rule], p)
}

// settle shows an exchange to the verdicts of a rule that wait.
func (st *step) settle(rule string) {
	st.s.waiting[rule] = slices.DeleteFunc(st.s.waiting[rule], func(p *pending) bool { return p.look(st) })
}

func (s *state) giveUp(p *pending, say func(ruling)) {
	if p.ruling.rule != "" {
		p.ruling.verdict = report.Inconclusive
		say(p.ruling)
	}
}

// abandon gives up on verdicts that waited for evidence.
func (s *state) abandon(say func(ruling)) {
	for _, rule := range Names() {
		for _, p := range s.waiting[rule] {
			s.giveUp(p, say)
		}
	}
	clear(s.waiting)
}
