package learn

import (
	"slices"
	"time"

	"github.com/tidwall/gjson"
)

// asked is a query of an audience, with all requests that asked for it.
type asked struct {
	audience, id, job string
	requests          []*Exchange
}

const segmentQuery = "audience.createSegmentQuery"

// first returns the request that asked first.
func (q *asked) first() *Exchange { return q.requests[0] }

// answer returns the answer to the last request.
func (q *asked) answer() gjson.Result {
	body, _ := q.requests[len(q.requests)-1].JSONResponse()
	return body
}

// askedQueries lists the queries of the recording, in the order in which they were asked.
func (l *learner) askedQueries() (list []*asked) {
	for e, body := range l.successes(segmentQuery) {
		id := body.Get("id").String()
		i := slices.IndexFunc(list, func(q *asked) bool { return q.id == id && id != "" })
		if i < 0 {
			i = len(list)
			list = append(list, &asked{audience: param(e, "audienceId"), id: id, job: body.Get("jobid").String()})
		}
		list[i].requests = append(list[i].requests, e)
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
		request, _ := e.JSONRequest()
		if !request.Get("countPopulation").Bool() {
			continue
		}
		m := newMapping()
		m.set("audience", audienceName(param(e, "audienceId")))
		m.set("segment", request.Get("name"))
		if population := body.Get("population"); population.Type == gjson.Number {
			m.add("count", jsonNode(population), "")
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
	request, _ := q.first().JSONRequest()
	m.set("audience", audienceName(q.audience))
	if request.IsObject() && !l.refersToNew(q.audience, request.Get("rule")) {
		m.add("request", jsonNode(request), "")
	}
	switch status := answer.Get("status").String(); {
	case status == "error":
		message := answer.Get("error").String()
		if message == "" {
			message = "the query failed"
		}
		m.set("error", message)
	case answer.Get("count").Type == gjson.Number:
		l.addCount(m, q, request, answer)
	case status == "killed":
		m.guess("count", zero, "it was killed before it counted")
	default:
		m.guess("count", zero, "the recording ends before the query does")
	}
	takes, reason := l.queryTime(q)
	if reason != "" {
		m.guess("takes", durationText(takes), reason)
	} else {
		m.set("takes", durationText(takes))
	}
	m.set("times", 1)
	return m
}

// zero is a count that is written although it is 0.
var zero = plain("0", "!!int")

// addCount adds what a query found, and the profiles if an answer shows them.
func (l *learner) addCount(m *mapping, q *asked, request, answer gjson.Result) {
	count := answer.Get("count")
	m.add("count", jsonNode(count), "")
	size := request.Get("pageSize").Int()
	if size == 0 {
		size = 100
	}
	pages := answer.Get("maxPage")
	if limit := request.Get("maxPage"); pages.Type == gjson.Number && (count.Int()+size-1)/size != pages.Int() &&
		(!limit.Exists() || pages.Int() < limit.Int()) {
		m.guess("preview", plain(gjson.Parse(pages.Raw).String(), "!!int"), "no answer shows more than the number of pages")
		m.node.Content[len(m.node.Content)-1] = nodeOf(pages.Int() * size)
	}
	rows := l.rowsOf(q.job)
	if rows == nil {
		return
	}
	columns := newSequence()
	names := request.Get("columns").Array()
	for i := range widthOf(rows, len(names)) {
		column, name := newSequence(), "count"
		if i < len(names) {
			name = names[i].String()
		}
		column.node.Content = append(column.node.Content, scalar(name), scalar(engineTypeOf(rows, i)))
		columns.node.Content = append(columns.node.Content, column.node)
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

// engineTypeOf returns the type that the values of a column have.
func engineTypeOf(rows *sequence, column int) string {
	kind := ""
	for _, row := range rows.node.Content {
		if column >= len(row.Content) {
			return "varchar"
		}
		switch tag := row.Content[column].Tag; {
		case tag == "!!int" && kind == "":
			kind = "bigint"
		case tag == "!!float" && kind != "varchar":
			kind = "double"
		case tag == "!!str", tag == "!!bool":
			kind = "varchar"
		}
	}
	if kind == "" {
		return "varchar"
	}
	return kind
}

// queryTime returns how long a query took, and the reason for a guess.
func (l *learner) queryTime(q *asked) (takes time.Duration, reason string) {
	const later = 12 * time.Hour
	asked := q.first().At
	lastRunning, ended := time.Time{}, time.Time{}
	for _, e := range q.requests {
		body, _ := e.JSONResponse()
		if body.Get("status").String() == "running" {
			lastRunning = e.At
		} else if ended.IsZero() {
			ended = e.At
		}
	}
	job := l.things.find(jobKind, q.job)
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

// refersToNew reports whether a rule refers to a segment that the recording makes: its id will be another.
func (l *learner) refersToNew(audience string, rule gjson.Result) bool {
	return slices.ContainsFunc(referencesOf(rule), func(id string) bool {
		t := l.things.find(segmentKind, audience+"/"+id)
		return t != nil && !t.wasThere()
	})
}

// referencesOf lists the segments that a rule refers to.
func referencesOf(rule gjson.Result) (ids []string) {
	if id := rule.Get("id").String(); rule.Get("type").String() == "Reference" && id != "" {
		ids = append(ids, id)
	}
	for _, condition := range rule.Get("conditions").Array() {
		ids = append(ids, referencesOf(condition)...)
	}
	return ids
}
