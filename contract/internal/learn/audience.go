package learn

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// Kinds of the audience interface.
const (
	segmentKind    = "audience.segment"
	activationKind = "audience.activation"
)

// audience returns the section of the audience interface.
func (l *learner) audience() *mapping {
	m := newMapping()
	m.set("audiences", l.audiences(l.audienceIDs()))
	m.set("segments", l.segments())
	m.set("activations", l.activations())
	m.set("queries", l.openQueries())
	m.set("answers", l.answers())
	return m
}

// audienceIDs lists the audiences that requests name with success.
func (l *learner) audienceIDs() (ids []string) {
	for _, e := range l.exchanges {
		id := param(e, "audienceId")
		if id != "" && e.ok() && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

func audienceName(id string) string { return "Audience " + id }

func (l *learner) audiences(ids []string) *sequence {
	s := newSequence()
	for _, id := range ids {
		m := newMapping()
		database, table := l.profiles()
		m.set("id", idOf(id))
		m.guess("name", audienceName(id), "no operation shows an audience")
		m.guess("database", database, "no operation shows where the profiles are")
		m.guess("table", table, "no operation shows where the profiles are")
		s.add(m)
	}
	return s
}

func (l *learner) segments() *sequence {
	s := newSequence()
	for _, t := range byNumber(l.things.of(segmentKind)) {
		o, m := t.first(), newMapping()
		m.set("id", idOf(t.key()))
		m.set("audience", audienceName(strings.TrimSuffix(t.id, "/"+t.key())))
		m.set("name", segmentName(t))
		if !o.Exists() {
			s.addGuessed(m, "no answer shows more than its id")
			continue
		}
		m.set("kind", o.Get("kind").Int())
		m.set("funnel_stage", o.Get("funnel_stage"))
		m.set("description", o.Get("description"))
		m.set("segmentFolderId", o.Get("segmentFolderId").Int())
		m.set("rule", o.Get("rule"))
		if population := o.Get("population"); population.Type == gjson.Number {
			m.add("population", jsonNode(population), "")
		}
		m.set("user", l.people.refer(o.Get("createdBy")))
		m.set("createdAt", timeOf(o.Get("createdAt")))
		m.set("updatedBy", l.people.refer(o.Get("updatedBy")))
		m.set("updatedAt", timeOf(o.Get("updatedAt")))
		s.add(m)
	}
	return s
}

func segmentName(t *thing) string {
	if name := t.first().Get("name").String(); name != "" {
		return name
	}
	return "Segment " + t.key()
}

// activations lists as many activations of each segment as it had at the beginning: no operation shows them.
func (l *learner) activations() *sequence {
	s := newSequence()
	for _, t := range byNumber(l.things.of(segmentKind)) {
		if !t.first().Exists() {
			continue
		}
		before := 0
		for _, e := range l.exchanges {
			if e.name() == "audience.createActivation" && e.ok() && e.N < t.sights[0].N &&
				param(e, "audienceId")+"/"+param(e, "segmentId") == t.id {
				before++
			}
		}
		for range int(t.first().Get("numSyndications").Int()) - before {
			m := newMapping()
			m.set("segment", segmentName(t))
			m.set("connection", l.anyConnection())
			m.set("request", gjson.Parse(`{"name":"unknown","connectorConfig":{}}`))
			s.addGuessed(m, "its segment counts it, and no answer shows it")
		}
	}
	return s
}

// openQueries lists the queries that had been asked before the recording began.
func (l *learner) openQueries() *sequence {
	s := newSequence()
	for _, q := range l.askedQueries() {
		job := l.things.find(jobKind, q.job)
		request, ok := q.first().JSONRequest()
		if job == nil || job.made != nil || !ok {
			continue
		}
		m := newMapping()
		m.set("id", q.id)
		m.set("audience", audienceName(q.audience))
		m.add("request", jsonNode(request), "")
		if u := l.people.byKey[q.first().Credential().Identity]; u != nil {
			m.set("user", u.ref())
		}
		m.set("createdAt", timeOf(l.whole(job).Get("created_at")))
		m.set("job", idOf(q.job))
		s.add(m)
	}
	return s
}

// anyConnection returns the name of a connection of the beginning.
func (l *learner) anyConnection() string {
	for _, t := range l.things.of(connectionKind) {
		return t.id
	}
	return assumedConnection
}

const assumedConnection = "connection"

// connectionNames returns the names of connections by their ids, as lookups show them.
func (l *learner) connectionNames() map[string]string {
	names := map[string]string{}
	for e, body := range l.successes("core.lookupConnection") {
		if name := queryOf(e).Get("name"); name != "" {
			names[body.Get("id").String()] = name
		}
	}
	return names
}

// connectionID returns the id of a connection, or nothing.
func (l *learner) connectionID(name string) any {
	for id, known := range l.connectionNames() {
		if known == name {
			return idOf(id)
		}
	}
	if id, found := strings.CutPrefix(name, assumedConnection+"-"); found {
		return idOf(id)
	}
	return nil
}

// implyAudience adds what requests to the audience interface need: connections, the segments that rules refer to, the
// table of the profiles.
func (l *learner) implyAudience() {
	add := func(kind, id string, e *Exchange) {
		if l.things.find(kind, id) == nil {
			l.things.add(&thing{kind: kind, id: id, used: e, changed: map[string]bool{}})
		}
	}
	names := l.connectionNames()
	for _, e := range l.exchanges {
		if e.name() == "core.lookupConnection" && e.ok() {
			add(connectionKind, queryOf(e).Get("name"), e)
		}
		if e.Operation().Interface != "audience" || !e.ok() {
			continue
		}
		request, _ := e.JSONRequest()
		answer, _ := e.JSONResponse()
		for _, o := range append(answer.Array(), request) {
			for _, id := range referencesOf(o.Get("rule")) {
				add(segmentKind, param(e, "audienceId")+"/"+id, e)
			}
		}
		if e.name() == "audience.createActivation" {
			id := request.Get("connectionId").String()
			name := names[id]
			if name == "" {
				name = assumedConnection + "-" + id
			}
			add(connectionKind, name, e)
		}
	}
	if len(l.audienceIDs()) > 0 {
		database, table := l.profiles()
		add(tableKind, database+"/"+table, nil)
		if s := l.activations(); len(s.node.Content) > 0 && l.anyConnection() == assumedConnection {
			add(connectionKind, assumedConnection, nil)
		}
	}
}

// queryMoves notes the jobs that queries of audiences start.
var queryMoves = map[string]func(*things, *Exchange){
	segmentQuery: func(s *things, e *Exchange) {
		body, _ := e.JSONResponse()
		if id := body.Get("jobid").String(); id != "" && s.current[nameOf(jobKind, id)] == nil {
			s.get(jobKind, id).made = e
		}
	},
}
