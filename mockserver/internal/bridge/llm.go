package bridge

import (
	"svc.example/understudy/mockserver/internal/core/data"
	"svc.example/understudy/mockserver/internal/core/jobs"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

// Engine answers the queries of knowledge bases; it is the engine of jobs.
type Engine = jobs.Engine

// Question is a query over a database as a user.
type Question = jobs.Question

// View is a query that a question may read as a table.
type View = jobs.View

// QuestionResult is the result of a question.
type QuestionResult = jobs.QuestionResult

// Ask returns the answer to a question, with at most the requested number of rows.
func Ask(w *world.State, engine Engine, queries *op.Queries, q Question, rows int) (QuestionResult, error) {
	return engine.Ask(w, queries, q, int64(rows))
}

// Queryable returns an error with the reason why a user may not query a database, or nil if it may.
func Queryable(w *world.State, user world.User, database string) error {
	return data.Queryable(w, world.Caller{User: user}, database)
}

// Tables returns the tables of a database.
func Tables(w *world.State, database string) []world.Table { return data.LiveTables(w, database) }

// Running reports whether an attempt of a project is not done.
func Running(w *world.State, project int64) bool {
	for id := range table.All(&w.Workflow.Unfinished) {
		if a, _ := w.Workflow.Attempts.Get(id); OfProject(w, a, project) {
			return true
		}
	}
	return false
}
