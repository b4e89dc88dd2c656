package learn

import (
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// results script the jobs that the recording issues: what they ran into, and how long they took.
func (l *learner) results() *sequence {
	s := newSequence()
	same := map[string]*mapping{} // by query, while all of its results are equal
	texts := map[string]string{}
	for _, t := range l.things.all(jobKind) {
		if t.wasThere() && !l.isQueued(t) || t.made != nil && t.made.name() == segmentQuery {
			continue
		}
		m := l.result(t)
		if m == nil {
			continue
		}
		text := m.text()
		query := l.queryOf(t)
		if first := same[query]; first != nil && texts[query] == text && !t.wasThere() {
			first.drop("times") // it always ends so
			continue
		}
		if same[query] == nil {
			same[query], texts[query] = m, text
		}
		s.add(m)
	}
	return s
}

func (l *learner) result(t *thing) *mapping {
	query := l.queryOf(t)
	last := t.last()
	status := last.Get("status").String()
	if query == "" {
		return nil
	}
	m := newMapping()
	if t.wasThere() {
		m.set("job", idOf(t.id))
	} else {
		m.set("query", query)
	}
	result := l.resultOf(t)
	switch {
	case status == "error":
		m.set("error", l.errorOf(t))
	case result == nil:
		m.guess("columns", gjson.Parse(`[["unknown","varchar"]]`), "the recording ends before the job does")
	default:
		m.node.Content = append(m.node.Content, result.node.Content...)
	}
	created := instant(t.first().Get("created_at").String())
	if created.IsZero() && t.made != nil {
		created = t.made.At.Truncate(time.Second)
	}
	start, end := l.course(t)
	seen := created
	for _, s := range t.sights {
		seen = s.At
	}
	const later = 12 * time.Hour
	switch {
	case created.IsZero():
	case start.IsZero() && !end.IsZero(): // the usual times will do
	case start.IsZero() && l.wasRunning(t):
		m.guess("queued", lengthText(0), "it ran when it was killed")
		m.guess("running", durationText(seen.Sub(created)+later), "it was killed before its end")
	case start.IsZero() && l.killOf(t) != nil:
		m.set("queued", durationText(seen.Sub(created)+later))
	case start.IsZero() && len(t.sights) == 0:
		return nil
	case start.IsZero():
		m.guess("queued", durationText(seen.Sub(created)+later), "the recording ends before the job starts")
	default:
		if !t.wasThere() {
			m.set("queued", lengthText(start.Sub(created)))
		}
		if end.IsZero() {
			m.guess("running", durationText(seen.Sub(start)+later), "the recording ends before the job does")
		} else {
			m.set("running", lengthText(end.Sub(start)))
		}
	}
	if !t.wasThere() {
		m.set("times", 1)
	}
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
	switch {
	case !columns.Exists() && rows == nil && t.last().Get("status").String() == "success":
		columns = gjson.Parse(`[["unknown","varchar"]]`)
		m.guess("columns", columns, "no answer shows them")
	case !columns.Exists() && rows != nil && len(rows.node.Content) > 0:
		guessed := newSequence()
		for i := range rows.node.Content[0].Content {
			column := newSequence()
			column.node.Content = append(column.node.Content, scalar("column"+strconv.Itoa(i+1)), scalar("varchar"))
			guessed.node.Content = append(guessed.node.Content, column.node)
		}
		m.guess("columns", guessed, "no answer shows them")
	default:
		m.set("columns", columns)
	}
	m.set("rows", rows)
	count, _ := t.value("num_records")
	for _, s := range t.sights {
		if n := s.object.Get("num_records"); n.Type == gjson.Number {
			count = n
		}
	}
	for _, s := range t.sights {
		if size := s.object.Get("result_size"); t.wasThere() && !l.isQueued(t) && size.Int() > 0 {
			m.set("size", size.Int())
			break
		}
	}
	if rows == nil && columns.Exists() && t.wasThere() && !l.isQueued(t) {
		m.set("count", count.Int())
	}
	if rows == nil && columns.Exists() && (!t.wasThere() || l.isQueued(t)) && count.Int() > 0 {
		if rows = l.rowsOfSame(t); rows != nil {
			m.guess("rows", rows, "another job with this query has them, and a result of the same size")
		} else {
			m.guess("rows", rowsLike(columns, int(min(count.Int(), 1000))), "no answer shows them")
		}
	}
	if m.isEmpty() {
		return nil
	}
	return m
}

// rowsLike returns rows without values.
func rowsLike(columns gjson.Result, n int) *sequence {
	s := newSequence()
	for range n {
		row := newSequence()
		for range columns.Array() {
			row.node.Content = append(row.node.Content, plain("null", "!!null"))
		}
		s.node.Content = append(s.node.Content, row.node)
	}
	return s
}

// rowsOfSame returns the rows that an answer shows of another job with the same query, whose result has the same size.
func (l *learner) rowsOfSame(t *thing) *sequence {
	query, size := l.queryOf(t), t.last().Get("result_size")
	for _, other := range l.things.all(jobKind) {
		if other == t || size.Int() <= 0 || other.last().Get("result_size").Raw != size.Raw || l.queryOf(other) != query {
			continue
		}
		if rows := l.rowsOf(other.id); rows != nil {
			return rows
		}
	}
	return nil
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

// errorOf returns the message of a failed job, which stands in its log.
func (l *learner) errorOf(t *thing) string {
	for _, s := range t.sights {
		if text := strings.TrimRight(s.object.Get("debug.stderr").String(), "\n"); text != "" {
			return text
		}
	}
	return "the job failed"
}
