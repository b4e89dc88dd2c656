package bridge

import (
	"bytes"
	"encoding/json"
	"math"
	"time"

	"github.com/vmihailenco/msgpack/v5"

	"svc.example/understudy/mockserver/internal/core/data"
	"svc.example/understudy/mockserver/internal/core/jobs"
	"svc.example/understudy/mockserver/internal/core/result"
	"svc.example/understudy/mockserver/internal/world"
)

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
	return jobs.Ask(w, job, at)
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
