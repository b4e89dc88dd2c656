package learn

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/sight"
)

// entity is a resource of the recorded account: one incarnation, from its creation to its deletion.
type entity struct {
	kind, id string // the id with that of its parent: shop/orders
	sights   []sighting
	made     *Exchange // that made it, or nil
	gone     *Exchange // that deleted it, or nil
	used     *Exchange // the first that needed it to be there
	late     bool      // it was made while the recording ran, by something that no request names
	changed  map[string]bool
}

// sighting is an object of an entity in an answer.
type sighting struct {
	*Exchange
	object  jsontree.Value
	changed []string // members that recorded requests had set by then
}

// first returns the first object of the entity. Without one, or without an entity, it returns the zero value.
func (t *entity) first() jsontree.Value {
	if t == nil || len(t.sights) == 0 {
		return jsontree.Value{}
	}
	return t.sights[0].object
}

// last returns the last object of the entity, or nothing.
func (t *entity) last() jsontree.Value {
	if len(t.sights) == 0 {
		return jsontree.Value{}
	}
	return t.sights[len(t.sights)-1].object
}

// value returns a member as it was at the beginning, from the first object that has it, and whether a recorded request
// had set it by then.
func (t *entity) value(name string) (value jsontree.Value, isChanged bool) {
	for _, s := range t.sights {
		if value = s.object.Get(name); value.Exists() {
			return value, slices.Contains(s.changed, name)
		}
	}
	return value, false
}

// having returns the first object of the entity that has a member, or nothing.
func (t *entity) having(path string) jsontree.Value {
	for _, s := range t.sights {
		if get(s.object, path).Exists() {
			return s.object
		}
	}
	return jsontree.Value{}
}

// latest returns the last value of a member that is not null, or nothing.
func (t *entity) latest(path string) jsontree.Value {
	for _, s := range slices.Backward(t.sights) {
		if value := get(s.object, path); value.Exists() && !value.IsNull() {
			return value
		}
	}
	return jsontree.Value{}
}

// text returns a member of the first object of the entity as text.
func (t *entity) text(path string) string { return get(t.first(), path).Text() }

// time returns a member of the first object of the entity that is a time, or zero.
func (t *entity) time(path string) time.Time { return instant(t.text(path)) }

// key returns the last part of the id.
func (t *entity) key() string { return t.id[strings.LastIndexByte(t.id, '/')+1:] }

// parent returns the id without its last part, or nothing.
func (t *entity) parent() string { return strings.TrimSuffix(strings.TrimSuffix(t.id, t.key()), "/") }

// wasThere reports whether the entity was there when the recording began.
func (t *entity) wasThere() bool { return t.made == nil && !t.late }

// within returns a length of time, or the nearest one after which a run that the recording made still went on when it
// was last seen so, and was over when it was first seen so: the times that answers show may be whole seconds.
func (t *entity) within(length time.Duration) time.Duration {
	if t.made == nil {
		return length
	}
	for _, s := range t.sights {
		seen := s.At.Sub(t.made.At).Truncate(time.Millisecond)
		switch s.object.Get("status").Text() {
		case "success", "error", "killed":
			return min(length, seen)
		case "queued", "running":
			length = max(length, seen+time.Millisecond)
		}
	}
	return length
}

// entities are all entities of a recording.
type entities struct {
	list    []*entity
	byKind  map[string][]*entity
	inside  map[string][]*entity // by kind and parent
	current map[string]*entity   // by kind and id
	first   map[string]*entity   // that had an id, by kind and id
	begin   time.Time

	recovered map[string]bool // ids of tables that requests have recovered

	unshown map[string][]*Exchange // by kind and parent: those that made what their answers do not show
}

func nameOf(kind, id string) string { return kind + " " + id }

// of lists the entities of a kind that were there at the beginning, by their numbers where they have such.
func (s *entities) of(kind string) []*entity { return thereOf(s.byKind[kind]) }

// tablesOf lists the tables of a database that were there at the beginning.
func (s *entities) tablesOf(database string) []*entity {
	return thereOf(s.inside[nameOf(tableKind, database)])
}

func thereOf(all []*entity) (list []*entity) {
	for _, t := range all {
		if t.wasThere() {
			list = append(list, t)
		}
	}
	return list
}

// all lists all entities of a kind, in the order in which they were first seen.
func (s *entities) all(kind string) []*entity { return slices.Clone(s.byKind[kind]) }

// find returns the entity of a kind that had an id first, or nil.
func (s *entities) find(kind, id string) *entity { return s.first[nameOf(kind, id)] }

// add adds an entity.
func (s *entities) add(t *entity) {
	s.list = append(s.list, t)
	s.byKind[t.kind] = append(s.byKind[t.kind], t)
	s.inside[nameOf(t.kind, t.parent())] = append(s.inside[nameOf(t.kind, t.parent())], t)
	if at := nameOf(t.kind, t.id); s.first[at] == nil {
		s.first[at] = t
	}
}

// get returns the entity that has an id now, and makes one if there is none.
func (s *entities) get(kind, id string) *entity {
	t := s.current[nameOf(kind, id)]
	if t == nil {
		t = &entity{kind: kind, id: id, changed: map[string]bool{}}
		if before := s.find(kind, id); before != nil && before.gone != nil {
			t.late = true // another one of that name was deleted before
		}
		s.add(t)
		s.current[nameOf(kind, id)] = t
	}
	return t
}

// mention adds an entity of which no more is known than that it was there, unless one had the id.
func (s *entities) mention(kind, id string) {
	if id != "" && s.find(kind, id) == nil {
		s.add(&entity{kind: kind, id: id, changed: map[string]bool{}})
	}
}

// remove ends an entity.
func (s *entities) remove(t *entity, e *Exchange) {
	t.gone = e
	if s.current[nameOf(t.kind, t.id)] == t {
		delete(s.current, nameOf(t.kind, t.id))
	}
}

// move gives an entity another id. It keeps the one that it had first.
func (s *entities) move(kind, from, to string) {
	t := s.get(kind, from)
	delete(s.current, nameOf(kind, from))
	s.current[nameOf(kind, to)] = t
}

// collect finds all entities of the recording.
func (l *learner) collect() {
	l.entities = &entities{
		byKind: map[string][]*entity{}, inside: map[string][]*entity{}, current: map[string]*entity{},
		first: map[string]*entity{}, begin: l.begin, recovered: map[string]bool{},
		unshown: map[string][]*Exchange{},
	}
	s := l.entities
	for _, e := range l.exchanges {
		if e.ok() || e.name() == "workflow.startAttempt" {
			s.addExchange(e)
		}
	}
	for e := range l.successes("core.listDeletedTables") {
		s.addDeleted(l.exchanges[:e.N-1], e)
	}
}

// isWrite reports whether a request may have made or changed something.
func isWrite(e *Exchange) bool {
	method := e.Item.Request.Method
	return method != "GET" && method != "HEAD"
}

// addExchange adds what an exchange shows and does.
func (s *entities) addExchange(e *Exchange) {
	for _, list := range []map[string]func(*entities, *Exchange){moves, makes} {
		if move := list[e.name()]; move != nil && e.ok() {
			move(s, e)
		}
	}
	names, document := sight.Names{Match: &e.Owner.Match, Query: queryOf(e)}, e.Operation().Document
	for i, a := range e.Operation().Actions() {
		x := &taking{entities: s, Exchange: e, action: a, isFirst: i == 0}
		answer := sight.Answer{Document: document, Action: a, Body: e.answer(), Parent: names.Parent(a)}
		for o := range answer.Shows {
			x.show(&o)
		}
		x.target(names.Target(a), answer.Parent)
		if document.Interface.IsOwn() {
			x.attribute(names.Target(a), answer.Parent)
		}
		id := answer.Body.Get("job_id").Text()
		if id != "" && e.ok() && strings.HasPrefix(e.name(), "core.getJobStatus") && a.Resource.Name == jobKind {
			x.show(&sight.Shown{Resource: a.Resource, ID: id, Object: answer.Body}) // no more of it than its status
		}
	}
}

// taking takes one action of an exchange.
type taking struct {
	*entities
	*Exchange
	action  *specs.Action
	isFirst bool
	shown   int       // objects
	fresh   []*entity // that stand in a list, and nothing has shown or named before
}

// attribute keeps a request that made an entity of which its answer does not show the id. What a list is the first to
// show later was made by such requests, the newest by the last one.
func (x *taking) attribute(t, parent sight.Entity) {
	at := nameOf(x.action.Resource.Name, parent.ID)
	if x.isFirst && x.action.Verb == specs.Create && x.shown == 0 && t.ID == "" && x.ok() {
		x.unshown[at] = append(x.unshown[at], x.Exchange)
		return
	}
	byNumber(x.fresh)
	for n := len(x.fresh); n > 0 && len(x.unshown[at]) > 0; n-- {
		last := len(x.unshown[at]) - 1
		x.fresh[n-1].made, x.unshown[at] = x.unshown[at][last], x.unshown[at][:last]
	}
}

// target takes the entity that the request names, and what that is a part of.
func (x *taking) target(t, parent sight.Entity) {
	if parent.ID != "" && parent.Kind != "" {
		x.use(x.get(parent.Kind, parent.ID))
	}
	a, id := x.action, t.ID
	if id == "" || !x.ok() {
		return
	}
	switch kind := t.Kind; {
	case a.Verb == specs.Create, a.Verb == specs.Update && x.Status() == http.StatusCreated:
		if t := x.current[nameOf(kind, id)]; t == nil {
			x.get(kind, id).made = x.Exchange
		}
	case a.Verb == specs.Delete:
		t := x.get(kind, id)
		x.use(t)
		x.remove(t, x.Exchange)
	case moves[x.name()] != nil && x.current[nameOf(kind, id)] == nil: // the request has given it another id
	case a.Verb != "" || a.Reads || a.Changes:
		x.use(x.get(kind, id))
	}
}

func (x *taking) use(t *entity) {
	if t.used == nil && t.made == nil {
		t.used = x.Exchange
	}
}

// show takes an object of the answer.
func (x *taking) show(o *sight.Shown) {
	r := o.Resource
	isKnown := x.current[nameOf(r.Name, o.ID)] != nil
	t, born := x.get(r.Name, o.ID), time.Time{}
	x.shown++
	if !isKnown && o.Items > 0 && r == x.action.Resource && !t.late {
		x.fresh = append(x.fresh, t)
	}
	for _, at := range r.Created {
		if shown := instant(sight.Text(o.Object, at)); !shown.IsZero() {
			born = shown
		}
	}
	isNew := born.IsZero() || !born.Before(x.At.Add(-2*time.Second).Truncate(time.Second))
	switch {
	case isKnown && (len(t.sights) > 0 || t.made != nil):
	case x.isFirst && x.action.Verb == specs.Create && x.ok() && isNew:
		t.made = x.Exchange
	case x.action.Verb == "" && isWrite(x.Exchange) && x.ok() && isNew && !born.IsZero():
		t.made = x.Exchange // as a backfill and the run of an integration make attempts
	case born.After(x.begin), r.Name == tableKind && x.recovered[o.Object.Get("id").Text()]:
		t.late = true
	}
	if x.isFirst && (x.action.Verb == specs.Update || x.action.Changes) && x.ok() {
		x.change(t)
	}
	t.sights = append(t.sights, sighting{x.Exchange, o.Object, slices.Sorted(maps.Keys(t.changed))})
}

// change notes the members that a request sets.
func (x *taking) change(t *entity) {
	for object := range sight.Values(x.asked(), x.action.Request) {
		if attributes := object.Get("attributes"); attributes.IsObject() {
			object = attributes
		}
		for member := range object.Each {
			t.changed[member.Name()] = true
		}
	}
}

// moves are the operations that give entities other ids.
var moves = map[string]func(*entities, *Exchange){
	"core.renameTable": func(s *entities, e *Exchange) {
		database := param(e, "database_name")
		s.move("core.table", database+"/"+param(e, "current_table_name"), database+"/"+param(e, "new_table_name"))
	},
	"core.swapTables": func(s *entities, e *Exchange) {
		database := param(e, "database_name")
		one, other := database+"/"+param(e, "table_name_1"), database+"/"+param(e, "table_name_2")
		a, b := s.get("core.table", one), s.get("core.table", other)
		s.current[nameOf("core.table", one)], s.current[nameOf("core.table", other)] = b, a
	},
	"core.changeTableDatabase": func(s *entities, e *Exchange) {
		s.move("core.table", param(e, "database_name")+"/"+param(e, "table_name"),
			param(e, "new_database_name")+"/"+param(e, "table_name"))
	},
	"core.recoverTable": func(s *entities, e *Exchange) {
		s.recovered[param(e, "table_id")] = true
		name := e.answer().Get("name").Text()
		database := cmp.Or(e.asked().Get("database_name").Text(), e.answer().Get("database_name").Text())
		if database == "" {
			return
		}
		if id := database + "/" + name; s.current[nameOf("core.table", id)] == nil {
			s.get("core.table", id).late = true
		}
	},
	"core.deleteDatabase": func(s *entities, e *Exchange) {
		prefix := "core.table " + param(e, "database_name") + "/"
		for name, t := range s.current {
			if strings.HasPrefix(name, prefix) {
				s.remove(t, e)
				delete(s.current, name)
			}
		}
	},
}

// makes are the operations of one interface that make and delete entities of another one.
var makes = map[string]func(*entities, *Exchange){
	segmentQuery: func(s *entities, e *Exchange) { s.make(jobKind, "jobid", e) },
	"dwh.createDwhIntegration": func(s *entities, e *Exchange) {
		s.make(projectKind, "workflow_project_id", e)
	},
	"dwh.deleteDwhIntegration": func(s *entities, e *Exchange) {
		if id := e.answer().Get("workflow_project_id").Text(); id != "" {
			s.remove(s.get(projectKind, id), e)
		}
	},
	"dwh.runDwhWorkflow": func(s *entities, e *Exchange) { s.make(attemptKind, "id", e) },
}

// make notes that a request made the entity whose id stands in its answer, unless that is known.
func (s *entities) make(kind, at string, e *Exchange) {
	if id := e.answer().Get(at).Text(); id != "" && s.current[nameOf(kind, id)] == nil {
		s.get(kind, id).made = e
	}
}

// sequenceOf lists the entities of a kind that were there at the beginning, by their numbers, but for those of which
// nothing is set.
func (l *learner) sequenceOf(kind string, set func(m *mapping, t *entity)) *sequence {
	s := newSequence()
	for _, t := range byNumber(l.entities.of(kind)) {
		m := newMapping()
		if set(m, t); !m.isEmpty() {
			s.add(m)
		}
	}
	return s
}

// byNumber orders entities by their ids, which are numbers that count up.
func byNumber(list []*entity) []*entity {
	slices.SortStableFunc(list, func(a, b *entity) int { return cmp.Compare(number(a.key()), number(b.key())) })
	return list
}

func number(text string) int64 {
	n, _ := strconv.ParseInt(text, 10, 64)
	return n
}

const unseen = "no answer shows it"

// param returns a path parameter.
func param(e *Exchange, name string) string { return e.Owner.Match.Param(name) }
