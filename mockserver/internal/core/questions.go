package core

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/mockserver/query"
)

// Question is a query that is answered at once, for another interface.
type Question struct {
	Caller   world.Caller
	Database string
	Text     string
	Now      time.Time
	Views    []View // what else may be read, ahead of the tables of the database
}

// View is a query that is read as a table.
type View struct{ Name, Text string }

// Finding is what a question gives.
type Finding struct {
	Columns [][2]string        // name and type, in the engine's words
	Rows    [][]jsontext.Value // at most as many as were wanted
	Count   int64              // of all rows
	Note    string             // for the journal, when the rows are not what one would expect
	Silent  bool               // nothing answers queries, so there are no rows
}

// questionDialect is what SQL of questions is taken for.
const questionDialect = "trino"

// Queryable says why a caller may not query a database.
func Queryable(w *world.World, caller world.Caller, name string) error {
	database, err := liveDatabase(w, name)
	if err == nil && !may(w, caller, database, mayQuery) {
		err = op.Forbidden("the permissions of user %d do not include %s on database %s", caller.User.ID, mayQuery, name)
	}
	return err
}

// LiveTables are the tables of a database, in the order in which they were made.
func LiveTables(w *world.World, database string) []world.Table {
	d, err := liveDatabase(w, database)
	if err != nil {
		return nil
	}
	return slices.Collect(tablesOf(w, d.ID))
}

// Ask answers a question with what is queued for its text, which is counted down, else with the engine. It gives the
// first rows, as many as are wanted.
func (g Engine) Ask(w *world.World, q Question, rows int64) (Finding, error) {
	if err := Queryable(w, q.Caller, q.Database); err != nil {
		return Finding{}, err
	}
	job := world.Job{Type: questionDialect, Database: q.Database, Query: q.Text, UpdatedAt: q.Now}
	job.Answer = takeResult(w, job)
	if job.Answer != nil && job.Answer.Error != "" {
		return Finding{}, errors.New(job.Answer.Error)
	}
	tables := &viewTables{queryTables: &queryTables{world: w, caller: q.Caller}, engine: g, question: q}
	output, err := g.output(job, tables)
	switch {
	case tables.failure != nil:
		return Finding{}, tables.failure
	case err != nil:
		return Finding{}, err
	}
	found := Finding{Columns: output.Columns, Count: output.Count, Note: tables.note("the query")}
	if found.Silent = job.Answer == nil && g.Query == nil; found.Silent {
		found.Note = "the query has no rows: the mock has no query engine, and nothing is queued for the query; " +
			"use WithQueryEngine, or queue rows"
	}
	err = resultForm{limit: rows}.eachRow(output, func(values []any) error {
		row := make([]jsontext.Value, len(values))
		for i, value := range values {
			text, err := appendJSON(nil, value)
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

// viewTables are the tables that a question may read, its views among them.
type viewTables struct {
	*queryTables
	engine   Engine
	question Question
	failure  error // of a view
}

// Table implements query.Tables.
func (t *viewTables) Table(database, name string) (query.Table, bool) {
	i := slices.IndexFunc(t.question.Views, func(v View) bool { return strings.EqualFold(v.Name, name) })
	if i < 0 || database != t.question.Database {
		return t.queryTables.Table(database, name)
	}
	q := t.question
	q.Text, q.Views = q.Views[i].Text, nil
	found, err := t.engine.Ask(t.world, q, math.MaxInt64)
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

// platformType is a column's type in the platform's words, out of those of an engine.
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

// textsOf is a row as the records of tables are: an object of texts, without what is null.
func textsOf(columns [][2]string, row []jsontext.Value) string {
	values := map[string]string{}
	for i, value := range row {
		switch value.Kind() {
		case 'n':
		case '"':
			text, _ := jsontext.AppendUnquote(nil, value) // appendJSON has quoted it
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
