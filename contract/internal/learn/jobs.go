package learn

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vmihailenco/msgpack/v5"
	"go.yaml.in/yaml/v4"

	"svc.example/understudy/contract/internal/body"
	"svc.example/understudy/internal/jsontree"
)

// unix returns a time that is given in seconds since 1970.
func unix(v jsontree.Value) time.Time {
	if !v.IsNumber() {
		return instant(v.Text())
	}
	return time.Unix(0, int64(v.Float()*1e9)).UTC()
}

// jobs lists the jobs of the beginning, oldest first.
func (l *learner) jobs() *sequence {
	s := newSequence()
	for _, t := range byNumber(l.entities.of(jobKind)) {
		if o := t.having("type"); o.Exists() {
			s.add(l.job(t, o))
		} else if t.used != nil {
			o = jsontree.Parse(fmt.Sprintf(`{"type":"trino","database":%q,"query":"select 1","status":%q,"created_at":%q}`,
				l.someDatabase(), cmp.Or(t.text("status"), "running"), t.text("created_at")))
			s.addGuessed(l.job(t, o), "no answer shows more than its id, or its status")
		}
	}
	return s
}

// domainKeyOf returns the key under which a request asked for a job.
func (l *learner) domainKeyOf(t *entity) string {
	for _, s := range t.sights {
		if s.name() == "core.getJobStatusByDomainKey" {
			return param(s.Exchange, "domain_key")
		}
	}
	return ""
}

func (l *learner) job(t *entity, o jsontree.Value) *mapping {
	m := mappingOf("id", idOf(t.id))
	m.copy(o, "type", "database", "priority", "retryLimit=retry_limit", "engineVersion=engine_version",
		"createdAt=created_at")
	query := o.Get("query").Text()
	if o.Get("query").IsObject() {
		query = o.Get("query").Raw()
	}
	m.set("query", scalar(query))
	m.set("domainKey", l.domainKeyOf(t))
	for _, s := range t.sights {
		if name := param(s.Exchange, "schedule_name"); name != "" && s.object.Get("scheduled_at").Text() != "" {
			m.set("schedule", name)
			m.set("scheduledAt", timeOf(s.object.Get("scheduled_at")))
			break
		}
	}
	m.set("target", target(o.Get("result")))
	m.set("user", l.people.referByName(o.Get("user_name").Text()))
	status := o.Get("status").Text()
	start, end := l.course(t)
	if start.IsZero() && !end.IsZero() {
		start = end.Add(-usualRun)
	}
	isOpen := end.IsZero() && !start.IsZero() && l.killOf(t) == nil
	switch isOver := status == "success" || status == "error"; {
	case end.IsZero() && isOver && !isOpen, !end.IsZero() && !end.After(l.begin):
	case start.After(l.begin), start.IsZero() && status != "running":
		status = "queued"
	default:
		status = "running"
	}
	m.set("status", status)
	m.set("startAt", timeText(start))
	if l.isQueued(t) {
		return m // its end is that of its result
	}
	if isOpen {
		later := t.sights[len(t.sights)-1].At.Add(12 * time.Hour)
		m.guess("endAt", timeText(later.Truncate(time.Second)), "no answer shows its end")
	}
	m.set("endAt", timeText(end))
	if at := timeOf(o.Get("updated_at")); status != "running" && status != "queued" {
		m.set("updatedAt", at)
	}
	l.addEnd(m, t)
	return m
}

// addEnd adds the result of a job, or why it failed.
func (l *learner) addEnd(m *mapping, t *entity) {
	last := t.last()
	result := l.resultOf(t)
	switch {
	case last.Get("status").Text() == "error":
		m.set("error", errorOf(t))
	case result != nil:
		m.set("result", result)
	}
	if last.Get("status").Text() != "success" || instant(last.Get("end_at").Text()).After(l.begin) {
		return
	}
	for _, name := range []string{"cmdout", "stderr"} {
		if out := t.having("debug.cmdout").Get("debug", name); out.IsString() {
			m.set(name, scalar(out.Text()))
		}
	}
}

// course returns when a job started and ended, or would have if no request of the recording had killed it; zero where
// that is not known.
func (l *learner) course(t *entity) (start, end time.Time) {
	killed := l.killOf(t)
	for _, s := range t.sights {
		if at := instant(s.object.Get("start_at").Text()); !at.IsZero() {
			start = at
		}
		if at := instant(s.object.Get("end_at").Text()); !at.IsZero() && (killed == nil || s.N < killed.N) {
			end = at
		}
	}
	if end.IsZero() && killed == nil {
		if e := l.firstOn("core.getJobResult", t.id); e != nil {
			return start, l.guessEnd(t, start, e.At)
		}
	}
	return start, end
}

// killOf returns the request that killed a job, or nil.
func (l *learner) killOf(t *entity) *Exchange {
	return l.firstOn("core.killJob", t.id)
}

// wasRunning reports whether a job ran when a request killed it.
func (l *learner) wasRunning(t *entity) bool {
	kill := l.killOf(t)
	return kill != nil && kill.answer().Get("former_status").Text() == "running"
}

// usualRun is the time that a job runs if no answer shows another one.
const usualRun = 4 * time.Second

// guessEnd returns when a job may have ended that was seen to be over at a time: after the usual one if that is
// between the last time at which it was seen to run and then.
func (l *learner) guessEnd(t *entity, start, over time.Time) time.Time {
	running := start
	for _, s := range t.sights {
		if !s.At.After(over) && slices.Contains([]string{"queued", "running"}, s.object.Get("status").Text()) {
			running = s.At
		}
	}
	if end := start.Add(usualRun); !start.IsZero() && end.After(running) && !end.After(over) {
		return end
	}
	return over
}

// isQueued reports whether a job waited at the beginning.
func (l *learner) isQueued(t *entity) bool {
	start, _ := l.course(t)
	return start.After(l.begin)
}

// results script the jobs that the recording issues: what they ran into, and how long they took. Jobs of a query that
// end alike one after the other have one result; it stays if no job of the query ends otherwise.
func (l *learner) results() *sequence {
	type script struct {
		*mapping
		text  string
		times int
	}
	s := newSequence()
	scripts := map[string][]*script{}                     // by query
	for _, t := range byNumber(l.entities.all(jobKind)) { // in which they were made: lists begin with the latest
		if t.wasThere() && !l.isQueued(t) || t.made != nil && t.made.name() == segmentQuery {
			continue
		}
		m := l.result(t)
		if m == nil {
			continue
		}
		query, text := l.queryOf(t), m.text()
		if list := scripts[query]; !t.wasThere() {
			if n := len(list); n > 0 && list[n-1].text == text {
				list[n-1].times++
				continue
			}
			scripts[query] = append(list, &script{m, text, 1})
		}
		s.add(m)
	}
	for _, list := range scripts {
		for _, one := range list {
			if one.times > 1 && len(list) == 1 {
				one.drop("times")
			} else {
				one.get("times").Value = strconv.Itoa(one.times)
			}
		}
	}
	return s
}

func (l *learner) result(t *entity) *mapping {
	query := l.queryOf(t)
	last := t.last()
	status := last.Get("status").Text()
	if query == "" {
		return nil
	}
	m := mappingOf("query", query)
	if t.wasThere() {
		m = mappingOf("job", idOf(t.id))
	}
	result := l.resultOf(t)
	switch {
	case status == "error":
		m.set("error", errorOf(t))
	case result == nil:
		m.guess("columns", jsontree.Parse(`[["unknown","varchar"]]`), "the recording ends before the job does")
	default:
		m.node.Content = append(m.node.Content, result.node.Content...)
	}
	created := t.time("created_at")
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
			queued := start.Sub(created)
			m.set("running", lengthText(t.within(queued+end.Sub(start))-queued))
		}
	}
	if !t.wasThere() {
		m.set("times", 1)
	}
	return m
}

// queryOf returns the query of a job.
func (l *learner) queryOf(t *entity) string {
	if t.made != nil {
		if query := t.made.asked().Get("query"); query.IsString() {
			return query.Text()
		}
	}
	return t.having("type").Get("query").Text()
}

// resultOf returns the result of a job, as far as answers show it.
func (l *learner) resultOf(t *entity) *mapping {
	m, rows, columns := newMapping(), l.rowsOf(t.id), jsontree.Parse(t.latest("hive_result_schema").Text())
	if !columns.IsArray() {
		columns = jsontree.Value{}
	}
	switch {
	case !columns.Exists() && rows == nil && t.last().Get("status").Text() == "success":
		columns = jsontree.Parse(`[["unknown","varchar"]]`)
		m.guess("columns", columns, "no answer shows them")
	case !columns.Exists() && rows != nil && len(rows.node.Content) > 0:
		guessed := newSequence()
		for i := range rows.node.Content[0].Content {
			guessed.addTexts("column"+strconv.Itoa(i+1), "varchar")
		}
		m.guess("columns", guessed, "no answer shows them")
	default:
		m.set("columns", columns)
	}
	m.set("rows", rows)
	count, hasRun := t.latest("num_records").Int(), t.wasThere() && !l.isQueued(t)
	for _, s := range t.sights {
		if hasRun {
			m.set("size", s.object.Get("result_size").Int()) // the first one
		}
	}
	switch {
	case rows != nil || !columns.Exists():
	case hasRun:
		m.set("count", count)
	default:
		m.guess("rows", rowsLike(columns, int(min(count, 1000))), "no answer shows them")
	}
	if m.isEmpty() {
		return nil
	}
	return m
}

// rowsLike returns rows without values.
func rowsLike(columns jsontree.Value, n int) *sequence {
	s := newSequence()
	for range n {
		row := newSequence()
		for range columns.Len() {
			row.node.Content = append(row.node.Content, plain("null", "!!null"))
		}
		s.node.Content = append(s.node.Content, row.node)
	}
	return s
}

// rowsOf returns the rows of a job's result in an answer, or nil.
func (l *learner) rowsOf(id string) *sequence {
	for e := range l.successes(nameOf("core.getJobResult", id)) {
		if rows := readRows(e); rows != nil {
			return rows
		}
	}
	return nil
}

func (l *learner) jobSchedules() *sequence {
	return l.sequenceOf(jobScheduleKind, func(m *mapping, t *entity) {
		o := t.first()
		if !o.Exists() {
			return
		}
		m.copy(o, "id", "createdAt=created_at")
		m.set("name", t.id)
		m.shown(t, "cron", "timezone", "delay", "database", "type", "query", "priority", "retryLimit=retry_limit",
			"engineVersion=engine_version")
		m.set("target", target(o.Get("result")))
		m.set("user", l.people.referByName(o.Get("user_name").Text()))
	})
}

// errorOf returns the message of a failed job, which stands in its log.
func errorOf(t *entity) string {
	return cmp.Or(strings.TrimRight(t.latest("debug.stderr").Text(), "\n"), "the job failed")
}

// target returns the target of a result without what is secret in it.
func target(v jsontree.Value) string {
	if isRedacted(v.Text()) {
		return ""
	}
	return clean(v.Text())
}

// readRows reads the rows of a result, in the forms in which they are lists of values: JSON, one row a line or all in a
// list, and CSV. It returns nil for any other one.
func readRows(e *Exchange) *sequence {
	if e.Item.ResponseDoubt != "" || e.Item.Response.Body == nil {
		return nil
	}
	plain, reason := body.Uncode(e.Item.Response.Headers.Value("Content-Encoding"), e.Item.Response.Body.Bytes)
	if reason != "" {
		return nil
	}
	s := newSequence()
	switch format := formatOf(e); format {
	case "msgpack", "msgpack.gz":
		return readPacked(plain)
	case "csv", "tsv":
		return readSeparated(plain, format == "tsv", queryOf(e).Get("header") == "true")
	case "json", "jsonl":
		whole := jsontree.Parse(string(plain))
		if first := whole.Get("0"); whole.IsArray() && (first.IsArray() || whole.Len() == 0) {
			for row := range whole.List {
				s.node.Content = append(s.node.Content, jsonNode(row))
			}
			return s
		}
		for line := range bytes.Lines(plain) {
			row := jsontree.Parse(string(line))
			if !row.IsArray() {
				return nil
			}
			s.node.Content = append(s.node.Content, jsonNode(row))
		}
		return s
	}
	return nil
}

// formatOf returns the format of a result: the one that the request names, or that of the media type of the answer.
func formatOf(e *Exchange) string {
	if format := queryOf(e).Get("format"); format != "" {
		return format
	}
	switch body.MediaType(e.Item.Response.Headers.Value("Content-Type")) {
	case "text/tab-separated-values":
		return "tsv"
	case "text/csv":
		return "csv"
	case "application/json":
		return "json"
	}
	return "msgpack"
}

// readPacked reads rows in MessagePack, one behind the other, perhaps compressed once more.
func readPacked(text []byte) *sequence {
	if plain, reason := body.Uncode("gzip", text); reason == "" && bytes.HasPrefix(text, []byte{0x1f, 0x8b}) {
		text = plain
	}
	decoder := msgpack.NewDecoder(bytes.NewReader(text))
	s := newSequence()
	for {
		row, err := decoder.DecodeInterface()
		if errors.Is(err, io.EOF) {
			return s
		}
		values, isRow := row.([]any)
		raw, encodeErr := json.Marshal(values)
		if err != nil || !isRow || encodeErr != nil {
			return nil
		}
		s.node.Content = append(s.node.Content, jsonNode(jsontree.Parse(string(raw))))
	}
}

func readSeparated(text []byte, isTabs, hasHeader bool) *sequence {
	reader := csv.NewReader(strings.NewReader(string(text)))
	if isTabs {
		reader.Comma = '\t'
	}
	rows, err := reader.ReadAll()
	if err != nil {
		return nil
	}
	if hasHeader && len(rows) > 0 {
		rows = rows[1:]
	}
	s := newSequence()
	for _, row := range rows {
		one := newSequence()
		for _, value := range row {
			one.node.Content = append(one.node.Content, valueOf(value))
		}
		s.node.Content = append(s.node.Content, one.node)
	}
	return s
}

// valueOf reads a value of a table of text: a number, if it is one.
func valueOf(text string) *yaml.Node {
	if v := jsontree.Parse(text); v.IsNumber() && v.Raw() == text {
		return jsonNode(v)
	}
	return scalar(text)
}
