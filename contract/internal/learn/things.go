package learn

import (
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// thing is a resource of the recorded account: one incarnation, from its creation to its deletion.
type thing struct {
	kind, id string // the id with that of its parent: shop/orders
	sights   []sight
	made     *Exchange // that made it, or nil
	gone     *Exchange // that deleted it, or nil
	used     *Exchange // the first that needed it to be there
	late     bool      // it was made while the recording ran, by something that no request names
	changed  map[string]bool
}

// sight is an object of a thing in an answer.
type sight struct {
	*Exchange
	object  gjson.Result
	changed []string // members that recorded requests had set by then
}

// first returns the first object of the thing, or nothing.
func (t *thing) first() gjson.Result {
	if len(t.sights) == 0 {
		return gjson.Result{}
	}
	return t.sights[0].object
}

// last returns the last object of the thing, or nothing.
func (t *thing) last() gjson.Result {
	if len(t.sights) == 0 {
		return gjson.Result{}
	}
	return t.sights[len(t.sights)-1].object
}

// value returns a member as it was at the beginning, from the first object that has it, and whether a recorded request
// had set it by then.
func (t *thing) value(name string) (value gjson.Result, isChanged bool) {
	for _, s := range t.sights {
		if value = s.object.Get(gjson.Escape(name)); value.Exists() {
			return value, slices.Contains(s.changed, name)
		}
	}
	return value, false
}

// key returns the last part of the id.
func (t *thing) key() string { return t.id[strings.LastIndexByte(t.id, '/')+1:] }

// wasThere reports whether the thing was there when the recording began.
func (t *thing) wasThere() bool { return t.made == nil && !t.late }

// things are all things of a recording.
type things struct {
	list    []*thing
	current map[string]*thing // by kind and id
	first   map[string]*thing // that had an id, by kind and id
	begin   time.Time

	recovered map[string]bool // ids of tables that requests have recovered
}

func nameOf(kind, id string) string { return kind + " " + id }

// of lists the things of a kind that were there at the beginning, by their numbers where they have such.
func (s *things) of(kind string) (list []*thing) {
	for _, t := range s.list {
		if t.kind == kind && t.wasThere() {
			list = append(list, t)
		}
	}
	return list
}

// all lists all things of a kind, in the order in which they were first seen.
func (s *things) all(kind string) (list []*thing) {
	for _, t := range s.list {
		if t.kind == kind {
			list = append(list, t)
		}
	}
	return list
}

// find returns the thing of a kind that had an id first, or nil.
func (s *things) find(kind, id string) *thing { return s.first[nameOf(kind, id)] }

// add adds a thing.
func (s *things) add(t *thing) {
	s.list = append(s.list, t)
	if at := nameOf(t.kind, t.id); s.first[at] == nil {
		s.first[at] = t
	}
}

// get returns the thing that has an id now, and makes one if there is none.
func (s *things) get(kind, id string) *thing {
	t := s.current[nameOf(kind, id)]
	if t == nil {
		t = &thing{kind: kind, id: id, changed: map[string]bool{}}
		if before := s.find(kind, id); before != nil && before.gone != nil {
			t.late = true // another one of that name was deleted before
		}
		s.add(t)
		s.current[nameOf(kind, id)] = t
	}
	return t
}

// remove ends a thing.
func (s *things) remove(t *thing, e *Exchange) {
	t.gone = e
	if s.current[nameOf(t.kind, t.id)] == t {
		delete(s.current, nameOf(t.kind, t.id))
	}
}

// move gives a thing another id. It keeps the one that it had first.
func (s *things) move(kind, from, to string) {
	t := s.get(kind, from)
	delete(s.current, nameOf(kind, from))
	s.current[nameOf(kind, to)] = t
}

// collect finds all things of the recording.
func (l *learner) collect() *things {
	s := &things{current: map[string]*thing{}, first: map[string]*thing{}, begin: l.begin, recovered: map[string]bool{}}
	for _, e := range l.exchanges {
		if e.ok() || e.name() == "workflow.startAttempt" {
			s.take(e)
		}
	}
	for e := range l.successes("core.listDeletedTables") {
		s.takeDeleted(l.exchanges[:e.N-1], e)
	}
	return s
}

// isWrite reports whether a request may have made or changed something.
func isWrite(e *Exchange) bool {
	method := e.Item.Request.Method
	return method != "GET" && method != "HEAD"
}

// take takes what an exchange shows and does.
func (s *things) take(e *Exchange) {
	for _, list := range []map[string]func(*things, *Exchange){moves, integrationMoves, queryMoves} {
		if move := list[e.name()]; move != nil && e.ok() {
			move(s, e)
		}
	}
	body, isJSON := e.JSONResponse()
	for i, a := range e.Operation().Actions() {
		x := &taking{things: s, Exchange: e, action: a, isFirst: i == 0}
		if isJSON {
			for _, at := range a.At {
				each(body, at, func(object gjson.Result) { x.show(a.Resource, object) })
			}
			for _, at := range a.Also {
				each(body, at, func(object gjson.Result) { x.show(a.Resource, object) })
			}
		}
		x.target()
		if isJSON && e.ok() && strings.HasPrefix(e.name(), "core.getJobStatus") && a.Resource.Name == "core.job" {
			x.show(a.Resource, body) // it shows no more of it than its status
		}
	}
}
