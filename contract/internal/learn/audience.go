package learn

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/specs"
)

// Kinds of the audience interface.
const (
	segmentKind    = "audience.segment"
	activationKind = "audience.activation"
)

// audience returns the section of the audience interface.
func (l *learner) audience() *mapping {
	return mappingOf("audiences", l.audiences(l.audienceIDs()), "segments", l.segments(),
		"answers", l.answers())
}

// audienceIDs lists the audiences that requests name with success.
func (l *learner) audienceIDs() (ids []string) {
	for e := range l.successes(string(specs.Audience)) {
		if id := param(e, "audienceId"); id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

func audienceName(id string) string { return "Audience " + id }

func (l *learner) audiences(ids []string) *sequence {
	s := newSequence()
	database, table := l.profiles()
	for _, id := range ids {
		m := mappingOf("id", idOf(id))
		m.guess("name", audienceName(id), "no operation shows an audience")
		m.guess("database", database, "no operation shows where the profiles are")
		m.guess("table", table, "no operation shows where the profiles are")
		s.add(m)
	}
	return s
}

func (l *learner) segments() *sequence {
	s := newSequence()
	for _, t := range byNumber(l.entities.of(segmentKind)) {
		o := t.first()
		m := mappingOf("id", idOf(t.key()), "audience", audienceName(t.parent()),
			"name", cmp.Or(t.text("name"), "Segment "+t.key()))
		if !o.Exists() {
			s.addGuessed(m, "no answer shows more than its id")
			continue
		}
		m.copy(o, "kind", "funnel_stage", "description", "segmentFolderId", "rule", "createdAt", "updatedAt")
		if population := o.Get("population"); population.IsNumber() {
			m.set("population", population)
		}
		m.set("user", l.people.refer(o.Get("createdBy")))
		m.set("updatedBy", l.people.refer(o.Get("updatedBy")))
		s.add(m)
	}
	return s
}

const assumedConnection = "connection"

// connectionNames returns the names of connections by their ids, as lookups show them.
func (l *learner) connectionNames() map[string]string {
	names := map[string]string{}
	for e, body := range l.successes("core.lookupConnection") {
		if name := queryOf(e).Get("name"); name != "" && body.Exists() {
			names[body.Get("id").Text()] = name
		}
	}
	return names
}

// connectionID returns the id of a connection, the first one that a lookup shows, or nothing.
func (l *learner) connectionID(name string) any {
	names := l.connectionNames()
	for _, body := range l.successes("core.lookupConnection") {
		if id := body.Get("id").Text(); names[id] == name {
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
	names := l.connectionNames()
	for e := range l.successes("core.lookupConnection") {
		l.entities.mention(connectionKind, queryOf(e).Get("name"))
	}
	for e, answer := range l.successes(string(specs.Audience)) {
		for _, o := range append(slices.Collect(answer.List), e.asked()) {
			for _, condition := range conditionsOf(o.Get("rule")) {
				if id := condition.Get("id").Text(); condition.Get("type").Text() == "Reference" && id != "" {
					l.entities.mention(segmentKind, param(e, "audienceId")+"/"+id)
				}
			}
		}
		if e.name() == "audience.createActivation" {
			id := e.asked().Get("connectionId").Text()
			l.entities.mention(connectionKind, cmp.Or(names[id], assumedConnection+"-"+id))
		}
	}
	if len(l.audienceIDs()) > 0 {
		database, table := l.profiles()
		l.entities.mention(tableKind, database+"/"+table)
	}
}

// Where the profiles of audiences are if the recording shows no table.
const (
	assumedDatabase = "audience"
	assumedTable    = "profiles"
)

var from = regexp.MustCompile(`(?i)\bfrom\s+(?:"?(\w+)"?\.)?"?(\w+)"?`)

// profiles returns the table that the profiles of an audience are assumed in: the one that the job of a query reads,
// the first that is known to have the columns that requests name, or one that is made up.
func (l *learner) profiles() (database, table string) {
	for _, q := range l.askedQueries() {
		job := l.entities.find(jobKind, q.job)
		if job == nil {
			continue
		}
		o := job.having("type")
		if found := from.FindStringSubmatch(o.Get("query").Text()); found != nil && o.Get("database").Text() != "" {
			return cmp.Or(found[1], o.Get("database").Text()), found[2]
		}
	}
	columns := l.profileColumns()
	for _, t := range l.entities.of(tableKind) {
		schema := slices.Collect(jsontree.Parse(t.text("schema")).List)
		isUnknown := func(name string) bool {
			return name != "time" && !slices.ContainsFunc(schema, func(c jsontree.Value) bool {
				return c.Get("0").Text() == name || c.Get("2").Text() == name
			})
		}
		if len(columns) > 0 && !slices.ContainsFunc(columns, isUnknown) {
			return t.parent(), t.key()
		}
	}
	return assumedDatabase, assumedTable
}

// audienceRequests lists the bodies of requests and the objects of answers that name columns and rules.
func (l *learner) audienceRequests() (list []jsontree.Value) {
	for e, answer := range l.successes(string(specs.Audience)) {
		if request := e.asked(); request.Exists() {
			list = append(list, request)
		}
		if answer.IsArray() {
			list = slices.AppendSeq(list, answer.List)
		}
	}
	return list
}

// profileColumns lists the columns of profiles that rules, queries and activations name.
func (l *learner) profileColumns() (names []string) {
	add := func(name string) {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, o := range l.audienceRequests() {
		for _, condition := range conditionsOf(o.Get("rule")) {
			if left := condition.Get("leftValue"); !left.Get("source").Exists() {
				add(left.Get("name").Text())
			}
		}
		for column := range o.Get("columns").List {
			switch source := column.Get("source", "column"); {
			case column.IsString():
				add(column.Text())
			case source.IsString():
				add(source.Text())
			}
		}
	}
	return names
}

// conditionsOf lists a rule and the conditions in it, at any depth.
func conditionsOf(rule jsontree.Value) []jsontree.Value {
	list := []jsontree.Value{rule}
	for condition := range rule.Get("conditions").List {
		list = append(list, conditionsOf(condition)...)
	}
	return list
}

// assumedColumns returns the columns of the table of profiles as far as requests name them: numbers where a rule
// compares them with such.
func (l *learner) assumedColumns() *sequence {
	s, isNumber := newSequence(), map[string]bool{}
	for _, o := range l.audienceRequests() {
		for _, condition := range conditionsOf(o.Get("rule")) {
			operator := condition.Get("operator")
			if operator.Get("rightValue").IsNumber() || operator.Get("rightValues", "0").IsNumber() {
				isNumber[condition.Get("leftValue", "name").Text()] = true
			}
		}
	}
	for _, name := range l.profileColumns() {
		switch {
		case name == "time":
		case isNumber[name]:
			s.addTexts(name, "double")
		default:
			s.addTexts(name, "string")
		}
	}
	return s
}

// asked is a query of an audience, with all requests that asked for it.
type asked struct {
	audience, id, job string
	requests          []*Exchange
}

const segmentQuery = "audience.createSegmentQuery"

// first returns the request that asked first.
func (q *asked) first() *Exchange { return q.requests[0] }

// answer returns the answer to the last request.
func (q *asked) answer() jsontree.Value {
	return q.requests[len(q.requests)-1].answer()
}

// askedQueries lists the queries of the recording, in the order in which they were asked.
func (l *learner) askedQueries() (list []*asked) {
	index := map[string]*asked{}
	for e, body := range l.successes(segmentQuery) {
		if !body.Exists() {
			continue
		}
		id := body.Get("id").Text()
		q := index[id]
		if q == nil || id == "" {
			q = &asked{audience: param(e, "audienceId"), id: id, job: body.Get("jobid").Text()}
			index[id], list = q, append(list, q)
		}
		q.requests = append(q.requests, e)
	}
	return list
}

// answers script what queries and counts of segments found.
func (l *learner) answers() *sequence {
	s := newSequence()
	for _, q := range l.askedQueries() {
		s.add(l.queryAnswer(q))
	}
	for e, body := range l.successes("audience.createSegment") {
		request := e.asked()
		if !request.Get("countPopulation").Bool() || !body.Exists() {
			continue
		}
		m := mappingOf("audience", audienceName(param(e, "audienceId")), "segment", request.Get("name"))
		if population := body.Get("population"); population.IsNumber() {
			m.set("count", population)
		} else {
			m.set("error", "the segment was not counted")
		}
		m.set("times", 1)
		s.add(m)
	}
	return s
}

func (l *learner) queryAnswer(q *asked) *mapping {
	m, answer := newMapping(), q.answer()
	request := q.first().asked()
	m.set("audience", audienceName(q.audience))
	if request.IsObject() {
		m.set("request", request)
	}
	switch status := answer.Get("status").Text(); {
	case status == "error":
		m.set("error", cmp.Or(answer.Get("error").Text(), "the query failed"))
	case answer.Get("count").IsNumber():
		l.addCount(m, q, request, answer)
	default:
		m.guess("count", plain("0", "!!int"), "the recording, or the query, ends before it counted")
	}
	takes, reason := l.queryTime(q)
	m.guess("takes", durationText(takes), reason)
	m.set("times", 1)
	return m
}

// addCount adds what a query found, and the profiles if an answer shows them.
func (l *learner) addCount(m *mapping, q *asked, request, answer jsontree.Value) {
	count := answer.Get("count")
	m.set("count", count)
	size := request.Get("pageSize").Int()
	if size == 0 {
		size = 100
	}
	pages := answer.Get("maxPage")
	if limit := request.Get("maxPage"); pages.IsNumber() && (count.Int()+size-1)/size != pages.Int() &&
		(!limit.Exists() || pages.Int() < limit.Int()) {
		preview := plain(strconv.FormatInt(pages.Int()*size, 10), "!!int")
		m.guess("preview", preview, "no answer shows more than the number of pages")
	}
	rows := l.rowsOf(q.job)
	if rows == nil {
		return
	}
	columns := newSequence()
	names := texts(request.Get("columns"))
	for i := range widthOf(rows, len(names)) {
		name := "count"
		if i < len(names) {
			name = names[i]
		}
		columns.addTexts(name, "varchar")
	}
	m.set("columns", columns)
	m.set("rows", rows)
}

// widthOf returns how many values rows have, or the usual number if there are none.
func widthOf(rows *sequence, usual int) int {
	if len(rows.node.Content) == 0 {
		return max(usual, 1)
	}
	return len(rows.node.Content[0].Content)
}

// queryTime returns how long a query took, and the reason for a guess.
func (l *learner) queryTime(q *asked) (takes time.Duration, reason string) {
	const later = 12 * time.Hour
	asked := q.first().At
	lastRunning, ended := time.Time{}, time.Time{}
	for _, e := range q.requests {
		if e.answer().Get("status").Text() == "running" {
			lastRunning = e.At
		} else if ended.IsZero() {
			ended = e.At
		}
	}
	job := l.entities.find(jobKind, q.job)
	if lastRunning.IsZero() && !ended.IsZero() {
		return 0, ""
	}
	if job != nil {
		if l.killOf(job) != nil {
			return l.killOf(job).At.Sub(asked) + later, "it was killed before its end"
		}
		if _, end := l.course(job); end.After(lastRunning) && (ended.IsZero() || !end.After(ended)) {
			return end.Sub(asked.Truncate(time.Second)), ""
		}
	}
	if ended.IsZero() {
		return lastRunning.Sub(asked) + later, "no answer shows its end"
	}
	return ended.Sub(asked), "it ended at some time before the answer that shows it"
}
