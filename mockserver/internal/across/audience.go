package across

import (
	"bytes"
	"math"
	"time"

	"github.com/vmihailenco/msgpack/v5"

	"svc.example/understudy/mockserver/internal/core/data"
	"svc.example/understudy/mockserver/internal/core/jobs"
	"svc.example/understudy/mockserver/internal/core/result"
	"svc.example/understudy/mockserver/internal/world"
)

// MayQuery reports whether a caller may query a database of the core data interface.
func MayQuery(w *world.World, caller world.Caller, database string) bool {
	return data.MayQuery(w, caller, database)
}

// Table is a live table with the records that the world holds of it.
func Table(w *world.World, database, name string) (world.Table, world.Records, error) {
	table, err := data.LiveTable(w, database, name)
	if err != nil {
		return table, world.Records{}, err
	}
	records, _ := w.Core.Records.Get(table.ID)
	return table, records, nil
}

// Job is a job by its id.
func Job(w *world.World, id int64) (world.Job, bool) { return w.Core.Jobs.Get(id) }

// AskJob issues a job that starts at once and runs for a while, unless what is queued for its query says otherwise. It
// has the answer that is queued, or else gets it from AnswerJob.
func AskJob(w *world.World, job world.Job, at time.Time, takes time.Duration) (world.Job, error) {
	job.Takes = &takes
	return jobs.Ask(w, job, at)
}

// AnswerJob gives a job the rows that it ends with, each value under a column of a name and a type; or an error.
func AnswerJob(w *world.World, id int64, columns [][2]string, rows [][]any, err error) {
	output, failed := result.NewOutput(columns, rows)
	for _, err := range []error{err, failed} {
		if err != nil {
			jobs.Answer(w, id, world.QueuedResult{Error: err.Error()})
			return
		}
	}
	jobs.Answer(w, id, world.QueuedResult{Output: output})
}

// ProceedJob takes the step of a job that is due.
func ProceedJob(w *world.World, id int64) { jobs.Proceed(w, id) }

// LoneInteger is the only value of a job's result, if that is one row with one integer.
func LoneInteger(o *world.Output) (n int64, lone bool) {
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
