package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/core/data"
	"svc.example/understudy/mockserver/internal/core/result"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/mockserver/query"
)

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
		return g.newRun(func(ctx context.Context) outcome {
			w := then // an attempt may follow
			return g.answer(ctx, &w, q)
		})
	}).(*run)
	o := query.outcome.Load()
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
func (g Engine) answer(ctx context.Context, w *world.State, q Question) outcome {
	tables := &viewTables{
		queryTables: &queryTables{world: w, caller: q.Caller}, ctx: ctx, engine: g, question: q,
	}
	output, err := g.ask(ctx, q.job(), tables)
	return outcome{
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
