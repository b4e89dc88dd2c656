package learn

import (
	"strconv"
	"time"

	"github.com/tidwall/gjson"
)

// unix returns a time that is given in seconds since 1970.
func unix(v gjson.Result) time.Time {
	if v.Type != gjson.Number {
		return instant(v.String())
	}
	return time.Unix(0, int64(v.Float()*1e9)).UTC()
}

// jobs lists the jobs of the beginning, oldest first.
func (l *learner) jobs() *sequence {
	s := newSequence()
	for _, t := range byNumber(l.things.of(jobKind)) {
		o := t.first()
		if !o.Get("type").Exists() {
			if o = l.whole(t); !o.Exists() {
				continue
			}
		}
		s.add(l.job(t, o))
	}
	return s
}

// whole returns the first object of a job that shows more than its status.
func (l *learner) whole(t *thing) gjson.Result {
	for _, s := range t.sights {
		if s.object.Get("type").Exists() {
			return s.object
		}
	}
	return gjson.Result{}
}

func (l *learner) job(t *thing, o gjson.Result) *mapping {
	m := newMapping()
	m.set("id", idOf(t.id))
	m.set("type", o.Get("type"))
	m.set("database", o.Get("database"))
	query := o.Get("query").String()
	if o.Get("query").IsObject() {
		query = o.Get("query").Raw
	}
	m.add("query", scalar(query), "")
	m.set("priority", o.Get("priority").Int())
	m.set("retryLimit", o.Get("retry_limit").Int())
	m.set("engineVersion", o.Get("engine_version"))
	m.set("target", target(o.Get("result")))
	m.set("user", l.people.referByName(o.Get("user_name").String()))
	status := o.Get("status").String()
	end, start := instant(o.Get("end_at").String()), instant(o.Get("start_at").String())
	last := t.last()
	if later := instant(last.Get("end_at").String()); end.IsZero() {
		end = later
	}
	if later := instant(last.Get("start_at").String()); start.IsZero() {
		start = later
	}
	if end.After(l.begin) {
		status = "running"
		if start.After(l.begin) {
			status = "queued"
		}
	}
	if t.sights[0].name() == "core.killJob" {
		status = "running"
	}
	m.set("status", status)
	m.set("createdAt", timeOf(o.Get("created_at")))
	m.set("startAt", timeText(start))
	m.set("endAt", timeText(end))
	if at := timeOf(o.Get("updated_at")); status != "running" && status != "queued" {
		m.set("updatedAt", at)
	}
	l.addEnd(m, t)
	return m
}

// addEnd adds the result of a job, or why it failed.
func (l *learner) addEnd(m *mapping, t *thing) {
	last := t.last()
	switch last.Get("status").String() {
	case "error":
		m.set("error", l.errorOf(t))
	case "success":
		m.set("result", l.resultOf(t))
	}
	for _, s := range t.sights {
		if debug := s.object.Get("debug"); debug.IsObject() {
			if out := debug.Get("cmdout"); out.Type == gjson.String {
				m.add("cmdout", scalar(out.String()), "")
			}
			if out := debug.Get("stderr"); out.Type == gjson.String {
				m.add("stderr", scalar(out.String()), "")
			}
			return
		}
	}
}

// errorOf returns the message of a failed job, which stands in its log.
func (l *learner) errorOf(t *thing) string {
	for _, s := range t.sights {
		if text := s.object.Get("debug.stderr").String(); text != "" {
			return text
		}
	}
	return "the job failed"
}

// resultOf returns the result of a job, as far as answers show it.
func (l *learner) resultOf(t *thing) *mapping {
	m := newMapping()
	var columns gjson.Result
	for _, s := range t.sights {
		if schema := gjson.Parse(s.object.Get("hive_result_schema").String()); schema.IsArray() {
			columns = schema
		}
	}
	rows := l.rowsOf(t.id)
	if !columns.Exists() && rows != nil && len(rows.node.Content) > 0 {
		guessed := newSequence()
		for i := range rows.node.Content[0].Content {
			column := newSequence()
			column.node.Content = append(column.node.Content, scalar("column"+strconv.Itoa(i+1)), scalar("varchar"))
			guessed.node.Content = append(guessed.node.Content, column.node)
		}
		m.guess("columns", guessed, "no answer shows them")
	} else {
		m.set("columns", columns)
	}
	m.set("rows", rows)
	count, _ := t.value("num_records")
	for _, s := range t.sights {
		if n := s.object.Get("num_records"); n.Type == gjson.Number {
			count = n
		}
	}
	if rows == nil && columns.Exists() {
		m.set("count", count.Int())
	}
	if m.isEmpty() {
		return nil
	}
	return m
}

// rowsOf returns the rows of a job's result in an answer, or nil.
func (l *learner) rowsOf(id string) *sequence {
	for _, e := range l.exchanges {
		if e.name() != "core.getJobResult" || !e.ok() || param(e, "job_id") != id {
			continue
		}
		if rows := readRows(e); rows != nil {
			return rows
		}
	}
	return nil
}

// results script the jobs that the recording issues: what they ran into, and how long they took.
func (l *learner) results() *sequence {
	s := newSequence()
	for _, t := range l.things.all(jobKind) {
		if t.wasThere() {
			continue
		}
		if m := l.result(t); m != nil {
			s.add(m)
		}
	}
	return s
}

func (l *learner) result(t *thing) *mapping {
	query := l.queryOf(t)
	last := t.last()
	status := last.Get("status").String()
	if query == "" || status != "success" && status != "error" {
		return nil
	}
	m := newMapping()
	m.set("query", query)
	if status == "error" {
		m.set("error", l.errorOf(t))
	} else {
		result := l.resultOf(t)
		if result == nil {
			return nil
		}
		m.node.Content = append(m.node.Content, result.node.Content...)
	}
	created, start, end := instant(last.Get("created_at").String()), instant(last.Get("start_at").String()),
		instant(last.Get("end_at").String())
	if !start.IsZero() && !created.IsZero() {
		m.set("queued", start.Sub(created).String())
		m.set("running", end.Sub(start).String())
	}
	m.set("times", 1)
	return m
}

// queryOf returns the query of a job.
func (l *learner) queryOf(t *thing) string {
	if t.made != nil {
		if body, ok := t.made.JSONRequest(); ok {
			if query := body.Get("query"); query.Type == gjson.String {
				return query.Str
			}
		}
	}
	return l.whole(t).Get("query").String()
}
