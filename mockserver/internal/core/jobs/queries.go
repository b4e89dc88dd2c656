package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/internal/routine"
	"svc.example/understudy/mockserver/internal/clock"
	"svc.example/understudy/mockserver/internal/core/access"
	"svc.example/understudy/mockserver/internal/core/data"
	"svc.example/understudy/mockserver/internal/core/result"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/mockserver/query"
)

// Engine runs the queries of jobs.
type Engine struct {
	Query    query.Engine   // answers queries; nil: there is no engine
	Slots    chan struct{}  // limits by its capacity how many queries run side by side; nil: no limit
	Busy     func() bool    // reports whether requests are being served; nil: never
	Routines *routine.Group // starts the goroutines of queries; wanted with an engine
}

// queryLimit is the longest time that one query may take by the wall clock, rests included, whatever limit the engine
// itself has.
const queryLimit = 30 * time.Second

// A query that has run longer than beforeRest yields to requests: while they are being served, it rests repeatedly, but
// in all no longer than maxRest, so that resting alone does not bring it to its limit.
const (
	beforeRest = 100 * time.Millisecond
	rest       = 20 * time.Millisecond
	maxRest    = 15 * time.Second
)

// queryResult is the result of a query.
type queryResult struct {
	output *world.Output
	note   string
	taken  []world.Job // jobs that queued results have answered
	err    error       // the error of the query
}

// run is a query of jobs or questions. It begins when a first caller waits for it, and is cancelled when no caller
// waits any more.
type run struct {
	engine Engine
	result atomic.Pointer[queryResult]

	mu      sync.Mutex
	query   func(context.Context) queryResult // nil once there is a result, so that the world it reads can be freed
	attempt *attempt
}

// attempt is a run under way.
type attempt struct {
	waiting int
	cancel  context.CancelFunc
	done    chan struct{}
}

func (g Engine) newRun(query func(context.Context) queryResult) *run {
	return &run{engine: g, query: query}
}

// Done implements world.Query.
func (r *run) Done() bool { return r.result.Load() != nil }

// Run implements world.Query. All waiting callers share one attempt.
func (r *run) Run(ctx context.Context) error {
	a := r.join()
	if a == nil {
		return nil
	}
	defer r.leave(a)
	select {
	case <-a.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (r *run) join() *attempt {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.Done() {
		return nil
	}
	if r.attempt == nil {
		ctx, cancel := context.WithCancel(context.Background())
		r.attempt = &attempt{cancel: cancel, done: make(chan struct{})}
		r.begin(ctx, r.attempt, r.query)
	}
	r.attempt.waiting++
	return r.attempt
}

func (r *run) leave(a *attempt) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if a.waiting--; a.waiting > 0 {
		return
	}
	a.cancel()
	if r.attempt == a {
		r.attempt = nil
	}
}

// begin runs the query as soon as a slot is free. The result of a cancelled query is dropped. If the engine panics,
// that is the error of the query.
func (r *run) begin(ctx context.Context, a *attempt, query func(context.Context) queryResult) {
	var result queryResult
	r.engine.Routines.GoThen(func() error {
		if slots := r.engine.Slots; slots != nil {
			select {
			case slots <- struct{}{}:
				defer func() { <-slots }()
			case <-ctx.Done():
				return nil
			}
		}
		result = query(ctx)
		return nil
	}, func(err error) {
		if err != nil {
			result = queryResult{err: fmt.Errorf("the query engine failed: %s", routine.Brief(err))}
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		if ctx.Err() == nil {
			r.result.Store(&result)
			r.query = nil
		}
		close(a.done)
	})
}

// beginQuery prepares the query of a job on the current state of the world. It returns nil if the job runs no query.
func (g Engine) beginQuery(w *world.State, job world.Job) *run {
	if g.Query == nil || job.Answer != nil || job.ExportTarget != 0 || !speaksSQL(job.Type) {
		return nil
	}
	caller, _, err := userAndDatabase(w, job)
	if err != nil {
		return nil
	}
	then := w.Readable()
	return g.newRun(func(ctx context.Context) queryResult {
		tables := &queryTables{world: then, caller: caller}
		output, err := g.ask(ctx, job, tables)
		return queryResult{output: output, note: tables.note("job " + op.IDText(job.ID)), err: err}
	})
}

// ask runs a query in the engine.
func (g Engine) ask(ctx context.Context, job world.Job, tables query.Tables) (*world.Output, error) {
	ctx, cancel := context.WithTimeout(ctx, queryLimit)
	defer cancel()
	answer, err := g.Query.Query(ctx, query.Query{
		Text: job.Query, Dialect: job.Type, Database: job.Database, Now: job.UpdatedAt, Tables: tables,
		Pause: g.pause(),
	})
	if err != nil {
		return nil, err
	}
	columns := make([][2]string, len(answer.Columns))
	for i, column := range answer.Columns {
		columns[i] = [2]string{column.Name, column.Type}
	}
	return result.NewOutput(columns, answer.Rows)
}

// pause returns the function that a query calls to yield to requests.
func (g Engine) pause() func() {
	if g.Busy == nil {
		return nil
	}
	begin, rested := clock.Wall(), time.Duration(0)
	return func() {
		if clock.Wall().Sub(begin) > beforeRest && rested < maxRest && g.Busy() {
			time.Sleep(rest)
			rested += rest
		}
	}
}

// waitForEnd makes a call wait for the end of a job that is due and has not got its result yet.
func waitForEnd(c *op.Call, job world.Job) {
	if e, waits := c.World.WaitingAs(nextStep(job)); waits {
		c.Queries.Need(e)
	}
}

// queryTables holds the tables of a world that a user may query.
type queryTables struct {
	world  *world.State
	caller world.Caller
	part   []string // tables that were asked for and have let records go, with how many are left
}

// Databases implements query.Tables.
func (t *queryTables) Databases() []string {
	names := []string{}
	for _, database := range table.All(&t.world.Core.Databases) {
		if database.DeletedAt.IsZero() && access.May(t.world, t.caller, database, access.Query) {
			names = append(names, database.Name)
		}
	}
	return names
}

// Table implements query.Tables.
func (t *queryTables) Table(database, name string) (query.Table, bool) {
	d, err := data.LiveDatabase(t.world, database)
	if err != nil || !access.May(t.world, t.caller, d, access.Query) {
		return query.Table{}, false
	}
	row, err := data.LiveTableIn(t.world, d, name)
	if err != nil {
		return query.Table{}, false
	}
	columns := make([]query.Column, len(row.Schema))
	for i, column := range row.Schema {
		columns[i] = query.Column{Name: column.Name, Type: column.Type}
	}
	records, _ := t.world.Core.Records.Get(row.ID)
	if held := int64(records.Len()); held < row.Count {
		t.part = append(t.part, fmt.Sprintf("%s.%s (%d of %d)", database, name, held, row.Count))
	}
	return query.Table{Columns: columns, Rows: func(yield func(query.Row) bool) {
		for record := range records.All() {
			if !yield(query.Row{Time: record.Time, Values: record.Values}) {
				return
			}
		}
	}}, true
}

// note returns a text for a query that did not see all records that its tables count, which would be a puzzle
// otherwise, or the empty text if it saw all.
func (t *queryTables) note(subject string) string {
	if t.part == nil {
		return ""
	}
	return fmt.Sprintf("%s has read only the records that the world keeps, not all that were counted: %s; the "+
		"world drops the oldest beyond its limit, which is set with WithRecordLimit or --record-limit", subject,
		strings.Join(t.part, ", "))
}

// Question is a query of another interface that is answered at once.
type Question struct {
	Caller   world.Caller
	Database string
	Text     string
	Now      time.Time
	Views    []View // further tables, which take precedence over the tables of the database
}

// View is a query whose rows can be read as a table.
type View struct{ Name, Text string }

// QuestionResult is the answer to a question.
type QuestionResult struct {
	Columns [][2]string        // name and type, in the engine's words
	Rows    [][]jsontext.Value // at most as many as requested
	Count   int64              // of all rows
	Note    string             // for the journal, when the rows are not those to expect
	Silent  bool               // no engine and no queued result answers the query, so there are no rows
}

// questionDialect is the SQL dialect of questions.
const questionDialect = "trino"

// questionKey identifies a question within one call.
type questionKey struct {
	user           int64
	database, text string
	views          string
}

var errUnderWay = errors.New("the query is under way") // never sent: the handler is called again

// Ask answers a question with the queued result for its text, which it counts down, else with the engine. It returns at
// most the requested number of rows, the first ones.
func (g Engine) Ask(w *world.State, queries *op.Queries, q Question, rows int64) (found QuestionResult, err error) {
	if err := data.Queryable(w, q.Caller, q.Database); err != nil {
		return QuestionResult{}, err
	}
	job := q.job()
	job.Answer = result.Take(w, job)
	switch {
	case job.Answer != nil && job.Answer.Error != "":
		return QuestionResult{}, errors.New(job.Answer.Error)
	case job.Answer != nil:
		return questionResultOf(job.Answer.Output, rows)
	case g.Query == nil:
		return QuestionResult{
			Silent: true,
			Note: "the query has no rows: the mock has no query engine, and nothing is queued " +
				"for the query; use WithQueryEngine, or queue rows",
		}, nil
	}
	key := questionKey{q.Caller.User.ID, q.Database, q.Text, fmt.Sprintf("%q", q.Views)}
	query := queries.Ask(key, func() world.Query {
		then := *w
		return g.newRun(func(ctx context.Context) queryResult {
			w := then // an attempt may follow
			return g.answer(ctx, &w, q)
		})
	}).(*run)
	o := query.result.Load()
	if o == nil {
		queries.Need(world.DueEvent{Query: query})
		return QuestionResult{}, errUnderWay
	}
	for _, job := range o.taken {
		result.Take(w, job)
	}
	if o.err != nil {
		return QuestionResult{}, o.err
	}
	found, err = questionResultOf(o.output, rows)
	found.Note = o.note
	return found, err
}

// job returns the question as a job, to match the results that are queued for jobs.
func (q Question) job() world.Job {
	return world.Job{Type: questionDialect, Database: q.Database, Query: q.Text, UpdatedAt: q.Now}
}

// answer runs the query of a question in the engine.
func (g Engine) answer(ctx context.Context, w *world.State, q Question) queryResult {
	tables := &viewTables{
		queryTables: &queryTables{world: w, caller: q.Caller}, ctx: ctx, engine: g, question: q,
	}
	output, err := g.ask(ctx, q.job(), tables)
	return queryResult{
		output: output, note: tables.note("the query"), taken: tables.taken,
		err: cmp.Or(tables.failure, err),
	}
}

// questionResultOf returns the first rows of an output.
func questionResultOf(output *world.Output, rows int64) (QuestionResult, error) {
	found := QuestionResult{Columns: output.Columns, Count: output.Count}
	err := result.Form{Limit: rows}.EachRow(output, func(values []any) error {
		row := make([]jsontext.Value, len(values))
		for i, value := range values {
			text, err := result.AppendJSON(nil, value)
			if err != nil {
				return err
			}
			row[i] = text
		}
		found.Rows = append(found.Rows, row)
		return nil
	})
	return found, err
}

// viewTables holds the tables that a question may read, its views included.
type viewTables struct {
	*queryTables
	ctx      context.Context
	engine   Engine
	question Question
	taken    []world.Job // views that queued results have answered
	failure  error       // of a view
}

// Table implements query.Tables.
func (t *viewTables) Table(database, name string) (query.Table, bool) {
	i := slices.IndexFunc(t.question.Views, func(v View) bool { return strings.EqualFold(v.Name, name) })
	if i < 0 || database != t.question.Database {
		return t.queryTables.Table(database, name)
	}
	found, err := t.view(t.question.Views[i].Text)
	if err != nil {
		t.failure = fmt.Errorf("table %s: %w", name, err)
		return query.Table{}, false
	}
	columns := make([]query.Column, len(found.Columns))
	for i, column := range found.Columns {
		columns[i] = query.Column{Name: column[0], Type: platformType(column[1])}
	}
	return query.Table{Columns: columns, Rows: func(yield func(query.Row) bool) {
		for _, row := range found.Rows {
			if !yield(query.Row{Values: textsOf(found.Columns, row)}) {
				return
			}
		}
	}}, true
}

// view returns the rows of the query of a view.
func (t *viewTables) view(text string) (QuestionResult, error) {
	q := t.question
	q.Text, q.Views = text, nil
	job := q.job()
	answer := result.Take(t.world, job)
	switch {
	case answer == nil:
		o := t.engine.answer(t.ctx, t.world, q)
		if o.err != nil {
			return QuestionResult{}, o.err
		}
		return questionResultOf(o.output, math.MaxInt64)
	case answer.Error != "":
		t.taken = append(t.taken, job)
		return QuestionResult{}, errors.New(answer.Error)
	}
	t.taken = append(t.taken, job)
	return questionResultOf(answer.Output, math.MaxInt64)
}

// platformType returns the platform's name of a type of columns that has an engine's name.
func platformType(engineType string) string {
	switch strings.ToLower(engineType) {
	case "bigint", "long":
		return "long"
	case "int", "integer", "smallint", "tinyint":
		return "int"
	case "double", "float", "real":
		return "double"
	}
	return "string"
}

// textsOf returns a row in the form of a table's records: an object of texts, without nulls.
func textsOf(columns [][2]string, row []jsontext.Value) string {
	values := map[string]string{}
	for i, value := range row {
		switch value.Kind() {
		case 'n':
		case '"':
			text, _ := jsontext.AppendUnquote(nil, value) // result.AppendJSON has quoted it
			values[columns[i][0]] = string(text)
		default:
			values[columns[i][0]] = value.String()
		}
	}
	text, err := json.Marshal(values, json.Deterministic(true))
	if err != nil { // texts by texts are always JSON
		panic(err)
	}
	return string(text)
}
