package audience

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/bridge"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

// queryForm is a SegmentQueryResult.
type queryForm struct {
	ID            string      `json:"id"`
	QueryID       string      `json:"queryId"` // the same (public)
	Status        queryStatus `json:"status"`
	Count         *int64      `json:"count"`
	MaxPage       *int64      `json:"maxPage"`
	Error         *string     `json:"error"`
	JobID         string      `json:"jobid"`
	CountJobID    *string     `json:"countJobid"`
	CustomerGroup *int64      `json:"customerGroupCount"` // there are no groups
}

// queryStatus is the status of a query, as on the wire.
type queryStatus string

const queryRunning queryStatus = "running"

// statusOfQuery is that of its job, which may wait before it runs.
func statusOfQuery(job world.Job) queryStatus {
	if !job.Status.Finished() {
		return queryRunning
	}
	return queryStatus(job.Status)
}

// queryRequest is a SegmentQueryRequest.
type queryRequest struct {
	Columns     []string       `json:"columns"`
	Kind        *int           `json:"kind"`
	Realtime    bool           `json:"realtime"`
	Rule        jsontext.Value `json:"rule"`
	FunnelStage *funnelStage   `json:"funnel_stage"`
	PageSize    *int64         `json:"pageSize"`
	MaxPage     *int64         `json:"maxPage"`
	Filter      string         `json:"filterString"`
}

const defaultPageSize = 100 // assumed

// createSegmentQuery answers the query that the same caller has asked with the same body before, until its end was
// returned once; else it begins one.
var createSegmentQuery = op.OnSent(queriedAudience, func(
	c *op.Call, audience world.ParentSegment, body queryRequest,
) (op.Reply, error) {
	kind, kindErr := segmentKind(body.Kind, body.Realtime, body.FunnelStage)
	reader := newRuleReader(c.World, audience)
	reader.rule(body.Rule)
	q, known := openQuery(c, audience.ID)
	if !known {
		if err := errors.Join(kindErr, body.check(reader.columns), reader.err()); err != nil {
			return op.Reply{}, err
		}
		var err error
		if q, err = issueQuery(c, audience, body); err != nil {
			return op.Reply{}, err
		}
	}
	return op.Reply{Body: takeResult(c.World, q, body), Notes: reader.notesOnCount(c.World, audience, kind)}, nil
})

func (r queryRequest) check(known columns) error {
	var errs []error
	for i, column := range r.Columns {
		errs = append(errs, known.check("columns."+strconv.Itoa(i), column))
	}
	if r.PageSize != nil && *r.PageSize < 1 {
		errs = append(errs, op.Invalid("pageSize", "want 1 or more, not %d", *r.PageSize))
	}
	if r.MaxPage != nil && *r.MaxPage < 1 {
		errs = append(errs, op.Invalid("maxPage", "want 1 or more, not %d", *r.MaxPage))
	}
	return errors.Join(errs...)
}

// openQuery returns the query that the call asks for again.
func openQuery(c *op.Call, audience int64) (world.SegmentQuery, bool) {
	text, err := canonicalBody(c.Body)
	if err != nil {
		return world.SegmentQuery{}, false
	}
	return table.First(&c.World.Audience.Queries, func(q world.SegmentQuery) bool {
		return q.Audience == audience && q.User == c.Caller.User.ID && bytes.Equal(q.Request, text)
	})
}

// canonicalBody returns a body in a form that is the same for all bodies with the same meaning.
func canonicalBody(body []byte) (json.RawMessage, error) {
	text := jsontext.Value(cmp.Or(strings.TrimSpace(string(body)), "{}"))
	if err := text.Canonicalize(); err != nil {
		return nil, op.Invalid("", "request body: %v", err)
	}
	return json.RawMessage(text), nil
}

// queryPending is for an auto clock: a client that asks again waits for the end.
var queryPending = op.PendingOn(audienceFromPath, func(
	c *op.Call, audience world.ParentSegment,
) (string, time.Time, bool) {
	q, known := openQuery(c, audience.ID)
	job, _ := bridge.Job(c.World, q.Job)
	status := statusOfQuery(job)
	return string(status), job.StepAt, known && status == queryRunning
})

// issueQuery begins a query: a job, which ends at once unless the world says that queries take time.
func issueQuery(c *op.Call, a world.ParentSegment, body queryRequest) (q world.SegmentQuery, err error) {
	w := c.World
	q = world.SegmentQuery{ID: w.NewID("audience.query"), Audience: a.ID, User: c.Caller.User.ID}
	q.UUID = newQueryUUID(w, q.ID)
	if q.Request, err = canonicalBody(c.Body); err != nil {
		return q, err
	}
	var takes time.Duration
	q.Answer, takes = takeAnswerTo(w, q)
	job, err := bridge.AskJob(w, world.Job{
		Type: "presto", Database: a.Database, User: q.User, Query: queryText(a, body),
	}, c.Now, takes)
	if err != nil {
		return q, err
	}
	q.Job = job.ID
	w.Audience.Queries.Put(q.ID, q)
	for !job.Status.Finished() && !job.StepAt.After(c.Now) {
		answerQuery(w, world.DueEvent{At: job.StepAt, Kind: world.QueryEvent, ID: q.ID})
		bridge.StepJob(w, job.ID)
		job, _ = bridge.Job(w, job.ID)
	}
	if !job.Status.Finished() && job.Answer == nil {
		w.Plan(world.DueEvent{At: job.StepAt, Kind: world.QueryEvent, ID: q.ID})
	}
	q, _ = w.Audience.Queries.Get(q.ID)
	return q, nil
}

// newQueryUUID returns the id on the wire for a new query. It is never one that a fixture has given another.
func newQueryUUID(w *world.State, id int64) string {
	uuid := w.UUID("audience.query", id)
	for n := 1; ; n++ {
		taken := false
		for _, q := range table.All(&w.Audience.Queries) {
			taken = taken || q.UUID == uuid
		}
		if !taken {
			return uuid
		}
		uuid = w.UUID("audience.query/"+strconv.Itoa(n), id)
	}
}

// queryText returns the text of a query's job, by which results may be queued for it. No engine is asked to run it.
func queryText(a world.ParentSegment, body queryRequest) string {
	text := "SELECT " + cmp.Or(strings.Join(body.Columns, ", "), "COUNT(1)") + " FROM " + a.Table
	if rule := body.Rule.Clone(); !isEmptyRule(rule) {
		_ = rule.Canonicalize() // it was read before
		text += " WHERE fits('" + strings.ReplaceAll(string(rule), "'", "''") + "')"
	}
	return text
}

// takeResult returns what is known of a query. Once it has returned the end of a query, asking again begins another.
func takeResult(w *world.State, q world.SegmentQuery, body queryRequest) queryForm {
	job, _ := bridge.Job(w, q.Job)
	form := queryForm{ID: q.UUID, QueryID: q.UUID, Status: statusOfQuery(job), JobID: strconv.FormatInt(q.Job, 10)}
	if job.Status.Finished() {
		table.Delete(&w.Audience.Queries, q.ID)
	}
	if job.Status == world.JobSuccess { // its job counts as well as it previews (assumed)
		found := foundByJob(q, job)
		form.Count, form.MaxPage, form.CountJobID = &found.Count, new(pages(found.Preview, body)), &form.JobID
	}
	if job.Status == world.JobError {
		form.Error = new(strings.TrimSpace(job.Stderr))
	}
	return form
}

// foundByJob returns what a successful job has found. Of rows that were queued for it, a lone integer is the count;
// otherwise they are the profiles.
func foundByJob(q world.SegmentQuery, job world.Job) world.Found {
	if q.Found != nil {
		return *q.Found
	}
	count := job.Output.Count
	if n, lone := bridge.SingleInteger(job.Output); lone {
		count = n
	}
	return world.Found{Count: count, Preview: count}
}

// pages returns the number of pages that so many profiles fill, at the page size of the request.
func pages(profiles int64, body queryRequest) int64 {
	size := int64(defaultPageSize)
	if body.PageSize != nil {
		size = *body.PageSize
	}
	n := (profiles + size - 1) / size
	if body.MaxPage != nil {
		n = min(n, *body.MaxPage)
	}
	return n
}

// answerQuery counts the profiles of a query, as they are just before its job ends. A job that has an answer, since one
// was queued for it, keeps that.
func answerQuery(w *world.State, e world.DueEvent) {
	q, ok := w.Audience.Queries.Get(e.ID)
	job, _ := bridge.Job(w, q.Job)
	if !ok || job.Status != world.JobRunning || job.Answer != nil {
		return
	}
	a, _ := w.Audience.Audiences.Get(q.Audience)
	var body queryRequest
	err := op.Unmarshal(q.Request, &body)
	var list preview
	if err == nil {
		list, err = count(w, a, body, e)
	}
	switch {
	case q.Answer == nil:
	case q.Answer.Error != "":
		err = errors.New(q.Answer.Error)
	default:
		count := *cmp.Or(q.Answer.Count, new(int64))
		q.Found = &world.Found{Count: count, Preview: *cmp.Or(q.Answer.Preview, &count)}
		w.Audience.Queries.Put(q.ID, q)
		scripted(w, q, list)
		return
	}
	if err == nil {
		q.Found = &list.found
		w.Audience.Queries.Put(q.ID, q)
	}
	bridge.AnswerJob(w, q.Job, list.columns, list.rows, err)
}

// preview is the answer of the job of a query: the profiles with the columns that were asked for, or else their number.
type preview struct {
	found   world.Found
	columns [][2]string
	rows    [][]any
}

func count(w *world.State, a world.ParentSegment, body queryRequest, e world.DueEvent) (preview, error) {
	p, err := profilesOf(w, a, e.At)
	if err != nil {
		return preview{}, err
	}
	reader := newRuleReader(w, a)
	rule := reader.rule(body.Rule)
	if err := reader.err(); err != nil {
		return preview{}, err // columns may have gone since it was asked
	}
	taken := p.evaluate(rule)
	if len(body.Columns) == 0 {
		n := taken.size()
		return preview{world.Found{Count: n, Preview: n}, [][2]string{{"count", "bigint"}}, [][]any{{n}}}, nil
	}
	list := preview{found: world.Found{Count: taken.size()}}
	for _, name := range body.Columns {
		list.columns = append(list.columns, [2]string{name, engineType(p.columns[name])})
	}
	for _, place := range taken.places() {
		if row, fits := previewRow(p, body, p.rows[place]); fits {
			list.rows = append(list.rows, row)
		}
	}
	list.found.Preview = int64(len(list.rows))
	return list, nil
}

// previewRow returns a profile as the preview shows it, if it has the text to filter by in any column of that
// (assumed).
func previewRow(p *profiles, body queryRequest, profile map[string]string) (row []any, fits bool) {
	for _, name := range body.Columns {
		text, present := profile[name]
		fits = fits || strings.Contains(strings.ToLower(text), strings.ToLower(body.Filter))
		row = append(row, typedValue(p.columns[name], text, present))
	}
	return row, fits
}

// engineType returns the word of the job's engine for a type of a column.
func engineType(kind string) string {
	switch kind {
	case "int":
		return "integer"
	case "long":
		return "bigint"
	case "float":
		return "real"
	case "double":
		return "double"
	}
	return "varchar"
}

// typedValue returns a value in the type of its column; null if it has none there.
func typedValue(kind, text string, present bool) any {
	switch {
	case !present:
		return nil
	case kind == "int" || kind == "long":
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n
		}
		return nil
	case kind == "float" || kind == "double":
		if f, err := strconv.ParseFloat(text, 64); err == nil {
			return f
		}
		return nil
	}
	return text
}
