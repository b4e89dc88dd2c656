package history

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"svc.example/understudy/contract/internal/facts"
	"svc.example/understudy/contract/report"
)

const (
	maxEntities = 20_000 // of each kind, in each world
	maxPending  = 1_000  // verdicts of each rule that wait for evidence
)

// State holds what is known of one world. Every fact keeps the exchange that proved it.
type State struct {
	Kinds            facts.Catalogue
	entities         map[facts.Kind]*bounded[string, *EntityState]
	Removals         map[facts.Kind]int
	MayHaveCreated   map[facts.Kind]*facts.Exchange // the last exchange that may have made one unseen
	recoveredUnknown *facts.Exchange                // the last recovery of an unknown table
	callers          bounded[uint64, *Caller]
	holders          bounded[holding, *EntityState]
	referrers        map[facts.Entity]map[*EntityState]bool
	lastWrite        *facts.Exchange // of anything
	lastWriteOf      map[facts.Kind]*facts.Exchange
	made             map[facts.Entity]map[facts.Entity]*EntityState // those there, by what they are in
	walks            bounded[walkKey, *walk]
	slices           bounded[walkKey, []*facts.Exchange] // parts of a list, since the last change
	waiting          map[string][]*Pending               // by rule
	first            *facts.Exchange                     // at the instance, of whichever account
	// callers are hidden alike, and what is made contradicts what is there, as if they were several
	IsMixed     bool
	HasOldNames bool // something was renamed

	unseen
	workflowState
	coreState
	dwhState
	ingestionState
}

// EntityState holds what is known of the life of an entity.
type EntityState struct {
	facts.Entity
	Ident         string // as it was last shown
	born          time.Time
	facts.Object                  // likewise
	shownBy       *facts.Exchange // the exchange that showed the object
	updating      *Update         // that no answer has shown the effect of
	set           []facts.Setting // what requests have set, as it was last shown
	setBy         *facts.Exchange // the last exchange that showed some of it
	IdentifiedBy  *facts.Exchange // the exchange that showed these
	CreatedBy     *facts.Exchange
	parents       []membership    // what it is a part of, and gone with
	ChildSeenBy   *facts.Exchange // showed that something is a part of it
	MissedBy      *facts.Exchange // showed that it was not there
	refusedBy     *facts.Exchange // the last integration for it that was refused when it was deleted
	RenamedBy     *facts.Exchange // that gave its name up, for another one
	renamedTo     facts.Entity
	IngestedBy    *facts.Exchange   // that may have made it along with a record
	ImportedBy    *facts.Exchange   // that put rows into it whose times are their own
	Proof         *facts.Exchange   // the last exchange that showed or changed it
	changedBy     *facts.Exchange   // the last one that changed it, or may have
	aliasedBy     *facts.Exchange   // that showed its other name
	DeletedBy     *facts.Exchange   // that deleted it
	LastDeletedBy *facts.Exchange   // the last one that deleted it, also if it is there again
	reappearedBy  *facts.Exchange   // that showed it to be there again, which nothing explains
	reasons       []*facts.Exchange // what shows why that deleted it, when it named another entity
	Unsure        *facts.Exchange   // that may have deleted or changed it
	late          *facts.Exchange   // that may do so yet: its answer did not come in time, and no other change followed
}

func newState(kinds facts.Catalogue) *State {
	s := &State{
		Kinds: kinds, entities: map[facts.Kind]*bounded[string, *EntityState]{}, Removals: map[facts.Kind]int{},
		MayHaveCreated: map[facts.Kind]*facts.Exchange{}, lastWriteOf: map[facts.Kind]*facts.Exchange{},
		waiting: map[string][]*Pending{}, made: map[facts.Entity]map[facts.Entity]*EntityState{},
		referrers: map[facts.Entity]map[*EntityState]bool{}, unseen: unseen{deletedTables: map[string]*EntityState{}},
		workflowState: newWorkflowState(),
	}
	s.walks.limit, s.slices.limit, s.lists.limit, s.TargetLists.limit = maxPending, maxPending, maxViews, maxTargetLists
	return s
}

// entity returns what is known of an entity, which may be nothing yet.
func (s *State) entity(t facts.Entity) *EntityState {
	x := s.LookUp(t)
	if x == nil {
		x = &EntityState{Entity: t}
		s.entities[t.Kind].put(t.ID, x)
	}
	return x
}

// LookUp returns what is known of an entity, or nil.
func (s *State) LookUp(t facts.Entity) *EntityState {
	if t.IsNone() {
		return nil
	}
	ofKind := s.entities[t.Kind]
	if ofKind == nil {
		ofKind = &bounded[string, *EntityState]{}
		s.entities[t.Kind] = ofKind
	}
	x, _ := ofKind.Get(t.ID)
	return x
}

// update notes what an exchange proves of an entity that it shows or names, and did to it. It reports whether that is
// news.
func (x *EntityState) update(e *facts.Exchange, did facts.Verb) bool {
	if x.Proof == e || x.isNewerThan(e, did) {
		return x.Proof == e
	}
	overlaps := x.changedBy != nil && !facts.Before(x.changedBy, e)
	switch {
	case did == facts.Creates || did == facts.Deletes || e.Recovered != nil:
		x.reappearedBy = nil
	case x.DeletedBy != nil:
		x.reappearedBy = e
	}
	x.Proof, x.DeletedBy, x.reasons, x.Unsure = e, nil, nil, nil
	if did.Writes() {
		x.late = nil
		if overlaps { // which of them came last is not known
			x.Unsure = e
		}
		if !overlaps || !x.changedBy.EndsAfter(e) { // what begins before both are over may be read before either
			x.changedBy = e
		}
	}
	if did == facts.Creates {
		x.CreatedBy = e
		x.Ident, x.born, x.IdentifiedBy = "", time.Time{}, nil // it is another one now
		x.Object, x.shownBy, x.updating = facts.Object{}, nil, nil
		x.set, x.setBy = nil, nil
	}
	if did == facts.Deletes {
		x.DeletedBy, x.LastDeletedBy = e, e
	}
	return true
}

// isNewerThan reports whether what is known of an entity may be newer than what an exchange shows of it: an answer may
// have been read before a change that was under way, and a recording may be far out of order.
func (x *EntityState) isNewerThan(e *facts.Exchange, did facts.Verb) bool {
	if x.Proof != nil && facts.Before(e, x.Proof) {
		return true
	}
	return !did.Writes() && x.changedBy != nil && x.changedBy != e && !facts.Before(x.changedBy, e)
}

// mayHaveChanged notes an exchange that may have changed or deleted an entity.
func (x *EntityState) mayHaveChanged(e *facts.Exchange) {
	if !x.isNewerThan(e, facts.Changes) {
		x.Unsure, x.changedBy = e, e
	}
	if e.Verb.Writes() && (e.Status == 0 || e.Status == http.StatusGatewayTimeout || e.Status == http.StatusAccepted) {
		x.late = e
	}
}

// IsSettled reports whether an entity is untouched, along with what it is a part of, and no request whose answer is not
// known may change it yet.
func (st *Step) IsSettled(x *EntityState) bool {
	return x.late == nil && st.IsUntouched(x) && !st.mayHaveFollowed(x.Entity, x.Proof, MaxParents)
}

// Pending is a verdict that waits for evidence. Without it, it is inconclusive; if its ruling names no rule by then, it
// has not had its chance.
type Pending struct {
	Ruling Ruling
	Look   func(*Step) bool // takes the next exchange that may matter, and reports whether the case is closed
}

// Await puts off a verdict. When too many wait, it is inconclusive at once.
func (st *Step) Await(rule string, p *Pending) {
	if len(st.State.waiting[rule]) >= maxPending {
		st.State.giveUp(p, st.Say)
		return
	}
	st.State.waiting[rule] = append(st.State.waiting[rule], p)
}

// Resolve shows an exchange to the verdicts of a rule that wait.
func (st *Step) Resolve(rule string) {
	st.State.waiting[rule] = slices.DeleteFunc(st.State.waiting[rule], func(p *Pending) bool { return p.Look(st) })
}

func (s *State) giveUp(p *Pending, say func(Ruling)) {
	if p.Ruling.Rule != "" {
		p.Ruling.Verdict = report.Inconclusive
		say(p.Ruling)
	}
}

// abandon gives up on verdicts that waited for evidence.
func (s *State) abandon(rules []Rule, say func(Ruling)) {
	for i := range rules {
		for _, p := range s.waiting[rules[i].Doc.ID] {
			s.giveUp(p, say)
		}
	}
	clear(s.waiting)
}

// walkKey names a list that a caller reads.
type walkKey struct {
	list, caller uint64
}

// walk is a list that is read page by page.
type walk struct {
	next  string                     // where its last page led
	pages map[string]*facts.Exchange // by what they were asked for with
}

// NextOfWalk takes the page in hand, and returns the page of the same walk that it leads back to, or nil.
func (st *Step) NextOfWalk() *facts.Exchange {
	key := walkKey{st.Walk.Key, st.Caller}
	w, known := st.State.walks.Get(key)
	if !known || st.Walk.Asked != w.next || len(w.pages) >= maxEntities {
		w = &walk{pages: map[string]*facts.Exchange{}}
		st.State.walks.put(key, w)
	}
	w.pages[st.Walk.Asked], w.next = st.Exchange, st.Walk.Next
	return w.pages[st.Walk.Next]
}

// OtherSlices takes the part of a list in hand, and returns those of the same list that the caller was shown before, if
// nothing can have changed since.
func (st *Step) OtherSlices() []*facts.Exchange {
	key := walkKey{st.Slice.Key, st.Caller}
	list, _ := st.State.slices.Get(key)
	isCurrent := func(e *facts.Exchange) bool {
		return st.Known(e) && (st.State.lastWrite == nil || facts.Before(st.State.lastWrite, e))
	}
	list = slices.DeleteFunc(slices.Clone(list), func(e *facts.Exchange) bool { return !isCurrent(e) })
	const most = 20
	bare := *st.Exchange
	bare.Shows = slices.Clone(bare.Shows)
	for i := range bare.Shows {
		bare.Shows[i].Object = nil
	}
	st.State.slices.put(key, append(list, &bare)[max(0, len(list)-most):])
	if st.Contested(func(e *facts.Exchange) bool { return e.Verb.Writes() || e.Verb == facts.NoVerb }) {
		return nil
	}
	return list
}

// holding names a value that one entity of a kind has, and no other one may have.
type holding struct {
	kind facts.Kind
	facts.Held
}

// Holder returns another entity that was last shown with what no two may have alike, or nil.
func (s *State) Holder(t facts.Entity, held facts.Held) *EntityState {
	x, _ := s.holders.Get(holding{t.Kind, held})
	if x == nil || !slices.Contains(x.Holds, held) || x == s.LookUp(t) {
		return nil
	}
	return x
}

// within returns what the list of an entity is of: its parent, or all of its kind.
func within(t, parent facts.Entity) facts.Entity {
	if t.Kind == facts.Tables && t.ID != "" {
		parent = facts.DatabaseOf(t)
	}
	return facts.Entity{Kind: t.Kind, ID: parent.ID}
}

// noteMade notes that an entity was made.
func (s *State) noteMade(x *EntityState, parent facts.Entity) {
	in := within(x.Entity, parent)
	if !x.Kind.Stays() || len(s.made[in]) >= maxEntities {
		return
	}
	if s.made[in] == nil {
		s.made[in] = map[facts.Entity]*EntityState{}
	}
	s.made[in][x.Entity] = x
}

// LackedMade lists the entities that were made, and that a whole list, or one of what only they have, lacks although
// nothing else happened to them, each for the first list that lacks it.
func (st *Step) LackedMade() (list []*EntityState) {
	made := st.State.made[within(facts.Entity{Kind: st.Kind}, st.Parent)]
	expected := made
	if st.Partial {
		if expected = nil; st.Sought != nil {
			x, _ := st.State.holders.Get(holding{st.Kind, *st.Sought})
			if x != nil && made[x.Entity] == x && slices.Contains(x.Holds, *st.Sought) {
				expected = map[facts.Entity]*EntityState{x.Entity: x}
			}
		}
	}
	if len(expected) == 0 {
		return nil
	}
	shown := make(map[facts.Entity]bool, len(st.Shows))
	for i := range st.Shows {
		shown[st.Shows[i].Entity] = true
	}
	for t, x := range expected {
		switch {
		case x.CreatedBy == nil || x.DeletedBy != nil || st.State.LookUp(t) != x:
			delete(made, t)
		case !shown[t] && x.Proof.Caller == st.Caller && st.IsSettled(x):
			delete(made, t)
			list = append(list, x)
		}
	}
	slices.SortFunc(list, func(a, b *EntityState) int { return cmp.Compare(a.ID, b.ID) })
	return list
}

// ingestionState holds what is known of the event ingestion interface.
type ingestionState struct {
	KeepsKeys *facts.Exchange // an exchange that shows that the recording keeps Authorization headers
}

// bounded is a map that forgets its oldest entries, so that memory stays flat however long a recording is. What is
// forgotten is unknown again. The zero value is ready for use: of most accounts, most kinds of facts are never seen.
type bounded[K comparable, V any] struct {
	entries map[K]V
	order   []K
	limit   int // by default maxEntities
	evicted func(V)
}

func (b *bounded[K, V]) Get(key K) (V, bool) {
	v, ok := b.entries[key]
	return v, ok
}

// of returns the value of a key, which it makes if there is none.
func (b *bounded[K, V]) of(key K, create func() V) V {
	if _, ok := b.entries[key]; !ok {
		b.put(key, create())
	}
	return b.entries[key]
}

func (b *bounded[K, V]) put(key K, value V) {
	if b.entries == nil {
		b.entries = map[K]V{}
	}
	if _, ok := b.entries[key]; !ok {
		if len(b.entries) >= cmp.Or(b.limit, maxEntities) {
			oldest := b.order[0]
			b.order = b.order[1:]
			if b.evicted != nil {
				b.evicted(b.entries[oldest])
			}
			delete(b.entries, oldest)
		}
		b.order = append(b.order, key)
	}
	b.entries[key] = value
}
