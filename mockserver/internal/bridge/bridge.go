// Package bridge holds everything that one interface of the platform may ask of another. The packages of the interfaces
// do not import each other; rules that span interfaces go through here:
//
//	ingestion → core      the table that an event goes into
//	audience  → core      connections, users, tables of profiles; a query for a segment is a job
//	dwh       → core      the target database and its tables
//	dwh       → workflow  the project of an integration, its runs
//	llm       → core      the database of a knowledge base, and what a query over it finds
//	llm       → workflow  the project that runs an agent schedule
//
// Users and their keys belong to the account, which all interfaces share: a deleted key is invalid in all of them.
package bridge

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"time"

	"github.com/vmihailenco/msgpack/v5"

	"svc.example/understudy/mockserver/internal/core/access"
	"svc.example/understudy/mockserver/internal/core/data"
	"svc.example/understudy/mockserver/internal/core/jobs"
	"svc.example/understudy/mockserver/internal/core/result"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/workflow"
	"svc.example/understudy/mockserver/internal/workflow/engine"
	"svc.example/understudy/mockserver/internal/world"
)

// Granted reports whether a user is granted anything on a kind of resource, such as LlmProject, by its policies or
// directly.
func Granted(w *world.State, user world.User, kind string) bool { return access.Granted(w, user, kind) }

// Connection returns a connection of the core data interface.
func Connection(w *world.State, id int64) (world.Connection, bool) { return w.Core.Connections.Get(id) }

// MayQuery reports whether a caller may query a database of the core data interface.
func MayQuery(w *world.State, caller world.Caller, database string) bool {
	return data.MayQuery(w, caller, database)
}

// Table returns a live table and its records in the world.
func Table(w *world.State, database, name string) (world.Table, world.Records, error) {
	table, err := data.LiveTable(w, database, name)
	if err != nil {
		return table, world.Records{}, err
	}
	records, _ := w.Core.Records.Get(table.ID)
	return table, records, nil
}

// Job returns a job by its id.
func Job(w *world.State, id int64) (world.Job, bool) { return w.Core.Jobs.Get(id) }

// AskJob issues a job that starts at once and runs for a given time, unless the result that is queued for its query
// sets another. It ends with the queued result, or else with the one that AnswerJob sets.
func AskJob(w *world.State, job world.Job, at time.Time, takes time.Duration) (world.Job, error) {
	job.Takes = &takes
	return jobs.IssueWithin(w, job, at)
}

// AnswerJob sets the rows with which a job ends, each value under a column of a name and a type; or an error.
func AnswerJob(w *world.State, id int64, columns [][2]string, rows [][]any, err error) {
	output, failed := result.NewOutput(columns, rows)
	for _, err := range []error{err, failed} {
		if err != nil {
			jobs.Answer(w, id, world.QueuedResult{Error: err.Error()})
			return
		}
	}
	jobs.Answer(w, id, world.QueuedResult{Output: output})
}

// AnswerJobBy sets the output with which a job ends.
func AnswerJobBy(w *world.State, id int64, output *world.Output) {
	jobs.Answer(w, id, world.QueuedResult{Output: output})
}

// Output returns the output of a job, of columns with their names and types, and of rows in JSON.
func Output(columns [][2]string, rows [][]json.RawMessage) (*world.Output, error) {
	return result.OutputFromJSON(columns, rows)
}

// StepJob runs the next step of a job.
func StepJob(w *world.State, id int64) { jobs.Proceed(w, id) }

// SingleInteger returns the only value of a job's result, if that is one row with one integer.
func SingleInteger(o *world.Output) (n int64, lone bool) {
	if o.Count != 1 || len(o.Columns) != 1 {
		return 0, false
	}
	row := msgpack.NewDecoder(bytes.NewReader(o.Rows))
	if _, err := row.DecodeArrayLen(); err != nil {
		return 0, false
	}
	value, _ := row.DecodeInterfaceLoose() // an unreadable value is not an integer
	switch v := value.(type) {
	case int64:
		return v, true
	case uint64:
		return int64(v), v <= math.MaxInt64
	}
	return 0, false
}

// TargetDatabase returns the live database that an integration names.
func TargetDatabase(w *world.State, name string) (world.Database, bool) {
	id, ok := w.Core.DatabaseNames.Get(name)
	if !ok {
		return world.Database{}, false
	}
	return w.Core.Databases.Get(id)
}

// MayImport reports whether a caller may import into a database.
func MayImport(w *world.State, caller world.Caller, d world.Database) bool {
	return access.May(w, caller, d, access.Import)
}

// HasTable reports whether a database has a live table with a name.
func HasTable(w *world.State, d world.Database, name string) bool {
	_, ok := w.Core.TableNames.Get(world.TableName{Database: d.ID, Name: name})
	return ok
}

// Project returns a project, deleted or not.
func Project(w *world.State, id int64) world.Project {
	p, _ := w.Workflow.Projects.Get(id)
	return p
}

// ProjectNamed returns the live project that has a name, or an id in digits.
func ProjectNamed(w *world.State, name string) (world.Project, bool) {
	id, ok := w.Workflow.ProjectNames.Get(name)
	if !ok {
		id, _ = strconv.ParseInt(name, 10, 64)
	}
	p, ok := w.Workflow.Projects.Get(id)
	return p, ok && p.DeletedAt.IsZero()
}

// HasProject reports whether a live project has a name.
func HasProject(w *world.State, name string) bool {
	_, ok := w.Workflow.ProjectNames.Get(name)
	return ok
}

// Files holds the files of a project's next revision.
type Files = workflow.Files

// Upload stores files as a new revision of a project, which may be new.
func Upload(w *world.State, f Files, now time.Time) (world.Project, error) { return f.Upload(w, now) }

// RemoveProject deletes a project, if it exists.
func RemoveProject(w *world.State, id int64, now time.Time) { workflow.RemoveProject(w, id, now) }

// StartNow starts a workflow of a project, again if necessary.
func StartNow(w *world.State, project int64, name string) (world.Attempt, error) {
	return workflow.StartNow(w, project, name)
}

// Attempts returns the attempts of all projects.
func Attempts(w *world.State) *table.Table[world.Attempt] { return &w.Workflow.Attempts }

// OfProject reports whether an attempt belongs to a project.
func OfProject(w *world.State, a world.Attempt, project int64) bool {
	session, _ := w.Workflow.Sessions.Get(a.Session)
	return session.Project == project
}

// AttemptView returns an attempt in the form of the workflow interface.
func AttemptView(w *world.State, a world.Attempt) any { return workflow.AttemptView(w, a) }

// AttemptStatus returns an attempt's status in the words of the workflow interface.
func AttemptStatus(a world.Attempt) string { return string(engine.StatusOf(a)) }

// SessionTime returns an attempt's session time in the form of the workflow interface.
func SessionTime(w *world.State, a world.Attempt) string { return workflow.SessionTime(w, a) }

// Watch returns the state of attempts for an auto clock.
func Watch(w *world.State, attempts ...int64) (state string, at time.Time, pending bool) {
	return engine.Watch(w, attempts...)
}

// ImportTarget returns the table that the path of an event names, if the caller may import into it.
func ImportTarget(c *op.Call) (world.Table, error) { return data.ImportTarget(c) }

// WithColumnsOf returns a table to which a record is about to be added, with the record's columns in its schema if it
// detects schemas.
func WithColumnsOf(t world.Table, r world.Record) world.Table { return data.WithColumnsOf(t, r) }

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
